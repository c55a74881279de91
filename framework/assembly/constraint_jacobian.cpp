#include "framework/assembly/constraint_jacobian.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "polyform/constraint.hpp"
#include "polyform/module_set.hpp"

namespace polyform::host {
namespace {

Spatial about_reference(const Vec3& point, const Spatial& w) { return {w.angular + cross(point, w.linear), w.linear}; }
Spatial from_reference(const Vec3& point, const Spatial& w) { return {w.angular - cross(point, w.linear), w.linear}; }

/// Combinations of a module's rows in which no variable of its own is left: zᵀ A = 0, those of holonomic rows first.
struct FreeRows {
  Eigen::MatrixXd combinations;  ///< rows × combinations, orthonormal
  Eigen::Index holonomic = 0;    ///< how many of them hold positions too
};

/// A basis of zᵀ A = 0.
Eigen::MatrixXd left_null_space(const Eigen::MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return Eigen::MatrixXd::Identity(A.rows(), A.rows());
  const Eigen::FullPivHouseholderQR<Eigen::MatrixXd> qr(A);
  const Eigen::MatrixXd Q = qr.matrixQ();
  return Q.rightCols(A.rows() - qr.rank());
}

FreeRows free_rows(const ModuleSet::Module& m) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto rows = static_cast<Eigen::Index>(m.rows.rows), size = static_cast<Eigen::Index>(m.variables);
  const Eigen::MatrixXd A = Eigen::Map<const Matrix>(m.A.data(), rows, size), all = left_null_space(A);
  std::vector<Eigen::Index> hold;
  for (Eigen::Index r = 0; r < rows; ++r)
    if (m.rows.is_holonomic(static_cast<std::size_t>(r))) hold.push_back(r);
  Eigen::MatrixXd part(static_cast<Eigen::Index>(hold.size()), size);
  for (std::size_t i = 0; i < hold.size(); ++i) part.row(static_cast<Eigen::Index>(i)) = A.row(hold[i]);
  const Eigen::MatrixXd own = left_null_space(part);
  FreeRows out{Eigen::MatrixXd::Zero(rows, all.cols()), own.cols()};
  for (std::size_t i = 0; i < hold.size(); ++i)
    out.combinations.row(hold[i]).head(own.cols()) = own.row(static_cast<Eigen::Index>(i));
  if (own.cols() < all.cols()) {
    const auto first = out.combinations.leftCols(own.cols());
    const Eigen::MatrixXd rest = all - first * (first.transpose() * all);
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(rest);
    const Eigen::MatrixXd Q = qr.householderQ();
    out.combinations.rightCols(all.cols() - own.cols()) = Q.leftCols(all.cols() - own.cols());
  }
  return out;
}

}  // namespace

ConstraintJacobian::ConstraintJacobian(const SystemView& view, Of of, std::vector<bool> absent, const Vec3& origin)
    : view_(view),
      absent_(std::move(absent)),
      columns_(view.nv_tree + view.modes),
      tree_(view),
      of_(of),
      origin_(origin),
      elements_(view, origin),
      modules_(view, origin),
      sums_(view.bodies.size()),
      marked_(view.bodies.size()) {
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
  reference_ = tree_.bodies().empty() ? Vec3{} : tree_.bodies().front().p;
  for (std::size_t i = view_.bodies.size(); i < view_.joints.size(); ++i)
    if (!is_absent(i)) add_cut_joint(i, state);
  if (of_ == Of::loops) return;
  if (!elements_.elements().empty()) elements_.evaluate(t, tree_.frames(), state.q, state.v);
  std::size_t tie = view_.joints.size();
  for (const ConstraintSet::Element& e : elements_.elements())
    if (!is_absent(tie++))
      for (std::size_t r = 0; r < e.rows; ++r)
        if (of_ != Of::positions || e.holonomic) add(element_row(e, r, state));
  if (of_ == Of::motions || modules_.empty()) return;
  modules_.evaluate(t, tree_.frames(), state.q, state.v, state.x);
  for (const ModuleSet::Module& m : modules_.modules()) add_module(m, state);
}

double ConstraintJacobian::velocity_error(std::size_t r) const {
  double error = -rows_[r].velocity_right;
  for (const auto& [frame, wrench] : rows_[r].wrenches) {
    const BodyMotion& m = motion(frame);
    error += dot(from_reference(m.p - reference_, wrench), m.V);
  }
  return error;
}

