#include "thompson_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace polyform::thompson {

ThompsonSolver::ThompsonSolver(const SystemView& view, Options options)
    : centred_(view),
      view_(centred_.view()),
      options_(std::move(options)),
      yardstick_(view_),
      h2_(view_, options_.construction),
      closing_(view_, h2_, reduction_, centred_.origin()),
      reduced_(view_, h2_, reduction_),
      vector_(view_, options_.sequences, discrete_),
      forces_(view_, centred_.origin()),
      tree_(view_),
      loads_joints_(forces_.loads_joints()) {
  if (options_.form != Form::reduced) implicit_.emplace(view_, h2_, reduction_, options_.form == Form::implicit_2);
  const std::size_t n = view.bodies.size();
  joints_.resize(vector_.joints().size());
  joint_rates_.resize(joints_.size());
  q_.resize(view.nq);
  for (auto* v : {&v_, &efforts_}) v->resize(view.nv);
  for (auto* v : {&vdot_, &udot_, &step_, &zero_, &carried_}) v->resize(view.nv_tree);
  xdot_.resize(view.states);
  multipliers_.resize(2 * reduction_.rows());
  kept_.resize(vector_.size());
  wrenches_.resize(n);
  accelerations_.resize(n);
  change_.resize(n);
  orientations_.resize(n);
  for (auto* b : {&Q_, &qddot_, &gamma_, &reaction_forces_, &steps_}) b->resize(n);
  closing_.add_groups(left_out_);
  closing_.follow(discrete_.of_elements());
  forces_.follow(discrete_.of_elements());
  failure_.reserve(500);
}

/// y to joints_, and what is known of dependent rows to the reduction.
void ThompsonSolver::read(std::span<const double> y) noexcept {
  vector_.to_joints(y, joints_);
  for (std::size_t g = 0; g < closing_.groups(); ++g) reduction_.leave_out(g, left_out_[g]);
}

/// The reverse.
bool ThompsonSolver::write(double t, std::span<double> y) noexcept {
  for (std::size_t g = 0; g < closing_.groups(); ++g) left_out_.keep(g, reduction_.left_out(g));
  vector_.joints().keep_turns(joints_, q_);
  std::size_t failed = 0;
  return vector_.from_joints(joints_, y, failed) || fail_angles(t, failed, "cannot reach its orientation");
}

/// Motions of the tree at joints_, and the constraints of what closes it.
void ThompsonSolver::place(double t) noexcept {
  const JointState::Parts parts = vector_.joints().split(joints_);
  std::copy(parts.q.begin(), parts.q.end(), q_.begin());
  std::copy(parts.v.begin(), parts.v.end(), v_.begin());
  std::copy(parts.cut.begin(), parts.cut.end(), q_.begin() + static_cast<std::ptrdiff_t>(view_.nq_tree));
  tree_.evaluate(q_.data(), v_.data());
  if (!closing_.empty()) closing_.evaluate(t, tree_, q_, v_);
}

bool ThompsonSolver::construct(bool with_H1) noexcept {
  if (h2_.evaluate(tree_.bodies(), tree_.joints(), with_H1)) return true;
  failure_.clear();
  fmt::format_to_n(std::back_inserter(failure_), 400,
                   "the axes of joint `{:.60}` have become dependent: its rows have no null space of the right size. "
                   "The option `construction: velocity` names the motion that is without inertia there, if any",
                   view_.joints[h2_.failed_joint()].name);
  return false;
}

const JointMotion& ThompsonSolver::motion_of_joint(std::size_t j) const noexcept {
  return j < view_.bodies.size() ? tree_.joints()[j] : closing_.cut(j - view_.bodies.size()).motion;
}

/// Q of Eq 7: weight and gyroscopic torque, forces and torques on the bodies, efforts of the joints as pairs of
/// wrenches.
void ThompsonSolver::find_forces(double t, std::span<double> xdot) noexcept {
  for (std::size_t i = 0; i < Q_.size(); ++i) {
    const BodyData& body = view_.bodies[i];
    const BodyMotion& m = tree_.bodies()[i];
    const Vec3 w = transpose_times(m.R, m.V.angular);
    Q_[i] = stacked(body.mass * view_.gravity, -cross(w, body.inertia * w));
  }
  if (!forces_.empty()) {
    const JointState::Parts parts = vector_.joints().split(joints_);
    forces_.evaluate(t, tree_.bodies(), q_, v_, parts.x, wrenches_, efforts_, xdot);
    for (const BodyIndex b : forces_.loaded_bodies()) add_wrench(b, wrenches_[at(b)]);
    for (std::size_t j = 0; j < view_.joints.size() && loads_joints_; ++j)
      add_effort(view_.joints[j], motion_of_joint(j), efforts_.data() + view_.joints[j].v_offset);
  }
}

