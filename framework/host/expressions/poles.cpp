#include "framework/host/expressions/poles.hpp"

#include <cmath>
#include <limits>

#include "framework/host/expressions/interval.hpp"

namespace polyform::host::inline expressions {

namespace {

/// Which of the roots may change their signs, whatever the inputs are.
std::vector<bool> may_change_sign(const Program& program) {
  constexpr double everywhere = std::numeric_limits<double>::infinity();
  constexpr double rounding = 1e-300;  // of bounds, outwards, at zero
  std::vector<Interval> work(program.registers());
  program.prepare(std::span(work));
  for (std::size_t i = 0; i < program.inputs(); ++i) work[i] = {-everywhere, everywhere};
  program.run(std::span(work));
  std::vector<bool> may(program.roots());
  for (std::size_t k = 0; k < may.size(); ++k) {
    const Interval& range = work[program.root(k)];
    may[k] = !(range.low >= -rounding || range.high <= rounding);
  }
  return may;
}

}  // namespace

Poles::Poles(Graph& graph, std::span<const NodeIndex> values, std::span<const std::uint32_t> inputs) {
  const std::vector<Graph::Pole> found = graph.poles(values);
  std::vector<NodeIndex> every, quotients;
  for (const Graph::Pole& pole : found) every.push_back(pole.zero);
  const std::vector<bool> may = may_change_sign(Program(graph, every, inputs));
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (!may[k]) continue;
    nodes.push_back(found[k].zero);
    all.push_back({graph[found[k].at].place, {}});
    quotients.push_back(found[k].at);
  }
  for (std::uint32_t v = 0; v < values.size() && !all.empty(); ++v) {
    const std::vector<bool> is_needed = graph.needed(values.subspan(v, 1));
    for (std::size_t k = 0; k < all.size(); ++k)
      if (is_needed[quotients[k]]) all[k].values.push_back(v);
  }
  zeros = Program(graph, nodes, inputs);
}

bool grows_without_bound(double size_far, double size_near) noexcept {
  constexpr double least_growth = 0.5 / nearer_to_pole;
  return size_near > least_growth * size_far;
}

}  // namespace polyform::host::inline expressions
