#include "framework/host/reading/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/expressions/program.hpp"

namespace polyform::host::inline reading {

using expressions::ExpressionError;
using expressions::Graph;
using expressions::NodeIndex;

std::optional<NodeIndex> ParameterWords::value(std::string_view name, std::size_t) {
  for (const Scope* s = scope_; s != nullptr; s = s->outer)
    if (const auto found = s->parameters.find(name); found != s->parameters.end())
      return graph_.constant(found->second);
  return std::nullopt;
}

std::vector<std::string_view> ParameterWords::known() const {
  std::vector<std::string_view> names;
  for (const Scope* s = scope_; s != nullptr; s = s->outer)
    for (const auto& [name, value] : s->parameters) names.push_back(name);
  return names;
}

std::string ParameterWords::hint() const {
  const std::vector<std::string_view> names = ParameterWords::known();
  if (of_parameter_ && names.empty())
    return "An expression of a parameter takes those before it in its file, not those of files under `include`, and "
           "none stands before this one: move it down, or write a number.";
  if (of_parameter_) return fmt::format("Parameters before this one: {}.", listing(names));
  return names.empty() ? "The model has no parameters here: define them under 'parameters', or write a number."
                       : fmt::format("Parameters here: {}.", listing(names));
}

std::string ParameterWords::why_not(std::string_view name) const {
  for (const std::string_view of_motion :
       {"t", "q", "v", "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "signal", "channel"})
    if (name == of_motion)
      return fmt::format(
          "'{}' changes with the motion, and this is a number for the whole run; where a function of "
          "time may stand, a formula is written {{expression: \"…\"}}",
          name);
  return {};
}

Place place_in_text(const Value& value, std::size_t byte) {
  const Node& node = value.node();
  Place place = node.place;
  if (place.column == 0 || (value.scope() != nullptr && value.scope()->in_option) ||
      node.text.find('\n') != std::string::npos)
    return place;
  place.column += static_cast<int>(byte) + (node.quoted ? 1 : 0);
  return place;
}

std::optional<double> evaluate_expression(const Value& value, std::string_view expected, std::string_view otherwise) {
  const Node& node = value.node();
  const auto refuse = [&](std::size_t at, std::string_view why, std::string_view remedy) {
    value.report().error(place_in_text(value, at), value.path(),
                         fmt::format("found {}, expected {}: {}", describe(node), expected, why),
                         otherwise.empty() ? std::string(remedy) : fmt::format("{} {}", otherwise, remedy));
    return std::nullopt;
  };
  Graph graph;
  ParameterWords words(value.scope(), graph, value.path().text().starts_with("parameters."));
  try {
    const NodeIndex root = expressions::parse_expression(node.text, 0, graph, words);
    if (graph[root].code == expressions::Code::constant) return graph[root].value;
    const NodeIndex roots[] = {root};
    const expressions::Program program(graph, roots, {});
    std::vector<double> work(program.registers());
    program.prepare(std::span(work));
    program.run(std::span(work));
    const auto trouble = program.trouble(0, work);
    if (!trouble) return work[program.root(0)];
    return refuse(trouble->place.begin,
                  fmt::format("{} in {}", trouble->what,
                              show(node.text.substr(trouble->place.begin, trouble->place.end - trouble->place.begin))),
                  "Look at the values of its parameters.");
  } catch (const ExpressionError& e) {
    const std::string at = e.at == 0 ? std::string{} : fmt::format(", at character {} of the expression", e.at + 1);
    return refuse(e.at, e.message + at, e.remedy);
  }
}

bool is_parameter_name(std::string_view name, const Value& value, bool of_model) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0 || is_nonfinite(name))
    value.error(fmt::format("{} is no name of a parameter", show(name)), "Let it begin with a letter.");
  else if (name == "pi")
    value.error("'pi' is no name of a parameter: it is 3.14159… in every expression", "Choose another name.");
  else if (name == "t")
    value.error("'t' is no name of a parameter: it is the time in every expression", "Choose another name.");
  else if (of_model && !std::ranges::all_of(name, fits))
    value.error(fmt::format("{} is no name of a parameter", show(name)),
                "Use letters, digits and '_', as it stands in expressions.");
  else
    return true;
  return false;
}

void read_parameter_map(const Value& map, Scope& scope, std::vector<std::string_view>* names) {
  if (map.node().kind != Node::Kind::map) return map.unexpected("a map of names and numbers");
  for (const Node::Entry& e : map.node().entries) {
    const Value value = map.entry(e);
    is_parameter_name(e.key, value, scope.is_model);
    if (names != nullptr) names->push_back(e.key);
    scope.parameters[e.key] = read_number(value).value_or(0);
  }
}

}  // namespace polyform::host::inline reading
