// A problem with a known answer through several solvers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/workbench/comparison/heat.hpp"
#include "framework/workbench/verification/reference_sink.hpp"

namespace polyform::host::inline verification {

/// What became of one solver.
struct Verification : HeatEnd {
  std::string solver;
  ReferenceErrors errors;  ///< where it is done
  bool passed = false;     ///< done, every time of the reference compared, no error beyond its tolerance
};

/// Runs the contenders each in a process of its own. Failure (bad_input) when a time of the reference is no row of the
/// run, or it names what the system has not.
std::vector<Verification> verify(const System&, const Reference&, std::span<const Contender>, const RunSettings&,
                                 const HeatControl&);

}  // namespace polyform::host::verification
