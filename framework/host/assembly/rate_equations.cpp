#include "framework/host/assembly/rate_equations.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host::inline assembly {
namespace {

constexpr int scaling_rounds = 8;

}  // namespace

RateEquations::RateEquations(const SystemView& view, const ConstraintJacobian& jacobian, const InertiaMetric& metric,
                             const std::vector<char>& kept, const std::vector<std::size_t>& independent)
    : view_(view), jacobian_(jacobian), metric_(metric), independent_(independent) {
  number(kept);
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    enter_body(i);
    enter_joint(i);
  }
  for (std::size_t k = 0; k < independent_.size(); ++k) enter_row(k);
  scale();
  matrix_.resize(size_, size_);
  matrix_.setFromTriplets(entries_.begin(), entries_.end());
  matrix_.makeCompressed();
  factors_.isSymmetric(true);
  factors_.compute(matrix_);
}

/// Divides rows and columns by the roots of their largest entries (Ruiz 2001), a few times over. Then masses and
/// lengths of any size compare.
void RateEquations::scale() {
  scale_ = Eigen::VectorXd::Ones(size_);
  for (int round = 0; round < scaling_rounds; ++round) {
    Eigen::VectorXd most = Eigen::VectorXd::Zero(size_);
    for (const Eigen::Triplet<double>& e : entries_)
      most[e.row()] = std::max(most[e.row()], std::abs(e.value()) * scale_[e.row()] * scale_[e.col()]);
    for (Index k = 0; k < size_; ++k)
      if (most[k] > 0) scale_[k] /= std::sqrt(most[k]);
  }
  for (Eigen::Triplet<double>& e : entries_) e = {e.row(), e.col(), e.value() * scale_[e.row()] * scale_[e.col()]};
}

/// Numbers the unknowns of a body and its joint side by side, which keeps the factors of chains narrow.
void RateEquations::number(const std::vector<char>& kept) {
  rate_.assign(kept.size(), -1);
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const JointData& joint = view_.joints[i];
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k)
      if (!kept[k]) rate_[k] = size_++;
    twist_.push_back(size_);
    size_ += 6;
    if (const std::size_t f = view_.bodies[i].flexible; f != rigid)
      for (std::size_t k = 0; k < view_.flexible[f].modes; ++k)
        if (const std::size_t c = view_.nv_tree + view_.flexible[f].mode_offset + k; !kept[c]) rate_[c] = size_++;
    multiplier_.push_back(size_);
    size_ += 6;
  }
  size_ += static_cast<Index>(independent_.size());
}

void RateEquations::enter(Index row, Index column, double value) {
  if (row >= 0 && column >= 0 && value != 0)
    entries_.emplace_back(static_cast<int>(row), static_cast<int>(column), value);
}

void RateEquations::enter_symmetric(Index row, Index column, double value) {
  enter(row, column, value);
  enter(column, row, value);
}

/// Enters M, divided by the largest mass so that its entries compare with lengths.
void RateEquations::enter_body(std::size_t i) {
  const Eigen::MatrixXd& M = metric_[i];
  const auto unknown = [&](Index k) {
    if (k < 6) return twist_[i] + k;
    return rate_[view_.nv_tree + view_.flexible[view_.bodies[i].flexible].mode_offset +
                 static_cast<std::size_t>(k - 6)];
  };
  for (Index r = 0; r < M.rows(); ++r)
    for (Index c = 0; c < M.cols(); ++c) enter(unknown(r), unknown(c), M(r, c) / metric_.largest_mass());
}

/// Enters sign times the twist of a frame at a point into six equations, and their transpose.
void RateEquations::enter_twist(Index equation, FrameIndex frame, const Vec3& point, double sign) {
  if (is_ground(frame)) return;
  const BodyIndex body = is_node(frame) ? view_.nodes[at(frame) - view_.bodies.size()].body : body_index(at(frame));
  const Index V = twist_[at(body)];
  const Mat3 arm = skew(point - motion(frame_of(body)).p);  // v at the point: v − arm ω
  for (std::size_t r = 0; r < 3; ++r) {
    const auto k = static_cast<Index>(r);
    enter_symmetric(equation + k, V + k, sign);
    enter_symmetric(equation + 3 + k, V + 3 + k, sign);
    for (std::size_t c = 0; c < 3; ++c) enter_symmetric(equation + 3 + k, V + static_cast<Index>(c), -sign * arm(r, c));
  }
  if (!is_node(frame)) return;
  const std::size_t node = at(frame) - view_.bodies.size();
  const NodeMotions& nodes = jacobian_.tree().nodes();
  const Mat3& R = motion(frame_of(body)).R;
  const Vec3 from_node = point - motion(frame).p;
  for (std::size_t m = 0; m < nodes.H(node).size(); ++m) {
    const Spatial& h = nodes.H(node)[m];
    const Vec3 w = R * h.angular, v = R * h.linear + cross(w, from_node);
    const Index column = rate_[view_.nv_tree + nodes.mode_offset(node) + m];
    for (std::size_t r = 0; r < 3; ++r) {
      enter_symmetric(equation + static_cast<Index>(r), column, sign * w[r]);
      enter_symmetric(equation + 3 + static_cast<Index>(r), column, sign * v[r]);
    }
  }
}

