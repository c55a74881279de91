// Back onto the constraints: positions by Newton's method, velocities by projection, both in the inertia metric.
#include "absolute_system_detail.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform {

using detail::load;
using detail::store;

namespace {

/// From this residual on the constraints are nearly linear: one set of factors serves for the rest of the way.
constexpr double near_by = 1e-4;
/// What is subtracted from the zero block of loops where they are nearly closed (Neighbour). Next to a singular
/// position, x (of a loop's size) away, a row tells where the loop stands across it to η/x of its rounding η, and how
/// fast it moves to η/x²; below x = 2e-5, the root of this, the state as integrated knows that better.
constexpr double projection_epsilon = 3e-10;
/// No body turns by more than this in one step from afar, rad.
constexpr double longest_turn = 0.7;

}  // namespace

bool AbsoluteSystem::correct_positions(double t, std::span<Pose> poses, std::span<double> q, double tolerance,
                                       PositionCorrection& out, std::span<double> eta,
                                       std::span<double> states) noexcept {
  failure_size_ = 0;
  out = {};
  std::copy(eta.begin(), eta.end(), eta_.begin());
  std::fill(etadot_.begin(), etadot_.end(), 0.0);
  states_given_ = states.size() == view_.states;  // also where there are none
  std::copy(states.begin(), states.end(), states_.begin());
  factorized_ = false;
  double size = 1;
  extent_ = 0;
  for (const Pose& pose : poses) {
    size = std::max(size, detail::largest(pose.position));
    extent_ = std::max(extent_, norm(pose.position - poses[0].position));
  }
  const double target = std::min(tolerance, position_rounding_part * size);
  tolerance = std::max(tolerance, position_rounding_part * size);  // nothing is below rounding

  const bool met = find_positions(t, poses, q, target, tolerance, out);
  std::copy_n(eta_.begin(), eta.size(), eta.begin());
  std::copy_n(states_.begin(), states.size(), states.begin());
  return met;
}

/// Newton's steps to the target, or as far as rounding allows below the tolerance.
bool AbsoluteSystem::find_positions(double t, std::span<Pose> poses, std::span<double> q, double target,
                                    double tolerance, PositionCorrection& out) noexcept {
  double merit = position_merit(t, poses, q);
  if (!std::isfinite(merit)) return fail("The positions cannot be corrected: a pose is not finite");
  out.residual_before = out.residual = position_violation_;
  ClosingSteps steps(out.residual);
  while (out.residual > target && steps.go_on()) {
    const double before = out.residual;
    if (!find_step(before)) return false;
    factorized_ = before < near_by;
    ++out.iterations;
    if (before < near_by || !whole_tree_) {
      move(poses);
      merit = position_merit(t, poses, q);
    } else {
      merit = search(t, poses, q, merit);
    }
    out.residual = position_violation_;
    steps.made(out.residual);
    if (has_come_to_rounding(out.residual, before, tolerance)) return true;
  }
  if (out.residual <= std::max(tolerance, target)) return true;
  std::size_t row = 0;
  for (std::size_t r = 0; r < right_.size(); ++r)
    if (!(std::abs(right_[r]) <= std::abs(right_[row]))) row = r;
  const std::size_t g = group_of_row(row);
  return fail(
      "The constraints cannot be met: after {} Newton steps {} `{}` is still off by {:.2e} (m or rad). Likely "
      "causes: lengths that do not close, given coordinates that contradict a loop, or too large a time step",
      out.iterations, kind_of_tie(g), name_of_tie(g), std::abs(right_[row]));
}

/// Sets the rows at these poses; the sum of the squared residuals.
double AbsoluteSystem::position_merit(double t, std::span<const Pose> poses, std::span<double> q) noexcept {
  for (std::size_t i = 0; i < poses.size(); ++i)
    motions_[i] = {rotation_matrix(poses[i].orientation), poses[i].position, {}};
  nodes_.evaluate(eta_.data(), etadot_.data());
  nodes_.place(motions_);
  set_rows(t, Level::position, q.data(), velocities_.data());
  double merit = 0;
  for (const double r : right_) merit += r * r;
  return merit;
}

