// The rows of a run: what is observed at their times, looked over and handed on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/solver_check.hpp"
#include "framework/host/integration/integration.hpp"
#include "framework/host/simulation/row_sink.hpp"
#include "framework/host/simulation/run_statistics.hpp"
#include "framework/host/watches/passing_time.hpp"
#include "polyform/contract/state_energies.hpp"

namespace polyform::host::inline simulation {

/// There is one for each run. What it tells is about all rows so far.
class RunRows {
 public:
  /// All arguments outlive the object.
  RunRows(const SystemView&, Solver&, std::span<RowSink* const> sinks);

  /// Makes a row at t from the solver's part of y. work: ∫ P dt since the start; correction: of the steps since the
  /// last row; evaluations: how many there were so far. Failure (simulation_failed) when the solver cannot observe or a
  /// number is none.
  void put(double t, std::span<const double> y, double work, const Correction& correction, std::size_t evaluations);
  /// At the end of a step in which nothing happened: looks at its energies, and shows it to the sinks that want steps.
  /// Showing costs less than an evaluation, so it is done once in many of them. states: how many of the integrator's
  /// numbers are the solver's; the next is the work.
  void show(Integration&, std::size_t states);
  /// At a touch: what changed the balance of energy there.
  void see_jump(const EnergyJump& jump) { statistics_.see_jump(jump); }
  /// Puts what the rows have shown into the record. store_balance() comes later, for it adds to the record's warnings.
  void store(RunRecord&) const;
  void store_balance(RunRecord&) const;
  std::span<RowSink* const> sinks() const { return sinks_; }
  const RowSums& sums() const { return statistics_.sums(); }
  /// In place of rows that another run of the same model has written, which began with the state y at t. Failure
  /// (simulation_failed) when the solver cannot observe.
  void begin_from(const RowSums& sums, double t, std::span<const double> y);

  /// Memory in which the solver may decode a state.
  StateView state() { return store_.now().state(); }
  /// What the check of joints warns of, or an empty text.
  std::string warning() const { return check_.warning_of_joints(); }
  /// Where code in the solver's place has given something else, or an empty text.
  std::string warning_of_code() const;
  std::string warning_of_energy() const { return statistics_.warning(); }
  /// Of an integrator that controls its errors.
  std::string warning_of_energy(const StepSettings& settings, std::size_t steps) const {
    return statistics_.warning(steps, settings.relative_tolerance, settings.absolute_tolerance);
  }
  std::string warning_of_jump(const StepSettings& settings) const {
    return statistics_.warning_of_jump(settings.relative_tolerance, settings.absolute_tolerance);
  }
  std::string warning_of_transient(double energy) const { return statistics_.warning_of_transient(energy); }
  std::string warning_of_distance() const { return statistics_.warning_of_distance(); }
  /// The energy to which the drift is relative, J.
  double moved() const { return statistics_.scale(); }
  bool explodes() const { return statistics_.explodes(); }

 private:
  void see_energies(double t, std::span<const double> y);

  const SystemView& view_;
  Solver& solver_;
  std::span<RowSink* const> sinks_;
  std::vector<RowSink*> watchers_;  ///< those that are shown steps
  std::size_t shown_ = 0;           ///< the number of evaluations when they were shown the last one
  ObservationStore store_;
  RunStatistics statistics_;
  bool counted_in_vain_ = false;  ///< the last row, which a sink or a look at its numbers refused
  PassingTime passing_;
  SolverCheck check_;
  StateEnergies* energies_;  ///< of the solver, or none
};

}  // namespace polyform::host::simulation
