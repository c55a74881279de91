#include "framework/host/assembly/singular_position.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/mechanics/scale.hpp"
#include "polyform/solvers/absolute_system.hpp"

namespace polyform::host::inline assembly {
namespace {

/// How far bodies are moved, relative to their size, and turned, rad: more than rounding and the threshold of ranks
/// (1e-9), and little compared with the shape of a mechanism.
constexpr double step = 0.02;
/// The loops of moved bodies are closed to the first, m and rad; to the second if closing creeps because they hold
/// their bodies.
constexpr double to_be_closed = 1e-10, closed_where_held = 1e-8;

/// A way of a body counts if it is this part (`moves`) of the largest way of a body. A body is taken back if closing
/// leaves less than `left_of_way` of its own way: closing to 1e-8 leaves 1e-4 across a singular position.
constexpr double moves = 0.1, left_of_way = 0.05;

/// How far a pose is from another one, relative to a length, rad.
double way(const Pose& from, const Pose& to, double length) {
  return std::max(norm(rotation_vector(to.orientation * conjugate(from.orientation))),
                  norm(to.position - from.position) / length);
}

std::vector<double> copy(std::span<const double> x) { return {x.begin(), x.end()}; }

/// Arbitrary numbers that match the proportions of no mechanism.
std::vector<double> some_rates(std::size_t count) {
  std::vector<double> rates(count);
  for (std::size_t k = 0; k < count; ++k) rates[k] = std::sin(1.0 + 2.399963 * static_cast<double>(k));
  return rates;
}

/// Names of bodies that were moved and that closing the loops has taken back.
std::vector<std::string> held_bodies(const System& system, std::span<const Pose> start, std::span<const Pose> moved,
                                     std::span<const Pose> closed) {
  const SystemView& view = system.view();
  const double reach = SystemScales(view).largest_reach(), length = reach > 0 ? reach : 1;
  double largest = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) largest = std::max(largest, way(start[i], moved[i], length));
  std::vector<std::string> held;
  for (const BodyIndex b : system.bodies()) {
    const double there = way(start[at(b)], moved[at(b)], length);
    if (there > moves * largest && way(start[at(b)], closed[at(b)], length) < left_of_way * there)
      held.emplace_back(view.bodies[at(b)].name);
  }
  return held;
}

}  // namespace

Neighbourhood neighbourhood(const System& system, double t, const ConstStateView& start) {
  const SystemView& view = system.view();
  if ((view.cut_joints().empty() && view.constraints.empty()) || !view.modules.empty()) return {};
  const std::size_t here = system.count_constraints(t, start, {}).degrees_of_freedom;
  if (here == 0) return {};  // rates would be rounding
  std::vector<double> q = copy(start.q), v = some_rates(view.nv), eta = copy(start.eta),
                      etadot = some_rates(view.modes), x = copy(start.x);
  TreeKinematics tree(view);
  tree.evaluate(q.data(), v.data(), eta.data(), etadot.data());
  std::vector<BodyMotion> motions(tree.bodies().begin(), tree.bodies().end());
  std::vector<Quat> orientations(view.frames());
  tree.orientations(q.data(), orientations, eta.data());
  AbsoluteSystem loops(view);
  double violation = 0;
  if (!loops.good() || !loops.project_velocities(t, motions, q, v, violation, false, eta, etadot)) return {};
  const double reach = SystemScales(view).largest_reach();
  double largest = 0;
  for (const BodyMotion& m : motions)
    largest = std::max({largest, norm(m.V.angular), reach > 0 ? norm(m.V.linear) / reach : 0});
  if (!(largest > 0)) return {};
  const double time = step / largest;
  std::vector<Pose> poses(motions.size()), start_poses = poses;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Vec3 turn = time * motions[i].V.angular;
    start_poses[i] = {orientations[i], motions[i].p};
    poses[i] = {from_rotation_vector(turn) * orientations[i], motions[i].p + time * motions[i].V.linear};
  }
  const std::vector<Pose> moved = poses;
  PositionCorrection closed;
  const bool met = loops.correct_positions(t, poses, q, to_be_closed, closed, eta);
  if (!met && !(closed.residual < closed_where_held)) return {};
  // Closing at the initial time takes back a motion that functions of time ask for.
  const bool driven = !view.constraints.empty() || !RheonomicJoints(view).empty();
  const Neighbourhood held{{}, driven ? std::vector<std::string>() : held_bodies(system, start_poses, moved, poses)};
  if (!met) return held;
  const std::vector<double> rest(std::max(view.nv, view.modes));
  const ConstStateView there{.q = q,
                             .v = std::span(rest).first(view.nv),
                             .eta = eta,
                             .etadot = std::span(rest).first(view.modes),
                             .x = x,
                             .discrete = start.discrete};
  const std::size_t nearby = system.count_constraints(t, there, {}).degrees_of_freedom;
  return nearby < here ? Neighbourhood{nearby, {}} : held;
}

}  // namespace polyform::host::assembly
