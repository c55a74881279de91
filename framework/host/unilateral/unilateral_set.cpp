#include "framework/host/unilateral/unilateral_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/solver_failure.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/unilateral/element_failure.hpp"
#include "framework/host/unilateral/set_motion.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline unilateral {

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
  decoded_.reserve(solver.state_size());
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
  auto* const velocity_parts = ask<UnilateralVelocities>(*batch);
  auto* loaded = ask<LoadedFriction>(*batch);
  bool any_loaded = false;
  for (std::size_t i = 0; loaded != nullptr && i < group.instances.size(); ++i)
    any_loaded = any_loaded || loaded->is_loaded(i);
  if (!any_loaded) loaded = nullptr;
  Batch& b = batches_.emplace_back(Batch{.attached = std::make_unique<Attachments>(view, group.instances, group.joints),
                                         .arms = {},
                                         .motions_of_markers = {},
                                         .frames = {},
                                         .velocities = {},
                                         .rows = rows,
                                         .near = near,
                                         .places = places,
                                         .velocity_parts = velocity_parts,
                                         .asked = ask<AskedRows>(*batch),
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
      const auto is_here = [&](const Marker& known) {
        return known.frame == marker.frame && norm(known.point - marker.point) == 0;
      };
      if (!is_ground(marker.frame) && std::ranges::none_of(ends_of_rows_, is_here)) ends_of_rows_.push_back(marker);
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
  if (b.asked != nullptr) b.arms.resize(b.frames.size()), b.motions_of_markers.resize(b.frames.size());
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

ForceInput UnilateralSet::attachments_of(const Batch& b) const {
  ForceInput in = b.attached->input(time_, {}, std::span(motion_->x).subspan(b.state, b.state_count));
  in.markers = motions_of(b);
  return in;
}

/// A step asks for some states more than once in a row.
void UnilateralSet::decode_motion(double t, std::span<const double> y) {
  const std::span<const double> own = y.first(solver_.state_size());
  const std::size_t bytes = own.size() * sizeof(double);
  if (t == time_ && decoded_.size() == own.size() && std::memcmp(decoded_.data(), own.data(), bytes) == 0) return;
  decoded_.clear();
  gathered_ = false;
  if (solver_.decode(own, motion_->state()) != Status::ok) fail_solver(t, solver_.failure());
  time_ = t;
  motion_->tree.evaluate(motion_->q.data(), motion_->v.data(), motion_->eta.data(), motion_->etadot.data());
  decoded_.assign(own.begin(), own.end());
}

void UnilateralSet::decode(double t, std::span<const double> y) {
  decode_motion(t, y);
  if (gathered_) return;
  for (Batch& b : batches_) gather(b);
  gathered_ = true;
}

/// All that a batch attaches to.
void UnilateralSet::gather(Batch& b) const {
  if (b.asked == nullptr) return b.attached->gather(motion_->tree.frames(), motion_->q, motion_->v);
  for (std::size_t m = 0; m < b.frames.size(); ++m) gather(b, m);
}

void UnilateralSet::gather(Batch& b, std::size_t marker) const {
  const Marker& own = b.attached->markers()[marker];
  const BodyMotion& frame = motion_of(own.frame, motion_->tree.frames());
  const PointMotion<double> point = point_motion(frame.R, frame.p, frame.V, own.point, {}, is_ground(own.frame));
  b.arms[marker] = point.arm;
  b.motions_of_markers[marker].R = frame.R;
  b.motions_of_markers[marker].position = point.position;
  b.motions_of_markers[marker].velocity = point.velocity;
  b.motions_of_markers[marker].angular_velocity = frame.V.angular;
}

void UnilateralSet::evaluate(double t, std::span<const double> y) { evaluate(t, y, all_); }

void UnilateralSet::evaluate(double t, std::span<const double> y, std::span<const std::size_t> points) {
  find_rows(t, y, points);
  find_rates();
}

void UnilateralSet::find_rows(double t, std::span<const double> y) { find_rows(t, y, all_); }

void UnilateralSet::find_rows(double t, std::span<const double> y, std::span<const std::size_t> points) {
  decode_motion(t, y);
  find_fastest();
  evaluated_.clear();
  auto rest = points;
  for (Batch& b : batches_) {
    const auto end = std::ranges::lower_bound(rest, b.first + b.count);
    const std::span<const std::size_t> own(rest.begin(), end);
    rest = {end, rest.end()};
    // What cannot be asked for some of its points is asked for all.
    evaluate(b, b.asked == nullptr ? std::span<const std::size_t>(all_).subspan(b.first, b.count) : own);
  }
  gathered_ = gathered_ || points.size() == all_.size();
  for (const std::size_t k : evaluated_)
    if (!std::isfinite(gap_[k]))
      throw Failure(Exit::simulation_failed, fmt::format("the gap of {} is no number at t = {:.6g} s", name_of(k), t));
}

/// Some points of a batch, or all of them.
void UnilateralSet::evaluate(Batch& b, std::span<const std::size_t> points) {
  if (b.asked != nullptr && points.empty()) return;
  const bool all = points.size() == b.count;
  if (all && !gathered_) gather(b);
  for (std::size_t i = 0; !all && !gathered_ && i < points.size(); ++i)
    for (const std::size_t marker : markers_[points[i]])
      if (i == 0 || markers_[points[i - 1]] != markers_[points[i]]) gather(b, marker);
  own_.clear();
  for (const std::size_t k : points) {
    own_.push_back(k - b.first);
    evaluated_.push_back(k);
    gap_[k] = holding_[k] = sliding_[k] = 0;
    for (std::size_t row = rows_per_point * k; row < rows_per_point * (k + 1); ++row) {
      B_[row] = bias_[row] = 0;
      A_[2 * row] = A_[2 * row + 1] = Spatial{};
    }
  }
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
  if (all)
    b.rows->evaluate_points(in, out);
  else
    b.asked->evaluate_asked(in, own_, out);
  for (std::size_t i = 0; b.places != nullptr && i < points.size(); ++i) {
    place_[points[i]] = b.places->places()[own_[i]];
    begin_[points[i]] = b.places->begins()[own_[i]];
    end_[points[i]] = b.places->ends()[own_[i]];
    feature_[points[i]] = b.places->features()[own_[i]];
  }
  if (b.velocity_parts != nullptr && b.count > 0)
    std::ranges::copy(b.velocity_parts->further_parts(),
                      further_.begin() + static_cast<std::ptrdiff_t>(velocities_[b.first].further));
  if (b.loaded == nullptr) return;
  find_motions(b);
  b.given_holding.assign(out.holding.begin(), out.holding.end());
  b.given_sliding.assign(out.sliding.begin(), out.sliding.end());
  add_loaded(b);
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

void UnilateralSet::bound_gaps(double t, std::span<const double> y, std::span<double> apart, std::span<double> speeds) {
  decode(t, y);
  std::ranges::fill(apart, -1.0);
  std::ranges::fill(speeds, 0.0);
  for (Batch& b : batches_) {
    if (b.asked == nullptr) continue;
    const ForceInput attachments = attachments_of(b);
    EventInput in;
    in.attachments = &attachments;
    const std::size_t count = b.first_marker.size();
    b.asked->bound_gaps(in, apart.subspan(b.first_element, count), speeds.subspan(b.first_element, count));
  }
}

void UnilateralSet::find_fastest() {
  double turning = 0, fastest = 0;
  for (const Marker& end : ends_of_rows_) {
    const BodyMotion& frame = motion_->tree.frames()[at(end.frame)];
    const Vec3 velocity = point_motion(frame.R, frame.p, frame.V, end.point, {}, false).velocity;
    turning = std::max(turning, dot(frame.V.angular, frame.V.angular));
    fastest = std::max(fastest, dot(velocity, velocity));
  }
  turning_ = std::sqrt(turning);
  fastest_ = std::sqrt(fastest);
}

const Mat3& UnilateralSet::orientation_of(std::size_t point, std::size_t side) const {
  return motion_->tree.frames()[at(frame_of(point, side))].R;
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

void UnilateralSet::pass_impact(std::size_t point, double loss, std::span<double> y) {
  const Batch& b = batches_[batch_of_[point]];
  change_states(b, y, [&](std::span<double> states) { b.rows->pass_impact(point - b.first, loss, states); });
}

}  // namespace polyform::host::inline unilateral
