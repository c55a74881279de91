// The numbers of Newton's matrix in absolute coordinates, as they are gathered from bodies, forces and rows.
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::absolute {

/// A sparse matrix with four numbers in each place, which is filled again and again in the same order.
class NewtonSum {
 public:
  using Index = int;
  /// M, G and K of the matrix M + γ G + γ² K; g: what multiplies the rates that the right-hand sides bring.
  struct Numbers {
    double M = 0, G = 0, K = 0, g = 0;
  };

  explicit NewtonSum(std::size_t size) : size_(static_cast<Index>(size)) {}
  void begin() {
    next_ = 0;
    for (Numbers& n : numbers_) n = {};
  }
  void add(std::size_t row, std::size_t column, const Numbers& n) {
    if (!laid_out_) {
      places_.push_back({static_cast<Index>(row), static_cast<Index>(column)});
      pending_.push_back(n);
      return;
    }
    Numbers& sum = numbers_[to_[next_++]];
    sum.M += n.M;
    sum.G += n.G;
    sum.K += n.K;
    sum.g += n.g;
  }
  /// After the first filling the pattern is known.
  void end();

  Index size() const { return size_; }
  const std::vector<Index>& columns() const { return columns_; }   ///< of each its first place, and the end
  const std::vector<Index>& rows() const { return rows_; }         ///< of each place
  const std::vector<Numbers>& numbers() const { return numbers_; }

 private:
  struct Place {
    Index row, column;
  };
  Index size_;
  bool laid_out_ = false;
  std::size_t next_ = 0;
  std::vector<Place> places_;
  std::vector<Numbers> pending_, numbers_;
  std::vector<std::size_t> to_;        ///< for each filling in order, its place
  std::vector<Index> columns_, rows_;
};

}  // namespace polyform::absolute
