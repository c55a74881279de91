// The Dormand-Prince 5(4) method with step size control and dense output of order 4:
// E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., sections II.4 to II.6.
#include <fmt/format.h>

#include <algorithm>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>
#include <limits>

#include "framework/integration/evaluator.hpp"
#include "framework/integration/methods.hpp"

namespace polyform::host {

namespace {

/// Proportional-integral control of the step size (Hairer IV.2, with the constants of his code DOPRI5).
class StepControl {
 public:
  /// error: of the step of size h in units of the tolerance; the step is accepted when it is at most 1.
  double after_accepted(double h, double error) {
    double factor = safety * std::pow(std::max(error, 1e-20), -exponent) * std::pow(last_error_, beta);
    factor = std::clamp(factor, 0.1, rejected_ ? 1.0 : 5.0);
    last_error_ = std::max(error, 1e-4);
    rejected_ = false;
    return h * factor;
  }
  double after_rejected(double h, double error) {
    rejected_ = true;
    return h * std::max(0.2, safety * std::pow(error, -exponent));
  }
  /// The step could not be evaluated at all.
  double after_failed(double h) {
    rejected_ = true;
    return h / 2;
  }

 private:
  static constexpr double beta = 0.04, exponent = 0.2 - 0.75 * beta, safety = 0.9;
  double last_error_ = 1e-4;
  bool rejected_ = false;
};

class Dopri5 final : public Integrator {
 public:
  using State = Evaluator::State;

  Dopri5(Ode& ode, const IntegratorSettings& settings)
      : evaluator_(ode),
        settings_(settings),
        previous_(ode.size()),
        now_(previous_),
        next_(previous_),
        scratch_(previous_),
        first_stage_(previous_),
        last_stage_(previous_),
        controlled_(ode.size() - ode.integrals()),
        largest_(ode.integrals()) {
    stepper_.adjust_size(now_);
  }

  void start(double t, std::span<const double> y) override {
    std::copy(y.begin(), y.end(), now_.begin());
    time_ = previous_time_ = t;
    h_ = std::min(settings_.step, settings_.max_step);
    control_ = {};
    first_stage_is_ = Stage::unknown;
    steps_ = rejected_ = 0;
    evaluator_.reset_count();
  }

  void restart(double t, std::span<const double> y, double first_step) override {
    if (y.data() != now_.data()) std::copy(y.begin(), y.end(), now_.begin());
    time_ = previous_time_ = t;
    if (first_step > 0) h_ = std::min(first_step, settings_.max_step);
    control_ = {};
    first_stage_is_ = Stage::unknown;
  }

  bool step(double t_limit) override {
    if (!check_limit(t_limit)) return false;
    previous_time_ = time_;
    if (!prepare_first_stage()) return fail(evaluator_.failure());
    for (Rejection why = Rejection::none;;) {
      // No sliver of a step is left before the limit, unless this step would be longer than allowed.
      const bool last = time_ + (1.01 * h_ <= settings_.max_step ? 1.01 : 1.0) * h_ >= t_limit;
      const double h = last ? t_limit - time_ : h_;
      const double end = last ? t_limit : time_ + h;
      if (why != Rejection::none && h <= smallest_step())
        return fail(
            fmt::format("the step size became too small ({:.3g} s) at t = {:.9g} s: {}", h, time_, explain(why, end)));
      why = try_step(h, end);
      if (why == Rejection::none) {
        accept(end, last);
        return true;
      }
      ++rejected_;
    }
  }

  bool state_at(double t, std::span<double> y) override {
    if (!is_now(t)) {
      if (!check_within_step(t)) return false;
      // The stages describe the step before the correction of its end, and so does the polynomial.
      stepper_.calc_state(t, scratch_, previous_, first_stage_, previous_time_, now_, last_stage_, time_);
    }
    const State& source = is_now(t) ? now_ : scratch_;
    std::copy(source.begin(), source.end(), y.begin());
    return true;
  }

  std::span<const double> state() const override { return now_; }
  Statistics statistics() const override { return {steps_, rejected_, evaluator_.evaluations()}; }

 private:
  enum class Stage { unknown, last_of_step, known };
  enum class Rejection { none, derivative, growth, tolerance, correction };

