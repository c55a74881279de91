#include "apps/session/linear_model.hpp"

#include <CLI/CLI.hpp>

#include "apps/text/linear_text.hpp"
#include "framework/host/columns/body_axes_columns.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/simulation/integrator_selection.hpp"

namespace polyform::apps {

using host::Exit;

namespace {

/// hub=blade1,blade2,blade3.
std::vector<host::Rotor> rotors_of(const std::vector<std::string>& typed) {
  std::vector<host::Rotor> rotors;
  for (const std::string& text : typed) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw host::Failure(Exit::bad_input, "--multi-blade: expected hub=blade,blade,blade, found " + host::show(text),
                          "Give the joint that turns the rotor, and a joint of each blade.");
    rotors.push_back({text.substr(0, equals), CLI::detail::split(text.substr(equals + 1), ',')});
  }
  return rotors;
}

void check_instants(const host::Stability& stability) {
  if (!stability.floquet)
    throw host::Failure(Exit::bad_input, "--instants: the motion has no known period: " + stability.why,
                        "Give the period with --floquet, or linearize at single times with --at.");
}

}  // namespace

LinearModel linear_model(const host::Catalog& catalog, const host::System& system, const SolverChoice& choice,
                         const LinearizeArguments& arguments, const host::RunControl* control,
                         const host::FloquetProgress& progress, const host::CanonicalState* near) {
  const host::SolverMaker make = maker_of(choice);
  host::body_angles(system, arguments.euler_angles);  // also where no state is an angle
  LinearModel model;
  // Before what may take long. Constraints leave fewer than these, and to count them takes long itself.
  const SystemView& view = system.view();
  if (2 * (view.nv_tree + view.modes) + view.states > host::most_states)
    host::refuse_too_many(host::count_linear_states(system));
  model.point = find_point(catalog, system, make, arguments.point, control, near);
  host::LinearRequest request;
  request.inputs = host::select_inputs(host::input_fields(system.view(), model.point.time), arguments.inputs);
  request.outputs = arguments.outputs;
  model.linear = host::linearize(system, make, model.point, request);
  const std::vector<host::Rotor> rotors = rotors_of(arguments.rotors);
  const host::IntegratorChoice integrator = host::preferred_adaptive_integrator(catalog.integrators);
  // The linearization before the model is carried along symmetries.
  const host::Linearization frozen = model.linear;
  const bool in_body_axes = arguments.states == "body";
  if (in_body_axes) {
    host::Linearization of_rotors = frozen;
    host::use_multi_blade_coordinates(system, model.point, rotors, of_rotors);
    model.body = host::to_body_states(system, of_rotors, arguments.euler_angles);
  }
  model.stability =
      host::judge(system, make, model.point,
                  {integrator, arguments.period, rotors, arguments.point.at == "equilibrium", progress}, model.linear);
  if (arguments.instants > 0) {
    check_instants(model.stability);
    model.periodic =
        host::periodic_states(system, make, model.point, frozen,
                              {request, rotors, in_body_axes ? std::optional(arguments.euler_angles) : std::nullopt,
                               integrator, model.stability.floquet->period, arguments.instants});
  }
  model.where = describe_point(system, arguments.point, model.point, model.linear,
                               model.stability.modes_of == host::ModesOf::motion);
  return model;
}

Json linear_model_json(const host::System& system, const SolverChoice& choice, const LinearizeArguments& arguments,
                       const LinearModel& model) {
  Json out = {{"model", system.description().name},
              {"solver", choice.formulation->name()},
              {"at", arguments.point.at},
              {"time", model.point.time},
              {"note", model.where}};
  out.update(linear_json(model.linear, model.stability));
  if (model.body) out["body_states"] = state_space_json(*model.body);
  if (model.periodic) out["periodic_states"] = periodic_states_json(*model.periodic);
  return out;
}

}  // namespace polyform::apps
