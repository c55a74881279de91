#include "hierarchy_solver.hpp"

#include <algorithm>

#include "polyform/observation.hpp"

namespace polyform::hierarchy {

HierarchySolver::HierarchySolver(const SystemView& view, Plan plan, const Options& options)
    : view_(view),
      options_(options),
      plan_(std::move(plan)),
      level_(view, plan_.ties, plan_.level),
      rows_(view, plan_.ties, plan_.level),
      recursion_(view, plan_.tree, plan_.ties, rows_, plan_.inertia, options.method, plan_.noise),
      system_(level_.view()),
      forces_(view),
      tree_(view),
      hints_(view) {
  const std::size_t n = view.bodies.size();
  project_stages_ = options.project && !level_.view().cut_joints().empty();
  poses_.resize(n);
  motions_.resize(n);
  orientations_.resize(n);
  q_.resize(view.nq);
  v_.resize(view.nv);
  rates_.resize(view.nq);
  level_q_.resize(level_.view().nq);
  level_v_.resize(level_.view().nv);
  wrenches_.resize(n);
  loads_.resize(n);
  efforts_.resize(view.nv);
  xdot_.resize(view.states);
}

void HierarchySolver::read_bodies(std::span<const double> y) noexcept {
  failure_ = {};
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const double* b = y.data() + 13 * i;
    const Quat orientation{b[3], b[4], b[5], b[6]};
    const Mat3 R = rotation_matrix(orientation);
    const Vec3 c = R * view_.bodies[i].center_of_mass;
    const Vec3 p = Vec3{b[0], b[1], b[2]} - c;
    const Vec3 w{b[7], b[8], b[9]};
    poses_[i] = {orientation, p};
    orientations_[i] = orientation;
    motions_[i] = {R, p, {w, Vec3{b[10], b[11], b[12]} - cross(w, c)}};
  }
  hints_.read(hints_of(y), orientations_, q_);
}

void HierarchySolver::write_bodies(std::span<double> y) const noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    double* b = y.data() + 13 * i;
    const Quat& o = poses_[i].orientation;
    const Vec3& w = motions_[i].V.angular;
    const Vec3 c = rotation_matrix(o) * view_.bodies[i].center_of_mass;
    const Vec3 p = poses_[i].position + c, v = motions_[i].V.linear + cross(w, c);
    for (const double value : {p.x, p.y, p.z, o.w, o.x, o.y, o.z, w.x, w.y, w.z, v.x, v.y, v.z}) *b++ = value;
  }
}

Status HierarchySolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  failure_ = {};
  tree_.evaluate(state.q.data(), state.v.data());
  std::copy(tree_.bodies().begin(), tree_.bodies().end(), motions_.begin());
  std::copy(state.q.begin(), state.q.end(), q_.begin());
  tree_.orientations(state.q.data(), orientations_);
  for (std::size_t i = 0; i < poses_.size(); ++i) poses_[i] = {orientations_[i], motions_[i].p};
  hints_.set_signs(q_, orientations_);
  write_bodies(y);
  hints_.write(q_, y.data() + 13 * poses_.size());
  std::copy(state.x.begin(), state.x.end(), y.end() - static_cast<std::ptrdiff_t>(view_.states));
  if (std::none_of(plan_.inertia.begin(), plan_.inertia.end(), [](const BodyInertia& b) { return b.singular; }))
    return Status::ok;
  // Whether the inertia determines all accelerations shows in any of them.
  rows_.evaluate(0, motions_, q_, v_);
  std::fill(loads_.begin(), loads_.end(), Spatial{});
  if (recursion_.solve(loads_)) return Status::ok;
  failure_ = recursion_.failure();
  return Status::failed;
}

Status HierarchySolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  read_bodies(y);
  rows_.evaluate(0, motions_, q_, v_);
  std::copy(q_.begin(), q_.end(), state.q.begin());
  std::copy(v_.begin(), v_.end(), state.v.begin());
  const auto x = states_of(y);
  std::copy(x.begin(), x.end(), state.x.begin());
  return Status::ok;
}

/// Forces, f + φ and the accelerations of the level at the bodies and hints just read.
bool HierarchySolver::find_accelerations(double t, std::span<const double> x, std::span<double> xdot) noexcept {
  rows_.evaluate(t, motions_, q_, v_);
  forces_.evaluate(t, motions_, q_, v_, x, wrenches_, efforts_, xdot);
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    const Vec3& w = motions_[i].V.angular;
    loads_[i] = {-cross(w, rows_.inertia(i) * w), view_.bodies[i].mass * view_.gravity};
  }
  for (const BodyIndex b : forces_.loaded_bodies()) {
    const Spatial& wrench = wrenches_[at(b)];
    loads_[at(b)] += Spatial{wrench.angular - cross(rows_.center(at(b)), wrench.linear), wrench.linear};
  }
  rows_.add_efforts(efforts_, loads_);
  if (recursion_.solve(loads_)) return true;
  failure_ = recursion_.failure();
  return false;
}

