#include "framework/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/integration/integrator.hpp"
#include "framework/simulation/balance_check.hpp"
#include "framework/simulation/not_finite.hpp"
#include "framework/simulation/observation_store.hpp"
#include "framework/simulation/run_statistics.hpp"

namespace polyform::host {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A solver as the integrators see it.
class SolverOde final : public Ode {
 public:
  SolverOde(Solver& solver, const SystemView& view) : solver_(solver), view_(view), store_(view) {}
  std::size_t size() const noexcept override { return solver_.state_size(); }
  bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    not_finite_.reset();
    return solver_.derivative(t, y, ydot) == Status::ok;
  }
  bool correct(double t, std::span<double> y) noexcept override {
    Correction correction;
    const bool corrected = solver_.correct(t, y, correction) == Status::ok;
    since_row_.add(correction);
    return corrected;
  }
  /// What was corrected since the last call.
  Correction take_corrections() noexcept { return std::exchange(since_row_, {}); }
  std::string_view failure() const noexcept override {
    return not_finite_ ? std::string_view(*not_finite_) : solver_.failure();
  }
  void find_not_finite(double t, std::span<const double> y) noexcept override {
    if (solver_.observe(t, y, store_.now()) != Status::ok) return;  // its own sentence says more
    not_finite_ = host::not_finite(view_, store_.now());
  }

 private:
  Solver& solver_;
  const SystemView& view_;
  ObservationStore store_;  ///< for find_not_finite
  Correction since_row_;
  std::optional<Message> not_finite_;
};

/// The times of the rows.
class RowTimes {
 public:
  explicit RowTimes(const RunSettings& s) : duration_(s.duration), interval_(s.output_interval) {
    // A last product that differs from the duration by rounding only is the end itself.
    products_ = static_cast<std::size_t>(std::ceil(duration_ / interval_ * (1 - 1e-15)));
  }
  bool done() const { return next_ > products_; }
  double next() const { return next_ < products_ ? static_cast<double>(next_) * interval_ : duration_; }
  void advance() { ++next_; }

 private:
  double duration_, interval_;
  std::size_t products_, next_ = 0;  ///< rows at products before the end
};

class Run {
 public:
  Run(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
      std::span<RowSink* const> sinks, const RunControl& control)
      : view_(view),
        start_(start),
        solver_(solver),
        settings_(settings),
        control_(control),
        sinks_(sinks),
        ode_(solver, view),
        integrator_(make_integrator(
            ode_, {settings.integrator, settings.step, settings.relative_tolerance, settings.absolute_tolerance})),
        store_(view),
        balance_(view),
        y_(solver.state_size()),
        times_(settings) {}

  RunRecord to_end() {
    const Clock::time_point start = Clock::now();
    RunRecord record;
    guard(record, [&] { record.end = go(); });
    const Statistics done = integrator_->statistics();
    record.time = integrator_->time();
    record.state_size = y_.size();
    record.steps = done.steps;
    record.rejected_steps = done.rejected;
    record.evaluations = done.evaluations;
    record.wall_seconds = seconds_since(start);
    if (evaluations_in_steps_ > 0)
      record.seconds_per_evaluation = stepping_ / static_cast<double>(evaluations_in_steps_);
    statistics_.store(record);
    balance_.store(record);
    for (RowSink* sink : sinks_) guard(record, [&] { sink->finish(record); });
    return record;
  }

 private:
  /// Does a part of the run; its first failure is the run's.
  template <class Part>
  static void guard(RunRecord& record, const Part& part) {
    try {
      part();
    } catch (const Failure& problem) {
      if (record.end == End::failed) return;
      record.end = End::failed;
      record.failure = problem.message();
      record.remedy = problem.remedy();
    }
  }

  End go() {
    if (solver_.encode(start_, y_) != Status::ok)
      throw Failure(Exit::simulation_failed,
                    fmt::format("the initial state cannot be taken over: {}", solver_.failure()));
    integrator_->start(0, y_);
    rows_until_now();
    while (!times_.done()) {
      if (control_.interrupted && *control_.interrupted) return End::interrupted;
      const Clock::time_point start = Clock::now();
      const std::size_t evaluations = integrator_->statistics().evaluations;
      const bool stepped = integrator_->step(settings_.duration);
      stepping_ += seconds_since(start);
      evaluations_in_steps_ += integrator_->statistics().evaluations - evaluations;
      if (!stepped) throw Failure(Exit::simulation_failed, std::string(integrator_->failure()));
      if (std::fegetround() != rounding_)
        throw Failure(Exit::simulation_failed,
                      fmt::format("a plugin has changed how numbers are rounded, by t = {:.6g} s", integrator_->time()),
                      "Report this to the author of the plugin: what it changes in the process it has to put back.");
      rows_until_now();
      if (control_.progress) control_.progress(integrator_->time());
    }
    return End::done;
  }

  /// The rows due within the last step. Between steps the state is interpolated and corrected like that of a step.
  void rows_until_now() {
    const double now = integrator_->time();
    const double rounding = 1e-12 * now;
    for (; !times_.done() && times_.next() <= now + rounding; times_.advance()) {
      const double t = times_.next();
      if (!integrator_->state_at(std::min(t, now), y_))
        throw Failure(Exit::simulation_failed, std::string(integrator_->failure()));
      if (t < now - rounding && !ode_.correct(t, y_)) fail_at(t);
      if (solver_.observe(t, y_, store_.now()) != Status::ok) fail_at(t);
      store_.now().correction = ode_.take_corrections();
      statistics_.row(t, store_.now());
      if (const auto trouble = not_finite(view_, store_.now()))
        throw Failure(Exit::simulation_failed, fmt::format("at t = {:.6g} s {}", t, std::string_view(*trouble)));
      if (is_balance_due()) balance_.check(t, store_.now());
      for (RowSink* sink : sinks_) sink->row(t, store_.now());
    }
  }

  /// A check costs about what two evaluations cost: rows that stand closer than a few steps are not all checked.
  bool is_balance_due() {
    const std::size_t evaluations = integrator_->statistics().evaluations;
    if (checked_ && evaluations < *checked_ + 100) return false;
    checked_ = evaluations;
    return true;
  }

  [[noreturn]] void fail_at(double t) const {
    throw Failure(Exit::simulation_failed, fmt::format("the solver failed at t = {:.6g} s: {}", t, solver_.failure()));
  }

  const SystemView& view_;
  const ConstStateView& start_;
  Solver& solver_;
  const RunSettings& settings_;
  const RunControl& control_;
  std::span<RowSink* const> sinks_;
  SolverOde ode_;
  std::unique_ptr<Integrator> integrator_;
  ObservationStore store_;
  RunStatistics statistics_;
  BalanceCheck balance_;
  std::optional<std::size_t> checked_;  ///< evaluations at the last check of the balance
  std::vector<double> y_;
  RowTimes times_;
  const int rounding_ = std::fegetround();
  double stepping_ = 0;                   ///< time spent in steps, s
  std::size_t evaluations_in_steps_ = 0;  ///< without those that interpolation makes between steps
};

}  // namespace

RunRecord simulate(const System& system, Solver& solver, const RunSettings& settings, std::span<RowSink* const> sinks,
                   const RunControl& control) {
  return simulate(system.view(), system.initial_state(), solver, settings, sinks, control);
}

RunRecord simulate(const SystemView& view, const ConstStateView& start, Solver& solver, const RunSettings& settings,
                   std::span<RowSink* const> sinks, const RunControl& control) {
  return Run(view, start, solver, settings, sinks, control).to_end();
}

}  // namespace polyform::host
