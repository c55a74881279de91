// The rates of the rows of a set, and their accelerations.
#include "framework/host/unilateral/unilateral_set.hpp"
#include "framework/host/unilateral/set_motion.hpp"

namespace polyform::host::inline unilateral {

void UnilateralSet::rates_at(double t, std::span<const double> y, std::span<const std::size_t> points,
                             std::span<double> rates) {
  decode(t, y);
  double* out = rates.data();
  for (const std::size_t k : points)
    for (std::size_t r = rows_per_point * k; r < rows_per_point * (k + 1); ++r) *out++ = rate_of(k, r, nullptr);
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
        const Vec3 velocity = moves ? V.linear + cross(V.angular, arms_of(b)[marker]) : Vec3{};
        *out++ = dot(A.angular, V.angular) + dot(A.linear, velocity);
      }
      double joint = 0;
      for (std::size_t j = 0; j < velocities_[k].count; ++j)
        joint += part_of(r, j) * motion_->v[velocities_[k].first + j];
      *out++ = joint;
    }
  }
}

/// terms: of the rate, or nullptr where nobody asks.
double UnilateralSet::rate_of(std::size_t k, std::size_t r, double* terms) const {
  const Batch& b = batches_[batch_of_[k]];
  const auto motions = motions_of(b);
  double rate = 0, size = 0;
  for (std::size_t m = 0; !b.frames.empty() && m < 2; ++m) {
    const MarkerMotion& motion = motions[markers_[k][m]];
    const Spatial& A = A_[2 * r + m];
    rate += dot(A.angular, motion.angular_velocity) + dot(A.linear, motion.velocity);
    if (terms != nullptr)
      size += norm(A.angular) * norm(motion.angular_velocity) + norm(A.linear) * norm(motion.velocity);
  }
  for (std::size_t j = 0; j < velocities_[k].count; ++j) {
    const double part = part_of(r, j) * motion_->v[velocities_[k].first + j];
    rate += part;
    size += std::abs(part);
  }
  if (terms != nullptr) *terms = size;
  return rate;
}

void UnilateralSet::find_rates() {
  for (const std::size_t k : evaluated_)
    for (std::size_t r = rows_per_point * k; r < rows_per_point * (k + 1); ++r) rates_[r] = rate_of(k, r, &terms_[r]);
}

void UnilateralSet::accelerations(const Observation& now, std::span<double> out) const {
  for (const std::size_t k : evaluated_) {
    const Batch& b = batches_[batch_of_[k]];
    for (std::size_t r = rows_per_point * k; r < rows_per_point * (k + 1); ++r) {
      double sum = bias_[r];
      for (std::size_t m = 0; !b.frames.empty() && m < 2; ++m) {
        const std::size_t marker = markers_[k][m];
        if (is_ground(b.frames[marker])) continue;
        const Observation::Body& body = now.bodies[at(b.frames[marker])];
        const Vec3 arm = arms_of(b)[marker], &omega = body.angular_velocity;
        const Vec3 point = body.acceleration + cross(body.angular_acceleration, arm) + cross(omega, cross(omega, arm));
        sum += dot(A_[2 * r + m].angular, body.angular_acceleration) + dot(A_[2 * r + m].linear, point);
      }
      for (std::size_t j = 0; j < velocities_[k].count; ++j)
        sum += part_of(r, j) * now.acceleration[velocities_[k].first + j];
      out[r] = sum;
    }
  }
}

}  // namespace polyform::host::inline unilateral
