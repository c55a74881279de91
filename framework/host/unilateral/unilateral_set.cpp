#include "framework/host/unilateral/unilateral_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/solver_failure.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/unilateral/element_failure.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline unilateral {

/// The canonical state and the motions that follow from it.
struct UnilateralSet::Motion {
  explicit Motion(const SystemView& view)
      : q(view.nq),
        v(view.nv),
        eta(view.modes),
        etadot(view.modes),
        x(view.states),
        discrete(view.discrete),
        tree(view) {}
  StateView state() { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete}; }
  std::vector<double> q, v, eta, etadot, x;
  std::vector<std::int32_t> discrete;
  TreeKinematics tree;
};

UnilateralSet::UnilateralSet(const SystemView& view, double t, const ConstStateView& start, Solver& solver,
                             UnilateralUse use)
    : view_(view), solver_(solver) {
  for (const ForceInstances& group : view.forces) {
    if (use == UnilateralUse::events && NearRows::are_of(*group.type))
      throw Failure(Exit::bad_input,
                    fmt::format("the contacts of `{}` are one element of the law rigid, which has no events",
                                group.names.front()),
                    "Take an integrator that carries contacts in its steps, such as moreau-jean; or give 'contacts' "
                    "'results: each', or the law hunt-crossley.");
    if (use == UnilateralUse::apart && NearRows::are_of(*group.type)) continue;
    if (use != UnilateralUse::none) add(view, group);
  }
  if (empty()) return;
  motion_ = std::make_unique<Motion>(view);
  list_points();
  find_slots(t, start, solver);
}

UnilateralSet::~UnilateralSet() = default;

void UnilateralSet::add(const SystemView& view, const ForceInstances& group) {
  if (!UnilateralRows::are_of(*group.type) && !NearRows::are_of(*group.type)) return;
  auto [batch, object] = make_own_batch(group);
  auto* const near = ask<NearRows>(*batch);
  auto* const rows = near != nullptr ? &near->rows() : ask<UnilateralRows>(*batch);
  if (rows == nullptr) return;
  auto* const places = ask<UnilateralPlaces>(*batch);
  auto* loaded = ask<LoadedFriction>(*batch);
  bool any_loaded = false;
  for (std::size_t i = 0; loaded != nullptr && i < group.instances.size(); ++i)
    any_loaded = any_loaded || loaded->is_loaded(i);
  if (!any_loaded) loaded = nullptr;
  Batch& b = batches_.emplace_back(Batch{.attached = std::make_unique<Attachments>(view, group.instances, group.joints),
                                         .frames = {},
                                         .velocities = {},
                                         .rows = rows,
                                         .near = near,
                                         .places = places,
                                         .first_marker = {},
                                         .first_velocity = {},
                                         .first_element = element_names_.size(),
                                         .loaded = loaded,
                                         .joints = group.joints,
                                         .reactions = std::vector<Spatial>(group.joints.size()),
                                         .motions = std::vector<Spatial>(group.joints.size()),
                                         .given_holding = {},
                                         .given_sliding = {},
                                         .object = std::move(object),
                                         .first = 0,
                                         .count = 0,
                                         .state = group.state_offset,
                                         .state_count = group.type->state_count() * group.instances.size(),
                                         .slots = {}});
  std::size_t joint = 0;
  for (std::size_t i = 0; i < group.instances.size(); ++i) {
    b.first_marker.push_back(b.frames.size());
    b.first_velocity.push_back(b.velocities.size());
    for (const Marker& marker : group.instances[i].markers) {
      b.frames.push_back(marker.frame);
      if (is_ground(marker.body) || view.bodies[at(marker.body)].flexible == rigid) continue;
      throw ElementFailure(
          group.names[i],
          fmt::format("`{}` has rigid contact with the flexible body {}, which polyform cannot compute", group.names[i],
                      view.bodies[at(marker.body)].name),
          "Use a compliant law there, or a rigid body.");
    }
    for (std::size_t k = 0; k < group.instances[i].joints.size(); ++k, ++joint) {
      const JointData& data = view.joints[at(group.joints[joint])];
      for (std::size_t v = 0; v < data.nv; ++v) b.velocities.push_back(data.v_offset + v);
    }
  }
  for (const std::string_view name : group.names) element_names_.emplace_back(name);
  states_.resize(std::max(states_.size(), b.state_count));
}

