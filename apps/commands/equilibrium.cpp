// polyform equilibrium MODEL: a state without accelerations, at rest or in steady motion.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "apps/session/arguments.hpp"
#include "apps/command.hpp"
#include "apps/text/linear_text.hpp"
#include "apps/text/mode_warnings.hpp"
#include "apps/session/operating_point.hpp"
#include "apps/session/session.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/results/output_file.hpp"
#include "framework/host/simulation/integrator_selection.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::apps {

namespace {

using host::Equilibrium;
using host::Exit;

struct EquilibriumCommandArguments {
  ModelArguments model;
  std::string solver, output;
  std::vector<std::string> options;
  EquilibriumArguments equilibrium;
  bool json = false;
};

/// Poses of all bodies at a state.
class Poses {
 public:
  Poses(const SystemView& view, const host::CanonicalState& s) : tree_(view), orientations_(view.frames()) {
    tree_.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
    tree_.orientations(s.q.data(), orientations_, s.eta.data());
  }
  Pose operator[](BodyIndex b) const { return {orientations_[at(b)], tree_.bodies()[at(b)].p}; }

 private:
  TreeKinematics tree_;
  std::vector<Quat> orientations_;
};

std::span<const double> part(const std::vector<double>& all, std::size_t first, std::size_t count) {
  return std::span(all).subspan(first, count);
}
std::vector<double> numbers_of(const Vec3& v) { return {v.x, v.y, v.z}; }
std::vector<double> numbers_of(const Quat& q) { return {q.w, q.x, q.y, q.z}; }

Json equilibrium_json(const host::System& system, const Equilibrium& found) {
  const SystemView& view = system.view();
  const host::CanonicalState& s = found.point.state;
  const Poses poses(view, s);
  Json joints = Json::object(), bodies = Json::object(), trimmed = Json::object(), unbalanced = Json::array();
  for (const JointIndex j : system.joints()) {
    const JointData& joint = view.joints[at(j)];
    joints[std::string(joint.name)] = {{"position", part(s.q, joint.q_offset, own_positions(joint))},
                                       {"velocity", part(s.v, joint.v_offset, joint.nv)}};
  }
  for (const BodyIndex b : system.bodies()) {
    const BodyData& body = view.bodies[at(b)];
    const Pose pose = poses[b];
    Json entry = {{"position", numbers_of(pose.position)}, {"orientation", numbers_of(pose.orientation)}};
    if (body.flexible != rigid) {
      const FlexibleData& f = view.flexible[body.flexible];
      entry["modal_position"] = part(s.eta, f.mode_offset, f.modes);
    }
    bodies[std::string(body.name)] = std::move(entry);
  }
  for (std::size_t k = 0; k < found.point.trimmed.size(); ++k)
    trimmed[found.point.trimmed[k].name] = found.point.trimmed[k].value + found.point.offsets[k];
  for (const host::Unbalanced& u : found.unbalanced)
    unbalanced.push_back(
        {{"coordinate", u.coordinate}, {"force", u.force}, {"unit", u.unit}, {"acceleration", u.acceleration}});
  return {{"balanced", found.balanced},         {"residual", found.residual},  {"iterations", found.iterations},
          {"joints", std::move(joints)},        {"bodies", std::move(bodies)}, {"trimmed", std::move(trimmed)},
          {"unbalanced", std::move(unbalanced)}};
}

std::string value_text(std::span<const double> values) {
  return values.size() == 1 ? fmt::format("{:.10g}", values[0] + 0.0)
                            : fmt::format("[{:.10g}]", fmt::join(values, ", "));
}

void print_point(const host::System& system, const Equilibrium& found) {
  constexpr std::size_t most = 40;
  const SystemView& view = system.view();
  const host::CanonicalState& s = found.point.state;
  const Poses poses(view, s);
  for (std::size_t k = 0; k < found.point.trimmed.size(); ++k)
    fmt::print(output(), "trimmed  {} = {:.12g} {}\n", found.point.trimmed[k].name,
               found.point.trimmed[k].value + found.point.offsets[k], found.point.trimmed[k].unit);
  std::size_t shown = 0;
  for (const JointIndex j : system.joints()) {
    const JointData& joint = view.joints[at(j)];
    if (own_positions(joint) == 0 || ++shown > most) continue;
    fmt::print(output(), "joint {}  q = {}", joint.name, value_text(part(s.q, joint.q_offset, own_positions(joint))));
    const std::span<const double> v = part(s.v, joint.v_offset, joint.nv);
    if (std::any_of(v.begin(), v.end(), [](double x) { return x != 0; }))
      fmt::print(output(), "  v = {}", value_text(v));
    fmt::print(output(), "\n");
  }
  if (shown > most) fmt::print(output(), "and {} more joints\n", shown - most);
  for (std::size_t k = 0; k < std::min(most, system.bodies().size()); ++k) {
    const BodyIndex b = system.bodies()[k];
    const BodyData& body = view.bodies[at(b)];
    const Pose pose = poses[b];
    fmt::print(output(), "body {}  position {} m, orientation {}\n", body.name, value_text(numbers_of(pose.position)),
               value_text(numbers_of(pose.orientation)));
    if (body.flexible != rigid) {
      const FlexibleData& f = view.flexible[body.flexible];
      fmt::print(output(), "  modal position {}\n", value_text(part(s.eta, f.mode_offset, f.modes)));
    }
  }
  if (system.bodies().size() > most) fmt::print(output(), "and {} more bodies\n", system.bodies().size() - most);
}

/// The state as values that can be put in the model.
std::string initial_text(const host::System& system, const Equilibrium& found) {
  const SystemView& view = system.view();
  const host::CanonicalState& s = found.point.state;
  std::string file;
  const auto values = [](std::span<const double> x) {
    return x.size() == 1 ? fmt::format("{}", x[0]) : fmt::format("[{}]", fmt::join(x, ", "));
  };
  file += fmt::format("# Equilibrium of {}: put these values at the joints, bodies and forces of the model.\n",
                      system.description().file);
  file += "joints:\n";
  for (const JointIndex j : system.joints()) {
    const JointData& joint = view.joints[at(j)];
    if (own_positions(joint) == 0) continue;
    file += fmt::format("  - {{name: {}, initial: {{position: {}, velocity: {}}}}}\n", Json(joint.name).dump(),
                        values(part(s.q, joint.q_offset, own_positions(joint))),
                        values(part(s.v, joint.v_offset, joint.nv)));
  }
  if (!view.flexible.empty()) file += "bodies:\n";
  for (const FlexibleData& f : view.flexible)
    file += fmt::format("  - {{name: {}, modal_position: [{}]}}\n", Json(view.bodies[at(f.body)].name).dump(),
                        fmt::join(part(s.eta, f.mode_offset, f.modes), ", "));
  for (std::size_t k = 0; k < found.point.trimmed.size(); ++k)
    file += fmt::format("{}# {} = {}\n", k == 0 ? "# trimmed fields:\n" : "", found.point.trimmed[k].name,
                        found.point.trimmed[k].value + found.point.offsets[k]);
  return file;
}

Exit equilibrium(const EquilibriumCommandArguments& arguments) {
  host::FileRoles files;
  files.read("the model", arguments.model.file);
  files.read_files("the plugin", arguments.model.plugin_paths);
  files.write("--output", arguments.output);
  Session session(arguments.model.plugin_paths);
  session.add_plugins_to(files);
  std::optional<host::OutputFile> file;  // opened before the work begins
  if (!arguments.output.empty()) file.emplace(arguments.output);
  const auto system = session.load(arguments.model);
  const SolverChoice choice = choose_solver(session.catalog(), *system, arguments.solver, arguments.options);
  session.crash_report().set_work(fmt::format("solver {}", choice.formulation->name()));
  const host::SolverMaker make = maker_of(choice);
  check_sizes(*system, make);
  const Equilibrium found = host::find_equilibrium(*system, make, request_of(arguments.equilibrium, *system));
  host::Stability stability;
  if (found.balanced) {
    host::Linearization linear = host::linearize(*system, make, found.point, {{}, {"none"}});
    stability = host::judge(
        *system, make, found.point,
        {host::preferred_adaptive_integrator(session.catalog().integrators), {}, {}, true, FloquetBar()}, linear);
  }
  const char* kind = arguments.equilibrium.steady ? "steady motion" : "equilibrium";
  if (arguments.json) {
    Json out = {{"model", system->description().name},
                {"solver", choice.formulation->name()},
                {"steady", arguments.equilibrium.steady}};
    out.update(equilibrium_json(*system, found));
    out["stability"] = Json();
    if (found.balanced) out.update(stability_json(stability));
    print_json(out);
  } else {
    fmt::print(output(), "{}, solver {}: {} {} {} iterations, largest acceleration left {:.1e}\n",
               system->description().name, choice.formulation->name(), kind,
               found.balanced ? "found in" : "not found after", found.iterations, found.residual);
    print_point(*system, found);
    if (found.balanced) print_stability(stability);
  }
  if (file) {
    file->replace();
    file->write(initial_text(*system, found));
    file->close();
  }
  warn_of_modes(*system, 0, found.point.state);
  if (found.balanced) return Exit::done;
  print(Severity::error,
        fmt::format("there is no {} near the initial state; what is not balanced:\n  {}", kind, unbalanced_text(found)),
        "--trim frees fields of forces that could balance it; another initial position may lead elsewhere.");
  return Exit::simulation_failed;
}

}  // namespace

