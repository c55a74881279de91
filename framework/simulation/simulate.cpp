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
#include "framework/simulation/not_finite.hpp"
#include "framework/simulation/observation_store.hpp"
#include "framework/simulation/run_statistics.hpp"
#include "polyform/power_source.hpp"

namespace polyform::host {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Whether anything in the system could do work without a potential.
bool may_do_work(const SystemView& view) {
  return !view.forces.empty() || !view.constraints.empty() || !view.modules.empty() || !view.flexible.empty();
}

/// A solver as the integrators see it. Where something may do work, that work is a further state, the last one.
class SolverOde final : public Ode {
 public:
  SolverOde(Solver& solver, const SystemView& view)
      : solver_(solver),
        view_(view),
        states_(solver.state_size()),
        integrals_(may_do_work(view) ? 1 : 0),
        power_(static_cast<PowerSource*>(solver.query(PowerSource::query_name))),
        store_(view) {}
  std::size_t size() const noexcept override { return states_ + integrals_; }
  std::size_t integrals() const noexcept override { return integrals_; }
  bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    not_finite_.reset();
    if (solver_.derivative(t, y.first(states_), ydot.first(states_)) != Status::ok) return false;
    return integrals_ == 0 || find_power(t, y, ydot[states_]);
  }
  bool correct(double t, std::span<double> y) noexcept override {
    Correction correction;
    const bool corrected = solver_.correct(t, y.first(states_), correction) == Status::ok;
    since_row_.add(correction);
    return corrected;
  }
  /// What was corrected since the last call.
  Correction take_corrections() noexcept { return std::exchange(since_row_, {}); }
  std::string_view failure() const noexcept override {
    return not_finite_ ? std::string_view(*not_finite_) : solver_.failure();
  }
  void find_not_finite(double t, std::span<const double> y) noexcept override {
    if (solver_.observe(t, y.first(states_), store_.now()) != Status::ok) return;  // its own sentence says more
    not_finite_ = host::not_finite(view_, store_.now());
  }

 private:
  /// At the derivative just found.
  bool find_power(double t, std::span<const double> y, double& power) noexcept {
    if (power_ == nullptr && solver_.observe(t, y.first(states_), store_.now()) != Status::ok) return false;
    power = power_ != nullptr ? power_->power() : store_.now().power;
    return true;
  }

  Solver& solver_;
  const SystemView& view_;
  std::size_t states_, integrals_;  ///< of the solver, and after them
  PowerSource* power_;              ///< or none: the power is observed
  ObservationStore store_;          ///< for that, and for find_not_finite
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
        statistics_(view),
        states_(solver.state_size()),
        y_(ode_.size()),
        times_(settings) {}

  RunRecord to_end() {
    const Clock::time_point start = Clock::now();
    RunRecord record;
    guard(record, [&] { record.end = go(); });
    const Statistics done = integrator_->statistics();
    record.time = integrator_->time();
    record.state_size = states_;
    record.steps = done.steps;
    record.rejected_steps = done.rejected;
    record.evaluations = done.evaluations;
    record.wall_seconds = seconds_since(start);
    if (evaluations_in_steps_ > 0)
      record.seconds_per_evaluation = stepping_ / static_cast<double>(evaluations_in_steps_);
    statistics_.store(record);
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
    if (solver_.encode(start_, std::span(y_).first(states_)) != Status::ok)
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
      if (solver_.observe(t, std::span(y_).first(states_), store_.now()) != Status::ok) fail_at(t);
      store_.now().correction = ode_.take_corrections();
      const double work = y_.size() > states_ ? y_.back() : 0;
      statistics_.row(t, store_.now(), work);
      if (const auto trouble = not_finite(view_, store_.now()))
        throw Failure(Exit::simulation_failed, fmt::format("at t = {:.6g} s {}", t, std::string_view(*trouble)));
      for (RowSink* sink : sinks_) {
        sink->work(work);
        sink->row(t, store_.now());
      }
    }
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
  std::size_t states_;
  std::vector<double> y_;  ///< the states, and the work where any may be done
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