/// Finds the places of first-order states in y: raises each state by its own number, and looks where y changes.
void UnilateralSet::find_slots(double t, const ConstStateView& start, Solver& solver) {
  const auto* const second = ask<SecondOrderSystem>(solver);
  if (second == nullptr || second->kinds().size() != solver.state_size())
    throw Failure(Exit::bad_input,
                  fmt::format("this solver does not tell positions from velocities, which rigid contact (`{}`) needs",
                              element_names_.front()),
                  "Take another solver.");
  std::vector<double> without(solver.state_size()), with(without.size()), x(start.x.begin(), start.x.end());
  ConstStateView raised = start;
  raised.x = x;
  const bool encoded = encode_at(t, solver, start, without) == Status::ok;
  std::size_t count = 0;
  for (const Batch& b : batches_)
    for (std::size_t k = 0; k < b.state_count; ++k) x[b.state + k] += static_cast<double>(++count);
  const bool again = encoded && encode_at(t, solver, raised, with) == Status::ok;
  std::vector<std::size_t> place(count, UnilateralPoint::none);
  for (std::size_t i = 0; again && i < with.size(); ++i) {
    const double number = std::round(with[i] - without[i]);
    if (second->kinds()[i] == StateKind::other && number >= 1 && number <= static_cast<double>(count))
      place[static_cast<std::size_t>(number) - 1] = i;
  }
  std::size_t next = 0;
  for (Batch& b : batches_)
    for (std::size_t k = 0; k < b.state_count; ++k) {
      b.slots.push_back(place[next++]);
      if (b.slots.back() == UnilateralPoint::none)
        throw Failure(Exit::bad_input,
                      fmt::format("this solver keeps first-order states in a form of its own, and rigid contact (`{}`) "
                                  "cannot reach them",
                                  element_names_.front()),
                      "Take another solver.");
    }
}

std::string UnilateralSet::name_of(std::size_t k) const {
  return fmt::format("`{}` ({})", element_names_[elements_[k]], points_[k].name);
}

ForceInput UnilateralSet::attachments_of(const Batch& b) const {
  return b.attached->input(time_, {}, std::span(motion_->x).subspan(b.state, b.state_count));
}

void UnilateralSet::decode_motion(double t, std::span<const double> y) {
  if (solver_.decode(y.first(solver_.state_size()), motion_->state()) != Status::ok) fail_solver(t, solver_.failure());
  time_ = t;
  motion_->tree.evaluate(motion_->q.data(), motion_->v.data(), motion_->eta.data(), motion_->etadot.data());
}

void UnilateralSet::decode(double t, std::span<const double> y) {
  decode_motion(t, y);
  for (Batch& b : batches_) b.attached->gather(motion_->tree.frames(), motion_->q, motion_->v);
}

void UnilateralSet::evaluate(double t, std::span<const double> y) {
  decode(t, y);
  find_fastest();
  for (auto* part : {&gap_, &holding_, &sliding_, &B_, &bias_}) std::ranges::fill(*part, 0.0);
  std::ranges::fill(A_, Spatial{});
  for (Batch& b : batches_) {
    UnilateralOutput out;
    out.gap = std::span(gap_).subspan(b.first, b.count);
    out.A = std::span(A_).subspan(2 * rows_per_point * b.first, 2 * rows_per_point * b.count);
    out.B = std::span(B_).subspan(rows_per_point * b.first, rows_per_point * b.count);
    out.bias = std::span(bias_).subspan(rows_per_point * b.first, rows_per_point * b.count);
    out.holding = std::span(holding_).subspan(b.first, b.count);
    out.sliding = std::span(sliding_).subspan(b.first, b.count);
    const ForceInput attachments = attachments_of(b);
    EventInput in;
    in.attachments = &attachments;
    b.rows->evaluate_points(in, out);
    if (b.places != nullptr) {
      std::ranges::copy(b.places->places().first(b.count), place_.begin() + static_cast<std::ptrdiff_t>(b.first));
      std::ranges::copy(b.places->begins().first(b.count), begin_.begin() + static_cast<std::ptrdiff_t>(b.first));
      std::ranges::copy(b.places->ends().first(b.count), end_.begin() + static_cast<std::ptrdiff_t>(b.first));
      std::ranges::copy(b.places->features().first(b.count), feature_.begin() + static_cast<std::ptrdiff_t>(b.first));
    }
    if (b.loaded == nullptr) continue;
    find_motions(b);
    b.given_holding.assign(out.holding.begin(), out.holding.end());
    b.given_sliding.assign(out.sliding.begin(), out.sliding.end());
    add_loaded(b);
  }
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (!std::isfinite(gap_[k]))
      throw Failure(Exit::simulation_failed, fmt::format("the gap of {} is no number at t = {:.6g} s", name_of(k), t));
  find_rates(rates_, terms_);
}

