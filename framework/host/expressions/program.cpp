#include "framework/host/expressions/program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/host/expressions/formula_values.hpp"

namespace polyform::host::inline expressions {

Program::Program(const Graph& graph, std::span<const NodeIndex> roots, std::span<const std::uint32_t> input_numbers)
    : inputs_(input_numbers.size()) {
  const std::vector<NodeIndex> nodes = graph.needed(roots);
  std::vector<std::uint32_t> places(nodes.size(), 0), table(graph.tables().size(), Graph::none);
  const auto at = [&](NodeIndex node) { return places[place_of(node, nodes)]; };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const GraphNode& node = graph[nodes[i]];
    if (node.code == Code::input) {
      const auto found = std::ranges::lower_bound(input_numbers, node.a);
      places[i] = static_cast<std::uint32_t>(found - input_numbers.begin());
    } else if (node.code == Code::constant) {
      places[i] = static_cast<std::uint32_t>(inputs_ + constants_.size());
      constants_.push_back(node.value);
    }
  }
  const std::size_t first = inputs_ + constants_.size();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const GraphNode& node = graph[nodes[i]];
    if (node.code <= Code::input) continue;
    places[i] = static_cast<std::uint32_t>(first + operations_.size());
    const std::size_t operands = operand_count(node.code);
    Operation& o = operations_.emplace_back(
        Operation{node.code, at(node.a), operands > 1 ? at(node.b) : 0, operands > 2 ? at(node.c) : 0});
    places_.push_back(node.place);
    if (node.code == Code::table || node.code == Code::knot) {
      std::uint32_t& copied = table[node.b];
      if (copied == Graph::none) {
        copied = static_cast<std::uint32_t>(tables_.size());
        tables_.push_back(graph.tables()[node.b]);
      }
      o.b = copied;
    } else if (node.code == Code::surface) {
      o.c = static_cast<std::uint32_t>(surfaces_.size());
      surfaces_.push_back(graph.surfaces()[node.c]);
    }
  }
  for (const NodeIndex root : roots) roots_.push_back(at(root));
  tape_ = Tape(operations_, roots_, static_cast<std::uint32_t>(inputs_), constants_);
}

namespace {

std::string reason(Code code, double a, double b, double result) {
  switch (code) {
    case Code::divide: return b == 0 ? "division by zero" : fmt::format("{:.6g} divided by {:.6g} is too large", a, b);
    case Code::logarithm:
    case Code::decimal_logarithm: return fmt::format("the logarithm of {:.6g}", a);
    case Code::square_root: return fmt::format("the square root of {:.6g}", a);
    case Code::arc_sine: return fmt::format("asin of {:.6g}, which is not within -1 and 1", a);
    case Code::arc_cosine: return fmt::format("acos of {:.6g}, which is not within -1 and 1", a);
    case Code::area_cosine: return fmt::format("acosh of {:.6g}, which is less than 1", a);
    case Code::area_tangent: return fmt::format("atanh of {:.6g}, which is not between -1 and 1", a);
    case Code::power:
      if (a == 0 && b < 0) return fmt::format("0 to the power of {:.6g}, a division by zero", b);
      if (std::isnan(result)) return fmt::format("{:.6g} to the power of {:.6g}, which is no whole number", a, b);
      break;
    default: break;
  }
  return std::isnan(result) ? "an operation without result" : "a result beyond the largest number (1.8e308)";
}

}  // namespace

std::vector<double> Program::all_registers(std::span<const double> after) const {
  std::vector<double> work(after.begin(), after.end());
  const std::size_t first = inputs_ + constants_.size();
  for (std::size_t k = 0; k < operations_.size(); ++k) work[first + k] = apply(operations_[k], work.data());
  return work;
}

