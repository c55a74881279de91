#include "framework/host/assembly/row_states.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>

#include "framework/host/assembly/column_names.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/process_state.hpp"

namespace polyform::host::inline assembly {
namespace {

constexpr std::string_view goes_on_with_all =
    "A checkpoint has all of the state: polyform run --checkpoint FILE, then polyform resume FILE.";

/// Calls visit(name of the column, index, variable) for each discrete state of the system.
template <class Visit>
void each_discrete(const SystemView& view, const Visit& visit) {
  const auto each = [&](const auto& groups) {
    for (const auto& group : groups) {
      std::size_t state = group.discrete_offset;
      for (const std::string_view name : group.names)
        for (const DiscreteVariable& one : group.type->descriptor().discrete)
          visit(column_name(element_name(group, name), one.name), state++, one);
    }
  };
  each(view.forces);
  each(view.constraints);
  each(view.modules);
}

/// Names, of which a message shows the first.
class Names {
 public:
  void add(std::string_view name) {
    if (++count_ <= most_named) text_ += fmt::format("{}`{}`", text_.empty() ? "" : ", ", name);
  }
  bool empty() const { return count_ == 0; }
  std::string text() const {
    return count_ > most_named ? fmt::format("{} and {} more", text_, count_ - most_named) : text_;
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

}  // namespace

std::vector<StateColumn> state_columns(const SystemView& view) {
  std::vector<StateColumn> out;
  const auto each = [&](const auto& group, Strided<const Variable> own, std::size_t state) {
    const bool has_process = group.type->query(ProcessState::interface_name) != nullptr;
    const auto* const told = ask<HeldStates>(*group.type);
    for (const std::string_view name : group.names)
      for (std::size_t k = 0; k < own.size(); ++k, ++state) {
        const bool held = told != nullptr && told->is_held(k);
        if (!held || !has_process)
          out.push_back({column_name(element_name(group, name), own[k].name), own[k].unit, state, held});
      }
  };
  for (const ForceInstances& group : view.forces) each(group, group.type->descriptor().states, group.state_offset);
  for (const ModuleInstances& group : view.modules) {
    const auto variables = group.type->variables();
    each(group, variables, group.state_offset);
    each(group, group.type->states(), group.state_offset + group.names.size() * variables.size());
  }
  return out;
}

void take_states_of_row(Start& start) {
  const auto& row = start.parts.description.start_row;
  if (row.empty()) return;
  const auto value_of = [&](const std::string& name) -> std::optional<double> {
    const auto found = row.find(name);
    return found == row.end() ? std::nullopt : std::optional(found->second);
  };
  for (const StateColumn& state : state_columns(start.view()))
    if (const auto value = value_of(state.name)) start.parts.x[state.index] = *value;
  each_discrete(start.view(), [&](const std::string& name, std::size_t state, const DiscreteVariable& own) {
    const auto value = value_of(name);
    if (!value) return;
    const double last = static_cast<double>(own.values.size()) - 1;
    if (*value >= 0 && *value <= last && *value == std::floor(*value))
      start.parts.discrete[state] = static_cast<std::int32_t>(*value);
    else
      start.diagnostics.error(
          fmt::format("column `{}` of the state: found {}, expected a whole number from 0 to {}", name, *value, last),
          "Rows that polyform has written have such numbers.");
  });
}

void warn_of_states_begun_anew(const Start& start) {
  const auto& row = start.parts.description.start_row;
  if (start.time() == 0) return;
  Names lacking, of_process;
  const auto look = [&](const std::string& name) {
    if (!row.contains(name)) lacking.add(name);
  };
  if (!row.empty()) {
    for (const StateColumn& state : state_columns(start.view())) look(state.name);
    each_discrete(start.view(), [&](const std::string& name, std::size_t, const DiscreteVariable&) { look(name); });
  }
  const auto look_at_types = [&](const auto& groups) {
    for (const auto& group : groups)
      if (group.type->query(ProcessState::interface_name) != nullptr)
        for (const std::string_view name : group.names) of_process.add(name);
  };
  look_at_types(start.view().forces);
  look_at_types(start.view().modules);
  if (!lacking.empty())
    start.diagnostics.report(
        {.severity = Severity::warning,
         .message = fmt::format("the row at t = {:.9g} s has no columns {}: these states begin as at t = 0",
                                start.time(), lacking.text()),
         .remedy =
             fmt::format("Write the rows with all columns of elements and modules (--columns). {}", goes_on_with_all),
         .file = start.parts.description.file});
  if (!of_process.empty())
    start.diagnostics.report(
        {.severity = Severity::warning,
         .message = fmt::format("no row of results has all of the state of {}, which begins anew at t = {:.9g} s",
                                of_process.text(), start.time()),
         .remedy = "Run the model in one go.",
         .file = start.parts.description.file});
}

}  // namespace polyform::host::inline assembly
