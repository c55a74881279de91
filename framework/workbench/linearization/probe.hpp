// A solver's answer at deviations from a nominal state.
#pragma once

#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/workbench/linearization/closed_states.hpp"
#include "framework/workbench/linearization/differences.hpp"
#include "framework/workbench/linearization/kept_constraints.hpp"
#include "framework/workbench/linearization/linearize.hpp"

namespace polyform::host::inline linearization {

/// Joints whose q̇ is not v: δ̇ = N(q₀)⁺ q̇ along a motion.
class ChartRates {
 public:
  ChartRates(const SystemView&, const CanonicalState& nominal);
  /// δ̇ of all n coordinates at a state, measured at the nominal position at rest.
  void evaluate(const CanonicalState&, std::span<double> out) const;
  /// What the motion of the nominal state takes from δ̇: entries (row, column, value) of a matrix on δ. For a ball this
  /// leaves ω × δ.
  struct Entry {
    std::size_t row, column;
    double value;
  };
  const std::vector<Entry>& transport() const { return transport_; }

 private:
  struct Curved {
    const JointData* joint;
    Eigen::MatrixXd inverse;  ///< N(q₀)⁺, nv × nq
  };
  void add_transport(const Curved&, const CanonicalState& nominal);

  const SystemView& view_;
  std::vector<Curved> curved_;
  std::vector<Entry> transport_;
};

/// Evaluates one row of numbers at a deviation: [δ̇ of the independent positions; v̇ of the independent velocities; ẋ;
/// δ of all coordinates; outputs]. Its members are the solver, the state and the places of the outputs, which one
/// evaluation after the other uses.
class Probe {
 public:
  /// system: for the names of outputs; view: of the system, perhaps with varied fields; outputs: channels of
  /// output_channels. All outlive the object.
  Probe(const System&, const SystemView&, double time, const MinimalCoordinates&, const CanonicalState& nominal,
        SolverPointer, const std::vector<std::size_t>& outputs);

  /// Numbers in a row, and where its parts begin.
  std::size_t size() const { return first_output() + outputs_.size(); }
  std::size_t first_delta() const { return choice_.positions() + choice_.velocities() + choice_.states(); }
  std::size_t first_output() const { return first_delta() + view_.nv_tree + view_.modes; }

  /// False after a failure of the solver or of the constraints. Failure (bad_input) if the solver leaves constraints
  /// out.
  bool evaluate(std::span<const double> deviation, std::span<double> out);
  /// The state of the last successful evaluation.
  const CanonicalState& state() const { return state_; }
  const Observation& observation() { return store_.now(); }
  /// Whether its accelerations meet the equations of motion, as a run checks it: a warning, or an empty text. Failure
  /// (simulation_failed) when no digit is left.
  std::string check();
  const ChartRates& chart() const { return chart_; }
  /// Gives the solver away; nothing can be evaluated any more.
  SolverPointer release() { return std::move(solver_); }
  /// Why the last evaluation failed.
  const std::string& failure() const { return failure_; }
  std::size_t evaluations() const { return evaluations_; }

 private:
  void follow_signs(Observation&);
  void require_constraints(std::span<const double> deviation, const Observation&);

  const SystemView& view_;
  double time_;
  const MinimalCoordinates& choice_;
  ClosedStates closed_;
  ChartRates chart_;
  SolverPointer solver_;
  KeptConstraints kept_;
  const std::vector<std::size_t>& outputs_;
  ObservationStore store_;
  RowMaker rows_;
  CanonicalState state_;
  std::vector<double> y_, chart_rates_;
  std::vector<Quat> signs_;  ///< orientations of the bodies at the first evaluation
  bool has_closing_rows_;
  std::string failure_;
  std::size_t evaluations_ = 0;
};

/// Columns of the channels that can be outputs.
inline const Columns output_columns{.constraints = false, .reactions = true};

}  // namespace polyform::host::linearization