Status HierarchySolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read_bodies(y);
  Correction unused;
  if (project_stages_ && !project(t, y, unused)) return Status::failed;
  if (!find_accelerations(t, states_of(y), ydot.last(view_.states))) return Status::failed;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    double* rate = ydot.data() + 13 * i;
    const Spatial& V = motions_[i].V;
    const Vec3 v = V.linear + cross(V.angular, rows_.center(i));
    const Quat o = quaternion_rate(poses_[i].orientation, motions_[i].V.angular);
    const Spatial& a = recursion_.accelerations()[i];
    for (const double value :
         {v.x, v.y, v.z, o.w, o.x, o.y, o.z, a.angular.x, a.angular.y, a.angular.z, a.linear.x, a.linear.y, a.linear.z})
      *rate++ = value;
  }
  double* rate = ydot.data() + 13 * poses_.size();
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    const JointData& joint = view_.joints[h.joint];
    joint_position_rates(joint, q_.data() + joint.q_offset, v_.data() + joint.v_offset, rates_.data() + joint.q_offset);
    rate = std::copy_n(rates_.data() + h.first_q, h.count, rate);
  }
  std::fill(rate, ydot.data() + ydot.size() - view_.states, 0.0);  // signs stay
  return Status::ok;
}

/// Moves the bodies just read onto the constraints of the level and makes their velocities fit.
bool HierarchySolver::project(double t, std::span<const double> y, Correction& out) noexcept {
  const bool whole = level_.whole();
  if (!whole) level_.to_level(q_, level_q_);
  const std::span<double> q = whole ? std::span(q_) : std::span(level_q_), v = whole ? std::span(v_) : level_v_;
  for (Pose& pose : poses_) pose.orientation = normalized(pose.orientation);
  PositionCorrection position;
  if (!system_.correct_positions(t, poses_, q, options_.tolerance, position)) {
    failure_ = system_.failure();
    return false;
  }
  out.position_residual = position.residual_before;
  out.iterations = position.iterations;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    // The mass centre keeps its velocity when the body is moved.
    const double* b = y.data() + 13 * i;
    const Mat3 R = rotation_matrix(poses_[i].orientation);
    const Vec3& w = motions_[i].V.angular;
    const Vec3 velocity{b[10], b[11], b[12]};
    motions_[i] = {R, poses_[i].position, {w, velocity - cross(w, R * view_.bodies[i].center_of_mass)}};
  }
  if (!system_.project_velocities(t, motions_, q, v, out.velocity_residual, true)) {
    failure_ = system_.failure();
    return false;
  }
  if (!whole) level_.from_level(level_q_, q_);
  return true;
}

Status HierarchySolver::do_correct(double t, std::span<double> y, Correction& out) noexcept {
  read_bodies(y);
  out = {};
  if (options_.project) {
    if (!project(t, y, out)) return Status::failed;
    if (!level_.whole()) rows_.evaluate(t, motions_, q_, v_);  // coordinates of the joints of higher levels
  } else {
    for (Pose& pose : poses_) pose.orientation = normalized(pose.orientation);
    rows_.evaluate(t, motions_, q_, v_);
    out.position_residual = rows_.position_violation();
    out.velocity_residual = rows_.velocity_violation();
  }
  write_bodies(y);
  hints_.write(q_, y.data() + 13 * poses_.size());
  return Status::ok;
}

Status HierarchySolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  read_bodies(y);
  if (!find_accelerations(t, states_of(y), xdot_)) return Status::failed;
  rows_.set_solution(recursion_.accelerations(), recursion_.multipliers());
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const Spatial a = rows_.origin_acceleration(i);
    out.bodies[i] = {{normalized(poses_[i].orientation), poses_[i].position},
                     motions_[i].V.linear,
                     motions_[i].V.angular,
                     a.linear,
                     a.angular};
  }
  std::copy(q_.begin(), q_.end(), out.state.q.begin());
  std::copy(v_.begin(), v_.end(), out.state.v.begin());
  const auto x = states_of(y);
  std::copy(x.begin(), x.end(), out.state.x.begin());
  rows_.joint_accelerations(out.acceleration);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) out.reactions[j] = rows_.reaction(j);
  out.kinetic_energy = kinetic_energy(view_, motions_);
  out.potential_energy = gravity_potential(view_, motions_) + forces_.potential_energy();
  out.power = forces_.power();
  out.position_violation = rows_.position_violation();
  out.velocity_violation = rows_.velocity_violation();
  return Status::ok;
}

}  // namespace polyform::hierarchy
