// The saddle-point system of masses that differ by orders of magnitude.
//
// To make the matrix quasi-definite a number is subtracted from the zero block. It is small compared with the
// compliance of a row, which comes from the lightest body on it. But once the light bodies have given way and only
// heavy ones are to follow the row, the compliance that is left may be smaller than that number, and no refinement
// comes that far. So the matrix itself is factorized, with 32 digits, without the rows that depend on others; the
// coefficients alone tell these rows, as if all bodies were of one mass. Rows that nearly depend on others are found in
// the same way: in doubles they would be met in part.
#pragma once

#include <memory>
#include <vector>

#include "polyform/solvers/double_double.hpp"
#include "polyform/solvers/mending.hpp"
#include "saddle_point.hpp"

namespace polyform::absolute {

/// The factors of the saddle-point matrix itself with twice the digits, without the rows that depend on others.
class FineFactors {
 public:
  using Number = DoubleDouble;

  /// Both arguments outlive the object. is_affordable() tells whether the factors have room, in `most` numbers.
  FineFactors(const Model&, const Scales&, std::size_t most);
  bool is_affordable() const { return !diagonals_.empty(); }

  /// Finds the rows that depend on others, from the coefficients alone. False when they are not finite.
  bool judge_rows() noexcept;
  /// After judge_rows(): the largest squared part by which a row that is left out is independent of others, relative to
  /// the row; zero where that is rounding.
  double nearly_dependent() const { return nearly_dependent_; }
  /// Judges the rows and factorizes without those. False when the matrix is not finite.
  bool factorize() noexcept;
  /// After factorize(): whether a row depends on others, so that it does not count.
  bool is_left_out(std::size_t row) const { return left_out_[row]; }
  /// Solves in place.
  void solve(std::span<Number> b) const noexcept { matrix_.solve(b); }

 private:
  double weight(std::size_t block, std::size_t unknown) const noexcept;
  double enter_weighed_row(const Constraints::Constraint&, std::size_t row) noexcept;
  void enter_row(std::size_t entry, std::size_t row) noexcept;
  void enter_inertia(std::size_t block) noexcept;

  const Model& model_;
  const Scales& scales_;
  BasicBlockLdlt<Number> matrix_;  ///< bodies first: then pivots of rows tell which depend on others
  /// of blocks and constraints with rows; of the entries
  std::vector<BasicBlockLdlt<Number>::Block> diagonals_, places_;
  std::vector<double> usual_;   ///< of a row: A W⁻¹ Aᵀ
  std::vector<bool> left_out_;  ///< per row
  double nearly_dependent_ = 0;
};

/// Accelerations in doubles, and with twice the digits where a look, taken now and then, shows that these are needed.
class FineSolver {
 public:
  /// A solver where masses are so uneven that there is something to look at, or where rows may depend on others;
  /// otherwise none. All outlive it.
  static std::unique_ptr<FineSolver> make(const Model&, const Scales&, LinearProblem&, SaddlePoint&, Failure&);

  /// The next accelerations are of a state that has nothing to do with the ones before.
  void look() noexcept { mending_.look(); }
  /// As SaddlePoint::find_accelerations.
  bool find_accelerations(Accelerations) noexcept;
  /// The accelerations with twice the digits in any case. False if there is no room for them, or these digits are not
  /// enough either.
  bool find_with_twice_the_digits() noexcept { return factors_.is_affordable() && solve(); }
  /// FineFactors::nearly_dependent() at the evaluated motions: accelerations meet rows in part only where it is not
  /// zero. It costs a factorization.
  double nearly_dependent() noexcept;

 private:
  FineSolver(const Model&, const Scales&, LinearProblem&, SaddlePoint&, Failure&, bool is_uneven);
  bool solve() noexcept;
  bool find_in_doubles(Accelerations) noexcept;
  void find_rest() noexcept;
  void subtract_inertia(std::size_t block) noexcept;
  void subtract_row(const Constraints::Constraint&, std::size_t row) noexcept;

  const Model& model_;
  LinearProblem& problem_;
  SaddlePoint& in_doubles_;
  Failure& failure_;
  bool is_uneven_, leaves_rows_out_ = false;
  FineFactors factors_;
  Residual residual_;  ///< for the sizes of motions
  Mending mending_;
  std::vector<DoubleDouble> x_, step_, rest_;
  std::vector<double> even_, change_;  ///< the solution in doubles; a step in doubles
};

}  // namespace polyform::absolute
