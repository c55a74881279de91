#include "framework/host/assembly/constraint_jacobian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "framework/host/assembly/free_rows.hpp"
#include "framework/host/expressions/formula_rows.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {

ConstraintJacobian::ConstraintJacobian(const SystemView& view, Of of, std::vector<bool> absent, const Vec3& origin)
    : view_(view),
      absent_(std::move(absent)),
      columns_(view.nv_tree + view.modes),
      tree_(view),
      of_(of),
      elements_(view, origin),
      modules_(view, origin),
      sums_(view.bodies.size()),
      marked_(view.bodies.size()) {
  if (of == Of::rates) on_accelerations_ = expressions::rows_on_accelerations(view);
  if (!RheonomicJoints(view).empty()) clocked_ = std::make_unique<TreeKinematics>(view);
  if (const double reach = SystemScales(view).largest_reach(); reach > 0) length_ = reach;
  free_columns_.resize(view.bodies.size());
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (is_absent(i)) free_columns_[i] = std::exchange(columns_, columns_ + 6);
}

void ConstraintJacobian::evaluate(double t, const StateView& state) {
  add_all(t, state);
  own_rows_ = rows_.size();
  own_entries_ = entries_.size();
}

void ConstraintJacobian::drop_rates() {
  rows_.resize(own_rows_);
  entries_.resize(own_entries_);
}

void ConstraintJacobian::add_all(double t, const StateView& state) {
  rows_.clear();
  entries_.clear();
  hints_.assign(state.q.begin(), state.q.end());
  tree_.evaluate(state.q.data(), state.v.data(), state.eta.data(), state.etadot.data());
  if (clocked_) {
    const std::vector<double> still(std::max(view_.nv, view_.modes));
    clocked_->evaluate(state.q.data(), still.data(), state.eta.data(), still.data());
  }
  double farthest = 0;
  for (const JointData& joint : view_.joints)
    farthest = std::max({farthest, norm(place(joint)), norm(joint.p_base), norm(joint.p_moving)});
  place_rounding_ = std::numeric_limits<double>::epsilon() * farthest / length_;
  for (std::size_t i = view_.bodies.size(); i < view_.joints.size(); ++i)
    if (!is_absent(i)) add_cut_joint(i, state);
  find_units();
  if (of_ == Of::loops) return;
  elements_.follow(state.discrete);
  modules_.follow(state.discrete);
  if (!elements_.elements().empty()) elements_.evaluate(t, tree_.frames(), state.q, state.v);
  std::size_t constraint = view_.joints.size(), first = 0;
  for (const ConstraintSet::Element& e : elements_.elements()) {
    if (!is_absent(constraint++))
      for (std::size_t r = 0; r < e.rows; ++r)
        if (of_ == Of::rates ? on_accelerations_[first + r] == 0 : of_ != Of::positions || e.holonomic) {
          Row row = element_row(e, r, state);
          row.element_row = first + r;
          add(std::move(row));
        }
    first += e.rows;
  }
  if (of_ == Of::motions || modules_.empty()) return;
  modules_.evaluate(t, tree_.frames(), state.q, state.v, state.x);
  first = 0;
  for (const ModuleSet::Module& m : modules_.modules()) {
    add_module(m, first, state);
    first += m.rows.rows;
  }
}

void ConstraintJacobian::find_units() {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  units_.assign(columns_, 1.0);
  std::fill_n(units_.begin() + static_cast<std::ptrdiff_t>(view_.nv_tree), view_.modes, unknown);
  const auto unit_of = [&](const Spatial& h) {
    const double most = std::max(norm(h.angular), norm(h.linear) / length_);
    return most > 0 ? 1 / most : unknown;
  };
  for (std::size_t j = 0; j < view_.bodies.size(); ++j) {
    const JointData& joint = view_.joints[j];
    for (std::size_t k = 0; k < joint.nv; ++k) units_[joint.v_offset + k] = unit_of(tree_.joints()[j].H[k]);
    for (std::size_t k = 3; k < 6 && is_absent(j); ++k) units_[free_columns_[j] + k] = length_;
  }
  for (std::size_t n = 0; n < view_.nodes.size(); ++n)
    for (std::size_t k = 0; k < tree_.nodes().H(n).size(); ++k) {
      double& unit = units_[view_.nv_tree + tree_.nodes().mode_offset(n) + k];
      unit = std::min(unit, unit_of(tree_.nodes().H(n)[k]));
    }
  std::ranges::replace(units_, unknown, 1.0);  // what moves nothing
}

