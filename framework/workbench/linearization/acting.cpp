#include "framework/workbench/linearization/acting.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline linearization {
namespace {

/// The rate of a state without one of its own is at least this part of what acts.
constexpr double least_rate = 1e-3;

bool is_turn(const Coordinate& c) { return c.position_unit == "rad"; }

/// The part of a large deviation's effect that is as large as rounding of the state makes it, 1e-14 of it, once 1e-8 of
/// the size counts as none.
constexpr double rounded_share = 1e-6;

}  // namespace

double acceleration_size(double acting, double felt) {
  return std::max({std::min(acting, felt), least_share * acting, rounded_share * felt});
}

Acting acting_at(const SystemView& view, double time, const CanonicalState& state) {
  TreeKinematics tree(view);
  tree.evaluate(state.q.data(), state.v.data(), state.eta.data(), state.etadot.data());
  ForceSet forces(view);
  std::vector<Spatial> loads(view.frames());
  std::vector<double> efforts(view.nv), rates(view.states);
  if (forces.good()) forces.evaluate(time, tree.frames(), state.q, state.v, state.x, loads, efforts, rates);
  const SystemScales scales(view);
  const Scale turning = scales.of_system(tree.frames());
  double mass = 0, force = 0, moment = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    mass += scales.mass(i);
    force += norm(loads[i].linear);
    moment += scales.of_body(i, tree.frames()[i], loads[i]).moment;
  }
  const double reach = scales.largest_reach();
  const double shared = mass > 0 ? (force + moment / reach) / mass : 0;  // what all loads could do to the whole
  const std::vector<Coordinate> coordinates = coordinates_of(view);
  Acting out;
  out.accelerations.assign(coordinates.size(), turning.acceleration + shared);
  const double length = length_scale(view);
  for (const JointData& joint : view.tree_joints()) {
    const std::size_t b = at(joint.moving);
    const Scale own = scales.of_body(b, tree.frames()[b], loads[b]);
    const double m = scales.mass(b), r = scales.reach(b);
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k) {
      const double effort = std::abs(efforts[k]);
      double& size = out.accelerations[k];
      if (is_turn(coordinates[k]))
        size = turning.angular_acceleration + std::max(shared / reach, own.angular_acceleration) +
               (m * r * r > 0 ? effort / (m * r * r) : 0);
      else
        size = turning.acceleration + std::max(shared, own.acceleration) + (m > 0 ? effort / m : 0);
    }
  }
  for (std::size_t k = view.nv_tree; k < coordinates.size(); ++k)
    out.accelerations[k] *= coordinates[k].scale / length;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    out.rate = std::max(out.rate, std::sqrt(out.accelerations[k] / coordinates[k].scale));
    if (k < view.nv_tree && is_turn(coordinates[k])) out.rate = std::max(out.rate, std::abs(state.v[k]));
  }
  return out;
}

std::vector<double> state_scales(const SystemView& view, const MinimalCoordinates& choice, const CanonicalState& state,
                                 const Acting& acting, const std::vector<double>& rates) {
  const std::vector<Coordinate> all = coordinates_of(view);
  std::vector<double> out;
  for (const std::size_t c : choice.position.independent) out.push_back(all[c].scale);
  double fastest = acting.rate;
  for (const double rate : rates) fastest = std::max(fastest, rate);
  if (!(fastest > 0)) fastest = 1;  // nothing acts and nothing is felt: no time is told
  const double unknown = acting.rate > 0 ? acting.rate : fastest;
  for (std::size_t i = 0; i < choice.velocity.independent.size(); ++i) {
    const std::size_t c = choice.velocity.independent[i];
    const double own = i < rates.size() && rates[i] > 0 ? std::max(rates[i], least_rate * acting.rate) : unknown;
    const double v = c < view.nv_tree ? state.v[c] : state.etadot[c - view.nv_tree];
    out.push_back(std::max(all[c].scale * own, all[c].position_unit == "m" ? 0.0 : std::abs(v)));
  }
  for (const std::size_t c : choice.state.independent) out.push_back(std::max(1.0, std::abs(state.x[c])));
  return out;
}

}  // namespace polyform::host::linearization
