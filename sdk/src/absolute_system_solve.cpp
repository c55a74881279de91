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

/// The block of a body, M + δ.
void AbsoluteSystem::enter_inertia(std::size_t i, const Neighbour& neighbour) noexcept {
  const BlockLdlt::Block D = diagonals_[i];
  const double added = scales_[i].singular ? delta_of_singular : delta;
  const double added_inertia = added * scales_[i].inertia + scales_[i].mass * neighbour.gyration * neighbour.gyration;
  const double added_mass = added * scales_[i].mass;
  if (const FlexibleData* flexible = flexible_data(i); flexible != nullptr) {
    const double* M = mass_[view_.bodies[i].flexible].data();
    const std::size_t size = 6 + flexible->modes;
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c <= r; ++c) D(r, c) = M[r * size + c];
      D(r, r) += r < 3 ? added_inertia : r < 6 ? added_mass : added * modal_mass_[flexible->mode_offset + r - 6];
    }
    return;
  }
  const Mat3 J = inertias_[i].full();
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c <= r; ++c) D(r, c) = J(r, c);
  for (std::size_t r = 0; r < 3; ++r) {
    D(r, r) += added_inertia;
    D(3 + r, 3 + r) = view_.bodies[i].mass + added_mass;
  }
}

/// M x of a body.
void AbsoluteSystem::multiply_inertia(std::size_t i, const double* x, double* out) const noexcept {
  if (const FlexibleData* flexible = flexible_data(i); flexible != nullptr) {
    const double* M = mass_[view_.bodies[i].flexible].data();
    const std::size_t size = 6 + flexible->modes;
    for (std::size_t r = 0; r < size; ++r) {
      out[r] = 0;
      for (std::size_t c = 0; c < size; ++c) out[r] += M[r * size + c] * x[c];
    }
    return;
  }
  const Spatial s = load(x);
  store({inertias_[i] * s.angular, view_.bodies[i].mass * s.linear}, out);
}

/// Factorizes [M + δ, Aᵀ; A, −ε], with δ and ε in the units of each block.
bool AbsoluteSystem::factorize(const Neighbour& neighbour) noexcept {
  matrix_.clear();
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < n; ++i) enter_inertia(i, neighbour);
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
        if (entries_[e].modes == 0) continue;
        const double* modal = modal_coefficients_.data() + entries_[e].modal + r * entries_[e].modes;
        const double* masses = modal_mass_.data() + flexible_data(entries_[e].body)->mode_offset;
        for (std::size_t k = 0; k < entries_[e].modes; ++k) {
          compliance += modal[k] * modal[k] / masses[k];
          row[(6 + k) * stride] = modal[k];
        }
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

/// residual = data − M solution of a body, and the sizes of its terms. Moments and forces, turning and moving are compared
/// through the length of the body: what is zero by symmetry is no yardstick.
void AbsoluteSystem::find_body_residual(std::size_t i) noexcept {
  const std::size_t first = offsets_[i];
  const double* x = solution_.data() + first;
  const double* force = data_.data() + first;
  double* left = residual_.data() + first;
  multiply_inertia(i, x, left);
  const Spatial motion = load(x), load_on_body = load(force), inertial = load(left);
  const double length = scales_[i].length;
  double moving = length * largest(motion.angular) + largest(motion.linear);
  double applied = largest(load_on_body.linear) + largest(load_on_body.angular) / length;
  double inertia = largest(inertial.linear) + largest(inertial.angular) / length;
  if (const FlexibleData* flexible = flexible_data(i); flexible != nullptr)
    for (std::size_t k = 0; k < flexible->modes; ++k) {
      const double modal_length = modal_length_[flexible->mode_offset + k];
      moving = std::max(moving, modal_length * std::abs(x[6 + k]));
      applied = std::max(applied, std::abs(force[6 + k]) / modal_length);
      inertia = std::max(inertia, std::abs(left[6 + k]) / modal_length);
      left[6 + k] = force[6 + k] - left[6 + k];
    }
  store(load_on_body - inertial, left);
  // A body that its joints hold still has no motion to compare with: what its load would do to it alone is counted too.
  sizes_[i] = {moving + applied / scales_[i].mass, applied + inertia};
}