double ConstraintJacobian::velocity_error(std::size_t r) const {
  double error = -rows_[r].velocity_right - rows_[r].by_clock;
  for (const auto& [frame, wrench] : rows_[r].wrenches) {
    const BodyMotion& m = motion(frame);
    error += dot(about(m.p - rows_[r].point, wrench), m.V);
  }
  return error;
}

/// The origin of M.
Vec3 ConstraintJacobian::place(const JointData& joint) const {
  const BodyMotion& moving = motion(joint.moving_frame);
  return moving.p + moving.R * joint.p_moving;
}

void ConstraintJacobian::put(Row& row, FrameIndex frame, const Vec3& point, const Spatial& wrench) const {
  if (is_ground(frame)) return;
  row.wrenches.emplace_back(frame, about(row.point - point, wrench));
}

void ConstraintJacobian::put(Row& row, const JointData& joint, const Spatial& t) const {
  const ConstraintRow c = constraint_row(joint, motion(joint.base_frame), motion(joint.moving_frame), t);
  if (row.wrenches.empty()) row.point = place(joint);
  put(row, joint.moving_frame, motion(joint.moving_frame).p, c.moving);
  put(row, joint.base_frame, motion(joint.base_frame).p, c.base);
}

void ConstraintJacobian::put_effort(Row& row, std::size_t j, const Spatial& t) const {
  const JointData& joint = view_.joints[j];
  const std::size_t first = row.wrenches.size();
  put(row, joint, t);
  const FrameIndex own = j < view_.bodies.size()         ? joint.outboard_frame()
                         : is_ground(joint.moving_frame) ? joint.base_frame
                                                         : joint.moving_frame;
  for (std::size_t i = first; i < row.wrenches.size(); ++i)
    if (row.wrenches[i].first == own) row.efforts.emplace_back(j, row.wrenches[i].second);
}

void ConstraintJacobian::add_cut_joint(std::size_t index, const StateView& state) {
  const JointData& cut = view_.joints[index];
  JointConstraint c;
  joint_constraint(cut, motion(cut.base_frame), motion(cut.moving_frame), state.q.data() + cut.q_offset,
                   state.v.data() + cut.v_offset, c);
  for (std::size_t r = 0; r < c.rows; ++r) {
    Row row;
    row.cut_joint = index;
    row.name = cut.name;
    row.residual = c.residual[r];
    row.velocity_right = dot(c.T[r], c.drift);
    put(row, cut, c.T[r]);
    add(std::move(row));
  }
}

void ConstraintJacobian::add_rates(std::size_t index, std::span<const double> rates) {
  add_cut_coordinates(index, rates, {});
}

void ConstraintJacobian::add_twist(BodyIndex body, BodyIndex against, const Spatial& twist, bool whole) {
  const double right[] = {twist.angular.x, twist.angular.y, twist.angular.z,
                          twist.linear.x,  twist.linear.y,  twist.linear.z};
  for (std::size_t k = 0; k < (whole ? 6u : 3u); ++k) {
    double unit[6]{};
    unit[k] = 1;
    Row row;
    row.name = view_.bodies[at(body)].name;
    row.kind = "body";
    row.holonomic = false;
    row.velocity_right = right[k];
    row.point = motion(frame_of(body)).p;
    const Spatial wrench{{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}};
    put(row, frame_of(body), row.point, wrench);
    if (!is_ground(against)) put(row, frame_of(against), row.point, -1.0 * wrench);
    add(std::move(row));
  }
}

void ConstraintJacobian::add_coordinates(std::size_t index, std::span<const double> q) {
  const JointData& cut = view_.joints[index];
  const std::vector<double> still(cut.nv);
  JointMotion target;
  joint_motion(cut, q.data(), still.data(), target);
  const RelativeMotion actual = relative_motion(cut, motion(cut.base_frame), motion(cut.moving_frame));
  add_cut_coordinates(
      index, still,
      {rotation_vector(quaternion_of(times_transpose(actual.R_FM, target.R_FM))), actual.p_FM - target.p_FM});
}