void ThompsonSolver::add_wrench(BodyIndex b, const Spatial& w) noexcept {
  if (is_ground(b)) return;
  Q_[at(b)] +=
      stacked(w.linear, transpose_times(tree_.bodies()[at(b)].R, w.angular - cross(h2_.center(at(b)), w.linear)));
}

void ThompsonSolver::add_effort(const JointData& joint, const JointMotion& motion, const double* effort) noexcept {
  if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) return;
  const ConstraintRow w =
      constraint_row(joint, motion_of(joint.base, tree_.bodies()), motion_of(joint.moving, tree_.bodies()),
                     effort_wrench(motion, joint.nv, effort));
  add_wrench(joint.moving, w.moving);
  add_wrench(joint.base, w.base);
}

/// At joints_: v̇ of the tree joints, q̈ of the bodies.
bool ThompsonSolver::find_accelerations(double t, std::span<double> xdot, bool with_H1) noexcept {
  failure_.clear();
  place(t);
  if (!construct(with_H1)) return false;
  find_forces(t, xdot);
  const bool closed = !closing_.empty();
  if (closed) {
    h2_.to_bodies(zero_.data(), true, gamma_);
    closing_.set(Level::acceleration, tree_, gamma_);
    if (closing_.given_multipliers(std::span(multipliers_).first(reduction_.rows())))
      closing_.add_forces(multipliers_.data(), Q_);
    reduction_.eliminate(false);
  }
  const Problem problem{&Q_, true, closed ? closing_.right() : nullptr};
  const bool solved =
      implicit_ ? implicit_->solve(problem, udot_.data(), qddot_) : reduced_.solve(problem, udot_.data(), qddot_);
  if (!solved) return fail_massless(implicit_ ? implicit_->failed_coordinate() : reduced_.failed_coordinate());
  if (!implicit_ && mending_.is_due()) mend(problem);
  if (options_.construction == Construction::velocity)
    std::copy(udot_.begin(), udot_.end(), vdot_.begin());
  else
    h2_.joint_rates(qddot_, true, tree_.bodies(), tree_.joints(), vdot_.data());
  return true;
}

/// Looks at what u̇ leaves of Eq 15, and wins back what has been lost of it between light and heavy bodies.
void ThompsonSolver::mend(const Problem& problem) noexcept {
  double turning = 0, load = 0, mass = 0;
  const double reach = yardstick_.largest_reach();
  for (std::size_t i = 0; i < Q_.size(); ++i) {
    const Vec3& w = tree_.bodies()[i].V.angular;
    turning = std::max(turning, dot(w, w));
    load += norm(linear(Q_[i]));
    mass += view_.bodies[i].mass;
    accelerations_[i] = {angular(qddot_[i]), linear(qddot_[i])};
  }
  const ActingAccelerations acting = acting_accelerations(view_.gravity, load, mass, reach, turning);
  const auto find = [&] {
    reduced_.find_missing(problem, steps_);
    for (std::size_t i = 0; i < steps_.size(); ++i) change_[i] = {angular(steps_[i]), linear(steps_[i])};
    return size_of_step(change_, accelerations_, acting);
  };
  reduced_.start_mending(udot_.data());
  const double lost = find();
  if (mending_.is_much(lost)) {
    mending_.mend(Mending::Aim::accelerations, find, [&] { reduced_.add_missing(); }, [] {});
    reduced_.finish_mending(udot_.data(), qddot_);
  }
  mending_.mended(lost);
}

std::size_t ThompsonSolver::joint_of(std::size_t coordinate) const noexcept {
  const auto tree = view_.tree_joints();
  const auto after = std::upper_bound(tree.begin(), tree.end(), coordinate,
                                      [](std::size_t c, const JointData& joint) { return c < joint.v_offset; });
  return static_cast<std::size_t>(after - tree.begin()) - 1;
}

bool ThompsonSolver::fail_massless(std::size_t coordinate) noexcept {
  failure_.clear();
  const auto finite = [](double x) { return std::isfinite(x); };
  if (!std::all_of(joints_.begin(), joints_.end(), finite) || !std::all_of(efforts_.begin(), efforts_.end(), finite)) {
    failure_ = "the state or a force is not finite: it has gone astray, or the step is too long";
    return false;
  }
  const std::size_t j = joint_of(coordinate);
  fmt::format_to_n(
      std::back_inserter(failure_), 400,
      "joint `{:.60}` moves body `{:.60}` without any inertia against it, or with so little that it is lost in "
      "rounding",
      view_.joints[j].name, view_.bodies[j].name);
  return false;
}

