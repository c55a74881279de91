// Dense blocks of one subsystem: views of memory that is set aside once.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

namespace polyform::hierarchy {

using Eigen::Index;
using Matrix = Eigen::Map<Eigen::MatrixXd>;  ///< columns first
using Vector = Eigen::Map<Eigen::VectorXd>;

/// Memory for doubles that stays where it is and is freed together.
class Arena {
 public:
  double* take(std::size_t count) {
    if (chunks_.empty() || used_ + count > chunks_.back().size()) {
      chunks_.emplace_back(std::max(count, chunk));
      used_ = 0;
    }
    used_ += count;
    return chunks_.back().data() + used_ - count;
  }

 private:
  static constexpr std::size_t chunk = 1u << 15;
  std::deque<std::vector<double>> chunks_;
  std::size_t used_ = 0;
};

}  // namespace polyform::hierarchy