/// Adds the rates of the coordinates: v = (HᵀH)⁻¹Hᵀ V_FM, one wrench per coordinate with Hᵀ w its unit vector. away:
/// how far M is from its wanted place, F axes.
void ConstraintJacobian::add_cut_coordinates(std::size_t index, std::span<const double> rates, const Spatial& away) {
  const JointData& cut = view_.joints[index];
  std::vector<double> q(cut.nq), v(cut.nv);
  JointConstraint c;
  std::copy_n(hints_.begin() + static_cast<std::ptrdiff_t>(cut.q_offset), cut.nq, q.begin());
  joint_constraint(cut, motion(cut.base_frame), motion(cut.moving_frame), q.data(), v.data(), c);
  for (std::size_t k = 0; k < cut.nv; ++k) {
    double unit[6]{};
    unit[k] = 1;
    const Spatial wrench = effort_wrench(c.motion, cut.nv, unit);
    Row row;
    row.cut_joint = index;
    row.name = cut.name;
    row.holonomic = false;
    row.velocity_right = rates[k] + dot(wrench, c.drift);
    row.residual = dot(wrench, away);
    put(row, cut, wrench);
    add(std::move(row));
  }
}

ConstraintJacobian::Row ConstraintJacobian::element_row(const ConstraintSet::Element& e, std::size_t r,
                                                        const StateView& state) const {
  Row row;
  row.name = e.name;
  row.kind = "constraint";
  row.of_element = true;
  row.holonomic = e.is_holonomic(r);
  row.residual = row.holonomic ? e.residual[r] : 0;
  row.velocity_right = e.velocity_right[r];
  for (std::size_t k = 0; k < e.markers.size(); ++k) {
    if (is_ground(e.markers[k].frame)) continue;
    const Vec3 marker = motion(e.markers[k].frame).p + e.arms[k];
    if (row.wrenches.empty()) row.point = marker;
    put(row, e.markers[k].frame, marker, e.A[r * e.markers.size() + k]);
  }
  const double* B = e.B.data() + r * e.velocities;
  for (const JointIndex j : e.joints) {
    const JointData& joint = view_.joints[at(j)];
    JointMotion m;
    joint_motion(joint, state.q.data() + joint.q_offset, state.v.data() + joint.v_offset, m);
    const Spatial t = effort_wrench(m, joint.nv, B);
    row.velocity_right += dot(t, joint_drift(joint, state.q.data() + joint.q_offset));
    put_effort(row, at(j), t);
    B += joint.nv;
  }
  return row;
}

/// The rows of a module are A u + C V + B v = right. Combinations z of them with zᵀ A = 0 constrain the motion alone.
/// For positions only holonomic rows count, and only those variables that have an integral among the states.
void ConstraintJacobian::add_module(const ModuleSet::Module& m, std::size_t first_row, const StateView& state) {
  const bool positions = of_ == Of::positions;
  const FreeRows free = positions ? free_rows_of_positions(m) : free_rows_of_motions(m);
  for (Eigen::Index k = 0; k < free.combinations.cols(); ++k) {
    Row sum;
    sum.name = m.rows.name;
    sum.kind = "module";
    sum.of_element = true;
    sum.holonomic = k < free.holonomic;
    for (std::size_t i = 0; i < free.used.size(); ++i) {
      const double factor = free.combinations(static_cast<Eigen::Index>(i), k);
      if (factor == 0) continue;
      sum.module_rows.emplace_back(first_row + free.used[i], factor);
      const Row part = element_row(m.rows, free.used[i], state);
      if (sum.holonomic) sum.residual += factor * part.residual;
      sum.velocity_right += factor * part.velocity_right;
      if (sum.wrenches.empty()) sum.point = part.point;
      for (const auto& [frame, wrench] : part.wrenches)
        sum.wrenches.emplace_back(frame, factor * about(sum.point - part.point, wrench));
      for (const auto& [joint, wrench] : part.efforts)
        sum.efforts.emplace_back(joint, factor * about(sum.point - part.point, wrench));
    }
    add(std::move(sum));
  }
}

