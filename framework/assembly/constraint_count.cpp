// Degrees of freedom and redundant constraints, from the rank of their Jacobian in tree coordinates and modes.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <functional>

#include "framework/assembly/parts.hpp"
#include "polyform/constraint.hpp"
#include "polyform/constraint_set.hpp"
#include "polyform/kinematics.hpp"

namespace polyform::host {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

/// Rows of the cut joints and of the constraint elements. A row is a set of wrenches on frames (those of a unit
/// multiplier), kept about the ground origin; its entry for a tree joint is the power of the wrenches outboard of it. A
/// mode of a flexible body moves its nodes in the body and, since the tree joint holds its own node, the body itself
/// the other way: its entry is the power of what acts at each node and outboard of it, less that of all at the tree
/// joint's.
class ConstraintJacobian {
 public:
  explicit ConstraintJacobian(const System::Parts& parts)
      : parts_(parts),
        view_(parts.view),
        tree_(parts.view),
        elements_(parts.view),
        sums_(parts.view.bodies.size()),
        marked_(parts.view.bodies.size()) {
    tree_.evaluate(parts.q.data(), parts.v.data(), parts.eta.data(), parts.etadot.data());
    for (std::size_t i = view_.bodies.size(); i < view_.joints.size(); ++i) add_cut_joint(i);
    if (elements_.elements().empty()) return;
    elements_.evaluate(0, tree_.frames(), parts.q, parts.v);
    for (const ConstraintSet::Element& e : elements_.elements())
      for (std::size_t r = 0; r < e.rows; ++r) add_element_row(e, r);
  }

  std::size_t rows() const { return rows_.size(); }
  const Triplets& triplets() const { return triplets_; }