/// residual = data − K solution, and its size relative to that of its terms, body by body and row by row.
void AbsoluteSystem::find_residual(Refinement& out) noexcept {
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < n; ++i) find_body_residual(i);
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
        double* f = residual_.data() + offsets_[b];
        const double* x = solution_.data() + offsets_[b];
        left -= dot(a, load(x));
        store(load(f) - multiplier * a, f);
        double weight = largest(a.linear) + largest(a.angular) / scales_[b].length;
        if (entries_[e].modes != 0) {
          const double* modal = modal_coefficients_.data() + entries_[e].modal + r * entries_[e].modes;
          const double* lengths = modal_length_.data() + flexible_data(b)->mode_offset;
          for (std::size_t k = 0; k < entries_[e].modes; ++k) {
            left -= modal[k] * x[6 + k];
            f[6 + k] -= multiplier * modal[k];
            weight = std::max(weight, std::abs(modal[k]) / lengths[k]);
          }
        }
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
    const Spatial left = load(residual_.data() + offsets_[i]);
    const double size = std::max(sizes_[i].force, force_floor);
    double worst = std::max(largest(left.linear), largest(left.angular) / scales_[i].length);
    if (const FlexibleData* flexible = flexible_data(i); flexible != nullptr)
      for (std::size_t k = 0; k < flexible->modes; ++k)
        worst = std::max(worst, std::abs(residual_[offsets_[i] + 6 + k]) / modal_length_[flexible->mode_offset + k]);
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
    double sum = 0;
    for (std::size_t k = offsets_[i]; k < offsets_[i + 1]; ++k) sum += data_[k];
    if (!std::isfinite(sum))
      return fail("The load on body `{}` is not finite: a force, the state or the time step has gone astray",
                  view_.bodies[i].name);
  }
  return fail("The accelerations of body `{}` are not finite", view_.bodies[r.worst_body].name);
}

bool AbsoluteSystem::accelerations(std::span<const Spatial> wrenches, std::span<const double> efforts,
                                   std::span<Spatial> out, std::span<const double> modal_forces,
                                   std::span<double> etaddot) noexcept {
  failure_size_ = 0;
  factorized_ = false;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    if (flexible_data(i) != nullptr) {
      store(wrenches[i], data_.data() + offsets_[i]);
      continue;
    }
    const Vec3& w = motions_[i].V.angular;
    store({wrenches[i].angular - cross(w, inertias_[i] * w), wrenches[i].linear + view_.bodies[i].mass * view_.gravity},
          data_.data() + offsets_[i]);
  }
  if (!flexible_.empty()) apply_flexible_forces(modal_forces);
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
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = load(solution_.data() + offsets_[i]);
  for (const FlexibleData& f : view_.flexible)
    std::copy_n(solution_.data() + offsets_[at(f.body)] + 6, f.modes, etaddot.data() + f.mode_offset);
  add_element_efforts();
  return true;
}

/// Velocity terms, elastic forces and weight of the flexible bodies, and the applied modal forces.
void AbsoluteSystem::apply_flexible_forces(std::span<const double> modal_forces) noexcept {
  for (std::size_t f = 0; f < view_.flexible.size(); ++f) {
    const FlexibleData& data = view_.flexible[f];
    const std::size_t size = flexible_.size(f);
    const double *M = mass_[f].data(), *own = flexible_.force(f).data();
    double* load_on_body = data_.data() + offsets_[at(data.body)];
    const Mat3& R = motions_[at(data.body)].R;
    const Spatial in_body = load(own);
    store(load(load_on_body) + Spatial{R * in_body.angular, R * in_body.linear}, load_on_body);
    for (std::size_t k = 0; k < data.modes; ++k)
      load_on_body[6 + k] = modal_forces[data.mode_offset + k] + own[6 + k];
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < 3; ++c) load_on_body[r] += M[r * size + 3 + c] * view_.gravity[c];
  }
}

