#include "framework/workbench/devices/followed_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/host/evaluation/solver_ode.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/simulation/row_times.hpp"
#include "framework/host/simulation/run_rows.hpp"
#include "framework/host/simulation/run_tolerances.hpp"
#include "framework/host/watches/step_check.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline devices {

namespace {

/// Repeats the steps that begin at some of the rows. How far states move is told by all rows.
class StepsFromRows {
 public:
  StepsFromRows(const System& system, Solver& solver, const RunSettings& settings, const StepSettings& steps,
                std::size_t rows)
      : ode_(solver, system.view()),
        step_(std::min(steps.step, steps.max_step)),
        duration_(settings.duration),
        every_(std::max<std::size_t>(1, rows / looks)),
        integration_(ode_, settings.integrator, steps),
        check_(ode_, settings.integrator, steps, duration_ / step_) {}

  void look(std::size_t row, double t, std::span<const double> y) {
    check_.see(y);
    if (row % every_ != 0 || !(t < duration_)) return;
    integration_.start(t, y);
    if (integration_.step(duration_)) check_.look(integration_, static_cast<std::size_t>(std::floor(t / step_)) + 1);
  }
  std::optional<std::string> warning() const {
    return check_.warning(static_cast<std::size_t>(std::ceil(duration_ / step_)));
  }

 private:
  static constexpr std::size_t looks = 8;
  SolverOde ode_;
  double step_, duration_;
  std::size_t every_;
  Integration integration_;
  StepCheck check_;
};

/// Part of the largest reach of a body by which loops may stand open in a row: every correction goes on until only
/// rounding is left, which is less by far.
constexpr double open_loop = 1e-10;

std::string warning_of_loops(const SystemView& view, double violation) {
  const double reach = SystemScales(view).largest_reach();
  if (view.cut_joints().empty() || violation <= open_loop * reach) return {};
  return fmt::format(
      "loops stand open by up to {:.3g} (m or rad) in the rows of the device, more than {:g} of the largest reach of a "
      "body, {:.3g} m",
      violation, open_loop, reach);
}

}  // namespace

std::vector<double> row_times(const RunSettings& settings) {
  std::vector<double> times;
  RowTimes rows(settings);
  for (rows.advance(); !rows.done(); rows.advance()) times.push_back(rows.next());
  return times;
}

std::size_t integrals_of(const System& system) { return may_do_work(system.view()) ? 1 : 0; }

void begin_world(const System& system, Solver& solver, std::span<double> start) {
  encode_start(system.start_time(), solver, system.initial_state(), start.first(solver.state_size()));
  SolverOde ode(solver, system.view());
  ode.integral_sizes()->least_sizes(system.start_time(), start, start.subspan(solver.state_size()));
}

bool doubts_steps(const System& system, Solver& solver, const RunSettings& settings, std::span<const double> times,
                  std::span<const double> states) {
  if (!settings.integrator.fixed_step()) return false;
  try {
    const ConstStateView start = system.initial_state();
    const RunTolerances tolerances(system.view(), start, solver, settings);
    StepsFromRows steps(system, solver, settings, tolerances.step_settings(), times.size());
    const std::size_t own = solver.state_size();
    std::vector<double> y(own + integrals_of(system));
    encode_start(system.start_time(), solver, start, std::span(y).first(own));
    steps.look(0, 0, y);
    for (std::size_t r = 0; r < times.size(); ++r) steps.look(r + 1, times[r], states.subspan(r * y.size(), y.size()));
    return steps.warning().has_value();
  } catch (const Failure&) {
    return true;
  }
}

RunRecord follow(const System& system, Solver& solver, const RunSettings& settings, std::span<RowSink* const> sinks,
                 std::span<const double> times, std::span<const double> states) {
  RunRecord record;
  try {
    const SystemView& view = system.view();
    const ConstStateView start = system.initial_state();
    const RunTolerances tolerances(view, start, solver, settings);
    RunRows rows(view, solver, sinks);
    const std::size_t own = solver.state_size();
    std::vector<double> y(own + integrals_of(system));
    encode_start(system.start_time(), solver, start, std::span(y).first(own));
    const double usual_step = std::min(settings.step, settings.max_step);
    const auto put = [&](double t) {
      // So many evaluations there were at least: by their number the rows to check are chosen.
      rows.put(t, std::span(y).first(own), own < y.size() ? y[own] : 0, {}, static_cast<std::size_t>(t / usual_step));
    };
    put(0);
    for (std::size_t r = 0; r < times.size(); ++r) {
      std::ranges::copy(states.subspan(r * y.size(), y.size()), y.begin());
      put(times[r]);
    }
    record.time = settings.duration;
    record.state_size = own;
    record.kernels = kernels_of(solver);
    rows.store(record);
    std::ranges::copy(tolerances.warnings(), std::back_inserter(record.warnings));
    if (std::string text = warning_of_loops(view, record.constraint_violation); !text.empty())
      record.warnings.push_back(std::move(text));
    if (std::string text = rows.warning(); !text.empty()) record.warnings.push_back(std::move(text));
    if (std::string text = rows.warning_of_energy(); record.warnings.empty() && !text.empty())
      record.warnings.push_back(std::move(text));
    rows.store_balance(record);
    for (RowSink* sink : sinks) sink->finish(record);
  } catch (const Failure& failure) {
    record.end = End::failed;
    record.failure = failure.message();
    record.remedy = failure.remedy();
  }
  return record;
}

}  // namespace polyform::host::inline devices
