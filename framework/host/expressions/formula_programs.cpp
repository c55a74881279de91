#include "framework/host/expressions/formula_programs.hpp"

#include <algorithm>
#include <iterator>

namespace polyform::host::inline expressions {

namespace {

bool of_time(const Graph& graph, NodeIndex node) {
  const NodeIndex roots[] = {node};
  const std::vector<std::uint32_t> inputs = graph.inputs(roots);
  return inputs == std::vector<std::uint32_t>{0};
}

std::string text_of(const GraphNode& node, std::span<const FormulaText> texts) {
  if (node.place.formula >= texts.size() || node.place.end <= node.place.begin) return "a formula";
  std::string part = texts[node.place.formula].text.substr(node.place.begin, node.place.end - node.place.begin);
  while (!part.empty() && part.back() == ' ') part.pop_back();
  return part.empty() ? "a formula" : part;
}

}  // namespace

FormulaPrograms::FormulaPrograms(Formulas& all, const Roots& roots, std::span<const std::uint32_t> inputs)
    : values(all.graph, roots.values, inputs),
      outputs(all.graph, roots.outputs, inputs),
      samples(all.graph, roots.samples, inputs),
      limits(all.graph, roots.limits, inputs) {
  const std::span<const NodeIndex> of_values = roots.values;
  std::vector<NodeIndex> moving, by_clock;
  for (const NodeIndex node : all.graph.switches(of_values)) {
    if (of_time(all.graph, node)) {
      by_clock.push_back(node);
    } else {
      moving.push_back(node);
      switch_names.push_back(text_of(all.graph[node], *all.texts));
    }
  }
  std::vector<NodeIndex> high, places = all.graph.peaks(of_values);
  std::ranges::copy(all.turnings(of_values), std::back_inserter(places));
  for (const NodeIndex node : places) {
    std::vector<NodeIndex>& known = of_time(all.graph, node) ? by_clock : moving;
    if (std::ranges::find(known, node) != known.end() || std::ranges::find(high, node) != high.end()) continue;
    if (&known == &by_clock) {
      by_clock.push_back(node);
    } else {
      high.push_back(node);
      peak_names.push_back(text_of(all.graph[node], *all.texts));
    }
  }
  poles = Poles(all.graph, of_values, inputs);
  switches = Program(all.graph, moving, inputs);
  peaks = Program(all.graph, high, inputs);
  schedule = TimeRoots(all.graph, by_clock);
  std::vector<NodeIndex> arguments;
  for (const Graph::Passed& table : all.graph.tables_passed(of_values)) {
    if (of_time(all.graph, table.argument)) continue;
    arguments.push_back(table.argument);
    reaches.emplace_back(*table.x, table.y, table.periodic);
  }
  passed = Program(all.graph, arguments, inputs);
}

}  // namespace polyform::host::inline expressions