/// The generalized force of a joint as a pair of wrenches on its bodies.
void AbsoluteSystem::apply_joint_effort(std::size_t j) noexcept {
  const JointData& joint = view_.joints[j];
  const double* effort = efforts_.data() + joint.v_offset;
  if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) return;
  const ConstraintRow w =
      constraint_row(joint, motion_of(joint.base_frame, motions_), motion_of(joint.moving_frame, motions_),
                     effort_wrench(joints_[j].motion, joint.nv, effort));
  const auto apply = [&](FrameIndex frame, const Spatial& about_origin) {
    if (is_ground(frame)) return;
    double* f = data_.data() + offsets_[body_of(frame)];
    store(load(f) + wrench_about_center(frame, about_origin, f + 6), f);
  };
  apply(joint.moving_frame, w.moving);
  apply(joint.base_frame, w.base);
}

/// The given part of the force of a constraint element.
void AbsoluteSystem::apply_element_effort(std::size_t index) noexcept {
  const ConstraintSet::Element& element = elements_.elements()[index];
  const Group& group = groups_[view_.joints.size() + index];
  for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
    double* f = data_.data() + offsets_[entries_[e].body];
    const double* modal = modal_coefficients_.data() + entries_[e].modal;
    for (std::size_t r = 0; r < group.rows; ++r) {
      store(load(f) + element.effort[r] * coefficients_[entries_[e].first + r], f);
      for (std::size_t k = 0; k < entries_[e].modes; ++k) f[6 + k] += element.effort[r] * *modal++;
    }
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
  return reaction_in_ground(motion_of(joint.base_frame, motions_), w);
}

Spatial AbsoluteSystem::origin_acceleration(std::size_t i) const noexcept {
  const Spatial a = load(solution_.data() + offsets_[i]);
  const Vec3& w = motions_[i].V.angular;
  return {a.angular, a.linear - cross(a.angular, centers_[i]) - cross(w, cross(w, centers_[i]))};
}

Spatial AbsoluteSystem::acceleration_of(FrameIndex f) const noexcept {
  if (is_ground(f)) return {};
  const std::size_t n = view_.bodies.size();
  if (at(f) < n) return origin_acceleration(at(f));
  const std::size_t node = at(f) - n, b = body_of(f);
  return node_acceleration(nodes_[node], motions_[b], origin_acceleration(b),
                           nodes_.relative_acceleration(node, solution_.data() + offsets_[b] + 6));
}

void AbsoluteSystem::joint_accelerations(std::span<double> vdot) const noexcept {
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const JointMotion& m = joints_[j].motion;
    const Spatial A = relative_acceleration(
        joint, motion_of(joint.base_frame, motions_), acceleration_of(joint.base_frame),
        motion_of(joint.moving_frame, motions_), acceleration_of(joint.moving_frame));
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
    const FlexibleData* flexible = flexible_data(i);
    for (std::size_t k = 0; k < offsets_[i + 1] - offsets_[i]; ++k) {
      const double pattern = 1.5 + std::sin(1.7 * static_cast<double>(offsets_[i] + k) + 0.3);
      const double length = k < 3 ? scales_[i].length : k < 6 ? 1 : modal_length_[flexible->mode_offset + k - 6];
      data_[offsets_[i] + k] = pattern * scales_[i].mass * length;
    }
  }
  Refinement r{10, 1e-9};
  if (!solve(r)) return false;
  if (r.body_error < 1e-3) return true;
  return fail("Body `{}` has no mass or inertia for a motion that the joints leave free: give it some, or a joint that "
              "holds it",
              view_.bodies[r.worst_body].name);
}

}  // namespace polyform