void RateEquations::enter_joint(std::size_t i) {
  const JointData& joint = view_.joints[i];
  const Vec3 point = motion(joint.outboard_frame()).p;
  enter_twist(multiplier_[i], joint.outboard_frame(), point, 1);
  enter_twist(multiplier_[i], joint.inboard_frame(), point, -1);
  const BodyMotion &base = motion(joint.base_frame), &moving = motion(joint.moving_frame);
  const Vec3 from_M = point - (moving.p + moving.R * joint.p_moving);
  const double sign = joint.reversed ? -1 : 1;
  for (std::size_t k = 0; k < joint.nv; ++k) {
    const Spatial& h = jacobian_.tree().joints()[i].H[k];
    const Vec3 w = base.R * h.angular, v = base.R * h.linear + cross(w, from_M);
    for (std::size_t r = 0; r < 3; ++r) {
      enter_symmetric(multiplier_[i] + static_cast<Index>(r), rate_[joint.v_offset + k], -sign * w[r]);
      enter_symmetric(multiplier_[i] + 3 + static_cast<Index>(r), rate_[joint.v_offset + k], -sign * v[r]);
    }
  }
}

/// Enters the power of a row's wrenches on the twists of their frames, at the frames' own origins.
void RateEquations::enter_row(std::size_t k) {
  const Index equation = size_ - static_cast<Index>(independent_.size() - k);
  const ConstraintJacobian::Row& row = jacobian_.rows()[independent_[k]];
  for (const auto& [frame, wrench] : row.wrenches) {
    const BodyIndex body = is_node(frame) ? view_.nodes[at(frame) - view_.bodies.size()].body : body_index(at(frame));
    const BodyMotion& b = motion(frame_of(body));
    const Vec3 moment = wrench.angular - cross(b.p - row.point, wrench.linear);
    for (std::size_t r = 0; r < 3; ++r) {
      enter_symmetric(equation, twist_[at(body)] + static_cast<Index>(r), moment[r]);
      enter_symmetric(equation, twist_[at(body)] + 3 + static_cast<Index>(r), wrench.linear[r]);
    }
    if (!is_node(frame)) continue;
    const std::size_t node = at(frame) - view_.bodies.size();
    const NodeMotions& nodes = jacobian_.tree().nodes();
    const Vec3 at_node = wrench.angular - cross(motion(frame).p - row.point, wrench.linear);
    const Vec3 M = transpose_times(b.R, at_node), F = transpose_times(b.R, wrench.linear);
    for (std::size_t m = 0; m < nodes.H(node).size(); ++m)
      enter_symmetric(equation, rate_[view_.nv_tree + nodes.mode_offset(node) + m],
                      dot(nodes.H(node)[m].angular, M) + dot(nodes.H(node)[m].linear, F));
  }
}

bool RateEquations::solve(std::span<const double> left, std::span<const Spatial> excess,
                          std::span<double> change) const {
  if (factors_.info() != Eigen::Success) return false;
  Eigen::VectorXd right = Eigen::VectorXd::Zero(size_);
  for (std::size_t i = 0; i < excess.size(); ++i) {
    Eigen::VectorXd e = Eigen::VectorXd::Zero(metric_[i].rows());
    for (std::size_t r = 0; r < 3; ++r) {
      e[static_cast<Index>(r)] = excess[i].angular[r];
      e[static_cast<Index>(r + 3)] = excess[i].linear[r];
    }
    const Eigen::VectorXd p = metric_[i] * e / metric_.largest_mass();
    right.segment<6>(twist_[i]) = p.head<6>();
    for (std::size_t k = 0; k < modes(i); ++k)
      if (const Index at = rate_[view_.nv_tree + view_.flexible[view_.bodies[i].flexible].mode_offset + k]; at >= 0)
        right[at] = p[static_cast<Index>(6 + k)];
  }
  for (std::size_t k = 0; k < independent_.size(); ++k)
    right[size_ - static_cast<Index>(independent_.size() - k)] = left[independent_[k]];
  right = right.cwiseProduct(scale_);
  Eigen::VectorXd x = factors_.solve(right);
  x += factors_.solve(right - matrix_ * x);
  if (!x.allFinite()) return false;
  x = x.cwiseProduct(scale_);
  for (std::size_t c = 0; c < change.size(); ++c) change[c] = rate_[c] < 0 ? 0 : x[rate_[c]];
  return true;
}

}  // namespace polyform::host::assembly