/// The step dx of least inertia-weighted length with A dx = −residual, into solution_.
bool AbsoluteSystem::find_step(double worst) noexcept {
  std::fill(data_.begin(), data_.end(), 0.0);
  std::fill(solution_.begin(), solution_.end(), 0.0);
  std::copy(right_.begin(), right_.end(), data_.begin() + static_cast<std::ptrdiff_t>(row_at(0)));
  if (worst < near_by) {
    Refinement r{3, 1e-3, Follow::nothing};
    r.neighbour.loop_epsilon = projection_epsilon;
    return solve(r);
  }
  // Far off, redundant rows contradict each other by about the square of the residual; damping the loops by as much
  // (Levenberg and Marquardt) keeps them from asking for a long step and leaves the convergence quadratic. With their
  // own inertia only the bodies next to a gap would turn, and by much; turning is made so dear that all of them share.
  Refinement r{1, 1e-3, Follow::nothing};
  r.neighbour = {std::clamp(worst * worst, least_epsilon, 1e-4), extent_};
  return solve(r);
}

/// Moves all bodies by the step in solution_: mass centres (frame origins) along, orientations about a rotation vector.
void AbsoluteSystem::move(std::span<Pose> poses) noexcept {
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double* step = solution_.data() + offsets_[i];
    const Spatial dx = load(step);
    const Vec3 center = poses[i].position + centers_[i] + dx.linear;
    poses[i].orientation = normalized(from_rotation_vector(dx.angular) * poses[i].orientation);
    poses[i].position = center;
    if (const FlexibleData* flexible = flexible_data(i); flexible != nullptr)
      for (std::size_t k = 0; k < flexible->modes; ++k) eta_[flexible->mode_offset + k] += step[6 + k];
    else
      poses[i].position -= rotation_matrix(poses[i].orientation) * view_.bodies[i].center_of_mass;
  }
  move_states(1);
}

/// The integrals of modules' variables by a part of the step in solution_.
void AbsoluteSystem::move_states(double fraction) noexcept {
  if (!states_given_) return;
  for (std::size_t i = 0; i < modules_.modules().size(); ++i)
    for (const ModuleSet::Module::Integral& integral : modules_.modules()[i].integrals)
      states_[integral.state] += fraction * solution_[offsets_[view_.bodies.size() + i] + integral.variable];
}

/// From afar: the share of the step that the tree joints allow, along their coordinates, so that only the loops stay
/// open; shortened until it improves. Returns the merit reached.
double AbsoluteSystem::search(double t, std::span<Pose> poses, std::span<double> q, double merit_before) noexcept {
  double longest = longest_turn;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const Spatial dx = load(solution_.data() + offsets_[i]);
    longest = std::max(longest, norm(dx.angular));
    motions_[i].V = {dx.angular, dx.linear - cross(dx.angular, centers_[i])};
  }
  for (const FlexibleData& f : view_.flexible)
    std::copy_n(solution_.data() + offsets_[at(f.body)] + 6, f.modes, etadot_.data() + f.mode_offset);
  nodes_.evaluate(eta_.data(), etadot_.data());
  nodes_.place(motions_);
  std::copy(eta_.begin(), eta_.end(), start_eta_.begin());
  std::copy(etadot_.begin(), etadot_.end(), eta_step_.begin());
  std::copy(states_.begin(), states_.end(), start_states_.begin());
  std::fill(etadot_.begin(), etadot_.end(), 0.0);
  for (std::size_t j = 0; j < view_.bodies.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const RelativeMotion r =
        relative_motion(joint, motion_of(joint.base_frame, motions_), motion_of(joint.moving_frame, motions_));
    double turn[6]{};
    solve_least_squares(joints_[j].motion.H, joint.nv, r.twist, turn);
    joint_position_rates(joint, q.data() + joint.q_offset, turn, rates_.data() + joint.q_offset);
  }
  std::copy(q.begin(), q.end(), start_.begin());
  double fraction = longest_turn / longest, merit = 0;
  for (int halving = 0; halving < 6; ++halving, fraction *= 0.5) {
    for (std::size_t j = 0; j < view_.bodies.size(); ++j) {
      const JointData& joint = view_.joints[j];
      for (std::size_t k = joint.q_offset; k < joint.q_offset + joint.nq; ++k) q[k] = start_[k] + fraction * rates_[k];
      joint_normalize(joint, q.data() + joint.q_offset);
    }
    for (std::size_t k = 0; k < eta_.size(); ++k) eta_[k] = start_eta_[k] + fraction * eta_step_[k];
    std::copy(start_states_.begin(), start_states_.end(), states_.begin());
    move_states(fraction);
    std::fill(velocities_.begin(), velocities_.end(), 0.0);
    tree_.evaluate(q.data(), velocities_.data(), eta_.data(), etadot_.data());
    tree_.orientations(q.data(), orientations_, eta_.data());
    for (std::size_t i = 0; i < poses.size(); ++i) {
      const Quat& o = orientations_[i];
      const bool flipped = dot(o, poses[i].orientation) < 0;
      poses[i] = {flipped ? Quat{-o.w, -o.x, -o.y, -o.z} : o, tree_.bodies()[i].p};
    }
    merit = position_merit(t, poses, q);
    if (merit < merit_before) break;
  }
  return merit;
}

