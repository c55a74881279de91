// Accelerations and reactions at the initial state, without integration.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/balance_check.hpp"
#include "framework/host/evaluation/observation_store.hpp"

namespace polyform::host::inline simulation {

/// How well the observation of one state meets the equations of motion, and which of its forces are not unique.
struct Evaluation : BalanceReport {
  std::vector<std::string> open_contacts;  ///< rigid contacts and stops
  std::vector<std::string> warnings;       ///< what raises a doubt about them: a sentence each
};

/// Fills the store with the solver's observation of the initial state. Failure (simulation_failed) if the solver fails,
/// or if the accelerations have no digit left.
Evaluation evaluate(const System&, Solver&, ObservationStore&);

/// A sentence for a failure at the start, if the assembly chose rates: that the rates are no choice of the model.
/// Begins with a full stop; or empty.
std::string note_of_chosen_rates(const System&);
/// What a formula could not compute since the last clear_trouble(): ".\nA formula has no value: …"; "" if there was
/// none.
std::string note_of_formula();

}  // namespace polyform::host::simulation
