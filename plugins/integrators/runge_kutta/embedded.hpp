// Adaptive explicit Runge-Kutta methods: trial, error, correction, dense output. The Method has what differs among
// them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "error_norm.hpp"
#include "polyform/contract/batch_integration.hpp"
#include "polyform/contract/corrected_quaternions.hpp"
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
///   static const BatchIntegration* in_lanes()   the same for many worlds together, or nullptr
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
        quaternions_(ask<CorrectedQuaternions>(system)),
        stages_(system),
        settings_(settings),
        method_(system.size()),
        control_(Method::rule),
        norm_(system, settings),
        now_(system.size()),
        next_(now_),
        last_{now_, now_, now_, now_} {}
  void destroy() noexcept override { delete this; }

  Status start(double t, std::span<const double> y) noexcept override {
    h_ = std::min(settings_.step, settings_.max_step);
    rejected_ = 0;
    norm_.begin(t, y);
    return restart(t, y, 0);
  }

  Status restart(double t, std::span<const double> y, double first_step) noexcept override {
    if (y.data() != now_.data()) std::copy(y.begin(), y.end(), now_.begin());
    begin_at(t);
    norm_.accept(now_);
    if (first_step > 0) h_ = std::min(first_step, settings_.max_step);
    control_.reset();
    last_.start_rate_is = Rate::unknown;
    return Status::ok;
  }

  Status step(double t_limit) noexcept override {
    previous_time_ = time_;
    if (!find_start_rate()) return fail(system_.failure());
    for (Rejection why = Rejection::none;;) {
      // No tiny part of a step is left before the limit, unless this step would be longer than allowed.
      const bool last = time_ + (1.01 * h_ <= settings_.max_step ? 1.01 : 1.0) * h_ >= t_limit;
      const double h = last ? t_limit - time_ : h_;
      const double end = last ? t_limit : time_ + h;
      if (why != Rejection::none && h <= smallest_step())
        return fail(Message("the step size became too small ({:.3g} s) at t = {:.9g} s: {}", h, time_, explain(why)),
                    is_of_system(why) ? StepFailure::stalled_by_system : StepFailure::stalled);
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
    if (!last_.end_rate_known && !find_end_rate()) return fail(system_.failure());
    const Step step{previous_time_, time_ - previous_time_, last_.start, last_.start_rate};
    const bool first = !last_.interpolated;
    last_.interpolated = true;
    const Status status = method_.interpolate(system_, step, last_.end, last_.end_rate, first, t, y);
    return status == Status::ok ? Status::ok : fail(system_.failure());
  }

  std::span<const double> state() const noexcept override { return now_; }

 private:
  enum class Rate { unknown, at_end_of_step, before_correction, known };
  /// What is known of the last step.
  struct Last {
    State start, end;            ///< end: before its correction
    State start_rate, end_rate;  ///< of a trial, while there is one
    Rate start_rate_is = Rate::unknown;
    bool end_rate_known = false, interpolated = false;
  };
  enum class Rejection { none, derivative, growth, tolerance, correction };

  static bool is_of_system(Rejection why) { return why == Rejection::derivative || why == Rejection::correction; }
  std::string_view explain(Rejection why) const {
    if (is_of_system(why)) return system_.failure();
    return why == Rejection::growth ? "the state grows beyond all bounds" : "the error stays above the tolerance";
  }

  /// Finds the rate at the end of the last step, before its correction.
  bool find_end_rate() {
    last_.end_rate_known = system_.derivative(time_, last_.end, last_.end_rate) == Status::ok;
    return last_.end_rate_known;
  }

  /// Makes the rate at the end of the last step that of the corrected state.
  bool follow_correction() {
    for (const std::size_t q : quaternions_->places()) {
      double product = 0, square = 0;
      for (std::size_t i = q; i < q + 4; ++i) {
        product += now_[i] * last_.end[i];
        square += last_.end[i] * last_.end[i];
      }
      const double factor = product / square;
      if (!std::isfinite(factor)) return false;
      for (std::size_t i = q; i < q + 4; ++i) last_.end_rate[i] *= factor;
    }
    return true;
  }

  /// Finds the rate at the start of the step: that at the end of the last step, unless the correction has moved the
  /// state by more than lengths of quaternions.
  bool find_start_rate() {
    if (last_.start_rate_is == Rate::before_correction)
      last_.start_rate_is = last_.end_rate_known && follow_correction() ? Rate::at_end_of_step : Rate::unknown;
    if (last_.start_rate_is == Rate::at_end_of_step) {
      if (!last_.end_rate_known && !find_end_rate()) return false;
      last_.start_rate.swap(last_.end_rate);
    }
    if (last_.start_rate_is == Rate::unknown && system_.derivative(time_, now_, last_.start_rate) != Status::ok)
      return false;
    last_.start_rate_is = Rate::known;
    return true;
  }

  /// Steps that are lost in the rounding of the time. The settings' step gives the scale at t = 0.
  double smallest_step() const {
    return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(time_), settings_.step);
  }

  /// Computes next_, corrected, and the size of the step to come; after a rejection, of the next trial.
  Rejection try_step(double h, double end) {
    method_.step(stages_, {time_, h, now_, last_.start_rate}, next_, last_.end_rate);
    if (stages_.take_failed()) return give_up(h, Rejection::derivative);
    const State* end_rate = Method::gives_end_rate ? &last_.end_rate : nullptr;
    const double error = norm_.of(method_, {h, now_, next_, last_.start_rate, end_rate});
    if (!std::isfinite(error)) return give_up(h, Rejection::growth);
    if (error > 1) {
      h_ = control_.after_rejected(h, error);
      return Rejection::tolerance;
    }
    std::ranges::copy(next_, last_.end.begin());
    if (system_.correct(end, next_) != Status::ok) return give_up(h, Rejection::correction);
    proposed_ = control_.after_accepted(h, error);
    return Rejection::none;
  }

  Rejection give_up(double h, Rejection why) {
    h_ = control_.after_failed(h);
    return why;
  }

  void accept(double end, bool shortened) {
    last_.start_rate_is = next_ == last_.end        ? Rate::at_end_of_step
                          : quaternions_ != nullptr ? Rate::before_correction
                                                    : Rate::unknown;
    last_.end_rate_known = Method::gives_end_rate;
    last_.interpolated = false;
    norm_.accept(next_);
    last_.start.swap(now_);
    now_.swap(next_);
    time_ = end;
    // A step that the limit has cut short does not change the step size found before.
    h_ = std::min(shortened ? std::max(h_, proposed_) : proposed_, settings_.max_step);
  }

  FirstOrderSystem& system_;
  CorrectedQuaternions* quaternions_;  ///< nullptr if a correction changes other numbers too
  Stages stages_;
  StepSettings settings_;
  Method method_;
  StepControl control_;
  ErrorNorm norm_;
  double h_ = 0, proposed_ = 0;
  State now_, next_;
  Last last_;
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
  const void* query(std::string_view asked) const noexcept override {
    return asked == BatchIntegration::interface_name ? Method::in_lanes() : nullptr;
  }
};

}  // namespace polyform::runge_kutta
