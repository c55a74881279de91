#include "framework/host/columns/start_columns.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "framework/host/assembly/row_states.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline columns {

namespace {

/// What of an initial state is known without a solver: motions, and the states themselves.
void observe_start(const System& system, Observation& now) {
  const SystemView& view = system.view();
  const ConstStateView start = system.initial_state();
  std::ranges::copy(start.q, now.q.begin());
  std::ranges::copy(start.v, now.v.begin());
  std::ranges::copy(start.eta, now.eta.begin());
  std::ranges::copy(start.etadot, now.etadot.begin());
  TreeKinematics tree(view);
  tree.evaluate(start.q.data(), start.v.data(), start.eta.data(), start.etadot.data());
  std::vector<Quat> orientations(tree.frames().size());
  tree.orientations(start.q.data(), orientations, start.eta.data());
  for (std::size_t b = 0; b < view.bodies.size(); ++b) {
    const BodyMotion& motion = tree.bodies()[b];
    Observation::Body& body = now.bodies[b];
    body.pose = {orientations[b], motion.p};
    body.velocity = motion.V.linear;
    body.angular_velocity = motion.V.angular;
  }
}

/// Names of the bodies to which the host gave a free joint, as their joint alone ties them.
std::set<std::string_view> free_bodies(const SystemView& view) {
  std::set<std::string_view> names;
  for (const JointData& joint : view.tree_joints())
    if (joint.added) names.insert(view.bodies[at(joint.outboard())].name);
  return names;
}

/// The component of a column without its index: `q` of `q[2]`.
std::string_view quantity(std::string_view component) { return component.substr(0, component.find('[')); }

}  // namespace

std::vector<StartColumn> start_columns(const System& system) {
  Columns columns = Columns::none();
  columns.joints = columns.bodies = true;
  RowMaker rows(system, columns);
  ObservationStore store(system.view());
  observe_start(system, store.now());
  const std::span<const double> row = rows.make(system.start_time(), store.now());
  const std::set<std::string_view> is_free = free_bodies(system.view());
  std::vector<StartColumn> out;
  std::string last;
  std::size_t wholes = 0;
  for (std::size_t c = 1; c < rows.channels().size(); ++c) {
    const Channel& channel = rows.channels()[c];
    const ChannelPlace place = place_of(channel);
    const std::string_view what = quantity(place.component);
    const bool is_of_body = place.group == "bodies", is_mode = what == "eta" || what == "etadot";
    if (is_of_body && !is_mode && !is_free.contains(place.object)) continue;
    std::string whole = place.group + ' ' + place.object;
    if (is_mode)
      whole += ' ' + place.component;
    else if (!is_of_body)
      (whole += ' ') += what;
    if (whole != std::exchange(last, whole)) ++wholes;
    out.push_back({channel, row[c], wholes});
  }
  const std::span<const double> x = system.initial_state().x;
  for (const StateColumn& state : state_columns(system.view()))
    out.push_back({{state.name, std::string(state.unit), "elements"}, x[state.index], ++wholes});
  return out;
}

}  // namespace polyform::host::inline columns
