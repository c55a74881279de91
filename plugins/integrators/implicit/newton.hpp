// The linear systems of Newton's iteration, (I − γ ∂f/∂y) x = b with a real and a complex γ.
#pragma once

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "polyform/contract/integrator.hpp"
#include "polyform/contract/newton_matrix.hpp"

namespace polyform::implicit {

/// All vectors: of the states without integrals. Nothing allocates after construction.
class Newton {
 public:
  explicit Newton(FirstOrderSystem& system) : system_(system), to_solve_(ask<NewtonDerivative>(system)) {}
  virtual ~Newton() = default;
  /// f, for right-hand sides that are then solved with the matrix.
  Status derivative(double t, std::span<const double> y, std::span<double> rate) noexcept {
    ++evaluations_;
    return to_solve_ != nullptr ? to_solve_->derivative_to_solve(t, y, rate) : system_.derivative(t, y, rate);
  }
  /// Linearizes at a state. False if f cannot be evaluated: the system's failure() says why.
  virtual bool linearize(double t, std::span<const double> y) noexcept = 0;
  /// The cost of a linearization with its matrices, without the evaluations of a step; in evaluations.
  virtual double price() const noexcept { return 0; }
  /// Linearizations since the object was made.
  std::size_t linearizations() const noexcept { return linearizations_; }
  /// Evaluations of f since then, without those of linearizations.
  std::size_t evaluations() const noexcept { return evaluations_; }
  /// False if the matrix is singular.
  virtual bool prepare(double gamma) noexcept = 0;
  virtual bool prepare(std::complex<double> gamma) noexcept = 0;
  virtual void solve(std::span<double> x) noexcept = 0;
  virtual void solve(std::span<double> real, std::span<double> imaginary) noexcept = 0;

 protected:
  FirstOrderSystem& system_;
  std::size_t linearizations_ = 0;

 private:
  NewtonDerivative* to_solve_;  ///< or none
  std::size_t evaluations_ = 0;
};

/// The system's own matrix; if it has none, a full one by differences. nullptr if that would be too large.
std::unique_ptr<Newton> newton_for(FirstOrderSystem&, const StepSettings&);

}  // namespace polyform::implicit