  /// Joints through which the multipliers mu (with Jᵀ mu = 0) send a wrench.
  std::vector<char> loaded_joints(const Eigen::VectorXd& mu) const {
    std::vector<Spatial> transmitted(view_.joints.size());
    for (std::size_t r = 0; r < rows(); ++r) {
      const double m = mu[static_cast<Eigen::Index>(r)];
      for (const auto& [frame, wrench] : rows_[r].wrenches) {
        const BodyIndex body = body_of(frame);
        transmitted[at(body)] += m * wrench;
        if (rows_[r].cut_joint != none)
          transmitted[rows_[r].cut_joint] += (m * rows_[r].cut_sign(body, view_)) * wrench;
      }
    }
    for (std::size_t i = view_.bodies.size(); i-- > 0;) {
      const BodyIndex in = view_.joints[i].inboard();
      if (!is_ground(in)) transmitted[at(in)] += transmitted[i];
    }
    double largest = 0;
    for (const Spatial& w : transmitted) largest = std::max(largest, dot(w, w));
    std::vector<char> loaded(transmitted.size());
    for (std::size_t i = 0; i < loaded.size(); ++i) loaded[i] = dot(transmitted[i], transmitted[i]) > 1e-16 * largest;
    return loaded;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct Row {
    std::vector<std::pair<FrameIndex, Spatial>> wrenches;
    std::size_t cut_joint = none;
    /// A cut joint transmits what it puts on one of its bodies: the moving one, or base where moving is ground.
    double cut_sign(BodyIndex body, const SystemView& view) const {
      const JointData& joint = view.joints[cut_joint];
      return body == (is_ground(joint.moving) ? joint.base : joint.moving) ? 1 : 0;
    }
  };

  static Spatial about_ground(const Vec3& point, const Spatial& w) {
    return {w.angular + cross(point, w.linear), w.linear};
  }
  static Spatial from_ground(const Vec3& point, const Spatial& w) {
    return {w.angular - cross(point, w.linear), w.linear};
  }
  const BodyMotion& motion(FrameIndex f) const { return motion_of(f, tree_.frames()); }
  bool is_node(FrameIndex f) const { return !is_ground(f) && at(f) >= view_.bodies.size(); }
  BodyIndex body_of(FrameIndex f) const {
    return is_node(f) ? view_.nodes[at(f) - view_.bodies.size()].body : body_index(at(f));
  }

  void put(Row& row, FrameIndex frame, const Vec3& point, const Spatial& wrench) const {
    if (!is_ground(frame)) row.wrenches.emplace_back(frame, about_ground(point, wrench));
  }
  void put(Row& row, const JointData& joint, const Spatial& t) const {
    const ConstraintRow c = constraint_row(joint, motion(joint.base_frame), motion(joint.moving_frame), t);
    put(row, joint.moving_frame, motion(joint.moving_frame).p, c.moving);
    put(row, joint.base_frame, motion(joint.base_frame).p, c.base);
  }

  void add_cut_joint(std::size_t index) {
    const JointData& cut = view_.joints[index];
    JointConstraint c;
    double v[6];
    std::vector<double> q(parts_.q.begin() + static_cast<std::ptrdiff_t>(cut.q_offset),
                          parts_.q.begin() + static_cast<std::ptrdiff_t>(cut.q_offset + cut.nq));
    joint_constraint(cut, motion(cut.base_frame), motion(cut.moving_frame), q.data(), v, c);
    for (std::size_t r = 0; r < c.rows; ++r) {
      Row row;
      row.cut_joint = index;
      put(row, cut, c.T[r]);
      add(std::move(row));
    }
  }

  void add_element_row(const ConstraintSet::Element& e, std::size_t r) {
    Row row;
    for (std::size_t k = 0; k < e.markers.size(); ++k)
      put(row, e.markers[k].frame, e.motions[k].position, e.A[r * e.markers.size() + k]);
    const double* B = e.B.data() + r * e.velocities;
    for (const JointIndex j : e.joints) {
      const JointData& joint = view_.joints[at(j)];
      JointMotion m;
      joint_motion(joint, parts_.q.data() + joint.q_offset, parts_.v.data() + joint.v_offset, m);
      put(row, joint, effort_wrench(m, joint.nv, B));
      B += joint.nv;
    }
    add(std::move(row));
  }

  /// Sums the wrenches from the bodies towards ground, as far as they do not cancel, and enters their power.
  void add(Row row) {
    const int at_row = static_cast<int>(rows_.size());
    std::vector<std::size_t> path;
    for (const auto& [frame, wrench] : row.wrenches)
      for (BodyIndex b = body_of(frame); !is_ground(b) && !marked_[at(b)]; b = view_.joints[at(b)].inboard()) {
        marked_[at(b)] = true;
        path.push_back(at(b));
      }
    double size = 0;
    for (const auto& [frame, wrench] : row.wrenches) {
      sums_[at(body_of(frame))] += wrench;
      enter_modes(at_row, frame, wrench, 1);
      size = std::max(size, std::sqrt(dot(wrench, wrench)));
    }
    std::sort(path.begin(), path.end(), std::greater<>());  // outboard before inboard
    for (const std::size_t i : path) {
      const Spatial sum = sums_[i];
      const BodyIndex in = view_.joints[i].inboard();
      if (!is_ground(in)) sums_[at(in)] += sum;
      sums_[i] = {};
      marked_[i] = false;
      // Above the common ancestor the two sides of a loop cancel, but for rounding.
      if (std::sqrt(dot(sum, sum)) <= 1e-12 * size) continue;
      enter(at_row, i, sum);
      enter_modes(at_row, view_.joints[i].outboard_frame(), sum, -1);
      enter_modes(at_row, view_.joints[i].inboard_frame(), sum, 1);
    }
    rows_.push_back(std::move(row));
  }

  /// Power of a wrench (about the ground origin) on what is outboard of a tree joint, per velocity of that joint.
  void enter(int row, std::size_t j, const Spatial& wrench) {
    const JointData& joint = view_.joints[j];
    const BodyMotion &base = motion(joint.base_frame), &moving = motion(joint.moving_frame);
    const Vec3 M = moving.p + moving.R * joint.p_moving;
    const Spatial at_M = from_ground(M, wrench);
    const double sign = joint.reversed ? -1 : 1;
    for (std::size_t k = 0; k < joint.nv; ++k) {
      const Spatial& h = tree_.joints()[j].H[k];
      const double value = sign * (dot(base.R * h.angular, at_M.angular) + dot(base.R * h.linear, at_M.linear));
      if (value != 0) triplets_.emplace_back(row, static_cast<int>(joint.v_offset + k), value);
    }
  }

  /// Power of a wrench (about the ground origin) on a node, per rate of its body's modes.
  void enter_modes(int row, FrameIndex frame, const Spatial& wrench, double sign) {
    if (!is_node(frame)) return;
    const std::size_t node = at(frame) - view_.bodies.size();
    const Mat3& R = motion(frame_of(view_.nodes[node].body)).R;
    const Spatial at_node = from_ground(motion(frame).p, wrench);
    const Spatial w{transpose_times(R, at_node.angular), transpose_times(R, at_node.linear)};
    const std::span<const Spatial> H = tree_.nodes().H(node);
    const std::size_t first = view_.nv_tree + tree_.nodes().mode_offset(node);
    for (std::size_t k = 0; k < H.size(); ++k)
      triplets_.emplace_back(row, static_cast<int>(first + k), sign * dot(H[k], w));
  }

  const System::Parts& parts_;
  const SystemView& view_;
  TreeKinematics tree_;
  ConstraintSet elements_;
  std::vector<Row> rows_;
  std::vector<Spatial> sums_;
  std::vector<char> marked_;
  Triplets triplets_;
};

}  // namespace

ConstraintCount System::count_constraints() const {
  const SystemView& view = parts_->view;
  ConstraintCount count;
  count.degrees_of_freedom = view.nv_tree + view.modes;
  if (view.cut_joints().empty() && view.constraints.empty()) return count;
  const ConstraintJacobian jacobian(*parts_);
  const std::size_t rows = jacobian.rows();
  if (rows == 0) return count;
  // Rows without any entry are redundant by themselves, and would only slow the factorization down.
  std::vector<int> place(rows, -1);
  for (const auto& entry : jacobian.triplets()) place[static_cast<std::size_t>(entry.row())] = 0;
  int filled = 0;
  for (int& at : place)
    if (at == 0) at = filled++;
  Triplets entries;
  for (const auto& e : jacobian.triplets())
    entries.emplace_back(place[static_cast<std::size_t>(e.row())], e.col(), e.value());
  Eigen::SparseMatrix<double> J(filled, static_cast<Eigen::Index>(std::max<std::size_t>(view.nv_tree + view.modes, 1)));
  J.setFromTriplets(entries.begin(), entries.end());
  J.makeCompressed();
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(1e-9);
  if (filled > 0) qr.compute(J);
  const Eigen::Index rank = filled > 0 ? qr.rank() : 0;
  count.degrees_of_freedom -= static_cast<std::size_t>(rank);
  count.redundant = rows - static_cast<std::size_t>(rank);
  if (count.redundant == 0) return count;

  // A joint takes part in the redundancy when some mu with Jᵀ mu = 0 loads it; a mu of random composition loads all.
  std::uint64_t seed = 1;
  const auto random = [&seed] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return 0.5 + static_cast<double>(seed >> 11) * 0x1p-53;
  };
  Eigen::VectorXd z = Eigen::VectorXd::Zero(filled);
  for (Eigen::Index i = rank; i < filled; ++i) z[i] = random();
  if (filled > 0) z = qr.matrixQ() * z;
  Eigen::VectorXd mu(static_cast<Eigen::Index>(rows));
  for (std::size_t r = 0; r < rows; ++r) mu[static_cast<Eigen::Index>(r)] = place[r] < 0 ? random() : z[place[r]];
  const std::vector<char> named = jacobian.loaded_joints(mu);
  for (const JointIndex j : parts_->joint_of)
    if (named[at(j)] != 0) count.redundant_joints.emplace_back(view.joints[at(j)].name);
  return count;
}

}  // namespace polyform::host