/// Sums the wrenches from the bodies towards ground and enters their power, until they cancel: the two sides of a loop
/// cancel, up to rounding, at the common ancestor of its bodies.
void ConstraintJacobian::add(Row row) {
  if (clocked_) {
    for (const auto& [frame, wrench] : row.wrenches) {
      const BodyMotion& m = motion_of(frame, clocked_->frames());
      row.by_clock += dot(about(m.p - row.point, wrench), m.V);
    }
    row.velocity_right -= row.by_clock;
  }
  const std::size_t at_row = rows_.size();
  std::vector<std::size_t> next;  // a heap: outboard before inboard
  const auto load = [&](BodyIndex b, const Spatial& wrench) {
    sums_[at(b)] += wrench;
    if (std::exchange(marked_[at(b)], true)) return;
    next.push_back(at(b));
    std::ranges::push_heap(next);
  };
  const auto size_of = [&](const Spatial& wrench) { return norm(wrench.angular) / length_ + norm(wrench.linear); };
  double size = 0;
  for (const auto& [frame, wrench] : row.wrenches) {
    load(body_of(frame), wrench);
    enter_modes(row.point, at_row, frame, wrench, 1);
    size = std::max(size, size_of(wrench));
  }
  constexpr double nothing_left = 1e-12;  // rounding of a sum of wrenches, relative to the largest of them
  while (!next.empty()) {
    std::ranges::pop_heap(next);
    const std::size_t i = next.back();
    next.pop_back();
    const Spatial sum = std::exchange(sums_[i], {});
    marked_[i] = false;
    if (size_of(sum) <= nothing_left * size) continue;
    if (const BodyIndex in = view_.joints[i].inboard(); !is_ground(in)) load(in, sum);
    enter(row.point, at_row, i, sum);
    enter_modes(row.point, at_row, view_.joints[i].outboard_frame(), sum, -1);
    enter_modes(row.point, at_row, view_.joints[i].inboard_frame(), sum, 1);
  }
  rows_.push_back(std::move(row));
}

/// Power of a wrench (about a point) on what is outboard of a tree joint, per velocity of that joint.
void ConstraintJacobian::enter(const Vec3& point, std::size_t row, std::size_t j, const Spatial& wrench) {
  const JointData& joint = view_.joints[j];
  const BodyMotion& base = motion(joint.base_frame);
  const Vec3 M = place(joint);
  const Spatial at_M = about(M - point, wrench);
  const double sign = joint.reversed ? -1 : 1, force = norm(at_M.linear), moment = norm(at_M.angular);
  if (is_absent(j)) {
    for (std::size_t k = 0; k < 6; ++k) {
      const double size = k < 3 ? moment : force;
      if (at_M[k] != 0) entries_.push_back({row, free_columns_[j] + k, at_M[k], size, size});
    }
    return;
  }
  // The position of the joint is exact to the rounding of its arms, if they are of the size of a body (place_rounding
  // has that of longer ones). So a force through the joint may have a moment of that rounding. Sums are about the row's
  // point, and exact to the rounding of the distance to it.
  const double own_arms = std::min(norm(joint.p_base) + norm(joint.p_moving), length_),
               arms = own_arms + norm(M - point);
  for (std::size_t k = 0; k < joint.nv; ++k) {
    const Spatial& h = tree_.joints()[j].H[k];
    const double value = sign * (dot(base.R * h.angular, at_M.angular) + dot(base.R * h.linear, at_M.linear));
    const double turn = norm(h.angular), shift = norm(h.linear) * force;
    if (value != 0)
      entries_.push_back({row, joint.v_offset + k, value, turn * (moment + arms * force) + shift,
                          turn * (moment + own_arms * force) + shift});
  }
}

/// Power of a wrench (about a point) on a node, per rate of its body's modes.
void ConstraintJacobian::enter_modes(const Vec3& point, std::size_t row, FrameIndex frame, const Spatial& wrench,
                                     double sign) {
  if (!is_node(frame)) return;
  const std::size_t node = at(frame) - view_.bodies.size();
  const Mat3& R = motion(frame_of(view_.nodes[node].body)).R;
  const Spatial at_node = about(motion(frame).p - point, wrench);
  const Spatial w{transpose_times(R, at_node.angular), transpose_times(R, at_node.linear)};
  const std::span<const Spatial> H = tree_.nodes().H(node);
  const std::size_t first = view_.nv_tree + tree_.nodes().mode_offset(node);
  for (std::size_t k = 0; k < H.size(); ++k) {
    const double size = norm(H[k].angular) * norm(w.angular) + norm(H[k].linear) * norm(w.linear);
    entries_.push_back({row, first + k, sign * dot(H[k], w), size, size});
  }
}

}  // namespace polyform::host::assembly
