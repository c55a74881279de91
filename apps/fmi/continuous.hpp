// Model exchange: the equation of a solver, which another program integrates.
#pragma once

#include "apps/fmi/instance.hpp"
#include "framework/host/evaluation/solver_check.hpp"
#include "framework/host/evaluation/solver_ode.hpp"
#include "framework/host/watches/element_events.hpp"
#include "framework/host/watches/knots.hpp"
#include "framework/workbench/linearization/canonical_state.hpp"

namespace polyform::fmi {

/// Model exchange: the importing tool integrates, and asks for rates and event indicators.
/// Its members are the parts of a run without its integrator.
class Continuous final : public Motion {
 public:
  explicit Continuous(const FmuModel&);

  std::size_t size() const { return y_.size(); }
  std::size_t events() const { return elements_.size(); }
  void set_time(double t);
  void set_states(std::span<const double> y);
  std::span<const double> states() const { return y_; }
  /// The canonical state at y and the present time; nothing if the solver cannot tell.
  std::optional<host::CanonicalState> canonical(std::span<const double> y);
  /// Failure (simulation_failed) where the solver fails, or where its accelerations do not meet the equations of
  /// motion, which is looked at now and then.
  std::span<const double> rates();
  /// Values of the event functions.
  std::span<const double> indicators();
  /// After a step of the other program: whether its states need a correction, which begin_events() then makes.
  bool needs_correction();
  /// Handles all events at the present time. Returns whether the states have changed.
  bool pass_events();
  /// Whether an element has ended the run in the last call of pass_events().
  bool has_ended() const { return !elements_.ended_by().empty(); }
  /// The next time at which something changes by the clock; infinity if there is none, s.
  double next_time() const { return knots_->next().time; }

  double time() const override { return time_; }
  std::span<const double> row() override;
  void inputs_changed() override { forget(); }
  void save(InstanceState&) override;
  void restore(const InstanceState&) override;

 private:
  void forget() { has_row_ = has_rates_ = has_indicators_ = false; }
  void keep_signs();
  bool pass_changed_signs(bool of_limits);
  void keep_changes();
  void note_limits();
  bool choose_limits();
  bool correct(std::span<double> y);
  void renew_knots();
  [[noreturn]] void fail(const char* what);

  const FmuModel& model_;
  host::SolverPointer solver_;
  host::SolverOde ode_;
  host::ElementEvents elements_;
  std::unique_ptr<host::Knots> knots_;
  host::RowMaker rows_;
  host::ObservationStore store_;
  host::SolverCheck check_;
  std::size_t evaluations_ = 0;
  double time_ = 0;
  std::vector<double> y_, rates_, indicators_, other_, row_;
  std::vector<std::int32_t> signs_, discrete_;  ///< of event functions after the last event; room for discrete states
  bool has_row_ = false, has_rates_ = false, has_indicators_ = false;
};

}  // namespace polyform::fmi
