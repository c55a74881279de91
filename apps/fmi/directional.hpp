// Directional derivatives of an FMU for model exchange.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/workbench/linearization/differences.hpp"

namespace polyform::fmi {

class Continuous;

/// Differences at the present state of a motion, by the method of the linear models (differences.hpp): central ones,
/// from large steps on, extrapolated, each with an estimate of its error. How large a step is, is told by how far it
/// moves the joints, compared with the size of the system, and not by the units in which a formulation has its states.
class Directional {
 public:
  /// A direction in the space of states and inputs.
  struct Direction {
    std::vector<double> states;         ///< as many as the motion has
    std::vector<double> inputs, sizes;  ///< value, rate and acceleration of each; and a large change of each
    bool moves() const;
  };
  struct Result {
    host::Derivative derivative;
    double step = 0;             ///< a large one
    std::vector<double> middle;  ///< the function at the present state
  };
  /// Goes to an offset along the direction and evaluates there. Failures are those of the motion.
  using Function = std::function<void(double offset, std::span<double> out)>;

  /// Both outlive the object.
  Directional(Continuous& motion, const host::System& system) : motion_(motion), system_(system) {}

  /// size: of what the function gives. Failure of the function where it has no value at the present state, Failure
  /// (simulation_failed) where it has none at any offset.
  Result differentiate(const Direction&, std::size_t size, const Function&) const;

  /// Whether six digits of an entry are known, compared with its change and the function itself along a large step.
  static bool is_known(const Result&, std::size_t entry);

 private:
  double large_step(const Direction&) const;
  double state_step(std::span<const double> direction) const;

  Continuous& motion_;
  const host::System& system_;
};

}  // namespace polyform::fmi
