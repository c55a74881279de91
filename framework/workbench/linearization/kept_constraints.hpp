// Linear models and equilibria belong to a system with all of its constraints: solvers that leave some out are refused.
#pragma once

#include <string>

#include "framework/host/assembly/acceleration_misfit.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/workbench/linearization/canonical_state.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline linearization {

/// Failure (bad_input) if observed accelerations leave a constraint. Then the mechanism is in a singular position, if
/// it has fewer degrees of freedom in states nearby; or else the solver was set up to leave the constraint out, or to
/// let it give way, if it tells so or tells no equations; or else it has lost its digits. Only the accelerations at the
/// evaluated states are checked, each by its own joints and elements (acceleration_misfit.hpp): a constraint that is
/// left out unnoticed is one that these accelerations meet all the same, to the tolerance. Rows that are taken as
/// dependent at the nominal state have to be met up to the part by which they are independent.
class KeptConstraints {
 public:
  /// view: that of the system, perhaps with varied fields; t: the time of the nominal state, s. System, view and solver
  /// outlive the object.
  KeptConstraints(const System&, const SystemView&, Solver&, double t, const ConstStateView& nominal);
  void require(double t, const Observation&, bool beside_nominal = false);

 private:
  const System& system_;
  Solver& solver_;
  double time_;
  CanonicalState nominal_;
  AccelerationMisfit misfit_;
  double kept_;
};

/// The same at the initial state, so that the message comes before anything that takes long.
void require_constraints(const System&, Solver&);

/// "The mechanism is in a singular position, in which it has 2 degrees of freedom, and 1 beside it", if it is so at a
/// state at the time t, s; "" otherwise.
std::string singular_position(const System&, double t, const ConstStateView&);

}  // namespace polyform::host::linearization