  std::string explain(Rejection why, double end) const {
    if (why == Rejection::derivative) return evaluator_.failure();
    if (why == Rejection::correction) return evaluator_.correction_failure(end);
    return why == Rejection::growth ? "the state grows beyond all bounds" : "the error stays above the tolerance";
  }

  /// The derivative at the start of the step: the last stage of the step before, unless the correction moved the state.
  bool prepare_first_stage() {
    if (first_stage_is_ == Stage::last_of_step) first_stage_.swap(last_stage_);
    if (first_stage_is_ == Stage::unknown && !evaluator_.evaluate(time_, now_, first_stage_)) return false;
    first_stage_is_ = Stage::known;
    return true;
  }

  /// Steps that are lost in the rounding of the time. The settings' step gives the scale at t = 0.
  double smallest_step() const {
    return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time_), settings_.step);
  }

  /// Computes next_, corrected, and the size of the step to come; after a rejection, of the next trial.
  Rejection try_step(double h, double end) {
    stepper_.do_step(std::ref(evaluator_), now_, first_stage_, time_, next_, last_stage_, h, scratch_);
    if (evaluator_.take_failed()) return give_up(h, Rejection::derivative);
    const double error = error_norm(h);
    if (!std::isfinite(error)) return give_up(h, Rejection::growth);
    if (error > 1) {
      h_ = control_.after_rejected(h, error);
      return Rejection::tolerance;
    }
    std::copy(next_.begin(), next_.end(), scratch_.begin());
    if (!evaluator_.correct(end, next_)) return give_up(h, Rejection::correction);
    proposed_ = control_.after_accepted(h, error);
    return Rejection::none;
  }

  Rejection give_up(double h, Rejection why) {
    h_ = control_.after_failed(h);
    return why;
  }

  void accept(double end, bool shortened) {
    first_stage_is_ = next_ == scratch_ ? Stage::last_of_step : Stage::unknown;
    for (std::size_t i = controlled_; i < next_.size(); ++i)
      largest_[i - controlled_] = std::max(largest_[i - controlled_], std::abs(next_[i]));
    previous_.swap(now_);
    now_.swap(next_);
    time_ = end;
    // A step cut short by the limit says nothing against the step size found before.
    h_ = std::min(shortened ? std::max(h_, proposed_) : proposed_, settings_.max_step);
    ++steps_;
  }

  /// The largest error of any state in units of its tolerance, absolute + relative · |y|. Not a mean: in a system of
  /// many bodies the error of a single one must not drown in the others.
  double error_norm(double h) const {
    double largest = 0;
    bool finite = true;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const double tolerance =
          settings_.absolute_tolerance + settings_.relative_tolerance * std::max(std::abs(now_[i]), std::abs(next_[i]));
      const double error = std::abs(scratch_[i]) / tolerance;
      finite = finite && std::isfinite(next_[i]) && std::isfinite(error);
      largest = std::max(largest, error);
    }
    for (std::size_t i = controlled_; i < now_.size(); ++i) {
      const double size =
          std::max(largest_[i - controlled_], h * std::max(std::abs(first_stage_[i]), std::abs(last_stage_[i])));
      const double tolerance = settings_.absolute_tolerance + settings_.relative_tolerance * size;
      const double error = std::abs(scratch_[i]) / (integral_tolerance * tolerance);
      finite = finite && std::isfinite(next_[i]) && std::isfinite(error);
      largest = std::max(largest, error);
    }
    return finite ? largest : std::numeric_limits<double>::infinity();
  }

  Evaluator evaluator_;
  boost::numeric::odeint::runge_kutta_dopri5<State> stepper_;
  IntegratorSettings settings_;
  StepControl control_;
  double h_ = 0, proposed_ = 0;
  std::size_t steps_ = 0, rejected_ = 0;
  State previous_, now_, next_, scratch_;
  State first_stage_, last_stage_;  // of the last step; the stepper keeps those between
  Stage first_stage_is_ = Stage::unknown;
  std::size_t controlled_;       ///< states but integrals
  std::vector<double> largest_;  ///< that integrals have been, in absolute value
};

}  // namespace

std::unique_ptr<Integrator> make_dopri5(Ode& ode, const IntegratorSettings& settings) {
  return std::make_unique<Dopri5>(ode, settings);
}

}  // namespace polyform::host
