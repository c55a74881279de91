// Adaptive explicit Runge-Kutta methods: trial, error, correction, dense output. What differs is the Method.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/helpers/step_by_step.hpp"
#include "stages.hpp"
#include "step_control.hpp"

namespace polyform::runge_kutta {

/// One step, as a Method sees it. The rates are the derivatives at its ends.
struct Step {
  double t, h;
  const State &start, &start_rate;
};

/// Method:
///   static constexpr StepRule rule;
///   static constexpr bool gives_end_rate;   whether `step` computes the derivative at the end
///   Method(std::size_t states)
///   void step(Stages&, const Step&, State& end, State& end_rate)
///   double error(const State& tolerances, std::size_t count) const    of the last step, in units of the tolerances
///   Status interpolate(FirstOrderSystem&, const Step&, const State& end, const State& end_rate, bool first, double t,
///                      std::span<double> y)        first: of this step
template <class Method>
class Embedded final : public StepByStep {
 public:
  Embedded(FirstOrderSystem& system, const StepSettings& settings)
      : system_(system),
        stages_(system),
        settings_(settings),
        method_(system.size()),
        control_(Method::rule),
        previous_(system.size()),
        now_(previous_),
        next_(previous_),
        end_(previous_),
        tolerances_(previous_),
        start_rate_(previous_),
        end_rate_(previous_),
        controlled_(system.size() - system.integrals()),
        largest_(system.integrals()) {}
  void destroy() noexcept override { delete this; }

  Status start(double t, std::span<const double> y) noexcept override {
    h_ = std::min(settings_.step, settings_.max_step);
    rejected_ = 0;
    std::ranges::fill(largest_, 0.0);
    return restart(t, y, 0);
  }

  Status restart(double t, std::span<const double> y, double first_step) noexcept override {
    if (y.data() != now_.data()) std::copy(y.begin(), y.end(), now_.begin());
    begin_at(t);
    if (first_step > 0) h_ = std::min(first_step, settings_.max_step);
    control_.reset();
    start_rate_is_ = Rate::unknown;
    return Status::ok;
  }

  Status step(double t_limit) noexcept override {
    previous_time_ = time_;
    if (!find_start_rate()) return fail(system_.failure());
    for (Rejection why = Rejection::none;;) {
      // No sliver of a step is left before the limit, unless this step would be longer than allowed.
      const bool last = time_ + (1.01 * h_ <= settings_.max_step ? 1.01 : 1.0) * h_ >= t_limit;
      const double h = last ? t_limit - time_ : h_;
      const double end = last ? t_limit : time_ + h;
      if (why != Rejection::none && h <= smallest_step())
        return fail(Message("the step size became too small ({:.3g} s) at t = {:.9g} s: {}", h, time_, explain(why)));
      why = try_step(h, end);
      if (why == Rejection::none) {
        accept(end, last);
        return Status::ok;
      }
      ++rejected_;
    }
  }

  /// The stages describe the step before the correction of its end, and so does the polynomial.
  Status state_at(double t, std::span<double> y) noexcept override {
    if (!end_rate_known_ && !find_end_rate()) return fail(system_.failure());
    const Step step{previous_time_, time_ - previous_time_, previous_, start_rate_};
    const bool first = !interpolated_;
    interpolated_ = true;
    return method_.interpolate(system_, step, end_, end_rate_, first, t, y) == Status::ok ? Status::ok
                                                                                        : fail(system_.failure());
  }

  std::span<const double> state() const noexcept override { return now_; }

 private:
  enum class Rate { unknown, at_end_of_step, known };
  enum class Rejection { none, derivative, growth, tolerance, correction };

  std::string_view explain(Rejection why) const {
    if (why == Rejection::derivative || why == Rejection::correction) return system_.failure();
    return why == Rejection::growth ? "the state grows beyond all bounds" : "the error stays above the tolerance";
  }

  /// At the end of the last step, before its correction.
  bool find_end_rate() {
    end_rate_known_ = system_.derivative(time_, end_, end_rate_) == Status::ok;
    return end_rate_known_;
  }

