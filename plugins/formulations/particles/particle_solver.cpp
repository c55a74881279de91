#include "particle_solver.hpp"

#include <algorithm>

#include "polyform/observation.hpp"

namespace polyform::particles {

ParticleSolver::ParticleSolver(const SystemView& view, const Options& options)
    : centred_(view),
      view_(centred_.view()),
      options_(options),
      layout_(view_),
      forces_(view_, centred_.origin()),
      system_(view_, layout_, forces_.loaded_bodies(), options.recursive, centred_.origin()),
      tree_(view_),
      hints_(view_) {
  orientations_.resize(view.bodies.size());
  q_.resize(view.nq);
  v_.resize(view.nv);
  rates_.resize(view.nq);
  wrenches_.resize(view.bodies.size());
  efforts_.resize(view.nv);
  xdot_.resize(view.states);
  find_kinds();
  if (!system_.is_recursive()) return;
  kernels_.add(kernels::hinge_elimination);
  if (!view.cut_joints().empty()) kernels_.add(kernels::loop_closure);
}

void ParticleSolver::find_kinds() {
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

void ParticleSolver::read_particles(std::span<const double> y) noexcept {
  const std::span<Vec3> positions = system_.positions(), velocities = system_.velocities();
  const double* rates = y.data() + 3 * layout_.moving;
  for (std::size_t p = 0; p < positions.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    if (slot == none) continue;
    const double *r = y.data() + 3 * slot, *v = rates + 3 * slot;
    positions[p] = {r[0], r[1], r[2]};
    velocities[p] = {v[0], v[1], v[2]};
  }
}

void ParticleSolver::write_particles(std::span<double> y) noexcept {
  double* rates = y.data() + 3 * layout_.moving;
  for (std::size_t p = 0; p < layout_.particles.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    for (std::size_t k = 0; k < 3 && slot != none; ++k) {
      y[3 * slot + k] = system_.positions()[p][k];
      rates[3 * slot + k] = system_.velocities()[p][k];
    }
  }
}

/// Hints for the orientations of all bodies and, where they are asked for, the coordinates of all joints.
void ParticleSolver::read_hints(std::span<const double> y, bool of_joints) noexcept {
  const double* hint = y.data() + 6 * layout_.moving;
  for (Quat& o : orientations_) {
    o = {hint[0], hint[1], hint[2], hint[3]};
    hint += 4;
  }
  if (of_joints) hints_.read(hint, orientations_, q_);
  hint += hints_.size();
  for (std::size_t i = 0; i < view_.cut_joints().size(); ++i)
    system_.leave_out(i, static_cast<unsigned>(std::clamp(hint[i] + 0.5, 0.0, 63.5)));
}

/// Orientations and angles as the particles make them, where the hints have only to tell turns and signs.
void ParticleSolver::reset_hints() noexcept {
  settle_orientations();
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    if (system_.finds_joint(h.joint)) continue;
    const JointData& joint = view_.joints[h.joint];
    const BodyMotion ground;
    const auto pose = [&](BodyIndex b) {
      return is_ground(b) ? ground : BodyMotion{rotation_matrix(orientations_[at(b)]), {}, {}};
    };
    const RelativeMotion r = relative_motion(joint, pose(joint.base), pose(joint.moving));
    joint_coordinates(joint, r.R_FM, {}, q_.data() + joint.q_offset);
  }
}

/// Orientations as the particles make them, with the sign of the hints.
void ParticleSolver::settle_orientations() noexcept {
  for (std::size_t i = 0; i < orientations_.size(); ++i) {
    const Quat o = quaternion_of(system_.orientation(i));
    orientations_[i] = dot(o, orientations_[i]) < 0 ? Quat{-o.w, -o.x, -o.y, -o.z} : o;
  }
}

void ParticleSolver::write_hints(std::span<double> y) noexcept {
  double* hint = y.data() + 6 * layout_.moving;
  for (const Quat& o : orientations_)
    for (const double value : {o.w, o.x, o.y, o.z}) *hint++ = value;
  hints_.write(q_, hint);
  write_left_out(y);
}

void ParticleSolver::write_left_out(std::span<double> y) noexcept {
  const std::size_t loops = view_.cut_joints().size();
  double* left_out = y.data() + y.size() - view_.states - loops;
  for (std::size_t i = 0; i < loops; ++i) left_out[i] = system_.left_out(i);
}

Status ParticleSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  tree_.evaluate(state.q.data(), state.v.data());
  std::copy(state.q.begin(), state.q.end(), q_.begin());
  tree_.orientations(state.q.data(), orientations_);
  for (std::size_t p = 0; p < layout_.particles.size(); ++p) {
    const Particle& particle = layout_.particles[p];
    if (particle.slot == none) continue;
    const BodyMotion& body = tree_.bodies()[particle.body];
    const Vec3 arm = body.R * particle.place;
    system_.positions()[p] = body.p + arm;
    system_.velocities()[p] = body.V.linear + cross(body.V.angular, arm);
  }
  hints_.set_signs(q_, orientations_);
  write_particles(y);
  write_hints(y);
  std::copy(state.x.begin(), state.x.end(), y.end() - static_cast<std::ptrdiff_t>(view_.states));
  system_.evaluate(0, q_, v_, true);
  if (!system_.check_regular()) return Status::failed;
  write_left_out(y);
  return Status::ok;
}

