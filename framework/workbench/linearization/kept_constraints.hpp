// Linear models and equilibria are of a system with all of its constraints: solvers that leave some out are refused.
#pragma once

#include "framework/host/assembly/acceleration_misfit.hpp"
#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline linearization {

/// Failure (bad_input) if observed accelerations leave a constraint: the solver was set up to leave it out, or to
/// let it give way; or, where they keep it at the nominal state and leave it beside that, the mechanism is in a
/// singular position. Only the accelerations at the evaluated states are looked at, each against its own joints and
/// elements (acceleration_misfit.hpp): a constraint that is left out unnoticed is one that these accelerations meet all
/// the same, to the tolerance. Rows that are taken as dependent at the nominal state are kept to what they are
/// independent by.
class KeptConstraints {
 public:
  KeptConstraints(const SystemView&, const ConstStateView& nominal);
  void require(double t, const Observation&, bool beside_nominal = false);

 private:
  AccelerationMisfit misfit_;
  double kept_;
};

/// The same at the initial state, so that it is said before anything that takes long.
void require_constraints(const System&, Solver&);

}  // namespace polyform::host::linearization
