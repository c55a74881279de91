// Linear models and equilibria belong to a system with all of its constraints: solvers that leave some out are refused.
#pragma once

#include "framework/host/assembly/acceleration_misfit.hpp"
#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline linearization {

/// Failure (bad_input) if observed accelerations leave a constraint. Then the solver was set up to leave it out, or to
/// let it give way; or, if they keep it at the nominal state and leave it in states nearby, the mechanism is in a
/// singular position. Only the accelerations at the evaluated states are checked, each by its own joints and elements
/// (acceleration_misfit.hpp): a constraint that is left out unnoticed is one that these accelerations meet all the
/// same, to the tolerance. Rows that are taken as dependent at the nominal state have to be met up to the part by which
/// they are independent.
class KeptConstraints {
 public:
  /// t: the time of the nominal state, s.
  KeptConstraints(const SystemView&, double t, const ConstStateView& nominal);
  void require(double t, const Observation&, bool beside_nominal = false);

 private:
  AccelerationMisfit misfit_;
  double kept_;
};

/// The same at the initial state, so that the message comes before anything that takes long.
void require_constraints(const System&, Solver&);

}  // namespace polyform::host::linearization
