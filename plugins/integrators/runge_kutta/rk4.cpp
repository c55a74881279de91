// The classical Runge-Kutta method with a fixed step.
#include <algorithm>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <functional>

#include "polyform/helpers/step_by_step.hpp"
#include "polyform/helpers/step_grid.hpp"
#include "runge_kutta.hpp"
#include "stages.hpp"

namespace polyform::runge_kutta {

namespace {

class Rk4 final : public StepByStep {
 public:
  Rk4(FirstOrderSystem& system, double step)
      : system_(system),
        stages_(system),
        grid_(step),
        previous_(system.size()),
        now_(previous_),
        next_(previous_),
        rate_(previous_) {
    stepper_.adjust_size(now_);
  }
  void destroy() noexcept override { delete this; }

  Status start(double t, std::span<const double> y) noexcept override {
    std::copy(y.begin(), y.end(), now_.begin());
    begin_at(t);
    grid_.start(t);
    return Status::ok;
  }

  /// The grid of step ends stays.
  Status restart(double t, std::span<const double> y, double) noexcept override {
    if (y.data() != now_.data()) std::copy(y.begin(), y.end(), now_.begin());
    begin_at(t);
    grid_.restart(t);
    return Status::ok;
  }

  Status step(double t_limit) noexcept override {
    previous_time_ = time_;
    const double end = grid_.end(t_limit);
    if (!(end > time_))
      return fail(Message("the step of {:.3g} s is lost in the rounding of t = {:.9g} s", grid_.step(), time_));
    if (system_.derivative(time_, now_, rate_) != Status::ok) return fail(system_.failure());
    stepper_.do_step(std::ref(stages_), now_, rate_, time_, next_, end - time_);
    if (stages_.take_failed() || system_.correct(end, next_) != Status::ok) return fail(system_.failure());
    previous_.swap(now_);
    now_.swap(next_);
    time_ = end;
    grid_.reach(end);
    return Status::ok;
  }

  /// Between step ends, makes a side step from the start of the step: of full order, with three evaluations.
  Status state_at(double t, std::span<double> y) noexcept override {
    if (t == previous_time_) {
      std::copy(previous_.begin(), previous_.end(), y.begin());
      return Status::ok;
    }
    stepper_.do_step(std::ref(stages_), previous_, rate_, previous_time_, next_, t - previous_time_);
    if (stages_.take_failed()) return fail(system_.failure());
    std::copy(next_.begin(), next_.end(), y.begin());
    return Status::ok;
  }

  std::span<const double> state() const noexcept override { return now_; }

 private:
  FirstOrderSystem& system_;
  Stages stages_;
  boost::numeric::odeint::runge_kutta4<State> stepper_;
  StepGrid grid_;
  State previous_, now_, next_, rate_;  ///< rate_: the derivative at the start of the last step
};

class Rk4Type final : public IntegratorType {
 public:
  std::string_view name() const noexcept override { return "rk4"; }
  std::string_view meaning() const noexcept override { return "classical Runge-Kutta method with a fixed step"; }
  std::string_view source() const noexcept override { return "W. Kutta, Z. Math. Phys. 46 (1901) 435-453"; }
  Strided<const FieldSpec> fields() const noexcept override { return {}; }
  int order() const noexcept override { return 4; }
  bool fixed_step() const noexcept override { return true; }
  int preference() const noexcept override { return 10; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue>,
                     DiagnosticSink&) const noexcept override {
    return make_batch<Rk4>(system, std::min(settings.step, settings.max_step));
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == BatchIntegration::interface_name ? &lane_rk4() : nullptr;
  }
};

}  // namespace

const IntegratorType& rk4() noexcept {
  static const Rk4Type type;
  return type;
}

}  // namespace polyform::runge_kutta