void add_equilibrium(CLI::App& app, Action& action) {
  CLI::App* sub =
      app.add_subcommand("equilibrium", "A state without accelerations: at rest, or a steady motion (trim)");
  const auto arguments = std::make_shared<EquilibriumCommandArguments>();
  add_model(*sub, arguments->model);
  add_state(*sub, arguments->model.state);
  add_solver(*sub, arguments->solver);
  add_solver_options(*sub, arguments->options);
  add_equilibrium_arguments(*sub, arguments->equilibrium);
  sub->add_option("--output", arguments->output, "Write the state as initial values for the model")->type_name("FILE");
  sub->add_flag("--json", arguments->json, "Print one JSON object");
  sub->footer(
      "Searches from the initial state, downhill where it is at rest, so that it settles in a stable equilibrium\n"
      "unless it starts in an unstable one. What cannot be balanced is named, with exit code 1. Examples:\n"
      "  polyform equilibrium rod.yaml\n"
      "  polyform equilibrium rod.yaml --hold pin --trim motor.effort\n"
      "  polyform equilibrium aircraft.yaml --steady --trim elevator.angle,engine.force[0] --json");
  sub->final_callback([&action, arguments] { action = [arguments] { return equilibrium(*arguments); }; });
}

}  // namespace polyform::apps
