// How far the energy balance of a run changes from one step to a later one: beside singular positions, and elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "framework/host/evaluation/observation_store.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline watches {

/// A change of the balance while no time passes.
struct EnergyJump {
  double time = 0, change = 0;  ///< s, J
};

/// The balance E − ∫ P dt at ends of steps, one look after the other. Integration and rounding change it by about as
/// much from look to look elsewhere as across a singular position; what passages change it by beyond that is their own
/// doing.
class EnergyWatch {
 public:
  /// View and solver outlive the object. tolerance: relative, of the integrator's steps; 0 where it controls no errors.
  EnergyWatch(const SystemView&, Solver&, double tolerance);

  /// states: the solver's, then the work ∫ P dt if the run counts it.
  void look(double t, std::span<const double> states);
  /// The balance at the last look, J.
  double balance() const { return balance_; }
  /// Of the last look: whether it stands beside a singular position, or the way to it passed one.
  void tell(bool beside);
  /// A singular position was passed since a look at which the balance was `before`, J.
  void pass(double before);
  /// By how much the balance changed at all passages, J; 0 if it changed no more than elsewhere, or than the tolerance
  /// lets a few steps change it. moved: the energy that takes part in the motion, J.
  double lost(double moved) const;

 private:
  const SystemView& view_;
  Solver& solver_;
  double tolerance_;
  std::optional<ObservationStore> store_;  ///< made by the first look
  double balance_ = 0, last_ = 0;          ///< J, now and at the look before
  bool first_ = true, beside_ = false;
  double elsewhere_ = 0;  ///< the largest change from a look to the next one elsewhere, J
  double lost_ = 0;       ///< J
  std::size_t passages_ = 0;
};

}  // namespace polyform::host::watches
