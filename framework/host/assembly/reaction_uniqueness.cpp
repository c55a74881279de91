#include "framework/host/assembly/reaction_uniqueness.hpp"

#include <cmath>
#include <vector>

#include "framework/dense_equations.hpp"

namespace polyform::host::inline assembly {
namespace {

// Wrenches are linear in μ. A rank-revealing factorization of scaled rows finds μ to some digits less than rounding,
// because the loops are closed to 1e-10 and rows that depend up to that count as dependent. The moment of an open force
// about a lever of a ten-millionth of the mechanism counts as none.
constexpr double negligible = 1e-7;
// Directions that are rotated and summed along a motion contain the violation that the integration leaves.
constexpr double negligible_in_motion = 1e-5;
// A component of a unit vector below this is rounding.
constexpr double no_component = 1e-12;

using Columns = Eigen::MatrixXd;

/// Orthonormal columns that span everything at right angles to the given ones. Given columns below the threshold do not
/// count.
Columns complement(const Columns& given) {
  if (given.cols() == 0) return Columns::Identity(given.rows(), given.rows());
  const SingularVectors span = left_singular_vectors(given);
  Eigen::Index rank = 0;
  while (rank < span.values.size() && span.values[rank] > negligible_in_motion) ++rank;
  return span.vectors.rightCols(given.rows() - rank);
}

/// The same space, spanned by the vectors nearest to the axes, so that they do not depend on how it was found.
std::vector<Vec3> along_axes(const Columns& basis) {
  Eigen::Matrix3d left = basis * basis.transpose();  // the axes' projections, as far as no vector has them yet
  std::vector<Vec3> found;
  for (Eigen::Index k = 0; k < basis.cols(); ++k) {
    Eigen::Index axis = 0;
    for (Eigen::Index c = 1; c < 3; ++c)
      if (left(c, c) > left(axis, axis) + negligible_in_motion) axis = c;
    Eigen::Vector3d unit = left.col(axis).normalized();
    for (double& x : unit)
      if (std::abs(x) < no_component) x = 0;
    found.push_back({unit.x(), unit.y(), unit.z()});
    left -= unit * (unit.transpose() * left);
  }
  return found;
}

}  // namespace

OpenDirections::OpenDirections(JointIndex joint, double length, std::span<const Spatial> wrenches, double size)
    : joint_(joint), length_(length > 0 ? length : 1) {
  std::vector<Direction> given;
  for (const Spatial& w : wrenches) {
    const Vec3 m = (1 / length_) * w.angular, &f = w.linear;
    given.push_back({m.x, m.y, m.z, f.x, f.y, f.z});
  }
  span_by(given, negligible * size);
}

void OpenDirections::add(const OpenDirections& other) {
  std::vector<Direction> all(basis_.begin(), basis_.begin() + static_cast<std::ptrdiff_t>(count_));
  for (std::size_t i = 0; i < other.count_; ++i) {
    const Direction& d = other.basis_[i];
    const Spatial rest = unique_part({length_ * Vec3{d[0], d[1], d[2]}, {d[3], d[4], d[5]}});
    if (norm(rest.angular) / length_ + norm(rest.linear) > negligible_in_motion) all.push_back(d);
  }
  if (all.size() == count_) return;
  count_ = 0;
  span_by(all, negligible_in_motion);
}

void OpenDirections::span_by(std::span<const Direction> given, double threshold) {
  if (given.empty()) return;
  Eigen::MatrixXd all(6, static_cast<Eigen::Index>(given.size()));
  for (std::size_t i = 0; i < given.size(); ++i)
    all.col(static_cast<Eigen::Index>(i)) = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(given[i].data());
  const SingularVectors span = left_singular_vectors(all);
  for (Eigen::Index i = 0; i < span.values.size() && span.values[i] > threshold; ++i)
    Eigen::Map<Eigen::Matrix<double, 6, 1>>(basis_[count_++].data()) = span.vectors.col(i);
}

std::array<bool, 6> OpenDirections::unique() const {
  std::array<bool, 6> result{};
  for (std::size_t c = 0; c < 6; ++c) {
    double open = 0;
    for (std::size_t i = 0; i < count_; ++i) open += basis_[i][c] * basis_[i][c];
    result[c] = std::sqrt(open) <= negligible_in_motion;
  }
  return result;
}

UniqueDirections OpenDirections::along() const {
  const auto count = static_cast<Eigen::Index>(count_);
  Columns open(6, count);
  for (Eigen::Index i = 0; i < count; ++i)
    open.col(i) = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(basis_[static_cast<std::size_t>(i)].data());
  const Columns moment = complement(open.topRows(3)), force = complement(open.bottomRows(3));
  Columns known = Columns::Zero(6, count + moment.cols() + force.cols());
  known.leftCols(count) = open;
  known.block(0, count, 3, moment.cols()) = moment;
  known.block(3, count + moment.cols(), 3, force.cols()) = force;
  UniqueDirections result{along_axes(force), along_axes(moment), {}};
  const Columns combined = complement(known);
  for (Eigen::Index k = 0; k < combined.cols(); ++k) {
    const auto c = [&](Eigen::Index i) { return combined(i, k); };
    result.combined.push_back({(1 / length_) * Vec3{c(0), c(1), c(2)}, {c(3), c(4), c(5)}});
  }
  return result;
}

Spatial OpenDirections::unique_part(const Spatial& reaction) const {
  Spatial rest{(1 / length_) * reaction.angular, reaction.linear};
  for (std::size_t i = 0; i < count_; ++i) {
    double along = 0;
    for (std::size_t c = 0; c < 6; ++c) along += basis_[i][c] * rest[c];
    for (std::size_t c = 0; c < 6; ++c) rest[c] -= along * basis_[i][c];
  }
  return {length_ * rest.angular, rest.linear};
}

OpenDirections OpenDirections::in_axes(const Mat3& R) const {
  OpenDirections turned = *this;
  for (std::size_t i = 0; i < count_; ++i) {
    const Direction& d = basis_[i];
    const Vec3 m = transpose_times(R, Vec3{d[0], d[1], d[2]}), f = transpose_times(R, Vec3{d[3], d[4], d[5]});
    turned.basis_[i] = {m.x, m.y, m.z, f.x, f.y, f.z};
  }
  return turned;
}

}  // namespace polyform::host::assembly
