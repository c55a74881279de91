#include "framework/host/expressions/poles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/host/expressions/interval.hpp"

namespace polyform::host::inline expressions {

namespace {

/// Of the roots, whatever the inputs are.
std::vector<Interval> ranges(const Program& program) {
  constexpr double everywhere = std::numeric_limits<double>::infinity();
  std::vector<Interval> work(program.registers());
  program.prepare(std::span(work));
  for (std::size_t i = 0; i < program.inputs(); ++i) work[i] = {-everywhere, everywhere};
  program.run(std::span(work));
  std::vector<Interval> all;
  for (std::size_t k = 0; k < program.roots(); ++k) all.push_back(work[program.root(k)]);
  return all;
}

constexpr double rounding = 1e-300;  // of bounds, outwards, at zero

bool may_change_sign(const Interval& range) { return !(range.low >= -rounding || range.high <= rounding); }
bool may_be_zero(const Interval& range) { return !(range.low > rounding || range.high < -rounding); }

/// A function that may change its sign at a pole, and the quotient that has it.
struct Candidate {
  NodeIndex node = 0, quotient = 0;
  NodeIndex whole = Graph::none;  ///< the hypotenuse of which it is a leg
  bool touched = false;
};

/// What is zero at each pole, and its derivatives.
std::vector<Candidate> candidates(Graph& graph, const std::vector<Graph::Pole>& poles,
                                  std::span<const std::uint32_t> inputs) {
  std::vector<NodeIndex> zeros;
  for (const Graph::Pole& one : poles) zeros.push_back(one.zero);
  const std::vector<Interval> range = ranges(Program(graph, zeros, inputs));
  std::vector<Candidate> all;
  for (std::size_t k = 0; k < poles.size(); ++k) {
    if (!may_be_zero(range[k])) continue;
    all.push_back({poles[k].zero, poles[k].at, poles[k].whole, false});
    for (const std::uint32_t input : graph.inputs(std::span(zeros).subspan(k, 1)))
      if (const NodeIndex slope = graph.derivative(poles[k].zero, input); slope != Graph::none)
        all.push_back({slope, poles[k].at, Graph::none, true});
  }
  return all;
}

}  // namespace

Poles::Poles(Graph& graph, std::span<const NodeIndex> values, std::span<const std::uint32_t> inputs) {
  const std::vector<Candidate> found = candidates(graph, graph.poles(values), inputs);
  std::vector<NodeIndex> every;
  for (const Candidate& one : found) every.push_back(one.node);
  const std::vector<Interval> range = ranges(Program(graph, every, inputs));
  std::vector<std::vector<NodeIndex>> needed;  // by each value
  for (std::size_t v = 0; v < values.size() && !found.empty(); ++v)
    needed.push_back(graph.needed(values.subspan(v, 1)));
  std::vector<NodeIndex> wholes;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!may_change_sign(range[k])) continue;
    std::optional<std::size_t> whole;
    if (found[k].whole != Graph::none) {
      whole = static_cast<std::size_t>(std::ranges::find(wholes, found[k].whole) - wholes.begin());
      if (*whole == wholes.size()) wholes.push_back(found[k].whole);
    }
    std::size_t known = 0;
    while (known < nodes.size() && !(nodes[known] == found[k].node && all[known].whole == whole)) ++known;
    if (known == nodes.size()) {
      nodes.push_back(found[k].node);
      all.push_back({graph[found[k].quotient].place, {}, found[k].touched, whole});
    }
    Pole& one = all[known];
    one.touched = one.touched && found[k].touched;
    for (std::uint32_t v = 0; v < values.size(); ++v)
      if (std::ranges::binary_search(needed[v], found[k].quotient) &&
          std::ranges::find(one.values, v) == one.values.end())
        one.values.push_back(v);
  }
  zeros = Program(graph, nodes, inputs);
  hypotenuses = Program(graph, wholes, inputs);
}

bool grows_without_bound(const SizesAtPole& at) noexcept {
  constexpr double least_growth = 0.5 / nearer_to_pole;
  const double least_to_middle = 0.5 / std::sqrt(nearer_to_pole);
  return at.near > least_growth * at.far && at.middle > least_to_middle * at.far;
}

}  // namespace polyform::host::inline expressions
