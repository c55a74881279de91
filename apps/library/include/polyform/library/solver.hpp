// A formulation applied to one model: its state vector y, dy/dt, and what it observes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "polyform/library/result.hpp"

namespace polyform::library {

/// Every formulation has a state vector of its own. One solver serves one thread at a time; make one for each.
///
/// If elements of the model have discrete states (latches, modes of functions), these keep their values at the start:
/// only Model::run passes events.
class POLYFORM_SHOWN Solver {
 public:
  struct Parts;
  explicit Solver(std::unique_ptr<Parts>);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  const std::string& name() const noexcept;
  std::size_t state_size() const noexcept;
  /// y of the model's initial state.
  std::vector<double> encode() const;
  /// The same with other coordinates of joints, by the names of result columns: {"pin.q", 0.3}, {"ball.v[1]", 2}.
  /// Elements whose states follow from the initial motion begin with this one. Error (bad_input) for a name that is
  /// none or a number that is not finite, (simulation_failed) where the loops do not close.
  std::vector<double> encode(const std::vector<std::pair<std::string, double>>& coordinates) const;

  /// ẏ = f(t, y). Error (bad_input) for a wrong size, (simulation_failed) where the solver fails.
  void derivative(double t, std::span<const double> y, std::span<double> ydot) const {
    if (try_derivative(t, y.data(), y.size(), ydot.data(), ydot.size())) return;
    fail_derivative(t, y.size(), ydot.size());
  }
  /// The same for many states: y and ẏ are states × state_size().
  void derivatives(double t, std::span<const double> y, std::span<double> ydot) const;
  /// Removes drift from y; to be called after each accepted step. Returns the largest position residual before.
  double correct(double t, std::span<double> y) const;

  /// What observe() gives.
  const std::vector<Column>& columns() const noexcept;
  /// One number per column.
  void observe(double t, std::span<const double> y, std::span<double> values) const;

 private:
  bool try_derivative(double t, const double* y, std::size_t n, double* ydot, std::size_t out) const noexcept;
  [[noreturn]] void fail_derivative(double t, std::size_t n, std::size_t out) const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace polyform::library
