// The saddle-point system: factorization of a quasi-definite neighbour, refinement against the true matrix.
#include <algorithm>
#include <cmath>

#include "absolute_system_detail.hpp"

namespace polyform {

using detail::largest;
using detail::load;
using detail::store;

namespace {

/// Relative size of what is added to M, see also Refinement::epsilon. A body without inertia for some motion gets more:
/// 1/δ must stay well below 1/ε, or the rounding of what it leaves to redundant rows hides their ε.
constexpr double delta = 1e-10, delta_of_singular = 1e-4;
/// A residual of this size relative to the terms it is made of is round-off.
constexpr double round_off = 2e-15;
/// Part of the largest motion or force that is taken for the size of any smaller one.
constexpr double yardstick_floor = 1e-3;

}  // namespace

/// Factorizes [M + δ, Aᵀ; A, −ε], with δ and ε in the units of each block.
bool AbsoluteSystem::factorize(const Neighbour& neighbour) noexcept {
  matrix_.clear();
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    const BlockLdlt::Block D = diagonals_[i];
    const Mat3 J = inertias_[i].full();
    const double added = scales_[i].singular ? delta_of_singular : delta;
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c <= r; ++c) D(r, c) = J(r, c);
    for (std::size_t r = 0; r < 3; ++r) {
      D(r, r) += added * scales_[i].inertia + scales_[i].mass * neighbour.gyration * neighbour.gyration;
      D(3 + r, 3 + r) = view_.bodies[i].mass + added * scales_[i].mass;
    }
  }
  std::size_t block = n;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    if (group.rows == 0) continue;
    const double relative_epsilon = g < n ? least_epsilon : neighbour.loop_epsilon;
    const BlockLdlt::Block D = diagonals_[block++];
    for (std::size_t r = 0; r < group.rows; ++r) {
      double compliance = 0;  // of the row: about A M⁻¹ Aᵀ
      for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
        const Scale& s = scales_[entries_[e].body];
        const Spatial& a = coefficients_[entries_[e].first + r];
        compliance += dot(a.angular, a.angular) / s.inertia + dot(a.linear, a.linear) / s.mass;
        double* row = &entries_[e].place(r, 0);
        const std::size_t stride = entries_[e].place.column_stride;
        row[0] = a.angular.x;
        row[stride] = a.angular.y;
        row[2 * stride] = a.angular.z;
        row[3 * stride] = a.linear.x;
        row[4 * stride] = a.linear.y;
        row[5 * stride] = a.linear.z;
      }
      D(r, r) = compliance > 0 ? -relative_epsilon * compliance : -1;  // an empty row asks for nothing
    }
  }
  factorized_ = matrix_.factorize();
  if (factorized_) return true;
  const std::size_t failed = matrix_.failed_block();
  if (failed < n)
    return fail(
        "The equations of motion cannot be solved at body `{}`: its mass and inertia, or the state, are not finite",
        view_.bodies[failed].name);
  std::size_t g = 0;
  for (block = n; g < groups_.size(); ++g)
    if (groups_[g].rows != 0 && block++ == failed) break;
  return fail("The equations of motion cannot be solved at {} `{}`: its directions are not finite", kind_of_group(g),
              name_of_group(g));
}

