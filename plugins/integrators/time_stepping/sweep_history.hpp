// The last steps of an iteration, from which a better next point follows.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

namespace polyform::time_stepping {

/// Anderson's acceleration (J. ACM 12 (1965) 547-560) of an iteration x ← g(x): the next point is the combination of
/// the last images g whose steps f = g(x) − x, combined alike, are shortest.
/// Its members are the differences of the last steps and images, which keep their room.
class SweepHistory {
 public:
  /// Forgets what there was; size: of x.
  void clear(std::size_t size) {
    size_ = size;
    count_ = next_ = 0;
    has_last_ = false;
    for (auto* part : {&steps_, &images_}) part->resize(most * size);
    for (auto* part : {&step_, &last_step_, &last_image_}) part->resize(size);
  }
  /// Takes x and its image, which becomes the next point. weights: of the squares of the numbers of a step.
  void combine(std::span<const double> x, std::span<const double> weights, std::span<double> image);

 private:
  static constexpr std::size_t most = 10;  ///< steps that are kept
  std::span<double> kept(std::vector<double>& of, std::size_t k) { return std::span(of).subspan(k * size_, size_); }

  std::size_t size_ = 0, count_ = 0, next_ = 0;
  bool has_last_ = false;
  std::vector<double> steps_, images_;  ///< differences of one from the next, `most` times the size
  std::vector<double> step_, last_step_, last_image_;
  Eigen::Matrix<double, most, most> products_;
};

}  // namespace polyform::time_stepping
