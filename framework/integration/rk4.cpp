// The classical Runge-Kutta method with a fixed step.
#include <fmt/format.h>

#include <algorithm>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <cmath>

#include "framework/integration/evaluator.hpp"
#include "framework/integration/methods.hpp"

namespace polyform::host {

namespace {

class Rk4 final : public Integrator {
 public:
  using State = Evaluator::State;

  Rk4(Ode& ode, double step)
      : evaluator_(ode), h_(step), previous_(ode.size()), now_(previous_), next_(previous_), rate_(previous_) {
    stepper_.adjust_size(now_);
  }

  void start(double t, std::span<const double> y) override {
    std::copy(y.begin(), y.end(), now_.begin());
    time_ = previous_time_ = origin_ = t;
    grid_index_ = 0;
    steps_ = 0;
    evaluator_.reset_count();
  }

  /// Step ends stay where they were.
  void restart(double t, std::span<const double> y, double) override {
    if (y.data() != now_.data()) std::copy(y.begin(), y.end(), now_.begin());
    time_ = previous_time_ = t;
    grid_index_ = static_cast<std::size_t>(std::floor((t - origin_) / h_ + 1e-9));
  }

  bool step(double t_limit) override {
    if (!check_limit(t_limit)) return false;
    previous_time_ = time_;
    // Step ends are products, not running sums. One within rounding of the limit is the limit: no sliver of a step.
    const double grid_time = origin_ + static_cast<double>(grid_index_ + 1) * h_;
    const double end = grid_time < t_limit - 1e-9 * h_ ? grid_time : t_limit;
    if (!(end > time_))
      return fail(fmt::format("the step of {:.3g} s is lost in the rounding of t = {:.9g} s", h_, time_));
    if (!evaluator_.evaluate(time_, now_, rate_)) return fail(evaluator_.failure());
    stepper_.do_step(std::ref(evaluator_), now_, rate_, time_, next_, end - time_);
    if (evaluator_.take_failed()) return fail(evaluator_.failure());
    if (!evaluator_.correct(end, next_)) return fail(evaluator_.correction_failure(end));
    previous_.swap(now_);
    now_.swap(next_);
    time_ = end;
    if (end >= grid_time - 1e-9 * h_) ++grid_index_;
    ++steps_;
    return true;
  }

  /// Between step ends, a side step from the start of the step: of full order, three evaluations.
  bool state_at(double t, std::span<double> y) override {
    if (!is_now(t)) {
      if (!check_within_step(t)) return false;
      if (t == previous_time_) {
        std::copy(previous_.begin(), previous_.end(), y.begin());
        return true;
      }
      stepper_.do_step(std::ref(evaluator_), previous_, rate_, previous_time_, next_, t - previous_time_);
      if (evaluator_.take_failed()) return fail(evaluator_.failure());
    }
    const State& source = is_now(t) ? now_ : next_;
    std::copy(source.begin(), source.end(), y.begin());
    return true;
  }

  std::span<const double> state() const override { return now_; }
  Statistics statistics() const override { return {steps_, 0, evaluator_.evaluations()}; }

 private:
  Evaluator evaluator_;
  boost::numeric::odeint::runge_kutta4<State> stepper_;
  double h_, origin_ = 0;
  std::size_t grid_index_ = 0;         // the last step end origin_ + grid_index_ * h_ that was reached
  std::size_t steps_ = 0;
  State previous_, now_, next_, rate_; // rate_: the derivative at the start of the last step
};

}  // namespace

std::unique_ptr<Integrator> make_rk4(Ode& ode, const IntegratorSettings& settings) {
  return std::make_unique<Rk4>(ode, std::min(settings.step, settings.max_step));
}

}  // namespace polyform::host