void ConstraintJacobian::transmit(std::span<const double> mu, std::span<Spatial> through,
                                  std::span<double> sizes) const {
  std::fill(through.begin(), through.end(), Spatial{});
  std::fill(sizes.begin(), sizes.end(), 0.0);
  const auto add = [&](std::size_t joint, double factor, const Spatial& wrench) {
    through[joint] += factor * wrench;
    sizes[joint] += std::abs(factor) * std::sqrt(dot(wrench, wrench));
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    for (const auto& [frame, wrench] : rows_[r].wrenches) {
      const BodyIndex body = body_of(frame);
      add(at(body), mu[r], wrench);
      if (rows_[r].cut_joint != none) add(rows_[r].cut_joint, mu[r] * cut_sign(rows_[r], body), wrench);
    }
  }
  for (std::size_t i = view_.bodies.size(); i-- > 0;) {
    const BodyIndex in = view_.joints[i].inboard();
    if (is_ground(in)) continue;
    through[at(in)] += through[i];
    sizes[at(in)] += sizes[i];
  }
  // A tree joint carries what acts outboard of it, but for what acts within itself, which its reaction counts.
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (const auto& [joint, wrench] : rows_[r].efforts)
      add(joint, joint < view_.bodies.size() ? -mu[r] : mu[r], wrench);
  for (std::size_t i = 0; i < through.size(); ++i) {
    const JointData& joint = view_.joints[i];
    const BodyMotion& moving = motion(joint.moving_frame);
    through[i] =
        is_absent(i) ? Spatial{} : from_reference(moving.p + moving.R * joint.p_moving - reference_, through[i]);
  }
}

/// A cut joint transmits what it puts on one of its bodies: the moving one, or base where moving is ground.
double ConstraintJacobian::cut_sign(const Row& row, BodyIndex body) const {
  const JointData& joint = view_.joints[row.cut_joint];
  return body == (is_ground(joint.moving) ? joint.base : joint.moving) ? 1 : 0;
}

void ConstraintJacobian::put(Row& row, FrameIndex frame, const Vec3& point, const Spatial& wrench) const {
  if (!is_ground(frame)) row.wrenches.emplace_back(frame, about_reference(point - reference_, wrench));
}

void ConstraintJacobian::put(Row& row, const JointData& joint, const Spatial& t) const {
  const ConstraintRow c = constraint_row(joint, motion(joint.base_frame), motion(joint.moving_frame), t);
  put(row, joint.moving_frame, motion(joint.moving_frame).p, c.moving);
  put(row, joint.base_frame, motion(joint.base_frame).p, c.base);
}

void ConstraintJacobian::put_effort(Row& row, std::size_t j, const Spatial& t) const {
  const JointData& joint = view_.joints[j];
  const std::size_t first = row.wrenches.size();
  put(row, joint, t);
  const FrameIndex own = j < view_.bodies.size()       ? joint.outboard_frame()
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
    put(row, cut, c.T[r]);
    add(std::move(row));
  }
}

void ConstraintJacobian::add_rates(std::size_t index, std::span<const double> rates) {
  add_cut_coordinates(index, rates, {});
}

void ConstraintJacobian::add_coordinates(std::size_t index, std::span<const double> q) {
  const JointData& cut = view_.joints[index];
  const std::vector<double> still(cut.nv);
  JointMotion target;
  joint_motion(cut, q.data(), still.data(), target);
  const RelativeMotion actual = relative_motion(cut, motion(cut.base_frame), motion(cut.moving_frame));
  add_cut_coordinates(index, still,
                      {rotation_vector(quaternion_of(times_transpose(actual.R_FM, target.R_FM))),
                       actual.p_FM - target.p_FM});
}

/// The rate of a coordinate: v = (HᵀH)⁻¹Hᵀ V_FM, one wrench per coordinate with Hᵀ w its unit vector. away: how far M
/// is from where it is to be, F axes.
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
    row.velocity_right = rates[k];
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
  for (std::size_t k = 0; k < e.markers.size(); ++k)
    put(row, e.markers[k].frame,
        is_ground(e.markers[k].frame) ? e.motions[k].position - origin_ : motion(e.markers[k].frame).p + e.arms[k],
        e.A[r * e.markers.size() + k]);
  const double* B = e.B.data() + r * e.velocities;
  for (const JointIndex j : e.joints) {
    const JointData& joint = view_.joints[at(j)];
    JointMotion m;
    joint_motion(joint, state.q.data() + joint.q_offset, state.v.data() + joint.v_offset, m);
    put_effort(row, at(j), effort_wrench(m, joint.nv, B));
    B += joint.nv;
  }
  return row;
}

/// Rows of a module are A u + C V + B v = right. Those combinations z of them with zᵀ A = 0 bind the motion alone. Of
/// positions only holonomic rows speak, and only variables count that have an integral among the states.
void ConstraintJacobian::add_module(const ModuleSet::Module& m, const StateView& state) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const bool positions = of_ == Of::positions;
  std::vector<std::size_t> used;
  for (std::size_t r = 0; r < m.rows.rows; ++r)
    if (!positions || m.rows.is_holonomic(r)) used.push_back(r);
  if (used.empty()) return;
  FreeRows free;
  if (positions) {
    const auto size = static_cast<Eigen::Index>(m.variables);
    const Eigen::Map<const Matrix> whole(m.A.data(), static_cast<Eigen::Index>(m.rows.rows), size);
    Eigen::MatrixXd A(static_cast<Eigen::Index>(used.size()), size);
    for (std::size_t i = 0; i < used.size(); ++i)
      A.row(static_cast<Eigen::Index>(i)) = whole.row(static_cast<Eigen::Index>(used[i]));
    for (Eigen::Index k = 0; k < size; ++k)
      if (!m.is_integrated(static_cast<std::size_t>(k))) A.col(k).setZero();
    free.combinations = left_null_space(A);
    free.holonomic = free.combinations.cols();
  } else {
    free = free_rows(m);
  }
  for (Eigen::Index k = 0; k < free.combinations.cols(); ++k) {
    Row sum;
    sum.name = m.rows.name;
    sum.kind = "module";
    sum.of_element = true;
    sum.holonomic = k < free.holonomic;
    for (std::size_t i = 0; i < used.size(); ++i) {
      const double factor = free.combinations(static_cast<Eigen::Index>(i), k);
      if (factor == 0) continue;
      const Row part = element_row(m.rows, used[i], state);
      if (sum.holonomic) sum.residual += factor * part.residual;
      sum.velocity_right += factor * part.velocity_right;
      for (const auto& [frame, wrench] : part.wrenches) sum.wrenches.emplace_back(frame, factor * wrench);
      for (const auto& [joint, wrench] : part.efforts) sum.efforts.emplace_back(joint, factor * wrench);
    }
    add(std::move(sum));
  }
}

