#include "apps/fmi/fmu_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/session/loading.hpp"
#include "apps/session/start_state.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/columns/constraint_forces.hpp"
#include "framework/host/evaluation/solver_ode.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/start_state.hpp"
#include "framework/host/registry/process_state.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"
#include "framework/host/watches/element_events.hpp"
#include "framework/workbench/linearization/input_fields.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::fmi {

using Role = Variable::Role;

std::string name_of_start(const std::string& column) { return "start." + column; }

namespace {

host::Description read_of(const Settings& settings, const host::Catalog& catalog, host::Diagnostics& diagnostics,
                          bool& missing_plugin) {
  if (!settings.text) return apps::read(settings.model, catalog, diagnostics, missing_plugin);
  host::Description model = host::read_model_text(*settings.text, settings.model.file, catalog, diagnostics,
                                                  missing_plugin, {settings.model.lenient});
  if (!diagnostics.failed()) apps::start_at(settings.model.state, std::nullopt, model, diagnostics);
  return model;
}

}  // namespace

FmuModel::FmuModel(const Settings& settings, const host::Catalog& catalog, std::shared_ptr<const void> libraries,
                   const GivenValues& given)
    : settings_(settings) {
  for (const auto& [name, value] : given.parameters)
    settings_.model.set.push_back(fmt::format("parameters.{}={}", name, value));
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  host::Description model = read_of(settings_, catalog, diagnostics, missing_plugin);
  if (!diagnostics.failed()) {
    parameters_ = model.parameters;
    host::start_from_values(given.starts, model, diagnostics);
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
  choose_columns();
  starts_ = host::start_columns(*system_);
  list_variables();
}

/// Who prescribes a motion asks for what it takes to move so. Results have that on request alone.
void FmuModel::choose_columns() {
  columns_ = apps::columns_of(settings_.run);
  if (!settings_.run.columns.empty()) return;
  const SystemView& view = system_->view();
  const auto is_driven = [](const auto& group, std::size_t i) {
    return std::ranges::any_of(group.instances[i].fields,
                               [](const FieldValue& f) { return f.given && !f.functions.empty(); });
  };
  std::set<std::string_view> driven;
  for (const ConstraintInstances& group : view.constraints)
    for (std::size_t i = 0; i < group.names.size(); ++i)
      if (is_driven(group, i)) driven.insert(group.names[i]);
  for (const host::ConstraintForce& force : host::constraint_forces(view))
    if (driven.contains(force.element)) columns_.patterns.push_back(fmt::format("{}.{}", force.element, force.name));
  for (const JointIndex j : system_->joints()) {
    const JointData& joint = view.joints[at(j)];
    if (rheonomic_kernel(joint) == nullptr) continue;
    for (const char* component : {"fx", "fy", "fz", "mx", "my", "mz"})
      columns_.patterns.push_back(fmt::format("{}.{}", joint.name, component));
  }
  columns_.names_differ = true;  // a run of the model needs no columns behind these
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
  std::set<std::string, std::less<>> names;
  for (const Variable& v : variables_) names.insert(v.name);
  const host::RowMaker rows(*system_, columns());
  for (std::size_t k = 0; k < rows.channels().size(); ++k) {
    const host::Channel& channel = rows.channels()[k];
    if (k == 0) continue;  // the time
    // Each name is given once: a column may have that of a field which is an input.
    const bool is_taken = names.contains(channel.name);
    variables_.push_back({Role::output, k, is_taken ? channel.name + ".column" : channel.name, channel.unit,
                          host::place_of(channel).group});
  }
  if (settings_.kind == Kind::model_exchange) list_states();
  for (std::size_t k = 0; k < starts_.size(); ++k)
    variables_.push_back({Role::start, k, name_of_start(starts_[k].channel.name), starts_[k].channel.unit,
                          "value at the start", starts_[k].value});
}

void FmuModel::list_states() {
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