  /// At the start of the step: that of the end of the step before, unless the correction moved the state.
  bool find_start_rate() {
    if (start_rate_is_ == Rate::at_end_of_step) {
      if (!end_rate_known_ && !find_end_rate()) return false;
      start_rate_.swap(end_rate_);
    }
    if (start_rate_is_ == Rate::unknown && system_.derivative(time_, now_, start_rate_) != Status::ok) return false;
    start_rate_is_ = Rate::known;
    return true;
  }

  /// Steps that are lost in the rounding of the time. The settings' step gives the scale at t = 0.
  double smallest_step() const {
    return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time_), settings_.step);
  }

  /// Computes next_, corrected, and the size of the step to come; after a rejection, of the next trial.
  Rejection try_step(double h, double end) {
    method_.step(stages_, {time_, h, now_, start_rate_}, next_, end_rate_);
    if (stages_.take_failed()) return give_up(h, Rejection::derivative);
    const double error = error_norm(h);
    if (!std::isfinite(error)) return give_up(h, Rejection::growth);
    if (error > 1) {
      h_ = control_.after_rejected(h, error);
      return Rejection::tolerance;
    }
    std::ranges::copy(next_, end_.begin());
    if (system_.correct(end, next_) != Status::ok) return give_up(h, Rejection::correction);
    proposed_ = control_.after_accepted(h, error);
    return Rejection::none;
  }

  Rejection give_up(double h, Rejection why) {
    h_ = control_.after_failed(h);
    return why;
  }

  void accept(double end, bool shortened) {
    start_rate_is_ = next_ == end_ ? Rate::at_end_of_step : Rate::unknown;
    end_rate_known_ = Method::gives_end_rate;
    interpolated_ = false;
    for (std::size_t i = controlled_; i < next_.size(); ++i)
      largest_[i - controlled_] = std::max(largest_[i - controlled_], std::abs(next_[i]));
    previous_.swap(now_);
    now_.swap(next_);
    time_ = end;
    // A step cut short by the limit says nothing against the step size found before.
    h_ = std::min(shortened ? std::max(h_, proposed_) : proposed_, settings_.max_step);
  }

  /// The largest error of any state in units of its tolerance, absolute + relative · |y|. Not a mean: in a system of
  /// many bodies the error of a single one must not drown in the others.
  double error_norm(double h) {
    bool finite = true;
    for (std::size_t i = 0; i < controlled_; ++i) {
      const double size = std::max(std::abs(now_[i]), std::abs(next_[i]));
      tolerances_[i] = settings_.absolute_tolerance + settings_.relative_tolerance * size;
      finite = finite && std::isfinite(next_[i]);
    }
    for (std::size_t i = controlled_; i < now_.size(); ++i) {
      double size = std::max(largest_[i - controlled_], h * std::abs(start_rate_[i]));
      if (Method::gives_end_rate) size = std::max(size, h * std::abs(end_rate_[i]));
      tolerances_[i] = integral_tolerance * (settings_.absolute_tolerance + settings_.relative_tolerance * size);
      finite = finite && std::isfinite(next_[i]);
    }
    const double error = method_.error(tolerances_);
    return finite && std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
  }

  FirstOrderSystem& system_;
  Stages stages_;
  StepSettings settings_;
  Method method_;
  StepControl control_;
  double h_ = 0, proposed_ = 0;
  State previous_, now_, next_;
  State end_;  ///< of the last step, before its correction
  State tolerances_;
  State start_rate_, end_rate_;  ///< of the last step
  Rate start_rate_is_ = Rate::unknown;
  bool end_rate_known_ = false, interpolated_ = false;
  std::size_t controlled_;  ///< states but integrals
  State largest_;           ///< that integrals have been, in absolute value
};

/// The type of an embedded method.
template <class Method>
class EmbeddedType final : public IntegratorType {
 public:
  std::string_view name() const noexcept override { return Method::name; }
  std::string_view meaning() const noexcept override { return Method::meaning; }
  std::string_view source() const noexcept override { return Method::source; }
  Strided<const FieldSpec> fields() const noexcept override { return {}; }
  int order() const noexcept override { return Method::order; }
  bool fixed_step() const noexcept override { return false; }
  int preference() const noexcept override { return Method::preference; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue>,
                     DiagnosticSink&) const noexcept override {
    return make_batch<Embedded<Method>>(system, settings);
  }
};

}  // namespace polyform::runge_kutta