bool AbsoluteSystem::project_velocities(double t, std::span<BodyMotion> bodies, std::span<double> q,
                                        std::span<double> v, double& violation, bool after_positions,
                                        std::span<const double> eta, std::span<double> etadot,
                                        std::span<double> states) noexcept {
  failure_size_ = 0;
  set_motions(bodies, eta, etadot, states);
  set_rows(t, Level::velocity, q.data(), v.data());
  violation = velocity_violation_;
  if (!after_positions || rows_of_velocity_) factorized_ = false;
  // Starting from the given velocities, only what they violate is solved for.
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const Spatial& V = bodies[i].V;
    double* x = solution_.data() + offsets_[i];
    store({V.angular, V.linear + cross(V.angular, centers_[i])}, x);
    if (const FlexibleData* flexible = flexible_data(i); flexible != nullptr)
      std::copy_n(etadot.data() + flexible->mode_offset, flexible->modes, x + 6);
    multiply_inertia(i, x, data_.data() + offsets_[i]);
  }
  for (std::size_t i = 0; i < modules_.modules().size(); ++i) {
    const ModuleSet::Module& m = modules_.modules()[i];
    const std::size_t block = view_.bodies.size() + i;
    std::copy_n(states_.data() + m.u, m.variables, solution_.data() + offsets_[block]);
    multiply_inertia(block, solution_.data() + offsets_[block], data_.data() + offsets_[block]);
  }
  std::fill(solution_.begin() + static_cast<std::ptrdiff_t>(row_at(0)), solution_.end(), 0.0);
  std::copy(right_.begin(), right_.end(), data_.begin() + static_cast<std::ptrdiff_t>(row_at(0)));
  Refinement r{10, 0, Follow::nothing};  // what has little inertia is not to move the more for it
  if (after_positions) r.neighbour.loop_epsilon = projection_epsilon;
  if (!solve(r)) return false;
  if (r.row_error > 1e-6 && std::abs(residual_[row_at(r.worst_row)]) > 1e-6) {
    const std::size_t g = group_of_row(r.worst_row);
    return fail(
        "No velocities respect all constraints: {} `{}` is left with {:.2e} (m/s or rad/s). Likely causes: "
        "given or prescribed velocities that contradict each other, or a mechanism at its limit position",
        kind_of_tie(g), name_of_tie(g), std::abs(residual_[row_at(r.worst_row)]));
  }
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const Spatial x = load(solution_.data() + offsets_[i]);
    motions_[i].V = bodies[i].V = {x.angular, x.linear - cross(x.angular, centers_[i])};
  }
  for (const FlexibleData& f : view_.flexible)
    std::copy_n(solution_.data() + offsets_[at(f.body)] + 6, f.modes, etadot.data() + f.mode_offset);
  for (std::size_t i = 0; states_given_ && i < modules_.modules().size(); ++i)
    std::copy_n(solution_.data() + offsets_[view_.bodies.size() + i], modules_.modules()[i].variables,
                states.data() + modules_.modules()[i].u);
  nodes_.evaluate(eta.data(), etadot.data());
  nodes_.place(motions_);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const Spatial twist =
        relative_motion(joint, motion_of(joint.base_frame, motions_), motion_of(joint.moving_frame, motions_)).twist;
    solve_least_squares(joints_[j].motion.H, joint.nv, twist, v.data() + joint.v_offset);
  }
  return true;
}

}  // namespace polyform
