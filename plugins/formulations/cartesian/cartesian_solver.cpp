#include "cartesian_solver.hpp"

#include <algorithm>

#include "polyform/observation.hpp"

namespace polyform::cartesian {

CartesianSolver::CartesianSolver(const SystemView& view, const Options& options)
    : view_(view), options_(options), system_(view), forces_(view), tree_(view), hints_(view) {
  const std::size_t n = view.bodies.size();
  project_stages_ = options.project && !view.cut_joints().empty();
  poses_.resize(n);
  motions_.resize(n);
  orientations_.resize(view.frames());
  for (auto* v : {&eta_, &etadot_, &modal_forces_, &etaddot_}) v->resize(view.modes);
  q_.resize(view.nq);
  v_.resize(view.nv);
  rates_.resize(view.nq);
  wrenches_.resize(view.frames());
  accelerations_.resize(n);
  efforts_.resize(view.nv);
  xdot_.resize(view.states);
}

void CartesianSolver::read(std::span<const double> y) noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const double* b = y.data() + 13 * i;
    const Quat orientation{b[3], b[4], b[5], b[6]};
    const Mat3 R = rotation_matrix(orientation);
    const Vec3 c = R * center_of(i);
    const Vec3 p = Vec3{b[0], b[1], b[2]} - c;
    const Vec3 w{b[7], b[8], b[9]};
    poses_[i] = {orientation, p};
    orientations_[i] = orientation;
    motions_[i] = {R, p, {w, Vec3{b[10], b[11], b[12]} - cross(w, c)}};
  }
  const double* modes = y.data() + 13 * poses_.size();
  std::copy_n(modes, view_.modes, eta_.begin());
  std::copy_n(modes + view_.modes, view_.modes, etadot_.begin());
  system_.nodes().orient(eta_.data(), orientations_);
  hints_.read(y.data() + hints_at(), orientations_, q_);
}

void CartesianSolver::write(std::span<double> y) const noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    double* b = y.data() + 13 * i;
    const Quat& o = poses_[i].orientation;
    const Vec3& w = motions_[i].V.angular;
    const Vec3 c = rotation_matrix(o) * center_of(i);
    const Vec3 p = poses_[i].position + c, v = motions_[i].V.linear + cross(w, c);
    for (const double value : {p.x, p.y, p.z, o.w, o.x, o.y, o.z, w.x, w.y, w.z, v.x, v.y, v.z}) *b++ = value;
  }
  double* modes = y.data() + 13 * poses_.size();
  modes = std::copy(eta_.begin(), eta_.end(), modes);
  modes = std::copy(etadot_.begin(), etadot_.end(), modes);
  hints_.write(q_, modes);
}

Status CartesianSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  std::copy(state.eta.begin(), state.eta.end(), eta_.begin());
  std::copy(state.etadot.begin(), state.etadot.end(), etadot_.begin());
  tree_.evaluate(state.q.data(), state.v.data(), eta_.data(), etadot_.data());
  std::copy(tree_.bodies().begin(), tree_.bodies().end(), motions_.begin());
  std::copy(state.q.begin(), state.q.end(), q_.begin());
  tree_.orientations(state.q.data(), orientations_, eta_.data());
  for (std::size_t i = 0; i < poses_.size(); ++i) poses_[i] = {orientations_[i], motions_[i].p};
  hints_.set_signs(q_, orientations_);
  write(y);
  std::copy(state.x.begin(), state.x.end(), y.end() - static_cast<std::ptrdiff_t>(view_.states));
  system_.evaluate(0, motions_, q_, v_, eta_, etadot_);
  return system_.check_regular() ? Status::ok : Status::failed;
}

Status CartesianSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  read(y);
  system_.evaluate(0, motions_, q_, v_, eta_, etadot_);
  put_state(y, state);
  return Status::ok;
}

/// The state just read and evaluated.
void CartesianSolver::put_state(std::span<const double> y, const StateView& state) const noexcept {
  std::copy(q_.begin(), q_.end(), state.q.begin());
  std::copy(v_.begin(), v_.end(), state.v.begin());
  std::copy(eta_.begin(), eta_.end(), state.eta.begin());
  std::copy(etadot_.begin(), etadot_.end(), state.etadot.begin());
  const auto x = states_of(y);
  std::copy(x.begin(), x.end(), state.x.begin());
}