Status ParticleSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  read_particles(y);
  read_hints(y, true);
  system_.evaluate(0, q_, v_, true);
  std::copy(q_.begin(), q_.end(), state.q.begin());
  std::copy(v_.begin(), v_.end(), state.v.begin());
  const auto x = states_of(y);
  std::copy(x.begin(), x.end(), state.x.begin());
  return Status::ok;
}

/// Forces and accelerations at the particles and hints just read.
bool ParticleSolver::find_accelerations(double t, std::span<const double> x, std::span<double> xdot, bool all_joints,
                                        bool corrected) noexcept {
  system_.evaluate(t, q_, v_, all_joints, corrected);
  forces_.evaluate(t, system_.motions(), q_, v_, x, wrenches_, efforts_, xdot);
  return system_.find_accelerations(wrenches_, efforts_);
}

/// Forces and accelerations for derivative(). The stages of an integrator lie beside the loops by the square of the
/// step, and where loops are near a singular position that much contradiction divided by a nearly vanishing pivot would
/// spoil the accelerations: there they are those of the nearest closed state. The sparse system, which cannot tell rows
/// that depend on others from such ones, takes that of every stage.
bool ParticleSolver::find_stage_accelerations(double t, std::span<const double> y, std::span<double> xdot) noexcept {
  read_particles(y);
  read_hints(y, system_.finds_joints());
  Correction unused;
  const bool close = options_.correct && system_.needs_closed_states();
  if (close && !project(t, unused)) return false;
  if (!find_accelerations(t, states_of(y), xdot, false, close)) return false;
  if (!options_.correct || !system_.is_beside_singular_position()) return true;
  if (project(t, unused)) return find_accelerations(t, states_of(y), xdot, false, false);
  read_particles(y);  // too far from closed, which the end of the step will tell
  read_hints(y, true);
  return find_accelerations(t, states_of(y), xdot, false, false);
}

/// Angular velocity along the two particles that a revolute tree joint shares.
double ParticleSolver::revolute_rate(std::size_t j) noexcept {
  const JointData& joint = view_.joints[j];
  const auto omega = [&](BodyIndex b) { return is_ground(b) ? Vec3{} : system_.angular_velocities()[at(b)]; };
  const auto& particle = layout_.bodies[j].particle;
  const Vec3 axis = system_.positions()[particle[1]] - system_.positions()[particle[0]];
  return dot(axis, omega(joint.moving) - omega(joint.base)) / norm(axis);
}

