#include "framework/workbench/conformance/agreement.hpp"

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/acceleration_misfit.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline conformance {

namespace {

void widen(double& worst, double& scale, const Vec3& a, const Vec3& b) {
  worst = larger(worst, norm(a - b));
  scale = larger({scale, norm(a), norm(b)});
}

/// The largest difference of a joint's coordinates; Q and −Q of a ball are the same.
double coordinate_difference(const JointData& joint, std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  std::size_t at = joint.q_offset;
  const auto differ = [&](std::size_t count, double sign) {
    double most = 0;
    for (std::size_t k = at; k < at + count; ++k) most = larger(most, std::abs(a[k] - sign * b[k]));
    return most;
  };
  for (const Primitive& primitive : joint.primitives) {
    const std::size_t count = position_count(primitive.kind);
    const bool ball = primitive.kind == Primitive::Kind::ball;
    worst = larger(worst, ball ? std::min(differ(count, 1), differ(count, -1)) : differ(count, 1));
    at += count;
  }
  return larger(worst, differ(joint.q_offset + joint.nq - at, 1));
}

}  // namespace

Difference difference(const SystemView& view, const Observation& a, const Observation& b,
                      const std::set<std::size_t>& undetermined) {
  Difference d;
  double motion_scale = 1, coordinate_scale = 1, acceleration_scale = 1, reaction_scale = 1;
  double rates = 0, rate_scale = 1;  // of first-order states, which have units of their own
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    widen(d.motion, motion_scale, a.bodies[i].pose.position, b.bodies[i].pose.position);
    widen(d.motion, motion_scale, a.bodies[i].velocity, b.bodies[i].velocity);
    widen(d.motion, motion_scale, a.bodies[i].angular_velocity, b.bodies[i].angular_velocity);
    const Quat &p = a.bodies[i].pose.orientation, &q = b.bodies[i].pose.orientation;
    d.motion = larger(d.motion, 1 - std::abs(dot(p, q)));
    widen(d.acceleration, acceleration_scale, a.bodies[i].acceleration, b.bodies[i].acceleration);
    widen(d.acceleration, acceleration_scale, a.bodies[i].angular_acceleration, b.bodies[i].angular_acceleration);
  }
  for (const JointData& joint : view.joints)
    d.coordinates = larger(d.coordinates, coordinate_difference(joint, a.q, b.q));
  for (const double q : a.q) coordinate_scale = larger(coordinate_scale, std::abs(q));
  for (std::size_t i = 0; i < view.nv; ++i) {
    d.acceleration = larger(d.acceleration, std::abs(a.acceleration[i] - b.acceleration[i]));
    acceleration_scale = larger(acceleration_scale, std::abs(a.acceleration[i]));
    d.motion = larger(d.motion, std::abs(a.v[i] - b.v[i]));
  }
  for (std::size_t i = 0; i < view.modes; ++i) {
    d.acceleration = larger(d.acceleration, std::abs(a.modal_acceleration[i] - b.modal_acceleration[i]));
    acceleration_scale = larger(acceleration_scale, std::abs(a.modal_acceleration[i]));
    d.motion = larger({d.motion, std::abs(a.eta[i] - b.eta[i]), std::abs(a.etadot[i] - b.etadot[i])});
  }
  for (std::size_t i = 0; i < view.states; ++i) {
    rates = larger(rates, std::abs(a.state_rates[i] - b.state_rates[i]));
    rate_scale = larger(rate_scale, std::abs(a.state_rates[i]));
    d.motion = larger(d.motion, std::abs(a.x[i] - b.x[i]) / (1 + std::abs(a.x[i])));
  }
  for (std::size_t i = 0; i < view.module_rows; ++i)
    d.reaction = larger(d.reaction, std::abs(a.module_multipliers[i] - b.module_multipliers[i]));
  for (std::size_t i = 0; i < a.constraint_multipliers.size(); ++i)
    if (const std::size_t row = view.joints.size() + i; !undetermined.contains(row))
      d.reaction = larger(d.reaction, std::abs(a.constraint_multipliers[i] - b.constraint_multipliers[i]));
  for (std::size_t i = 0; i < view.joints.size(); ++i) {
    if (undetermined.contains(i)) continue;
    widen(d.reaction, reaction_scale, a.reactions[i].linear, b.reactions[i].linear);
    widen(d.reaction, reaction_scale, a.reactions[i].angular, b.reactions[i].angular);
  }
  d.energy = std::abs(a.kinetic_energy - b.kinetic_energy) + std::abs(a.potential_energy - b.potential_energy);
  return {d.motion / motion_scale, d.coordinates / coordinate_scale,
          larger(d.acceleration / acceleration_scale, rates / rate_scale), d.reaction / reaction_scale,
          d.energy / std::max(1.0, std::abs(a.kinetic_energy) + std::abs(a.potential_energy))};
}

std::set<std::size_t> undetermined_joints(const System& system) {
  std::set<std::size_t> open;
  const ConstraintCount count = system.count_constraints();
  for (const std::string& name : count.redundant_joints)
    for (std::size_t i = 0; i < system.view().joints.size(); ++i)
      if (system.view().joints[i].name == name) open.insert(i);
  for (const std::size_t row : count.open_rows) open.insert(system.view().joints.size() + row);
  return open;
}

double newton_euler_error(const SystemView& view, const State& state, double t, const Observation& o) {
  std::vector<BodyMotion> bodies(view.bodies.size());  // the system has no nodes
  observed_motions(o, bodies);
  ForceSet forces(view);
  std::vector<Spatial> load(view.bodies.size());  // about the frame origins
  std::vector<double> efforts(view.nv), rates(view.states);
  forces.evaluate(t, bodies, state.q, state.v, state.x, load, efforts, rates);
  double scale = 1;
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    const BodyMotion& m = motion_of(joint.moving, bodies);
    const Vec3 M = m.p + m.R * joint.p_moving;
    const Spatial& reaction = o.reactions[j];
    scale = larger({scale, norm(reaction.linear), norm(reaction.angular)});
    const auto act = [&](BodyIndex b, double sign) {
      if (!is_ground(b))
        load[at(b)] += sign * Spatial{reaction.angular + cross(M - bodies[at(b)].p, reaction.linear), reaction.linear};
    };
    act(joint.moving, 1);
    act(joint.base, -1);
  }
  double worst = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const BodyData& body = view.bodies[i];
    const BodyMotion& m = bodies[i];
    const Vec3 c = m.R * body.center_of_mass, w = m.V.angular, alpha = o.bodies[i].angular_acceleration;
    const Vec3 a_C = o.bodies[i].acceleration + cross(alpha, c) + cross(w, cross(w, c));
    const Sym3 J = rotate(m.R, body.inertia);
    const Vec3 moment = load[i].angular - cross(c, load[i].linear);
    worst = larger(
        {worst, norm(body.mass * (a_C - view.gravity) - load[i].linear), norm(J * alpha + cross(w, J * w) - moment)});
  }
  return worst / scale;
}

double acceleration_misfit(const SystemView& view, double t, const Observation& o) {
  return AccelerationMisfit(view).worst(t, o).size;
}

}  // namespace polyform::host::conformance
