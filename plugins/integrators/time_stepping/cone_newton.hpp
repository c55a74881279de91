// Newton's method for points of contact with Coulomb's friction.
#pragma once

#include <Eigen/SparseLU>
#include <span>
#include <vector>

#include "impulse_problem.hpp"

namespace polyform::time_stepping {

/// The semismooth Newton method on the projections of Alart and Curnier (Comput. Methods Appl. Mech. Engrg. 92 (1991)
/// 353-375): with the rates r = b + W λ and a positive ρ,
///
///   λ_n = max(0, λ_n − ρ r_n)        λ_t = the nearest vector to λ_t − ρ r_t in the disk of the radius μ max(0, λ_n −
///   ρ r_n)
///
/// It converges in some steps near a solution, where sweeps creep; far from one it may not.
class ConeNewton {
 public:
  /// The points and the matrix of the problem outlive the object's use.
  explicit ConeNewton(const ImpulseProblem& problem) : problem_(problem) {}
  /// Takes one step from λ. softening: part of the answer of a point to itself that is added to it. Where more points
  /// hold a body than it takes, forces that hold each other change the less the larger it is. False if there is no
  /// step.
  bool step(const ImpulseProblem::Matrix&, double softening, std::span<double> lambda);

 private:
  /// A point's equations: F = 0, with dF = of_lambda dλ + of_rates dr of its own rows.
  struct Rows {
    double F[3], of_lambda[9], of_rates[9];
  };
  Rows rows_of(std::size_t point, const double* lambda, const double* rates) const;

  const ImpulseProblem& problem_;
  std::vector<double> rates_;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::SparseMatrix<double> J_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> factors_;
  Eigen::VectorXd F_, change_;
};

}  // namespace polyform::time_stepping
