// A linear model of a motion and its stability, as the command and the library ask for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/session/operating_point.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/json_output.hpp"
#include "framework/workbench/linearization/body_states.hpp"
#include "framework/workbench/linearization/periodic_states.hpp"
#include "framework/workbench/linearization/stability.hpp"

namespace polyform::apps {

/// Instants of a period at which a linear model is made.
inline constexpr std::size_t most_instants = 1000;

struct LinearizeArguments {
  std::vector<std::string> inputs, outputs, rotors;  ///< a rotor: hub=blade,blade,blade
  std::optional<double> period;                      ///< s
  std::string states = "independent";                ///< or body
  std::string euler_angles = "zyx";
  std::size_t instants = 0;  ///< of a period, at which the model is asked for; none: at the point alone
  PointArguments point;
};

struct LinearModel {
  host::OperatingPoint point;
  host::Linearization linear;
  std::optional<host::StateSpace> body;          ///< where states of bodies are asked for
  std::optional<host::PeriodicStates> periodic;  ///< where instants of a period are asked for
  host::Stability stability;
  std::string where;  ///< as describe_point
};

/// control, near: as find_point. Failure as find_point and host::linearize, (bad_input) for rotors
/// that are no list of joints, and for instants of a period if none is known.
LinearModel linear_model(const host::Catalog&, const host::System&, const SolverChoice&, const LinearizeArguments&,
                         const host::RunControl* control, const host::FloquetProgress& progress,
                         const host::CanonicalState* near = nullptr);
Json linear_model_json(const host::System&, const SolverChoice&, const LinearizeArguments&, const LinearModel&);

}  // namespace polyform::apps
