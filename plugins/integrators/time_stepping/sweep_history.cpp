#include "sweep_history.hpp"

#include <Eigen/Cholesky>

namespace polyform::time_stepping {

void SweepHistory::combine(std::span<const double> x, std::span<const double> weights, std::span<double> image) {
  // Part of the sum of the diagonal: steps that are alike to rounding must not lead far off.
  constexpr double softening = 1e-13;
  for (std::size_t i = 0; i < size_; ++i) step_[i] = image[i] - x[i];
  const auto index = [](std::size_t k) { return static_cast<Eigen::Index>(k); };
  if (has_last_) {
    const std::span<double> steps = kept(steps_, next_), images = kept(images_, next_);
    for (std::size_t i = 0; i < size_; ++i) {
      steps[i] = step_[i] - last_step_[i];
      images[i] = image[i] - last_image_[i];
    }
    if (count_ < most) ++count_;
    for (std::size_t k = 0; k < count_; ++k) {
      const std::span<const double> other = kept(steps_, k);
      double sum = 0;
      for (std::size_t i = 0; i < size_; ++i) sum += weights[i] * steps[i] * other[i];
      products_(index(next_), index(k)) = products_(index(k), index(next_)) = sum;
    }
    next_ = (next_ + 1) % most;
  }
  has_last_ = true;
  last_step_.assign(step_.begin(), step_.end());
  last_image_.assign(image.begin(), image.end());
  if (count_ == 0) return;
  const Eigen::Index n = index(count_);
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, most, most> A = products_.topLeftCorner(n, n);
  A.diagonal().array() += softening * A.trace();
  Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, most, 1> shares(n);
  for (std::size_t k = 0; k < count_; ++k) {
    const std::span<const double> other = kept(steps_, k);
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) sum += weights[i] * step_[i] * other[i];
    shares[index(k)] = sum;
  }
  shares = A.ldlt().solve(shares).eval();
  if (!shares.allFinite()) return;
  for (std::size_t k = 0; k < count_; ++k) {
    const std::span<const double> other = kept(images_, k);
    for (std::size_t i = 0; i < size_; ++i) image[i] -= shares[index(k)] * other[i];
  }
}

}  // namespace polyform::time_stepping
