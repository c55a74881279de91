#include "state_vector.hpp"

#include <algorithm>

namespace polyform::particles {

StateVector::StateVector(const SystemView& view, const Layout& layout)
    : view_(view), layout_(layout), tree_(view), hints_(view), orientations_(view.bodies.size()), rates_(view.nq) {
  find_kinds();
}

void StateVector::find_kinds() {
  const auto are = [&](StateKind kind, std::size_t count) { kinds_.insert(kinds_.end(), count, kind); };
  are(StateKind::position, 3 * layout_.moving);
  are(StateKind::velocity, 3 * layout_.moving);
  are(StateKind::position, 4 * view_.bodies.size());
  std::size_t signs = hints_.size();
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    are(StateKind::position, h.count);
    signs -= h.count;
  }
  discrete_ = signs + view_.cut_joints().size();
  are(StateKind::discrete, discrete_);
  are(StateKind::other, view_.states);
}

void StateVector::place(const ConstStateView& state, ParticleMotion& motion) noexcept {
  tree_.evaluate(state.q.data(), state.v.data());
  tree_.orientations(state.q.data(), orientations_);
  for (std::size_t p = 0; p < layout_.particles.size(); ++p) {
    const Particle& particle = layout_.particles[p];
    if (particle.slot == none) continue;
    const BodyMotion& body = tree_.bodies()[particle.body];
    const Vec3 arm = body.R * particle.place;
    motion.positions[p] = body.p + arm;
    motion.velocities[p] = body.V.linear + cross(body.V.angular, arm);
  }
  hints_.set_signs(state.q, orientations_);
}

void StateVector::read_particles(std::span<const double> y, ParticleMotion& motion) const noexcept {
  const std::span<Vec3> positions = motion.positions, velocities = motion.velocities;
  const double* rates = y.data() + 3 * layout_.moving;
  for (std::size_t p = 0; p < positions.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    if (slot == none) continue;
    const double *r = y.data() + 3 * slot, *v = rates + 3 * slot;
    positions[p] = {r[0], r[1], r[2]};
    velocities[p] = {v[0], v[1], v[2]};
  }
}

void StateVector::write_particles(const ParticleMotion& motion, std::span<double> y) const noexcept {
  double* rates = y.data() + 3 * layout_.moving;
  for (std::size_t p = 0; p < layout_.particles.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    for (std::size_t k = 0; k < 3 && slot != none; ++k) {
      y[3 * slot + k] = motion.positions[p][k];
      rates[3 * slot + k] = motion.velocities[p][k];
    }
  }
}

void StateVector::read_hints(std::span<const double> y, bool of_joints, std::span<double> q,
                             Equations& equations) noexcept {
  const double* hint = y.data() + hints_at();
  for (Quat& o : orientations_) {
    o = {hint[0], hint[1], hint[2], hint[3]};
    hint += 4;
  }
  if (of_joints) hints_.read(hint, orientations_, q);
  hint += hints_.size();
  for (std::size_t i = 0; i < view_.cut_joints().size(); ++i)
    equations.leave_out(i, static_cast<unsigned>(std::clamp(hint[i] + 0.5, 0.0, 63.5)));
}

void StateVector::write_hints(std::span<const double> q, const Equations& equations,
                              std::span<double> y) const noexcept {
  double* hint = y.data() + hints_at();
  for (const Quat& o : orientations_)
    for (const double value : {o.w, o.x, o.y, o.z}) *hint++ = value;
  hints_.write(q, hint);
  write_left_out(equations, y);
}

void StateVector::write_left_out(const Equations& equations, std::span<double> y) const noexcept {
  const std::size_t loops = view_.cut_joints().size();
  double* left_out = y.data() + y.size() - view_.states - loops;
  for (std::size_t i = 0; i < loops; ++i) left_out[i] = equations.left_out(i);
}

void StateVector::settle_orientations(const MovingBodies& bodies) noexcept {
  for (std::size_t i = 0; i < orientations_.size(); ++i) {
    const Quat o = quaternion_of(bodies.orientation(i));
    orientations_[i] = dot(o, orientations_[i]) < 0 ? Quat{-o.w, -o.x, -o.y, -o.z} : o;
  }
}

void StateVector::reset_hints(const MovingBodies& bodies, std::span<double> q) noexcept {
  settle_orientations(bodies);
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    if (bodies.finds(h.joint)) continue;
    const JointData& joint = view_.joints[h.joint];
    const BodyMotion ground;
    const auto pose = [&](BodyIndex b) {
      return is_ground(b) ? ground : BodyMotion{rotation_matrix(orientations_[at(b)]), {}, {}};
    };
    const RelativeMotion r = relative_motion(joint, pose(joint.base), pose(joint.moving));
    joint_coordinates(joint, r.R_FM, {}, q.data() + joint.q_offset);
  }
}

/// Angular velocity along the two particles that a revolute tree joint shares.
double StateVector::revolute_rate(const PlacedBodies& placed, std::size_t j) const noexcept {
  const JointData& joint = view_.joints[j];
  const auto omega = [&](BodyIndex b) { return is_ground(b) ? Vec3{} : placed.angular_velocities[at(b)]; };
  const auto& particle = layout_.bodies[j].particle;
  const Vec3 axis = placed.positions[particle[1]] - placed.positions[particle[0]];
  return dot(axis, omega(joint.moving) - omega(joint.base)) / norm(axis);
}

void StateVector::find_position_rates(const MovingBodies& bodies, const JointValues& values,
                                      std::span<double> ydot) noexcept {
  const PlacedBodies& placed = bodies.placed();
  for (std::size_t p = 0; p < layout_.particles.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    for (std::size_t k = 0; k < 3 && slot != none; ++k) ydot[3 * slot + k] = placed.velocities[p][k];
  }
  double* rate = ydot.data() + hints_at();
  for (std::size_t i = 0; i < orientations_.size(); ++i) {
    const Quat o = quaternion_rate(orientations_[i], placed.angular_velocities[i]);
    for (const double value : {o.w, o.x, o.y, o.z}) *rate++ = value;
  }
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    const JointData& joint = view_.joints[h.joint];
    if (bodies.finds(h.joint))
      joint_position_rates(joint, values.q.data() + joint.q_offset, values.v.data() + joint.v_offset,
                           rates_.data() + joint.q_offset);
    else
      rates_[h.first_q] = revolute_rate(placed, h.joint);
    rate = std::copy_n(rates_.data() + h.first_q, h.count, rate);
  }
}

void StateVector::write_accelerations(std::span<const Vec3> accelerations, std::span<double> ydot) const noexcept {
  double* second = ydot.data() + 3 * layout_.moving;
  for (std::size_t p = 0; p < layout_.particles.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    for (std::size_t k = 0; k < 3 && slot != none; ++k) second[3 * slot + k] = accelerations[p][k];
  }
  std::fill_n(ydot.end() - static_cast<std::ptrdiff_t>(view_.states + discrete_), discrete_, 0.0);
}

}  // namespace polyform::particles
