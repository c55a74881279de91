#include "framework/workbench/linearization/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "framework/diagnostics.hpp"
#include "framework/workbench/linearization/events_along.hpp"
#include "framework/workbench/linearization/functions_of_time.hpp"
#include "framework/workbench/linearization/known_digits.hpp"
#include "framework/workbench/linearization/periods.hpp"
#include "framework/workbench/linearization/slow_modes.hpp"
#include "framework/workbench/linearization/stability_drift.hpp"
#include "framework/workbench/linearization/stability_verdict.hpp"
#include "framework/workbench/linearization/steady_motion.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Relative changes of A after a period, or in multi-blade coordinates, that may be errors of differences and of the
/// integration along the period.
constexpr double same = 1e-6;

/// Tries one way to judge a motion after the other until one succeeds. Its data are its arguments and what each way
/// leaves to the next.
class Judge {
 public:
  Judge(const System& system, const SolverMaker& make, const OperatingPoint& point, const StabilityRequest& request,
        Linearization& linear)
      : system_(system),
        make_(make),
        point_(point),
        request_(request),
        linear_(linear),
        frozen_(linear),
        model_(system, make, point, frozen_) {}

  Stability go() {
    is_transformed_ = !request_.rotors.empty();
    if (is_transformed_) use_multi_blade_coordinates(system_, point_, request_.rotors, linear_);
    CanonicalState closed;
    const std::string sampled = sampled_signals(model_.view());
    if (!sampled.empty())
      out_.why = sampled;
    else if (const auto jump = std::ranges::find_if(linear_.kinks, [](const auto& k) { return k.grows; });
             jump != linear_.kinks.end())
      out_.why = fmt::format(
          "a law jumps at the point, or bends as sharply as a cube root or dry friction does: differences by {} grow as "
          "their steps shrink, so that A does not exist there",
          jump->state);
    else if (!linear_.kinks.empty())
      out_.why = fmt::format(
          "a law has a kink at the point, as a table has at its rows: by {} A has one value from above and another one "
          "from below, which differ by {:.2g} of their size",
          linear_.kinks.front().state, linear_.kinks.front().part);
    else if (model_.evaluate(model_.time(), model_.nominal(), closed, rates_))
      decide();
    else
      out_.why = model_.failure();
    out_.modes = is_transformed_ ? find_modes(linear_.A.value, linear_.A.error, linear_.scales)
                                 : find_modes_at(system_, make_, point_, linear_);
    if (out_.modes_of == ModesOf::motion) {
      const auto drifts = [this](const Mode& m) {
        return carried_rates_ && is_drift(model_, *fields_, *carried_rates_, m);
      };
      judge_modes(linear_, {drifts, [this] { return conserves_energy(); }}, out_);
    } else if (out_.floquet)
      judge_multipliers(out_);
    else
      out_.text = "no verdict: " + out_.why;
    return std::move(out_);
  }

 private:
  void decide() {
    if (model_.states() == 0) {
      out_.modes_of = ModesOf::motion;
      out_.why = "no coordinate is free";
      return;
    }
    fields_.emplace(model_.view(), model_.nominal(), rates_.xdot);
    if (request_.period) {
      try_period({*request_.period, "--floquet", {}, {}}, true);
      return;
    }
    if (decide_by_symmetry()) return;
    if (event_.empty() && decide_by_rotors()) return;
    decide_by_period();
  }

