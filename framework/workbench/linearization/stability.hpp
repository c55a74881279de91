// Whether disturbances of a motion die out, stay or grow, judged only where the linear model allows it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "framework/host/integration/integration.hpp"
#include "framework/workbench/linearization/floquet.hpp"
#include "framework/workbench/linearization/multi_blade.hpp"

namespace polyform::host::inline linearization {

enum class Outlook { stable, neutral, unstable, none };
constexpr std::string_view name_of(Outlook v) {
  return v == Outlook::stable     ? "stable"
         : v == Outlook::neutral  ? "neutral"
         : v == Outlook::unstable ? "unstable"
                                  : "none";
}

/// What the modes of a linear model are those of.
enum class ModesOf {
  motion,  ///< A does not change along the motion
  instant  ///< A is frozen: its eigenvalues say nothing of stability
};

struct StabilityRequest {
  IntegratorChoice integrator;   ///< follows motions that run along no symmetry
  std::optional<double> period;  ///< s: of Floquet's multipliers, where the user knows it
  std::vector<Rotor> rotors;     ///< whose blades go into multi-blade coordinates
  /// The point is an equilibrium of the inputs of its time: ramps and tables may be held there.
  bool holds_inputs = false;
  FloquetProgress progress{};  ///< may be empty
};

struct Stability {
  Outlook verdict = Outlook::none;
  std::string text;  ///< the verdict in one sentence
  std::string why;   ///< what it rests on, or why there is none
  ModesOf modes_of = ModesOf::instant;
  Modes modes;                     ///< of A
  std::optional<Floquet> floquet;  ///< where A is periodic
};

/// Judges the motion through an operating point. A motion that runs along symmetries is judged by the matrix of
/// deviations that are carried along, which takes the place of A in the linearization; one whose A is periodic by
/// Floquet's multipliers; any other not at all. Rotors are put into multi-blade coordinates first.
Stability judge(const System&, const SolverMaker&, const OperatingPoint&, const StabilityRequest&, Linearization&);

}  // namespace polyform::host::linearization
