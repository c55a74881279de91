#include "framework/assembly/reaction_uniqueness.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <vector>

namespace polyform::host {
namespace {

// Wrenches are linear in μ, which a rank-revealing factorization of scaled rows finds to some digits less than rounding
// (the loops are closed to 1e-10 and better, and what depends up to that counts as dependent). What a lever of a
// ten-millionth of the mechanism makes of an open force is taken for none.
constexpr double negligible = 1e-7;
// Directions that are in turn rotated and added up carry what an integration leaves of the constraints.
constexpr double negligible_in_motion = 1e-5;

}  // namespace

OpenDirections::OpenDirections(JointIndex joint, double length, std::span<const Spatial> wrenches, double size)
    : joint_(joint), length_(length > 0 ? length : 1) {
  std::vector<Direction> given;
  for (const Spatial& w : wrenches) {
    const Vec3 m = (1 / length_) * w.angular, &f = w.linear;
    given.push_back({m.x, m.y, m.z, f.x, f.y, f.z});
  }
  span_by(given, negligible * size * std::max(1.0, 1 / length_));
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
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(all, Eigen::ComputeFullU);
  for (Eigen::Index i = 0; i < svd.singularValues().size() && svd.singularValues()[i] > threshold; ++i)
    Eigen::Map<Eigen::Matrix<double, 6, 1>>(basis_[count_++].data()) = svd.matrixU().col(i);
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

}  // namespace polyform::host
