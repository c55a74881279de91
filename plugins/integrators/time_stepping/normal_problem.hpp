// Impulses of many points of contact without friction. Nothing here knows mechanics.
#pragma once

#include <Eigen/SparseCholesky>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sweeps.hpp"

namespace polyform::time_stepping {

/// Points with one row each. With the rates r = b + W λ and a symmetric W without negative eigenvalues it asks for
///
///   λ ≥ 0,  r ≥ 0,  λ r = 0
///
/// Rows that do not answer to themselves keep λ = 0. Sweeps go over flat arrays of single numbers.
/// Its members are the rows of W and the arrays of the methods; they keep their room from one problem to the next.
class NormalProblem {
 public:
  /// Begins a matrix without entries.
  void clear();
  /// Ends a row whose entries off the diagonal were added. own: the entry on the diagonal.
  void end_row(double own);
  void add(std::size_t column, double value) {
    columns_.push_back(static_cast<std::uint32_t>(column));
    values_.push_back(value);
  }
  std::size_t rows() const { return own_.size(); }

  /// Finds λ, beginning with its value, by projected Gauss-Seidel sweeps as steps of a method of nonlinear conjugate
  /// gradients (Silcowitz-Hansen, Niebe, Erleben 2010); where they creep, steps of Newton's method follow, which solve
  /// the equations of the rows that press. True if the residual is at most `target` or rounding. b: outlives the call.
  bool solve(std::span<const double> b, std::span<double> lambda, double target, std::size_t iterations);
  /// Of the last solution: the largest |min(r, W_pp λ_p)|.
  double residual() const { return residual_; }

 private:
  struct Target;
  double rate_without_own(std::size_t row, const double* lambda) const;
  void sweep(std::span<double> lambda) const;
  bool is_solved(std::span<const double> lambda, double target);
  bool step(double softening, std::span<double> lambda);

  std::span<const double> b_;
  std::vector<std::uint32_t> starts_, columns_;
  std::vector<double> values_, own_, inverse_;  ///< inverse_: zero where own_ is not positive
  SweepRoom room_;
  std::vector<int> place_;  ///< of a row among those that press; -1
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::SparseMatrix<double> W_;
  Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors_;
  Eigen::VectorXd wanted_, change_;
  double residual_ = 0;
};

}  // namespace polyform::time_stepping
