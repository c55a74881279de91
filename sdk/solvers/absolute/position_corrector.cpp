#include "position_corrector.hpp"

#include <algorithm>
#include <cmath>

#include "../refined_solutions.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "six.hpp"

namespace polyform::absolute {

namespace {

/// No body turns by more than this in one step from afar, rad.
constexpr double longest_turn = 0.7;

}  // namespace

PositionCorrector::PositionCorrector(Model& model, LinearProblem& problem, SaddlePoint& solver, Failure& failure)
    : model_(model),
      problem_(problem),
      solver_(solver),
      failure_(failure),
      tree_(model.view),
      orientations_(model.view.frames()),
      start_(model.view.nq),
      rates_(model.view.nq),
      start_eta_(model.view.modes),
      eta_step_(model.view.modes),
      start_states_(model.view.states),
      velocities_(model.view.nv) {}

bool PositionCorrector::correct(double t, std::span<Pose> poses, std::span<double> q, double tolerance,
                                PositionCorrection& out, std::span<double> eta, std::span<double> states,
                                bool evaluated) noexcept {
  out = {};
  Motions& motions = model_.motions;
  std::copy(eta.begin(), eta.end(), motions.eta.begin());
  std::fill(motions.etadot.begin(), motions.etadot.end(), 0.0);
  motions.set_states(states);
  solver_.forget_factors();
  double size = 1;
  extent_ = 0;
  for (const Pose& pose : poses) {
    size = std::max(size, largest(pose.position));
    extent_ = std::max(extent_, norm(pose.position - poses[0].position));
  }
  const double target = std::min(tolerance, position_rounding_part * size);
  tolerance = std::max(tolerance, position_rounding_part * size);  // nothing is below rounding

  const bool met = find_positions(t, poses, q, target, tolerance, out, evaluated);
  std::copy_n(motions.eta.begin(), eta.size(), eta.begin());
  std::copy_n(motions.states.begin(), states.size(), states.begin());
  return met;
}

/// Newton's steps to the target, or as far as rounding allows below the tolerance.
bool PositionCorrector::find_positions(double t, std::span<Pose> poses, std::span<double> q, double target,
                                       double tolerance, PositionCorrection& out, bool evaluated) noexcept {
  double reached = evaluated ? merit() : merit_at(t, poses, q);
  if (!std::isfinite(reached)) return failure_.say("The positions cannot be corrected: a pose is not finite");
  out.residual_before = out.residual = model_.rows.violation().position;
  ClosingSteps steps(out.residual);
  while (out.residual > target && steps.go_on()) {
    const double before = out.residual;
    if (!find_step(before)) return false;
    if (!(before < near_by)) solver_.forget_factors();
    ++out.iterations;
    if (before < near_by || !model_.constraints.whole_tree()) {
      move(poses);
      reached = merit_at(t, poses, q);
    } else {
      reached = search(t, poses, q, reached);
    }
    out.residual = model_.rows.violation().position;
    steps.made(out.residual);
    if (has_come_to_rounding(out.residual, before, tolerance)) return true;
  }
  return out.residual <= std::max(tolerance, target) || fail_open(out.iterations);
}

/// Fails with the name of the row whose residual is the largest.
bool PositionCorrector::fail_open(std::size_t iterations) noexcept {
  const std::span<const double> right = model_.rows.right();
  std::size_t row = 0;
  for (std::size_t r = 0; r < right.size(); ++r)
    if (!(std::abs(right[r]) <= std::abs(right[row]))) row = r;
  const std::size_t constraint = model_.constraints.of_row(row);
  return failure_.say(
      "The constraints cannot be met: after {} Newton steps {} `{}` is still off by {:.2e} (m or rad). Likely "
      "causes: lengths that do not close, given coordinates that contradict a loop, or too large a time step",
      iterations, model_.constraints.kind(constraint), model_.constraints.name(constraint), std::abs(right[row]));
}

/// Evaluates the rows at these poses. Returns merit().
double PositionCorrector::merit_at(double t, std::span<const Pose> poses, std::span<double> q) noexcept {
  model_.motions.set_poses(poses);
  model_.evaluate(t, Level::position, q.data(), velocities_.data());
  return merit();
}

/// The sum of the squared residuals of the rows last evaluated.
double PositionCorrector::merit() const noexcept {
  double merit = 0;
  for (const double r : model_.rows.right()) merit += r * r;
  return merit;
}

/// Finds the step dx of least inertia-weighted length with A dx = −residual and leaves it in the solution.
bool PositionCorrector::find_step(double worst) noexcept {
  std::fill(problem_.data.begin(), problem_.data.end(), 0.0);
  problem_.set_rows(model_.rows.right());
  constexpr double most_damping = 1e-4;  // more would hold up the bodies that close the gap
  if (worst < near_by) {
    Refinement r{3, of_a_step, Follow::nothing};
    r.neighbour.loop_epsilon = loop_epsilon_;
    return solver_.solve_from_zero(r);
  }
  // Far off, redundant rows contradict each other by about the square of the residual; damping the loops by as much
  // (Levenberg and Marquardt) keeps them from asking for a long step and leaves the convergence quadratic. With their
  // own inertia only the bodies next to a gap would turn, and by much: a larger inertia makes all of them share the
  // way.
  Refinement r{1, of_a_step, Follow::nothing};
  r.neighbour = {std::clamp(worst * worst, least_epsilon, most_damping), extent_};
  return solver_.solve_from_zero(r);
}

/// Moves all bodies by the step in the solution: mass centres (frame origins) along, orientations about a rotation
/// vector.
void PositionCorrector::move(std::span<Pose> poses) noexcept {
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double* step = problem_.solution.data() + model_.blocks.offset(i);
    const Spatial dx = load(step);
    const Vec3 center = poses[i].position + model_.inertia.center(i) + dx.linear;
    poses[i].orientation = normalized(from_rotation_vector(dx.angular) * poses[i].orientation);
    poses[i].position = center;
    if (const FlexibleData* flexible = model_.blocks.flexible(i); flexible != nullptr)
      for (std::size_t k = 0; k < flexible->modes; ++k) model_.motions.eta[flexible->mode_offset + k] += step[6 + k];
    else
      poses[i].position -= rotation_matrix(poses[i].orientation) * model_.view.bodies[i].center_of_mass;
  }
  move_states(1);
}