/// residual = data − K solution, and its size relative to that of its terms, body by body and row by row. Moments and
/// forces, turning and moving are compared through the length of the body: what is zero by symmetry is no yardstick.
void AbsoluteSystem::find_residual(Refinement& out) noexcept {
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Spatial x = load(solution_.data() + 6 * i), force = load(data_.data() + 6 * i);
    const Spatial inertial{inertias_[i] * x.angular, view_.bodies[i].mass * x.linear};
    store(force - inertial, residual_.data() + 6 * i);
    const double length = scales_[i].length;
    const double applied = largest(force.linear) + largest(force.angular) / length;
    // A body that its joints hold still has no motion to compare with: what its load would do to it alone is counted
    // too.
    sizes_[i] = {length * largest(x.angular) + largest(x.linear) + applied / scales_[i].mass,
                 applied + largest(inertial.linear) + largest(inertial.angular) / length};
  }
  // What stands still in a system that moves has rounding only: a small part of the largest is everyone's yardstick.
  double motion_floor = 0, force_floor = 0;
  for (const auto& size : sizes_) motion_floor = std::max(motion_floor, yardstick_floor * size.motion);
  out.row_error = out.body_error = 0;
  double sum = 0;
  for (const Group& group : groups_) {
    for (std::size_t r = 0; r < group.rows; ++r) {
      const std::size_t row = row_at(group.row + r);
      const double multiplier = solution_[row];
      double left = data_[row], size = std::abs(left);
      for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
        const std::size_t b = entries_[e].body;
        const Spatial& a = coefficients_[entries_[e].first + r];
        double* f = residual_.data() + 6 * b;
        left -= dot(a, load(solution_.data() + 6 * b));
        store(load(f) - multiplier * a, f);
        const double weight = largest(a.linear) + largest(a.angular) / scales_[b].length;
        size += weight * std::max(sizes_[b].motion, motion_floor);
        sizes_[b].force += weight * std::abs(multiplier);
      }
      residual_[row] = left;
      sum += left;
      if (std::abs(left) > out.row_error * size) {
        out.row_error = std::abs(left) / size;
        out.worst_row = group.row + r;
      }
    }
  }
  for (const auto& size : sizes_) force_floor = std::max(force_floor, yardstick_floor * size.force);
  for (std::size_t i = 0; i < n; ++i) {
    const Spatial left = load(residual_.data() + 6 * i);
    const double size = std::max(sizes_[i].force, force_floor);
    const double worst = std::max(largest(left.linear), largest(left.angular) / scales_[i].length);
    sum += worst;
    if (worst > out.body_error * size) {
      out.body_error = worst / size;
      out.worst_body = i;
    }
  }
  if (!std::isfinite(sum)) out.body_error = out.row_error = std::numeric_limits<double>::infinity();
}

/// Refines the solution, from the value it has on entry, until its residual is below the tolerance, at round-off or no
/// longer shrinking; factorizes when needed and not done. False when anything is not finite.
bool AbsoluteSystem::solve(Refinement& r) noexcept {
  find_residual(r);
  double error = std::max(r.body_error, r.row_error);
  for (std::size_t round = 0; round < r.rounds && error > std::max(r.tolerance, round_off); ++round) {
    if (!factorized_ && !factorize(r.neighbour)) return false;
    std::copy(residual_.begin(), residual_.end(), step_.begin());
    matrix_.solve(step_);
    for (std::size_t i = 0; i < solution_.size(); ++i) solution_[i] += step_[i];
    find_residual(r);
    const double before = error;
    error = std::max(r.body_error, r.row_error);
    if (error > 0.5 * before && error < 1e-12) break;
  }
  if (std::isfinite(error)) return true;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const Spatial f = load(data_.data() + 6 * i);
    if (!std::isfinite(dot(f, f)))
      return fail("The load on body `{}` is not finite: a force, the state or the time step has gone astray",
                  view_.bodies[i].name);
  }
  return fail("The accelerations of body `{}` are not finite", view_.bodies[r.worst_body].name);
}

bool AbsoluteSystem::accelerations(std::span<const Spatial> wrenches, std::span<const double> efforts,
                                   std::span<Spatial> out) noexcept {
  failure_size_ = 0;
  factorized_ = false;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const Vec3& w = motions_[i].V.angular;
    store({wrenches[i].angular - cross(w, inertias_[i] * w), wrenches[i].linear + view_.bodies[i].mass * view_.gravity},
          data_.data() + 6 * i);
  }
  std::copy(efforts.begin(), efforts.end(), efforts_.begin());
  for (std::size_t j = 0; j < view_.joints.size(); ++j) apply_joint_effort(j);
  for (std::size_t e = 0; e < elements_.elements().size(); ++e) apply_element_effort(e);
  std::copy(right_.begin(), right_.end(), data_.begin() + static_cast<std::ptrdiff_t>(row_at(0)));

  std::fill(solution_.begin(), solution_.end(), 0.0);
  Refinement r{10, 0};
  if (!solve(r)) return false;
  if (r.body_error > 1e-6)
    return fail(
        "Body `{}` has no mass or inertia for a motion that the joints leave free: give it some, or a joint that "
        "holds it",
        view_.bodies[r.worst_body].name);
  // A state beside the constraints (a stage of an integrator) makes redundant rows disagree by about as much.
  if (r.row_error > 1e-4 + 100 * (position_violation_ + velocity_violation_)) {
    const std::size_t g = group_of_row(r.worst_row);
    return fail("The constraints contradict each other at {} `{}`: no accelerations satisfy them all (relative error "
                "{:.1e}). Likely causes: two prescribed motions of one thing, or a mechanism at its limit position",
                kind_of_group(g), name_of_group(g), r.row_error);
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = load(solution_.data() + 6 * i);
  add_element_efforts();
  return true;
}

