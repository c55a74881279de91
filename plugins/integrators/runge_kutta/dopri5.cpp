// The Dormand-Prince 5(4) method with step size control and dense output of order 4:
// E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., sections II.4 to II.6.
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <functional>

#include "embedded.hpp"
#include "polyform/helpers/larger.hpp"
#include "runge_kutta.hpp"

namespace polyform::runge_kutta {

namespace {

class Dopri5 {
 public:
  static constexpr std::string_view name = "dopri5";
  static constexpr std::string_view meaning = "adaptive Dormand-Prince 5(4) Runge-Kutta method";
  static constexpr std::string_view source =
      "Hairer, Norsett, Wanner: Solving Ordinary Differential Equations I, 2nd ed. (1993), II.5";
  static constexpr int order = 5, preference = 100;
  static constexpr StepRule rule = dopri5_rule;
  static constexpr bool gives_end_rate = true;
  static const BatchIntegration* in_lanes() { return &lane_dopri5(); }

  explicit Dopri5(std::size_t states) : error_(states), interpolated_(states) { stepper_.adjust_size(error_); }

  void step(Stages& stages, const Step& step, State& end, State& end_rate) {
    stepper_.do_step(std::ref(stages), step.start, step.start_rate, step.t, end, end_rate, step.h, error_);
  }

  double error(const State& tolerances) const {
    double largest = 0;
    for (std::size_t i = 0; i < error_.size(); ++i) largest = larger(largest, std::abs(error_[i]) / tolerances[i]);
    return largest;
  }

  Status interpolate(FirstOrderSystem&, const Step& step, const State& end, const State& end_rate, bool, double t,
                     std::span<double> y) {
    stepper_.calc_state(t, interpolated_, step.start, step.start_rate, step.t, end, end_rate, step.t + step.h);
    std::ranges::copy(interpolated_, y.begin());
    return Status::ok;
  }

 private:
  boost::numeric::odeint::runge_kutta_dopri5<State> stepper_;
  State error_, interpolated_;
};

}  // namespace

const IntegratorType& dopri5() noexcept {
  static const EmbeddedType<Dopri5> type;
  return type;
}

}  // namespace polyform::runge_kutta