/// Moves the integrals of modules' variables by a part of the step in the solution.
void PositionCorrector::move_states(double fraction) noexcept {
  if (!model_.motions.states_given) return;
  for (std::size_t i = model_.blocks.bodies(); i < model_.blocks.count(); ++i) {
    const double* step = problem_.solution.data() + model_.blocks.offset(i);
    for (const ModuleSet::Module::Integral& integral : model_.blocks.module(i).integrals)
      model_.motions.states[integral.state] += fraction * step[integral.variable];
  }
}

/// Goes from afar: only that share of the step which the tree joints allow, along their coordinates, so that nothing
/// but loops stays open. Shortens it until the merit falls. Returns the merit reached.
double PositionCorrector::search(double t, std::span<Pose> poses, std::span<double> q, double merit_before) noexcept {
  double fraction = longest_turn / start_search(q), reached = 0;
  for (int halving = 0; halving < 6; ++halving, fraction *= 0.5) {
    go(fraction, poses, q);
    reached = merit_at(t, poses, q);
    if (reached < merit_before) break;
  }
  return reached;
}

/// Finds the step in the coordinates of the tree joints. Returns the largest turn of a body; longest_turn where none
/// turns as far.
double PositionCorrector::start_search(std::span<const double> q) noexcept {
  Motions& motions = model_.motions;
  const SystemView& view = model_.view;
  double longest = longest_turn;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const Spatial dx = load(problem_.solution.data() + model_.blocks.offset(i));
    longest = std::max(longest, norm(dx.angular));
    motions.frames[i].V = {dx.angular, dx.linear - cross(dx.angular, model_.inertia.center(i))};
  }
  for (const FlexibleData& f : view.flexible)
    std::copy_n(problem_.solution.data() + model_.blocks.offset(at(f.body)) + 6, f.modes,
                motions.etadot.data() + f.mode_offset);
  motions.place();
  start_eta_ = motions.eta;
  eta_step_ = motions.etadot;
  start_states_ = motions.states;
  std::fill(motions.etadot.begin(), motions.etadot.end(), 0.0);
  for (std::size_t j = 0; j < view.bodies.size(); ++j) {
    const JointData& joint = view.joints[j];
    const RelativeMotion r = relative_motion(joint, motion_of(joint.base_frame, motions.frames),
                                             motion_of(joint.moving_frame, motions.frames));
    double turn[6]{};
    solve_least_squares(model_.rows.joint(j).motion.H, joint.nv, r.twist, turn);
    joint_position_step(joint, q.data() + joint.q_offset, turn, rates_.data() + joint.q_offset);
  }
  std::copy(q.begin(), q.end(), start_.begin());
  return longest;
}

/// Moves everything by a part of the step from where the search has started.
void PositionCorrector::go(double fraction, std::span<Pose> poses, std::span<double> q) noexcept {
  Motions& motions = model_.motions;
  for (std::size_t j = 0; j < poses.size(); ++j) {
    const JointData& joint = model_.view.joints[j];
    for (std::size_t k = joint.q_offset; k < joint.q_offset + joint.nq; ++k) q[k] = start_[k] + fraction * rates_[k];
    joint_normalize(joint, q.data() + joint.q_offset);
  }
  for (std::size_t k = 0; k < motions.eta.size(); ++k) motions.eta[k] = start_eta_[k] + fraction * eta_step_[k];
  motions.states = start_states_;
  move_states(fraction);
  std::fill(velocities_.begin(), velocities_.end(), 0.0);
  tree_.evaluate(q.data(), velocities_.data(), motions.eta.data(), motions.etadot.data());
  tree_.orientations(q.data(), orientations_, motions.eta.data());
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Quat& o = orientations_[i];
    const bool flipped = dot(o, poses[i].orientation) < 0;
    poses[i] = {flipped ? Quat{-o.w, -o.x, -o.y, -o.z} : o, tree_.bodies()[i].p};
  }
}

}  // namespace polyform::absolute
