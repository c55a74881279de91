#include "apps/fmi/fmu_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/session/loading.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/registry/process_state.hpp"
#include "framework/host/simulation/element_events.hpp"
#include "framework/host/simulation/solver_ode.hpp"
#include "framework/host/simulation/unilateral_set.hpp"
#include "framework/workbench/linearization/input_fields.hpp"

namespace polyform::fmi {

using Role = Variable::Role;

FmuModel::FmuModel(const Settings& settings, const host::Catalog& catalog, std::shared_ptr<const void> libraries,
                   const std::map<std::string, double>& parameters)
    : settings_(settings) {
  for (const auto& [name, value] : parameters)
    settings_.model.set.push_back(fmt::format("parameters.{}={}", name, value));
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  host::Description model = apps::read(settings_.model, catalog, diagnostics, missing_plugin);
  if (!diagnostics.failed()) {
    parameters_ = model.parameters;
    inputs_ = make_inputs(model, settings_.inputs);
    const host::ProcessState before;
    system_ = host::System::assemble(std::move(model), std::move(libraries), diagnostics);
  }
  apps::print(diagnostics);
  if (!system_) throw host::Failure(missing_plugin ? host::Exit::plugin : host::Exit::bad_input, apps::already_said);
  if (settings_.kind == Kind::model_exchange && host::has_unilateral_rows(system_->view()))
    throw host::Failure(host::Exit::bad_input,
                        "something in the model touches, sticks or locks without giving way, so that its equations "
                        "change with the motion: no other program can integrate them",
                        "Export it with --kind cs, which has its integrator with it, or use a compliant law.");
  run_ = apps::settle(catalog, settings_.run, system_->description());
  choice_ = apps::choose_solver(catalog, *system_, settings_.solver, settings_.options);
  list_variables();
}

std::size_t FmuModel::count(Role role) const {
  return static_cast<std::size_t>(std::ranges::count(variables_, role, &Variable::role));
}

void FmuModel::list_variables() {
  variables_.push_back({Role::time, 0, "time", "s", "the time of the simulation"});
  for (const auto& [name, value] : parameters_)
    variables_.push_back(
        {Role::parameter, count(Role::parameter), "parameters." + name, "1", "parameter of the model", value});
  const std::vector<host::InputField> fields = host::input_fields(system_->view(), 0);
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const auto field = std::ranges::find(fields, inputs_[k].name, &host::InputField::name);
    const std::string unit(field == fields.end() ? std::string_view() : field->unit);
    const double start = inputs_[k].function->start();
    variables_.push_back({Role::input, k, inputs_[k].name, unit, "field of an element", start});
    if (!inputs_[k].is_motion) continue;
    variables_.push_back(
        {Role::input_rate, k, inputs_[k].name + ".rate", unit + "/s", "first derivative of the input"});
    variables_.push_back({Role::input_acceleration, k, inputs_[k].name + ".acceleration", unit + "/s^2",
                          "second derivative of the input"});
  }
  const host::RowMaker rows(*system_, columns());
  for (std::size_t k = 0; k < rows.channels().size(); ++k) {
    const host::Channel& channel = rows.channels()[k];
    if (k == 0) continue;  // the time
    // Each name is given once: a column may have that of a field which is an input.
    const bool is_taken = std::ranges::find(variables_, channel.name, &Variable::name) != variables_.end();
    variables_.push_back({Role::output, k, is_taken ? channel.name + ".column" : channel.name, channel.unit,
                          host::place_of(channel).group});
  }
  if (settings_.kind == Kind::co_simulation) return;
  const host::SolverPointer solver = apps::compile(choice_, system_->view());
  const host::SolverOde ode(*solver, system_->view());
  for (std::size_t k = 0; k < ode.size(); ++k)
    variables_.push_back({Role::state, k, fmt::format("state[{}]", k), "", "state of the formulation"});
  for (std::size_t k = 0; k < ode.size(); ++k)
    variables_.push_back({Role::rate, k, fmt::format("der(state[{}])", k), "", "its derivative in time"});
  const host::ElementEvents events(system_->view(), *solver);
  for (std::size_t k = 0; k < events.size(); ++k)
    variables_.push_back({Role::event, k, fmt::format("event[{}]", k), "", events.name_of(k)});
}

}  // namespace polyform::fmi