/// Forces and accelerations at the state just read.
bool CartesianSolver::find_accelerations(double t, std::span<const double> x, std::span<double> xdot) noexcept {
  system_.evaluate(t, motions_, q_, v_, eta_, etadot_);
  forces_.evaluate(t, system_.frames(), q_, v_, x, wrenches_, efforts_, xdot);
  std::fill(modal_forces_.begin(), modal_forces_.end(), 0.0);
  for (const FrameIndex f : forces_.loaded_nodes()) {
    const std::size_t node = at(f) - poses_.size();
    system_.nodes().add_wrench(node, system_.frames(), wrenches_[at(f)], wrenches_[at(view_.nodes[node].body)],
                               modal_forces_.data() + system_.nodes().mode_offset(node));
  }
  for (const BodyIndex b : forces_.loaded_bodies())
    wrenches_[at(b)].angular -= cross(system_.center(at(b)), wrenches_[at(b)].linear);
  return system_.accelerations(wrenches_, efforts_, accelerations_, modal_forces_, etaddot_);
}

Status CartesianSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read(y);
  Correction unused;
  if (project_stages_ && !project(t, y, unused)) return Status::failed;
  if (!find_accelerations(t, states_of(y), ydot.last(view_.states))) return Status::failed;
  double* rate = ydot.data();
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const Spatial& V = motions_[i].V;
    const Vec3 v = V.linear + cross(V.angular, system_.center(i));
    const Quat o = quaternion_rate(poses_[i].orientation, motions_[i].V.angular);
    const Spatial& a = accelerations_[i];
    for (const double value :
         {v.x, v.y, v.z, o.w, o.x, o.y, o.z, a.angular.x, a.angular.y, a.angular.z, a.linear.x, a.linear.y, a.linear.z})
      *rate++ = value;
  }
  rate = std::copy(etadot_.begin(), etadot_.end(), rate);
  rate = std::copy(etaddot_.begin(), etaddot_.end(), rate);
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    const JointData& joint = view_.joints[h.joint];
    joint_position_rates(joint, q_.data() + joint.q_offset, v_.data() + joint.v_offset, rates_.data() + joint.q_offset);
    rate = std::copy_n(rates_.data() + h.first_q, h.count, rate);
  }
  std::fill(rate, ydot.data() + ydot.size() - view_.states, 0.0);  // signs stay
  return Status::ok;
}

/// Moves the bodies just read onto the constraints and makes their velocities fit.
bool CartesianSolver::project(double t, std::span<const double> y, Correction& out) noexcept {
  for (Pose& pose : poses_) pose.orientation = normalized(pose.orientation);
  PositionCorrection position;
  if (!system_.correct_positions(t, poses_, q_, options_.tolerance, position, eta_)) return false;
  out.position_residual = position.residual_before;
  out.iterations = position.iterations;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    // The mass centre (of a flexible body: the frame origin) keeps its velocity when the body is moved.
    const double* b = y.data() + 13 * i;
    const Mat3 R = rotation_matrix(poses_[i].orientation);
    const Vec3& w = motions_[i].V.angular;
    const Vec3 v{b[10], b[11], b[12]};
    motions_[i] = {R, poses_[i].position, {w, v - cross(w, R * center_of(i))}};
  }
  return system_.project_velocities(t, motions_, q_, v_, out.velocity_residual, true, eta_, etadot_);
}

Status CartesianSolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  read(y);
  out = {};
  if (options_.project) {
    if (!project(t, y, out)) return Status::failed;
  } else {
    for (Pose& pose : poses_) pose.orientation = normalized(pose.orientation);
    system_.evaluate(t, motions_, q_, v_, eta_, etadot_);
    out.position_residual = system_.position_violation();
    out.velocity_residual = system_.velocity_violation();
  }
  write(y);
  return Status::ok;
}

Status CartesianSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  read(y);
  if (!find_accelerations(t, states_of(y), xdot_)) return Status::failed;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const Spatial a = system_.origin_acceleration(i);
    out.bodies[i] = {{normalized(poses_[i].orientation), poses_[i].position},
                     motions_[i].V.linear,
                     motions_[i].V.angular,
                     a.linear,
                     a.angular};
  }
  put_state(y, out.state);
  std::copy(etaddot_.begin(), etaddot_.end(), out.modal_acceleration.begin());
  system_.joint_accelerations(out.acceleration);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) out.reactions[j] = system_.reaction(j);
  const FlexibleSet& flexible = system_.flexible();
  out.kinetic_energy = kinetic_energy(view_, motions_, flexible, etadot_.data());
  out.potential_energy =
      gravity_potential(view_, motions_, eta_.data()) + forces_.potential_energy() + flexible.strain_energy();
  out.power = forces_.power() + flexible.damping_power();
  out.position_violation = system_.position_violation();
  out.velocity_violation = system_.velocity_violation();
  return Status::ok;
}

}  // namespace polyform::cartesian
