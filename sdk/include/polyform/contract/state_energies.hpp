// The energies of a system at a state, at the cost of its kinematics: an interface that a solver may offer to the host
// by name (Solver::query).
#pragma once

#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

class StateEnergies {
 public:
  static constexpr std::string_view interface_name = "polyform.state_energies.1";

  /// The energies that Solver::observe would give at y, a state of the solver at the time t, s; J. failed: as there.
  virtual Status energies(double t, std::span<const double> y, double& kinetic, double& potential) noexcept = 0;

 protected:
  ~StateEnergies() = default;
};

}  // namespace polyform