/// Of a sequence at gimbal lock, or one whose axes are not at right angles and cannot reach an orientation.
bool ThompsonSolver::fail_angles(double t, std::size_t s, std::string_view what) noexcept {
  const EulerSequence& sequence = vector_.sequences()[s];
  const std::string_view joint = view_.joints[sequence.joint].name;
  failure_.clear();
  fmt::format_to_n(
      std::back_inserter(failure_), 480,
      "at t = {:.6g} s the Euler angles {:.60} of joint `{:.60}` {}. Use its quaternion: leave the joint out of the "
      "option `angles`, or write \"{:.60}=quaternion\" there; or take axes in another order",
      t, sequence.text, joint, what, joint);
  return false;
}

Status ThompsonSolver::do_encode(const ConstStateView& state, std::span<double> y) noexcept {
  failure_.clear();
  vector_.joints().encode(state, joints_);
  discrete_.encode(state);
  std::fill(y.begin(), y.end(), 0.0);
  mending_.look();
  for (std::size_t g = 0; g < closing_.groups(); ++g) reduction_.leave_out(g, 0);
  place(0);
  if (!closing_.empty()) {
    if (!construct(false)) return Status::failed;
    find_left_out();
  }
  if (!write(0, y)) return Status::failed;
  vector_.start(joints_, y);
  return Status::ok;
}

Status ThompsonSolver::do_decode(std::span<const double> y, const StateView& state) noexcept {
  failure_.clear();
  read(y);
  place(0);
  std::copy(q_.begin(), q_.end(), state.q.begin());
  std::copy(v_.begin(), v_.end(), state.v.begin());
  const JointState::Parts parts = vector_.joints().split(joints_);
  std::copy(parts.x.begin(), parts.x.end(), state.x.begin());
  discrete_.decode(state);
  return Status::ok;
}

/// ẏ as of JointState, at joints_.
bool ThompsonSolver::find_rates(double t, std::span<double> xdot) noexcept {
  if (!find_accelerations(t, xdot, false)) return false;
  find_position_rates();
  std::copy(vdot_.begin(), vdot_.end(), joint_rates_.begin() + static_cast<std::ptrdiff_t>(view_.nq_tree));
  return true;
}

/// Of the joints as placed.
void ThompsonSolver::find_position_rates() noexcept {
  const auto rates_of = [&](const JointData& joint, double* into) {
    joint_position_rates(joint, q_.data() + joint.q_offset, v_.data() + joint.v_offset, into);
  };
  for (const JointData& joint : view_.tree_joints()) rates_of(joint, joint_rates_.data() + joint.q_offset);
  for (const JointData& cut : view_.cut_joints())
    rates_of(cut, joint_rates_.data() + vector_.joints().uncut() + (cut.q_offset - view_.nq_tree));
}

/// The stages of an integrator lie beside the constraints by the square of the step. Near a singular position that
/// would be blown up: there the derivative is that of the nearest closed state.
Status ThompsonSolver::do_derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  read(y);
  const std::span<double> xdot = std::span(joint_rates_).subspan(vector_.joints().moving(), view_.states);
  if (!find_rates(t, xdot)) return Status::failed;
  if (!closing_.empty() && options_.project && reduction_.smallest_pivot() < 0.05 &&
      closing_.position_violation() > closing_.position_rounding()) {
    Correction unused;
    if (close(t, unused)) {
      if (!find_rates(t, xdot)) return Status::failed;
    } else {
      failure_.clear();  // too far from closed, which the end of the step will tell
    }
  }
  std::size_t failed = 0;
  if (vector_.rates(y, joint_rates_, ydot, failed)) return Status::ok;
  fail_angles(t, failed, "are at gimbal lock: their axes lie in one plane, and they have no rates");
  return Status::failed;
}

Status ThompsonSolver::position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  failure_.clear();
  read(y);
  place(t);
  find_position_rates();
  std::size_t failed = 0;
  if (!vector_.rates(y, joint_rates_, kept_, failed)) {
    fail_angles(t, failed, "are at gimbal lock: their axes lie in one plane, and they have no rates");
    return Status::failed;
  }
  for (std::size_t i = 0; i < ydot.size(); ++i)
    if (kinds()[i] == StateKind::position) ydot[i] = kept_[i];
  return Status::ok;
}

}  // namespace polyform::thompson
