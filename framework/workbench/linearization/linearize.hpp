// Linear models of any solver about a state: ẋ = A x + B u, y = C x + D u (Thompson 2011, Eqs 22 to 24).
//
// x, u, y are deviations from the motion at one instant: x of [independent positions; independent velocities;
// first-order states], constraints respected; time is frozen, so that what depends on it explicitly stays as it is
// then. Deviations of positions are measured from the moving nominal state, those of a ball as a small rotation in base
// axes: of Q̇ = ½ ω Q comes δ̇ = δω + ω × δ.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/host/results/channel.hpp"
#include "framework/workbench/linearization/canonical_state.hpp"
#include "framework/workbench/linearization/input_fields.hpp"
#include "framework/workbench/linearization/minimal_coordinates.hpp"

namespace polyform::host::inline linearization {

/// Compiles the chosen formulation with its options for a view of the same system.
using SolverMaker = std::function<SolverPointer(const SystemView&)>;

/// Where to linearize: a time and a state, and offsets of input fields from the model.
struct OperatingPoint {
  double time = 0;
  CanonicalState state;
  std::vector<InputField> trimmed;
  std::vector<double> offsets;  ///< one per trimmed field
  bool momentary = false;       ///< nothing accelerates at its time alone (lasting.hpp)
};

struct LinearRequest {
  std::vector<InputField> inputs;
  std::vector<std::string> outputs;  ///< patterns of channel names; none: the joints' coordinates
};

/// A linear model with all that is told of it: its matrices, the names and units of their rows and columns, and how far
/// they can be trusted.
struct Linearization {
  struct Matrix {
    Eigen::MatrixXd value, error;  ///< error: estimated, of each entry
  };
  std::vector<Channel> states, inputs, outputs;
  std::size_t positions = 0, velocities = 0;      ///< the first states
  std::vector<std::size_t> position_of_velocity;  ///< per velocity, the state that is its position
  std::vector<double> scales;                     ///< per state, a large deviation
  std::vector<double> acting;                     ///< per state, the size of what acts on its rate
  std::vector<std::string> dependent;             ///< coordinates that follow from the independent ones
  MinimalCoordinates choice;                      ///< which coordinates the states are
  CanonicalState nominal;                         ///< the state, closed to round-off
  Matrix A, B, C, D;                  ///< states × states, states × inputs, outputs × states, outputs × inputs
  std::vector<double> output_values;  ///< y at the point
  std::vector<double> values;         ///< of the states at the point; zero of small rotations
  std::vector<double> rates;          ///< ẋ at the point: of positions the velocities, then the accelerations
  double largest_acceleration = 0;    ///< of these, of velocities and first-order states
  double unbalanced = 0;              ///< the same, relative to the sizes of what acts (acting.hpp)
  /// A state by which A has two derivatives, one from above and another from below, or none: its name, by which part
  /// they differ, and whether differences grow as their steps shrink.
  struct KinkByState {
    std::string state;
    double part;
    bool grows;
  };
  std::vector<KinkByState> kinks;
  std::string warning;          ///< of accelerations at the point that lost digits; or empty
  std::size_t evaluations = 0;  ///< of the solver
};

/// Above this number of states the dense matrices are refused: A alone takes 32 MB, and what is done with it goes with
/// n³, up to minutes for 2000 states.
inline constexpr std::size_t most_states = 2000;

/// Failure (bad_input) for more states than that.
void refuse_too_many(std::size_t states);
/// The states that a linear model at the initial state has. A singular state may have others.
std::size_t count_linear_states(const System&);

/// Linearizes by extrapolated differences (differences.hpp) on exactly closed states. Failure (bad_input) for unknown
/// outputs, too many states, or a solver that leaves out constraints (kept_constraints.hpp), Failure
/// (simulation_failed) where the solver fails, its accelerations at the point do not meet the equations of motion, or
/// the constraints are singular.
Linearization linearize(const System&, const SolverMaker&, const OperatingPoint&, const LinearRequest&);

/// The same in coordinates that were chosen before, at another time or state of the same motion; kinks are not looked
/// for. Without a request A alone.
Linearization linearize_in(const MinimalCoordinates&, const System&, const SolverMaker&, const OperatingPoint&,
                           const LinearRequest& = {{}, {"none"}});

/// Channels that can be outputs, in the order of result columns.
std::vector<Channel> output_channels(const System&);

}  // namespace polyform::host::linearization