/// The generalized force of a joint as a pair of wrenches on its bodies.
void AbsoluteSystem::apply_joint_effort(std::size_t j) noexcept {
  const JointData& joint = view_.joints[j];
  const double* effort = efforts_.data() + joint.v_offset;
  if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) return;
  const ConstraintRow w =
      constraint_row(joint, motion_of(joint.base, motions_), motion_of(joint.moving, motions_),
                     effort_wrench(joints_[j].motion, joint.nv, effort));
  const auto apply = [&](BodyIndex b, const Spatial& about_origin) {
    if (is_ground(b)) return;
    double* f = data_.data() + 6 * at(b);
    store(load(f) + Spatial{about_origin.angular - cross(centers_[at(b)], about_origin.linear), about_origin.linear},
          f);
  };
  apply(joint.moving, w.moving);
  apply(joint.base, w.base);
}

/// The given part of the force of a constraint element.
void AbsoluteSystem::apply_element_effort(std::size_t index) noexcept {
  const ConstraintSet::Element& element = elements_.elements()[index];
  const Group& group = groups_[view_.joints.size() + index];
  for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
    double* f = data_.data() + 6 * entries_[e].body;
    for (std::size_t r = 0; r < group.rows; ++r)
      store(load(f) + element.effort[r] * coefficients_[entries_[e].first + r], f);
  }
}

/// What constraint elements do to joints counts as effort of the joints: Bᵀ(λ + effort).
void AbsoluteSystem::add_element_efforts() noexcept {
  for (std::size_t e = 0; e < elements_.elements().size(); ++e) {
    const ConstraintSet::Element& element = elements_.elements()[e];
    const Group& group = groups_[view_.joints.size() + e];
    for (std::size_t r = 0; r < group.rows; ++r) {
      const double multiplier = element.effort[r] - solution_[row_at(group.row + r)];
      const double* B = element.B.data() + r * element.velocities;
      for (const JointIndex j : element.joints) {
        const JointData& joint = view_.joints[at(j)];
        for (std::size_t k = 0; k < joint.nv; ++k) efforts_[joint.v_offset + k] += multiplier * *B++;
      }
    }
  }
}

Spatial AbsoluteSystem::reaction(std::size_t j) const noexcept {
  const JointData& joint = view_.joints[j];
  Spatial w = effort_wrench(joints_[j].motion, joint.nv, efforts_.data() + joint.v_offset);
  for (std::size_t i = 0; i < joints_[j].rows; ++i) w += -solution_[row_at(groups_[j].row + i)] * joints_[j].T[i];
  return reaction_in_ground(motion_of(joint.base, motions_), w);
}

Spatial AbsoluteSystem::origin_acceleration(std::size_t i) const noexcept {
  const Spatial a = load(solution_.data() + 6 * i);
  const Vec3& w = motions_[i].V.angular;
  return {a.angular, a.linear - cross(a.angular, centers_[i]) - cross(w, cross(w, centers_[i]))};
}

void AbsoluteSystem::joint_accelerations(std::span<double> vdot) const noexcept {
  const auto of_origin = [&](BodyIndex b) { return is_ground(b) ? Spatial{} : origin_acceleration(at(b)); };
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const JointMotion& m = joints_[j].motion;
    const Spatial A = relative_acceleration(joint, motion_of(joint.base, motions_), of_origin(joint.base),
                                            motion_of(joint.moving, motions_), of_origin(joint.moving));
    solve_least_squares(m.H, joint.nv, A - m.bias, vdot.data() + joint.v_offset);
  }
}

bool AbsoluteSystem::check_regular() noexcept {
  failure_size_ = 0;
  const bool any = std::any_of(scales_.begin(), scales_.end(), [](const Scale& s) { return s.singular; });
  if (!any) return true;
  factorized_ = false;
  // A load without regular pattern moves whatever can move: where nothing resists, no solution balances it.
  std::fill(data_.begin(), data_.end(), 0.0);
  std::fill(solution_.begin(), solution_.end(), 0.0);
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    Spatial load_on_body;
    for (std::size_t k = 0; k < 6; ++k) {
      const double pattern = 1.5 + std::sin(1.7 * static_cast<double>(6 * i + k) + 0.3);
      load_on_body[k] = pattern * scales_[i].mass * (k < 3 ? scales_[i].length : 1);
    }
    store(load_on_body, data_.data() + 6 * i);
  }
  Refinement r{10, 1e-9};
  if (!solve(r)) return false;
  if (r.body_error < 1e-3) return true;
  return fail("Body `{}` has no mass or inertia for a motion that the joints leave free: give it some, or a joint that "
              "holds it",
              view_.bodies[r.worst_body].name);
}

}  // namespace polyform
