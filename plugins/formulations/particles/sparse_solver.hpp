// Solutions of the sparse system, refined against the true one, and their judgement.
#pragma once

#include <span>
#include <vector>

#include "moving_bodies.hpp"
#include "polyform/helpers/failure.hpp"
#include "sparse_factors.hpp"

namespace polyform::particles {

class SparseSolver {
 public:
  /// What it works with, all of which outlives the object.
  struct Parts {
    const SystemView& view;
    const Layout& layout;
    const SparsePattern& pattern;
    const MassScales& scales;
    const SparseValues& values;
    SparseFactors& factors;
    Failure& failure;
  };
  SparseSolver(const Parts&, std::size_t unknowns);

  /// What is left of a solution, relative to the terms it is made of.
  struct Residual {
    double particle_error = 0, row_error = 0;
    std::size_t worst_particle = 0, worst_group = 0;
    double judged =
        0;  ///< of particles, with what made no difference if nothing acted: decides whether digits are lost
    std::size_t worst_judged = 0;
  };

  /// Solves from the value that the solution has on entry, until the residual is below the tolerance, at round-off or
  /// no longer falling; factorizes where no factors stand. False, with a failure, when anything is not finite.
  bool solve(double tolerance, Residual&) noexcept;
  /// Over the unknowns, in the order of the matrix; multipliers negative.
  std::span<double> solution() { return solution_; }
  std::span<const double> solution() const { return solution_; }
  /// What is left of a row or of the force on a particle.
  double left(std::size_t unknown) const { return residual_[unknown]; }
  /// Whether a solution balances the forces and meets the rows, as closely as a state with these violations can.
  bool check(const Residual&, const Violations&) noexcept;

 private:
  bool factorize(double epsilon) noexcept;
  bool refine(double tolerance, Residual&, double epsilon) noexcept;
  void find_residual(Residual&) noexcept;
  void find_sizes() noexcept;
  void take_masses() noexcept;
  void take_variable_masses() noexcept;
  double judge_rows(Residual&) noexcept;
  double judge_particles(Residual&) noexcept;
  double largest_module_force() const noexcept;
  void find_variable_floors(double floor) noexcept;
  bool check_rows(const Violations&) noexcept;
  bool fail_not_finite(const Residual&) noexcept;

  Parts parts_;
  std::vector<double> solution_, residual_, step_, start_;
  std::vector<double> motion_size_, force_size_;  ///< per particle, scales
  std::vector<double> variable_floor_;            ///< per particle of variables: forces below it are none
  double motion_floor_ = 0;                       ///< part of the largest of the motion sizes
};

}  // namespace polyform::particles