Status ParticleSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  if (!find_stage_accelerations(t, y, ydot.last(view_.states))) return Status::failed;
  double* second = ydot.data() + 3 * layout_.moving;
  for (std::size_t p = 0; p < layout_.particles.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    for (std::size_t k = 0; k < 3 && slot != none; ++k) second[3 * slot + k] = system_.accelerations()[p][k];
  }
  find_position_rates(ydot);
  std::fill_n(ydot.end() - static_cast<std::ptrdiff_t>(view_.states + discrete_), discrete_, 0.0);
  return Status::ok;
}

Status ParticleSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read_particles(y);
  read_hints(y, system_.finds_joints());
  system_.evaluate(t, q_, v_, false);
  find_position_rates(ydot);
  return Status::ok;
}

/// Of the particles and of the hints, at what was just evaluated.
void ParticleSolver::find_position_rates(std::span<double> ydot) noexcept {
  for (std::size_t p = 0; p < layout_.particles.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    for (std::size_t k = 0; k < 3 && slot != none; ++k) ydot[3 * slot + k] = system_.velocities()[p][k];
  }
  double* rate = ydot.data() + 6 * layout_.moving;
  for (std::size_t i = 0; i < orientations_.size(); ++i) {
    const Quat o = quaternion_rate(orientations_[i], system_.angular_velocities()[i]);
    for (const double value : {o.w, o.x, o.y, o.z}) *rate++ = value;
  }
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    const JointData& joint = view_.joints[h.joint];
    if (system_.finds_joint(h.joint))
      joint_position_rates(joint, q_.data() + joint.q_offset, v_.data() + joint.v_offset,
                           rates_.data() + joint.q_offset);
    else
      rates_[h.first_q] = revolute_rate(h.joint);
    rate = std::copy_n(rates_.data() + h.first_q, h.count, rate);
  }
}

/// Moves the particles just read onto the constraints and makes their velocities fit.
bool ParticleSolver::project(double t, Correction& out) noexcept {
  if (!system_.correct_positions(t, q_, v_, options_.tolerance, out)) return false;
  if (out.iterations > 0) system_.carry_velocities(q_, v_);
  return system_.correct_velocities(t, q_, v_, out);
}

Status ParticleSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  read_particles(y);
  read_hints(y, system_.finds_joints() || hints_.size() > 0);
  out = {};
  if (options_.correct) {
    if (!project(t, out)) return Status::failed;
  } else {
    system_.find_violations(t, q_, v_, out);
  }
  reset_hints();
  write_particles(y);
  write_hints(y);
  return Status::ok;
}

Status ParticleSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  read_particles(y);
  read_hints(y, true);
  if (!find_accelerations(t, states_of(y), xdot_, true, false)) return Status::failed;
  std::copy(xdot_.begin(), xdot_.end(), out.state_rates.begin());
  settle_orientations();
  const std::span<const BodyMotion> motions = system_.motions();
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const Spatial a = system_.body_acceleration(i);
    out.bodies[i] = {{orientations_[i], centred_.origin() + motions[i].p},
                     motions[i].V.linear,
                     motions[i].V.angular,
                     a.linear,
                     a.angular};
  }
  std::copy(q_.begin(), q_.end(), out.state.q.begin());
  std::copy(v_.begin(), v_.end(), out.state.v.begin());
  const auto x = states_of(y);
  std::copy(x.begin(), x.end(), out.state.x.begin());
  if (!system_.joint_accelerations(out.acceleration)) return Status::failed;
  system_.find_reactions(wrenches_, out.reactions);
  out.kinetic_energy = kinetic_energy(view_, motions);
  out.potential_energy =
      centred_.potential_at_origin() + gravity_potential(view_, motions) + forces_.potential_energy();
  out.power = power();
  out.position_violation = system_.position_violation();
  out.velocity_violation = system_.velocity_violation();
  return Status::ok;
}

}  // namespace polyform::particles