/// How the attached joints move at the decoded state, ground axes.
void UnilateralSet::find_motions(Batch& b) const {
  for (std::size_t k = 0; k < b.joints.size(); ++k) {
    const JointData& joint = view_.joints[at(b.joints[k])];
    JointMotion motion;
    joint_motion(joint, motion_->q.data() + joint.q_offset, motion_->v.data() + joint.v_offset, motion);
    b.motions[k] = motion.H[0];
    if (is_ground(joint.base_frame)) continue;
    const Mat3& R = motion_->tree.frames()[at(joint.base_frame)].R;
    b.motions[k] = {R * motion.H[0].angular, R * motion.H[0].linear};
  }
}

void UnilateralSet::find_fastest() {
  double turning = 0, fastest = 0;
  for (const Batch& b : batches_)
    for (const MarkerMotion& motion : b.attached->motions()) {
      turning = std::max(turning, dot(motion.angular_velocity, motion.angular_velocity));
      fastest = std::max(fastest, dot(motion.velocity, motion.velocity));
    }
  turning_ = std::sqrt(turning);
  fastest_ = std::sqrt(fastest);
}

void UnilateralSet::rates_at(double t, std::span<const double> y, std::span<double> rates) {
  decode(t, y);
  find_rates(rates, {});
}

Spatial UnilateralSet::wrench_of(std::size_t row, std::size_t side) const {
  const std::size_t k = row / rows_per_point;
  return wrench_about(A_[2 * row + side], batches_[batch_of_[k]].attached->arms()[markers_[k][side]]);
}

const Mat3& UnilateralSet::orientation_of(std::size_t point, std::size_t side) const {
  return motion_->tree.frames()[at(frame_of(point, side))].R;
}

/// The places of the markers are those that were gathered last.
void UnilateralSet::rate_parts_at(double t, std::span<const double> y, std::span<const std::size_t> points,
                                  std::span<double> parts) {
  decode_motion(t, y);
  const auto frames = motion_->tree.frames();
  double* out = parts.data();
  for (const std::size_t k : points) {
    const Batch& b = batches_[batch_of_[k]];
    for (std::size_t r = rows_per_point * k; r < rows_per_point * (k + 1); ++r) {
      for (std::size_t m = 0; m < 2; ++m) {
        const std::size_t marker = b.frames.empty() ? 0 : markers_[k][m];
        const bool moves = !b.frames.empty() && !is_ground(b.frames[marker]);
        const Spatial still{}, &V = moves ? frames[at(b.frames[marker])].V : still, &A = A_[2 * r + m];
        const Vec3 velocity = moves ? V.linear + cross(V.angular, b.attached->arms()[marker]) : Vec3{};
        *out++ = dot(A.angular, V.angular) + dot(A.linear, velocity);
      }
      *out++ = velocity_[k] == UnilateralPoint::none ? 0 : B_[r] * motion_->v[b.velocities[velocity_[k]]];
    }
  }
}

void UnilateralSet::find_rates(std::span<double> rates, std::span<double> terms) const {
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Batch& b = batches_[batch_of_[k]];
    const auto motions = b.attached->motions();
    const bool has_markers = !b.frames.empty();
    for (std::size_t r = rows_per_point * k; r < rows_per_point * (k + 1); ++r) {
      double rate = 0, size = 0;
      for (std::size_t m = 0; has_markers && m < 2; ++m) {
        const MarkerMotion& motion = motions[markers_[k][m]];
        const Spatial& A = A_[2 * r + m];
        rate += dot(A.angular, motion.angular_velocity) + dot(A.linear, motion.velocity);
        size += norm(A.angular) * norm(motion.angular_velocity) + norm(A.linear) * norm(motion.velocity);
      }
      if (velocity_[k] != UnilateralPoint::none) {
        const double part = B_[r] * motion_->v[b.velocities[velocity_[k]]];
        rate += part;
        size += std::abs(part);
      }
      rates[r] = rate;
      if (!terms.empty()) terms[r] = size;
    }
  }
}

