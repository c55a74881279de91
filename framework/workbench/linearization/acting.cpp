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
/// Less than this part of the mass of the system resists nothing.
constexpr double least_mass = 1e-6;
/// Rounding of the state, 1e-14 of it, has this part of the effect of a large deviation once balance_tolerance of the
/// size counts as none.
constexpr double rounded_share = 1e-6;

bool is_turn(const Coordinate& c) { return c.position_unit == "rad"; }

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
  const double turning = scales.of_system(tree.frames()).acceleration, reach = scales.largest_reach();
  double mass = 0, force = 0, fastest = 0;
  // The force of a load on a body, its moment along the reach of the system included.
  const auto force_on = [&](std::size_t i) {
    const BodyMotion& f = tree.frames()[i];
    const Vec3 moment = loads[i].angular - cross(f.R * view.bodies[i].center_of_mass, loads[i].linear);
    return norm(loads[i].linear) + norm(moment) / reach;
  };
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    mass += scales.mass(i);
    force += force_on(i);
    fastest = std::max(fastest, norm(tree.frames()[i].V.angular));
  }
  const double shared = mass > 0 ? force / mass : 0;  // what all loads could do to the whole
  const std::vector<Coordinate> coordinates = coordinates_of(view);
  const double length = length_scale(view);
  Acting out;
  out.linear = turning + shared;
  out.accelerations.assign(coordinates.size(), out.linear);
  for (const JointData& joint : view.tree_joints()) {
    const std::size_t b = at(joint.outboard());
    // A frame without mass or size worth the name moves as its neighbours let it.
    const double m = std::max(scales.mass(b), least_mass * mass), r = std::max(scales.reach(b), least_share * reach);
    const double own = m > 0 ? force_on(b) / m : 0;
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k) {
      const double effort = m > 0 ? std::abs(efforts[k]) / m : 0, linear = turning + std::max(shared, own);
      out.accelerations[k] =
          is_turn(coordinates[k]) ? fastest * fastest + linear / r + effort / (r * r) : linear + effort;
      if (!is_turn(coordinates[k])) out.accelerations[k] *= coordinates[k].scale / length;  // 1 for one in m
      if (!std::isfinite(out.accelerations[k])) out.accelerations[k] = 0;
    }
  }
  for (std::size_t k = view.nv_tree; k < coordinates.size(); ++k) out.accelerations[k] *= coordinates[k].scale / length;
  for (std::size_t k = 0; k < coordinates.size(); ++k) {
    if (coordinates[k].scale > 0) out.rate = std::max(out.rate, std::sqrt(out.accelerations[k] / coordinates[k].scale));
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
    const double size = std::max(all[c].scale * own, all[c].position_unit == "m" ? 0.0 : std::abs(v));
    out.push_back(std::isfinite(size) && size > 0 ? size : all[c].scale);
  }
  for (const std::size_t c : choice.state.independent) out.push_back(std::max(1.0, std::abs(state.x[c])));
  return out;
}

}  // namespace polyform::host::linearization
