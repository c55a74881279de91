// The multipliers of the cut joints.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace polyform {

/// One per row of all loops, in the order of LoopLayout::Loop::first_row; zero for rows that are left out. A second set
/// is kept while multipliers are found in steps.
class Multipliers {
 public:
  explicit Multipliers(std::size_t rows) : values_(rows), kept_(rows) {}

  std::span<const double> all() const { return values_; }
  /// The multipliers from `first` on, to be set.
  std::span<double> all_of(std::size_t first) { return std::span(values_).subspan(first); }
  double* data() { return values_.data(); }
  void keep() noexcept { kept_ = values_; }
  void restore() noexcept { values_ = kept_; }
  void add_kept() noexcept {
    for (std::size_t k = 0; k < values_.size(); ++k) values_[k] += kept_[k];
  }

 private:
  std::vector<double> values_, kept_;
};

}  // namespace polyform
