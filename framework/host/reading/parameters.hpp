// Expressions of parameters: what may stand in the place of a number.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/host/expressions/parser.hpp"
#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

/// Names of parameters where a value stands: those of its part, of the parts around it, of the model.
class ParameterWords : public expressions::Vocabulary {
 public:
  /// of_parameter: whether the expression is that of a parameter.
  ParameterWords(const Scope* scope, expressions::Graph& graph, bool of_parameter = false)
      : scope_(scope), graph_(graph), of_parameter_(of_parameter) {}
  std::optional<expressions::NodeIndex> value(std::string_view name, std::size_t at) override;
  std::vector<std::string_view> known() const override;
  std::string hint() const override;
  std::string why_not(std::string_view name) const override;

 protected:
  const Scope* scope() const { return scope_; }
  expressions::Graph& graph() { return graph_; }

 private:
  const Scope* scope_;
  expressions::Graph& graph_;
  bool of_parameter_;
};

/// The place of a byte of a scalar's text.
Place place_in_text(const Value&, std::size_t byte);

/// The value of the expression of parameters that a scalar holds; nothing after a report. expected: what should stand
/// there, "a number in N"; otherwise: a sentence for the remedy, what else may stand there.
std::optional<double> evaluate_expression(const Value&, std::string_view expected, std::string_view otherwise = {});

/// Whether a parameter may have this name; reports at its value where it may not. of_model: it stands in expressions of
/// the whole model.
bool is_parameter_name(std::string_view name, const Value&, bool of_model);

/// Reads a map of parameters, each a number or an expression of those before it, into the scope of the values.
void read_parameter_map(const Value& map, Scope&, std::vector<std::string_view>* names = nullptr);

}  // namespace polyform::host::inline reading