  /// Times at which A is compared, s after the point: those of functions of time (within the run only, if a turn alone
  /// counts), and those within a turn.
  std::vector<double> times_to_look(const std::vector<double>& rates, bool beyond_turn = true) {
    const double duration = system_.description().simulation.duration.value_or(10);
    const double turning = fields_->fastest_turn(rates), turn = turning > 0 ? 2 * std::numbers::pi / turning : duration;
    knot_ = model_.next_knot() - model_.time();
    std::vector<double> spans{turn};
    for (const PointModel::ClockTurn& clock : model_.clock_turns()) spans.push_back(clock.period);
    std::vector<double> times;
    for (const double span : spans)
      for (const double share : later_shares) times.push_back(share * std::min(span, knot_));
    const std::vector<double> of_functions = later_times(model_.view(), model_.time(), beyond_turn ? duration : 0);
    times.insert(times.end(), of_functions.begin(), of_functions.end());
    std::ranges::sort(times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
  }

  bool decide_by_symmetry() {
    // If no sum of fields makes the motion, no symmetry does.
    std::optional<SteadyMotion> along = find_steady_motion(model_, *fields_, nullptr);
    if (!along) return false;
    if (fields_->size() > 0) {
      const Symmetries symmetries = find_symmetries(model_, *fields_);
      along = find_steady_motion(model_, *fields_, &symmetries);
    }
    if (!along) return false;
    AlongMotion seen = look_along(model_, *fields_, along->rates, times_to_look(along->rates));
    bool held = false;
    if (!seen.constant && request_.holds_inputs && std::isfinite(knot_) &&
        may_hold_functions(model_.view(), model_.time(), system_.description().simulation.duration.value_or(10))) {
      seen = look_along(model_, *fields_, along->rates, times_to_look(along->rates), {.held = true});
      held = seen.constant;
    }
    if (!seen.constant) {
      if (seen.steady)
        changed_ = fmt::format("A changes by {:.2g} of its size within {:.4g} s", seen.change, seen.time);
      else if (fields_->size() == 0)
        changed_ = fmt::format(
            "the state is an equilibrium at t = {:.6g} s, and none any more {:.4g} s later, when a "
            "function of time changes what acts",
            model_.time(), seen.time);
      return false;
    }
    if (const double turning = fields_->fastest_turn(along->rates); turning > 0)
      if (meets_event(*carried_path(model_, *fields_, along->rates), 2 * std::numbers::pi / turning)) return false;
    if (!request_.rotors.empty()) {
      path_rates_ = along->rates;
      if (decide_by_rotors()) return true;
      linear_ = frozen_;  // constant without them
    }
    const Linearization::Matrix less = carried_part(model_, *fields_, along->rates);
    is_transformed_ = is_transformed_ || !less.value.isZero(0);
    linear_.A.value -= less.value;
    linear_.A.error += less.error + seen.change * frozen_.A.value.cwiseAbs();
    out_.modes_of = ModesOf::motion;
    carried_rates_ = along->rates;
    const std::string turning = fields_->describe(along->rates);
    out_.why = turning.empty() ? "A is constant along the motion" : "A is constant in axes that move along: " + turning;
    if (held)
      out_.why += fmt::format(", with functions of time held as they are at t = {:.6g} s", model_.time());
    else if (std::isfinite(knot_))
      out_.why += fmt::format("; functions of time change it from t = {:.6g} s on", model_.time() + knot_);
    return true;
  }

  /// Compares A in multi-blade coordinates, at other instants of a motion with constant rates.
  bool decide_by_rotors() {
    if (request_.rotors.empty() || !find_path_rates()) return false;
    double change = 0;
    for (const double time : times_to_look(*path_rates_, false)) {
      OperatingPoint there = point_;
      there.time += time;
      there.state = fields_->carry(model_.nominal(), *path_rates_, time);
      Linearization other = linearize_in(frozen_.choice, system_, make_, there);
      use_multi_blade_coordinates(system_, there, request_.rotors, other);
      const Eigen::Map<const VectorXd> s(linear_.scales.data(), linear_.A.value.rows());
      const auto scaled = [&](const MatrixXd& A) -> MatrixXd {
        return s.cwiseInverse().asDiagonal() * A * s.asDiagonal();
      };
      change = std::max(change, scaled(other.A.value - linear_.A.value).norm() / scaled(linear_.A.value).norm());
    }
    if (change > same) {
      changed_ = fmt::format("A changes by {:.2g} of its size within a turn, in multi-blade coordinates too", change);
      return false;
    }
    linear_.A.error += change * linear_.A.value.cwiseAbs();
    out_.modes_of = ModesOf::motion;
    out_.why = "A is constant along the motion in multi-blade coordinates";
    return true;
  }

  /// Whether the power of all that has no potential is zero, not only small, at states beside the point that no
  /// symmetry tells from others. Under nonholonomic constraints it may be, and eigenvalues do not lie in pairs all the
  /// same.
  bool conserves_energy() {
    if (linear_.velocities != linear_.positions) return false;
    constexpr double beside = 1e-3;  // of large deviations
    try {
      const std::unique_ptr<Probe> at = model_.probe(model_.time(), model_.nominal());
      std::vector<double> deviation(model_.states()), row(at->size());
      for (const double turn : {1.0, 2.0}) {
        for (std::size_t k = 0; k < deviation.size(); ++k)
          deviation[k] = beside * std::sin(turn + turn * static_cast<double>(k * k)) * model_.scales()[k];
        if (!at->evaluate(deviation, row) || at->observation().power != 0) return false;
      }
      return true;
    } catch (const Failure&) {
      return false;
    }
  }

  /// Finds a motion at constant rates, whether these are symmetries or not.
  bool find_path_rates() {
    if (path_rates_) return true;
    if (looked_for_rates_) return false;
    looked_for_rates_ = true;
    const auto motion = find_steady_motion(model_, *fields_, nullptr);
    if (motion && look_along(model_, *fields_, motion->rates, times_to_look(motion->rates)).steady)
      path_rates_ = motion->rates;
    return path_rates_.has_value();
  }

  PathMaker path_maker() {
    const bool carried = find_path_rates();
    return [this, carried](double tolerance) {
      return carried ? carried_path(model_, *fields_, *path_rates_)
                     : integrated_path(model_, request_.integrator, tolerance);
    };
  }

  /// Ends all judgement if the path meets an event, which a linear model cannot have.
  bool meets_event(MotionPath& path, double length) {
    const std::optional<EventAlong> event = first_event_along(model_, path, length);
    if (event)
      event_ = fmt::format("the event of {} happens along the motion, {:.4g} s on, which no linear model has",
                           event->name, event->time);
    return event.has_value();
  }

  void decide_by_period() {
    if (!event_.empty()) {
      out_.why = event_ + "; A is frozen at one instant";
      return;
    }
    if (rests_nowhere()) return;
    std::vector<Period> periods;
    try {
      periods = possible_periods(model_, path_maker(), rates_);
    } catch (const Failure& problem) {
      trouble_ = problem.message();
    }
    std::string tried;
    for (const Period& period : periods) {
      if (try_period(period, false)) return;
      tried += fmt::format("{}{:.6g} s ({})", tried.empty() ? "" : ", ", period.length, period.told_by);
    }
    out_.why = changed_.empty() ? "the motion is not steady" : changed_;
    out_.why += tried.empty() ? ", and no period of it is known" : ", and it does not repeat after " + tried;
    if (!trouble_.empty()) out_.why += "; " + trouble_;
    out_.why += "; A is frozen at one instant";
  }

  /// Whether the state is at rest and left at once: it has no motion to be judged.
  bool rests_nowhere() {
    if (fields_->size() > 0 || !model_.sine_periods().empty() || !model_.clock_turns().empty()) return false;
    double largest = 0;
    for (const double a : rates_.vdot) largest = std::max(largest, std::abs(a));
    out_.why = changed_.empty() ? fmt::format(
                                      "the state is no equilibrium (accelerations up to {:.3g}), and the motion "
                                      "that begins there is not known to be periodic; A is frozen at one instant",
                                      largest)
                                : changed_ + ", and no period of it is known; A is frozen at one instant";
    return true;
  }

  /// demanded: a mistake in the period ends the search.
  bool try_period(Period period, bool demanded) {
    if (model_.states() > most_floquet_states) {
      trouble_ = out_.why = fmt::format("Floquet's multipliers are found up to {} states", most_floquet_states);
      return false;
    }
    try {
      if (const double knot = first_knot_along(model_, period.length); knot < period.length) {
        trouble_ = fmt::format(
            "something jumps or bends by the clock {:.4g} s on, within the period of {:.6g} s, which "
            "no linear model has",
            knot, period.length);
        if (demanded) out_.why = trouble_ + "; A is frozen at one instant";
        return false;
      }
      const PathMaker path = path_maker();
      if (meets_event(*path(rough), period.length)) {
        trouble_ = event_;
        if (demanded) out_.why = event_ + "; A is frozen at one instant";
        return false;
      }
      double misfit = misfit_of_motion(model_, *path(rough), period.length);
      if (misfit < may_repeat) {
        refine(period, model_, path);
        misfit = misfit_of_period(model_, frozen_, path, period.length);
      }
      if (misfit > same) {
        if (demanded)
          out_.why = fmt::format(
              "the motion does not repeat after {:.8g} s: A and the rates differ by {:.1e} of their "
              "size; A is frozen at one instant",
              period.length, misfit);
        return false;
      }
      out_.floquet = find_multipliers(model_, frozen_, path, period.length, misfit, request_.progress);
      out_.floquet->told_by = period.told_by;
      out_.why = fmt::format("A is periodic in {:.8g} s ({}); Floquet's multipliers of a period decide", period.length,
                             period.told_by);
      return true;
    } catch (const Failure& problem) {
      trouble_ = problem.message();
      if (demanded) out_.why = trouble_;
      return false;
    }
  }

  const System& system_;
  const SolverMaker& make_;
  const OperatingPoint& point_;
  const StabilityRequest& request_;
  Linearization& linear_;
  const Linearization frozen_;
  PointModel model_;
  Accelerations rates_;
  std::optional<MotionFields> fields_;
  std::optional<std::vector<double>> path_rates_;
  std::optional<std::vector<double>> carried_rates_;  ///< of the axes in which A is constant
  bool looked_for_rates_ = false;
  bool is_transformed_ = false;  ///< A is not that of the solver's own states
  double knot_ = 0;
  std::string changed_, trouble_, event_;
  Stability out_;
};

}  // namespace

Stability judge(const System& system, const SolverMaker& make, const OperatingPoint& point,
                const StabilityRequest& request, Linearization& linear) {
  return Judge(system, make, point, request, linear).go();
}

}  // namespace polyform::host::linearization
