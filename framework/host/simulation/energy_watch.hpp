// How far the energy balance of a run changes from one step to a later one: beside singular positions, and elsewhere.
#pragma once

#include <cstddef>
#include <span>

#include "framework/host/simulation/observation_store.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline simulation {

/// The balance E − ∫ P dt at ends of steps, one after the other. Integration changes it by about as much in a step
/// elsewhere as in one that passes a singular position; what the passages change it by beyond that is their own doing.
class EnergyWatch {
 public:
  /// At the end of a step.
  struct Place {
    double balance = 0;      ///< J
    std::size_t steps = 0;   ///< of the run so far
    bool beside = false;     ///< next to a singular position
  };

  EnergyWatch(const SystemView&, Solver&);

  /// states: the solver's, then the work ∫ P dt if the run counts it.
  void look(double t, std::span<const double> states, std::size_t steps);
  const Place& here() const { return here_; }
  /// Of the last look: whether it stands beside a singular position, or the way to it passed one.
  void tell(bool beside, bool passed);
  /// A singular position was passed since an earlier look.
  void pass(const Place& before);
  /// By how much the balance changed at all passages, J; 0 if their steps changed it no more than others did.
  double lost() const;

 private:
  Solver& solver_;
  ObservationStore store_;
  Place here_, last_;
  bool first_ = true;
  double elsewhere_ = 0;  ///< the largest change in a step elsewhere, J
  double lost_ = 0;       ///< J
  std::size_t steps_ = 0; ///< of all passages
};

}  // namespace polyform::host::simulation