/// Sums the wrenches from the bodies towards ground, as far as they do not cancel, and enters their power: above the
/// common ancestor the two sides of a loop do, but for rounding.
void ConstraintJacobian::add(Row row) {
  const std::size_t at_row = rows_.size();
  std::vector<std::size_t> next;  // a heap: outboard before inboard
  const auto load = [&](BodyIndex b, const Spatial& wrench) {
    sums_[at(b)] += wrench;
    if (std::exchange(marked_[at(b)], true)) return;
    next.push_back(at(b));
    std::ranges::push_heap(next);
  };
  double size = 0;
  for (const auto& [frame, wrench] : row.wrenches) {
    load(body_of(frame), wrench);
    enter_modes(at_row, frame, wrench, 1);
    size = std::max(size, std::sqrt(dot(wrench, wrench)));
  }
  while (!next.empty()) {
    std::ranges::pop_heap(next);
    const std::size_t i = next.back();
    next.pop_back();
    const Spatial sum = std::exchange(sums_[i], {});
    marked_[i] = false;
    if (std::sqrt(dot(sum, sum)) <= 1e-12 * size) continue;
    if (const BodyIndex in = view_.joints[i].inboard(); !is_ground(in)) load(in, sum);
    enter(at_row, i, sum);
    enter_modes(at_row, view_.joints[i].outboard_frame(), sum, -1);
    enter_modes(at_row, view_.joints[i].inboard_frame(), sum, 1);
  }
  rows_.push_back(std::move(row));
}

/// Power of a wrench (about the reference) on what is outboard of a tree joint, per velocity of that joint.
void ConstraintJacobian::enter(std::size_t row, std::size_t j, const Spatial& wrench) {
  const JointData& joint = view_.joints[j];
  const BodyMotion &base = motion(joint.base_frame), &moving = motion(joint.moving_frame);
  const Vec3 M = moving.p + moving.R * joint.p_moving;
  const Spatial at_M = from_reference(M - reference_, wrench);
  const double sign = joint.reversed ? -1 : 1, force = norm(at_M.linear), moment = norm(at_M.angular);
  if (is_absent(j)) {
    for (std::size_t k = 0; k < 6; ++k) {
      const double size = k < 3 ? moment : force;
      if (at_M[k] != 0) entries_.push_back({row, free_columns_[j] + k, at_M[k], size, size});
    }
    return;
  }
  // The joint is where it is to the rounding of its arms: a force through it has no moment but for that. Sums were
  // taken about the reference, and are exact to the rounding of its distance.
  const double own_arms = norm(joint.p_base) + norm(joint.p_moving), arms = own_arms + norm(M - reference_);
  for (std::size_t k = 0; k < joint.nv; ++k) {
    const Spatial& h = tree_.joints()[j].H[k];
    const double value = sign * (dot(base.R * h.angular, at_M.angular) + dot(base.R * h.linear, at_M.linear));
    const double turn = norm(h.angular), shift = norm(h.linear) * force;
    if (value != 0)
      entries_.push_back({row, joint.v_offset + k, value, turn * (moment + arms * force) + shift,
                          turn * (moment + own_arms * force) + shift});
  }
}

/// Power of a wrench (about the reference) on a node, per rate of its body's modes.
void ConstraintJacobian::enter_modes(std::size_t row, FrameIndex frame, const Spatial& wrench, double sign) {
  if (!is_node(frame)) return;
  const std::size_t node = at(frame) - view_.bodies.size();
  const Mat3& R = motion(frame_of(view_.nodes[node].body)).R;
  const Spatial at_node = from_reference(motion(frame).p - reference_, wrench);
  const Spatial w{transpose_times(R, at_node.angular), transpose_times(R, at_node.linear)};
  const std::span<const Spatial> H = tree_.nodes().H(node);
  const std::size_t first = view_.nv_tree + tree_.nodes().mode_offset(node);
  for (std::size_t k = 0; k < H.size(); ++k) {
    const double size = norm(H[k].angular) * norm(w.angular) + norm(H[k].linear) * norm(w.linear);
    entries_.push_back({row, first + k, sign * dot(H[k], w), size, size});
  }
}

}  // namespace polyform::host
