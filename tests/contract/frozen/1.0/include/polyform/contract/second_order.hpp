// Systems of second order: an interface that a solver offers to the host, and the host to an integrator, by name.
//
//   q̇ = N(q) v,   v̇ = a(t, q, v, x),   ẋ = f(t, q, v, x)
//
// An integrator that treats positions and velocities each in its own way (a symplectic or Störmer-type method, an
// implicit one of the Newmark family) asks FirstOrderSystem::query for it. y and ẏ stay as they are: the interface
// tells which numbers of y are q, v and x, and gives N(q) v without the cost of forces and accelerations.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// What a number of y is.
enum class StateKind : std::uint8_t {
  position,  ///< of q: its rate is given by the velocities, through N(q) or through the joints of a loop
  velocity,  ///< of v: its rate is an acceleration
  other      ///< of x: a state of first order, of a force or a module; an integral
};

class SecondOrderSystem {
 public:
  static constexpr std::string_view interface_name = "polyform.second_order.1";

  /// One for each number of y, always the same.
  virtual std::span<const StateKind> kinds() const noexcept = 0;
  /// q̇ = N(q) v at y, in the places that positions have in ydot, which is as long as y; the others are left alone. The
  /// rates are those of the derivative, except next to a singular position of a loop: there the derivative is that of
  /// the nearest closed state. failed: FirstOrderSystem::failure (of a solver: Solver::failure) says why.
  virtual Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept = 0;

 protected:
  ~SecondOrderSystem() = default;
};

}  // namespace polyform
