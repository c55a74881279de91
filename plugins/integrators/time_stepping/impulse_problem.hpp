// Impulses of many points of contact with Coulomb's friction. Nothing here knows mechanics.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "normal_problem.hpp"
#include "sweep_history.hpp"
#include "sweeps.hpp"

namespace polyform::time_stepping {

class ConeNewton;

/// Points with three rows each, the normal and two tangents. With the rates r = b + W λ of the rows it asks, point
/// after point, for Signorini's and Coulomb's laws:
///
///   λ_n ≥ 0,  r_n ≥ 0,  λ_n r_n = 0
///   |λ_t| ≤ bound; where r_t is not zero, λ_t is opposite to r_t and |λ_t| = bound
///
/// bound is a share of λ_n, or a number for a point without a normal. The cone is round: no facets.
class ImpulseProblem {
 public:
  struct Point {
    bool has_normal = true;
    std::size_t tangents = 2;
    double friction = 0;  ///< the share, or the bound itself
  };
  /// W in blocks of 3 × 3, rows first: those of point p are starts[p] to starts[p + 1], each with its column.
  struct Matrix {
    std::span<const std::size_t> starts, columns;
    std::span<const double> blocks;
  };
  ImpulseProblem();
  ~ImpulseProblem();
  ImpulseProblem(const ImpulseProblem&) = delete;
  ImpulseProblem& operator=(const ImpulseProblem&) = delete;

  std::vector<Point> points;
  std::vector<double> b;  ///< per row

  /// To be called for a new matrix, with the number of points; its arrays outlive the solution.
  void take(const Matrix&);
  /// Finds λ, beginning with its value, by Gauss-Seidel sweeps, each of which solves one point after the other exactly.
  /// The sweeps are the steps of a method of nonlinear conjugate gradients (Silcowitz-Hansen, Niebe, Erleben 2010) and,
  /// where these are slow, of Anderson's acceleration (1965); where both creep, steps of Newton's method follow.
  /// Problems without friction have sweeps of their own (normal_problem.hpp). iterations: the number of sweeps at most.
  /// True if the residual is at most `tolerance` of the largest rate in b, or of rounding.
  bool solve(std::span<double> lambda, double tolerance, std::size_t iterations);
  /// Of the last solution: how far the rates are from the laws, in the unit of the rates. It is the natural map of the
  /// cone, with the change of variable of de Saxcé and Feng, r_n + share |r_t| in place of r_n.
  double residual() const { return residual_; }
  /// r = b + W λ.
  void find_rates(std::span<const double> lambda, std::span<double> rates) const;
  /// The answer of a row to itself.
  double own(std::size_t row) const { return diagonals_[9 * (row / 3) + 4 * (row % 3)]; }

 private:
  struct Target;
  void rates_of(std::size_t point, std::span<const double> lambda, double (&rates)[3]) const;
  void solve_point(std::size_t point, const double (&free)[3], double* lambda) const;
  void slide(const Point&, const double* D, const double (&free)[3], double* lambda) const;
  void sweep(std::span<double> lambda) const;
  double residual_of(std::size_t point, std::span<const double> lambda) const;
  double largest_residual(std::span<const double> lambda) const;
  bool is_solved(std::span<const double> lambda, double target);
  bool accelerate(std::span<double> lambda, double target, std::size_t sweeps);
  bool has_friction() const;
  void take_normals();
  bool solve_normals(std::span<double> lambda, double target, std::size_t iterations);

  Matrix W_;
  std::unique_ptr<ConeNewton> newton_;
  std::vector<double> diagonals_;  ///< the block of each point with itself
  std::vector<double> own_;        ///< the answer of each row to itself
  SweepRoom room_;
  SweepHistory history_;      ///< of the accelerated sweeps
  NormalProblem normals_;     ///< of points without friction
  bool has_normals_ = false;  ///< those of this matrix
  std::vector<double> normal_b_, normal_lambda_;
  double residual_ = 0;
};

}  // namespace polyform::time_stepping