std::optional<Trouble> Program::trouble(std::size_t root, std::span<const double> after) const {
  std::uint32_t at = roots_[root];
  if (std::abs(after[at]) < beyond_any_scale) return std::nullopt;
  const std::size_t first = inputs_ + constants_.size();
  const std::vector<double> work = all_registers(after);
  if (std::isfinite(work[at]))
    return Trouble{fmt::format("a value of {:.3g}, beyond any scale,", work[at]), place(root)};
  // Goes down to the first operation that fails although its operands are numbers. If a later operation has turned
  // infinity into NaN, the infinity is told.
  while (at >= first) {
    const Operation& o = operations_[at - first];
    const auto bad = [&](std::uint32_t operand) { return !std::isfinite(work[operand]); };
    const std::size_t operands = o.code == Code::table || o.code == Code::knot ? 1 : operand_count(o.code);
    std::uint32_t next = at;
    if (o.code == Code::select && !std::isnan(work[o.a]))
      next = work[o.a] != 0 ? o.b : o.c;
    else if (bad(o.a))
      next = o.a;
    else if (operands > 1 && bad(o.b))
      next = o.b;
    if (next == at) {
      const double b = operands > 1 ? work[o.b] : 0;
      return Trouble{reason(o.code, work[o.a], b, work[at]), places_[at - first]};
    }
    at = next;
  }
  return Trouble{"something that it reads is no number", {}};
}

/// How much is left of the terms of a number, as a part of them: next to nothing if they cancel. Looks `depth`
/// operations deep.
double Program::remaining_part(std::uint32_t at, std::span<const double> work, int depth) const {
  const std::size_t first = inputs_ + constants_.size();
  const double size = std::abs(work[at]);
  if (at < first || depth == 0) return std::min(size, 1.0);
  const Operation& o = operations_[at - first];
  switch (o.code) {
    case Code::add:
    case Code::subtract: {
      const double terms = std::max(std::abs(work[o.a]), std::abs(work[o.b]));
      return terms > 0 ? size / terms : 0;
    }
    case Code::multiply: return std::min(remaining_part(o.a, work, depth - 1), remaining_part(o.b, work, depth - 1));
    case Code::power:
    case Code::negate:
    case Code::absolute:
    case Code::square_root:
    case Code::divide: return remaining_part(o.a, work, depth - 1);
    default: return std::min(size, 1.0);
  }
}

std::optional<Trouble> Program::strained(std::size_t root, std::span<const double> after) const {
  constexpr double nothing = 1e-6, steep = 1e6, huge = 1e30;  // no force or length of a machine is so large
  if (const double value = after[roots_[root]]; std::abs(value) > huge)
    return Trouble{fmt::format("a value of {:.3g}", value), place(root)};
  const std::vector<double> work = all_registers(after);
  const std::size_t first = inputs_ + constants_.size();
  std::vector<bool> is_needed(work.size());
  is_needed[roots_[root]] = true;
  for (std::size_t at = first + operations_.size(); at-- > first;) {
    if (!is_needed[at]) continue;
    const Operation& o = operations_[at - first];
    const std::size_t operands = o.code == Code::table || o.code == Code::knot ? 1 : operand_count(o.code);
    const std::uint32_t of[] = {o.a, o.b, o.c};
    for (std::size_t k = 0; k < operands; ++k) is_needed[of[k]] = true;
    const auto told = [&](std::string what) { return Trouble{std::move(what), places_[at - first]}; };
    const double value = work[at];
    if (o.code == Code::divide && remaining_part(o.b, work) < nothing && std::abs(value) > steep * std::abs(work[o.a]))
      return told(fmt::format("division by {:.3g}, a value of {:.3g}", work[o.b], value));
    if (o.code == Code::power && work[o.b] < 0 && remaining_part(o.a, work) < nothing)
      return told(fmt::format("{:.3g} to the power of {:.3g}, a value of {:.3g}", work[o.a], work[o.b], value));
    if (o.code == Code::tangent && std::abs(value) > steep) return told(fmt::format("a value of {:.3g}", value));
    const bool is_root = o.code == Code::square_root || o.code == Code::cube_root || o.code == Code::logarithm ||
                         o.code == Code::decimal_logarithm;
    if (is_root && remaining_part(o.a, work) < nothing)
      return told(fmt::format("an argument of {:.3g}, where the slope has no bound,", work[o.a]));
  }
  return std::nullopt;
}

}  // namespace polyform::host::inline expressions