void UnilateralSet::accelerations(const Observation& now, std::span<double> out) const {
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const Batch& b = batches_[batch_of_[k]];
    for (std::size_t r = rows_per_point * k; r < rows_per_point * (k + 1); ++r) {
      double sum = bias_[r];
      for (std::size_t m = 0; !b.frames.empty() && m < 2; ++m) {
        const std::size_t marker = markers_[k][m];
        if (is_ground(b.frames[marker])) continue;
        const Observation::Body& body = now.bodies[at(b.frames[marker])];
        const Vec3 arm = b.attached->arms()[marker], &omega = body.angular_velocity;
        const Vec3 point = body.acceleration + cross(body.angular_acceleration, arm) + cross(omega, cross(omega, arm));
        sum += dot(A_[2 * r + m].angular, body.angular_acceleration) + dot(A_[2 * r + m].linear, point);
      }
      if (velocity_[k] != UnilateralPoint::none) sum += B_[r] * now.acceleration[b.velocities[velocity_[k]]];
      out[r] = sum;
    }
  }
}

bool UnilateralSet::has_resultant(std::size_t element, std::span<const double> forces) const {
  constexpr double balanced = 1e-6;  // of the sum of the sizes
  Spatial whole{};
  double effort = 0, force = 0, moment = 0, efforts = 0;
  for (std::size_t k = 0; k < points_.size(); ++k) {
    if (elements_[k] != element) continue;
    for (std::size_t r = rows_per_point * k; r < rows_per_point * (k + 1); ++r) {
      whole += forces[r] * A_[2 * r];
      effort += B_[r] * forces[r];
      force += std::abs(forces[r]) * norm(A_[2 * r].linear);
      moment += std::abs(forces[r]) * norm(A_[2 * r].angular);
      efforts += std::abs(B_[r] * forces[r]);
    }
  }
  return norm(whole.linear) > balanced * force || norm(whole.angular) > balanced * moment ||
         std::abs(effort) > balanced * efforts;
}

/// The states of a batch as they stand in y, changed.
template <class Change>
void UnilateralSet::change_states(const Batch& b, std::span<double> y, const Change& change) {
  const std::span<double> states = std::span(states_).first(b.state_count);
  for (std::size_t i = 0; i < states.size(); ++i) states[i] = y[b.slots[i]];
  change(states);
  for (std::size_t i = 0; i < states.size(); ++i) y[b.slots[i]] = states[i];
}

void UnilateralSet::put_forces(std::span<const double> forces, std::span<double> y) {
  for (const Batch& b : batches_)
    change_states(b, y, [&](std::span<double> states) {
      const ForceInput attachments = attachments_of(b);
      EventInput in;
      in.attachments = &attachments;
      b.rows->put_forces(in, forces.subspan(rows_per_point * b.first, rows_per_point * b.count), states);
    });
}

void UnilateralSet::put_modes(std::span<const UnilateralMode> modes, std::span<double> y) {
  for (const Batch& b : batches_)
    change_states(b, y, [&](std::span<double> states) { b.rows->put_modes(modes.subspan(b.first, b.count), states); });
}

void UnilateralSet::leave_out_states(std::span<double> y) const {
  for (const Batch& b : batches_)
    for (const std::size_t slot : b.slots) y[slot] = 0;
}

void UnilateralSet::put_elements(std::span<std::size_t> y) const {
  for (const Batch& b : batches_)
    for (std::size_t s = 0; s < b.state_count; ++s)
      y[b.slots[s]] = b.first_element + s * b.first_marker.size() / b.state_count;
}

void UnilateralSet::pass_impact(std::size_t point, double loss, std::span<double> y) {
  const Batch& b = batches_[batch_of_[point]];
  change_states(b, y, [&](std::span<double> states) { b.rows->pass_impact(point - b.first, loss, states); });
}

}  // namespace polyform::host::inline unilateral
