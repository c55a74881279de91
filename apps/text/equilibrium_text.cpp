#include "apps/text/equilibrium_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "apps/session/operating_point.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/wrapping.hpp"
#include "framework/host/assembly/row_states.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::apps {

using host::Equilibrium;

namespace {

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

Json driven_json(const Equilibrium& found) {
  Json all = Json::array();
  for (const host::Driven& d : found.driven)
    all.push_back({{d.kind, d.name}, {"moves", d.moves}, {"accelerates", d.accelerates}, {"changes", d.changes}});
  return all;
}

/// The first-order states that a search finds; those which change at events only begin with the motion.
std::vector<host::StateColumn> found_states(const SystemView& view) {
  std::vector<host::StateColumn> all = host::state_columns(view);
  std::erase_if(all, [](const host::StateColumn& one) { return one.held; });
  return all;
}

std::string value_text(std::span<const double> values) {
  return values.size() == 1 ? fmt::format("{:.10g}", values[0] + 0.0)
                            : fmt::format("[{:.10g}]", fmt::join(values, ", "));
}

}  // namespace

Json equilibrium_json(const host::System& system, const Equilibrium& found, bool steady) {
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
  Json states = Json::object();
  for (const host::StateColumn& one : found_states(view)) states[one.name] = s.x[one.index];
  for (const host::Unbalanced& u : found.unbalanced)
    unbalanced.push_back(
        {{"coordinate", u.coordinate}, {"force", u.force}, {"unit", u.unit}, {"acceleration", u.acceleration}});
  const std::string_view kind = name_of_state(found, steady);
  return {{"found", found.balanced ? Json(kind) : Json()},
          {"driven", driven_json(found)},
          {"balanced", found.balanced && goes_on(kind)},
          {"lasts", found.lasting.lasts},
          {"residual", found.residual},
          {"iterations", found.iterations},
          {"joints", std::move(joints)},
          {"bodies", std::move(bodies)},
          {"states", std::move(states)},
          {"trimmed", std::move(trimmed)},
          {"unbalanced", std::move(unbalanced)}};
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
    std::string line =
        fmt::format("joint {}  q = {}", joint.name, value_text(part(s.q, joint.q_offset, own_positions(joint))));
    const std::span<const double> v = part(s.v, joint.v_offset, joint.nv);
    if (std::any_of(v.begin(), v.end(), [](double x) { return x != 0; })) line += "  v = " + value_text(v);
    fmt::print(output(), "{}\n", wrapped(line, 0, 2));
  }
  if (shown > most) fmt::print(output(), "and {} more joints\n", shown - most);
  for (std::size_t k = 0; k < std::min(most, system.bodies().size()); ++k) {
    const BodyIndex b = system.bodies()[k];
    const BodyData& body = view.bodies[at(b)];
    const Pose pose = poses[b];
    const std::string place = fmt::format("body {}  position {} m,", body.name, value_text(numbers_of(pose.position)));
    fmt::print(output(), "{}\n  orientation {}\n", wrapped(place, 0, 2), value_text(numbers_of(pose.orientation)));
    if (body.flexible != rigid) {
      const FlexibleData& f = view.flexible[body.flexible];
      const std::string modes = fmt::format("  modal position {}", value_text(part(s.eta, f.mode_offset, f.modes)));
      fmt::print(output(), "{}\n", wrapped(modes, 0, 4));
    }
  }
  if (system.bodies().size() > most) fmt::print(output(), "and {} more bodies\n", system.bodies().size() - most);
  const std::vector<host::StateColumn> states = found_states(view);
  for (std::size_t k = 0; k < std::min(most, states.size()); ++k)
    fmt::print(output(), "{}\n",
               wrapped(fmt::format("state {} = {:.10g}{}{}", states[k].name, s.x[states[k].index] + 0.0,
                                   states[k].unit.empty() ? "" : " ", states[k].unit),
                       0, 2));
  if (states.size() > most) fmt::print(output(), "and {} more states\n", states.size() - most);
}

std::string lasting_text(const Equilibrium& found, bool steady) {
  return fmt::format("no: at t = {:.4g} s {}; the state is no {}", found.point.time + found.lasting.time,
                     found.lasting.why, steady ? "steady motion" : "equilibrium");
}

std::string initial_text(const host::System& system, const Equilibrium& found, std::string_view kind) {
  const SystemView& view = system.view();
  const host::CanonicalState& s = found.point.state;
  std::string file;
  const auto values = [](std::span<const double> x) {
    return x.size() == 1 ? fmt::format("{}", x[0]) : fmt::format("[{}]", fmt::join(x, ", "));
  };
  file += fmt::format("# State of {}, {}: put these values at the joints, bodies and forces of the model.\n",
                      system.description().file, kind);
  file += "joints:\n";
  for (const JointIndex j : system.joints()) {
    const JointData& joint = view.joints[at(j)];
    if (own_positions(joint) == 0) continue;
    file += fmt::format("  - {{name: {}, initial: {{position: {}, velocity: {}}}}}\n", Json(joint.name).dump(),
                        values(part(s.q, joint.q_offset, own_positions(joint))),
                        values(part(s.v, joint.v_offset, joint.nv)));
  }
  std::string bodies;
  const Poses poses(view, s);
  for (const JointData& joint : view.tree_joints()) {
    if (!joint.added) continue;
    // A body that no joint ties to ground. Its rates are those of its frame, in ground axes.
    const Pose pose = poses[joint.moving];
    bodies += fmt::format("  - {{name: {}, initial: {{position: [{}, {}], velocity: {}}}}}\n",
                          Json(view.bodies[at(joint.moving)].name).dump(), fmt::join(numbers_of(pose.position), ", "),
                          fmt::join(numbers_of(pose.orientation), ", "), values(part(s.v, joint.v_offset, joint.nv)));
  }
  for (const FlexibleData& f : view.flexible)
    bodies += fmt::format(
        "  - {{name: {}, modal_position: [{}], modal_velocity: [{}]}}\n", Json(view.bodies[at(f.body)].name).dump(),
        fmt::join(part(s.eta, f.mode_offset, f.modes), ", "), fmt::join(part(s.etadot, f.mode_offset, f.modes), ", "));
  if (!bodies.empty()) file += "bodies:\n" + bodies;
  const std::vector<host::StateColumn> states = found_states(view);
  if (!states.empty()) file += "# States of elements and signals, which --state takes from this file:\nstates:\n";
  for (const host::StateColumn& one : states)
    file += fmt::format("  - {{name: {}, value: {}}}\n", Json(one.name).dump(), s.x[one.index]);
  for (std::size_t k = 0; k < found.point.trimmed.size(); ++k)
    file += fmt::format("{}# {} = {}\n", k == 0 ? "# trimmed fields:\n" : "", found.point.trimmed[k].name,
                        found.point.trimmed[k].value + found.point.offsets[k]);
  return file;
}

}  // namespace polyform::apps
