// Newton's matrix of a solver in joint coordinates, as implicit methods ask for it (newton_matrix.hpp).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "polyform/contract/newton_matrix.hpp"
#include "polyform/solvers/joint_dynamics.hpp"
#include "polyform/solvers/newton/tree_newton.hpp"

namespace polyform {

/// Of a system that TreeNewton carries and in whose sweep no rows stand in for inertia. What it takes is allocated when
/// the matrix is first asked for.
class JointNewton final : public NewtonMatrix, public NewtonDerivative, private ErrorFilter {
 public:
  /// solver: whose derivative derivative_to_solve() gives. The arguments outlive the object.
  JointNewton(JointDynamics& dynamics, Solver& solver) : dynamics_(dynamics), solver_(solver) {}

  /// The object itself, or nullptr where the system has no such matrix or memory runs out.
  NewtonMatrix* matrix() noexcept;
  NewtonDerivative* derivative() noexcept { return is_carried() ? this : nullptr; }

  Status linearize(double t, std::span<const double> y) noexcept override;
  Status prepare(double gamma) noexcept override;
  Status prepare_complex(double real, double imaginary) noexcept override;
  void solve(std::span<double> x) noexcept override { newton_->solve(x); }
  void solve_complex(std::span<double> real, std::span<double> imaginary) noexcept override {
    newton_->solve(real, imaginary);
  }
  Status derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept override;

 private:
  bool is_carried() const { return TreeNewton::carries(dynamics_.view()) && !dynamics_.loops().completes_inertia(); }
  /// Filters an error of accelerations as Newton's solutions do.
  void apply(std::span<double> error) noexcept override;

  JointDynamics& dynamics_;
  Solver& solver_;
  std::unique_ptr<TreeNewton> newton_;
  bool prepared_ = false;  ///< for a real γ, since the last linearize()
  std::vector<double> rates_, error_;
  std::vector<Spatial> cuts_;  ///< what each cut joint transmits
};

}  // namespace polyform
