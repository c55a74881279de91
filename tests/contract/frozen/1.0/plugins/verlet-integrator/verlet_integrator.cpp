// E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., sections I.1.4 and II.1: the
// Störmer-Verlet method, composed so that it stays symmetric where forces depend on velocities and q̇ = N(q) v. With u
// = (v, x):
//
//   half a kick   u½ = u₀ + h/2 f(t₀, q₀, u½)      implicit in u, by fixed-point iteration
//   a drift       q₁ = q₀ + h N((q₀ + q₁)/2) v½    implicit in q, the same way; it keeps the length of a quaternion
//   half a kick   u₁ = u½ + h/2 f(t₁, q₁, u½)      explicit
#include "verlet_integrator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "polyform/contract/second_order.hpp"
#include "polyform/helpers/step_by_step.hpp"

namespace example {
namespace {

using namespace polyform;

using State = std::vector<double>;

enum Option : std::size_t { most_iterations };
constexpr std::array options{FieldSpec{.name = "iterations",
                                       .type = FieldType::integer,
                                       .unit = "",
                                       .meaning = "most iterations of an implicit half step",
                                       .required = false,
                                       .default_text = "50",
                                       .minimum = 2,
                                       .maximum = 1000}};

// Two iterates that differ by this, relative to the largest number of y or 1, are one: some units in the last place.
constexpr double rounding = 1e-14;

class Verlet final : public StepByStep {
 public:
  Verlet(FirstOrderSystem& system, SecondOrderSystem& parts, double step, int iterations)
      : system_(system),
        parts_(parts),
        kinds_(parts.kinds()),
        step_(step),
        iterations_(iterations),
        previous_(system.size()),
        now_(previous_),
        next_(previous_),
        end_rate_(previous_),
        start_rate_(previous_),
        rate_(previous_),
        trial_(previous_) {}
  void destroy() noexcept override { delete this; }

  Status start(double t, std::span<const double> y) noexcept override {
    origin_ = t;
    return restart(t, y, 0);
  }

  /// Step ends stay products of the step.
  Status restart(double t, std::span<const double> y, double) noexcept override {
    if (y.data() != now_.data()) std::ranges::copy(y, now_.begin());
    begin_at(t);
    steps_ = std::floor((t - origin_) / step_ + 1e-9);
    if (system_.derivative(t, now_, end_rate_) != Status::ok) return fail(system_.failure());
    return Status::ok;
  }

  Status step(double t_limit) noexcept override {
    // A step that ends within rounding of the limit ends there: no sliver of a step is left.
    const double regular = origin_ + (steps_ + 1) * step_;
    const double end = regular < t_limit - 1e-9 * step_ ? regular : t_limit;
    if (!(end > time_)) return fail(Message("the step of {:.3g} s is lost in rounding at t = {:.9g} s", step_, time_));
    if (move(now_, end_rate_, time_, end, next_) != Status::ok) return Status::failed;
    if (system_.correct(end, next_) != Status::ok) return fail(system_.failure());
    start_rate_.swap(end_rate_);
    end_rate_.swap(rate_);
    previous_.swap(now_);
    now_.swap(next_);
    previous_time_ = std::exchange(time_, end);
    if (end >= regular - 1e-9 * step_) ++steps_;
    return Status::ok;
  }

  /// A shorter step from the same start.
  Status state_at(double t, std::span<double> y) noexcept override {
    if (t > previous_time_ && move(previous_, start_rate_, previous_time_, t, next_) != Status::ok)
      return Status::failed;
    std::ranges::copy(t > previous_time_ ? next_ : previous_, y.begin());
    return Status::ok;
  }

  std::span<const double> state() const noexcept override { return now_; }

 private:
  /// From one state to the next; guess: a derivative near its start. Leaves that of the last kick in rate_.
  Status move(const State& from, const State& guess, double t, double t_end, State& to) noexcept {
    const double h = t_end - t;
    std::ranges::copy(from, to.begin());
    std::ranges::copy(guess, rate_.begin());
    kick(from, h / 2, to);
    const auto rates_of_start = [&] { return system_.derivative(t, trial_, rate_); };
    const auto kick_again = [&](State& y) { kick(from, h / 2, y); };
    if (iterate(to, t, rates_of_start, kick_again) != Status::ok) return Status::failed;

    // From the drift follows the middle: q½ = q₀ + h/2 N(q½) v½.
    const auto rates_of_middle = [&] { return parts_.position_rates(t + h / 2, trial_, rate_); };
    const auto drift_again = [&](State& y) { drift(from, h / 2, y); };
    if (iterate(to, t, rates_of_middle, drift_again) != Status::ok) return Status::failed;
    drift(from, h, to);

    if (system_.derivative(t_end, to, rate_) != Status::ok) return fail(system_.failure());
    kick(to, h / 2, to);
    return Status::ok;
  }

  /// Repeats: the rates at y, and y from them, until it does not change.
  template <class Rates, class Advance>
  Status iterate(State& y, double t, const Rates& find_rates, const Advance& advance) noexcept {
    double before = 0;
    for (int i = 0; i < iterations_; ++i) {
      std::ranges::copy(y, trial_.begin());
      if (find_rates() != Status::ok) return fail(system_.failure());
      advance(y);
      double change = 0, size = 1;
      for (std::size_t k = 0; k < y.size(); ++k) {
        change = std::max(change, std::abs(y[k] - trial_[k]));
        size = std::max(size, std::abs(y[k]));
      }
      // Changes that are small and do not fall any more are rounding.
      if (change <= rounding * size || (i > 0 && change <= 1e3 * rounding * size && change >= 0.5 * before))
        return Status::ok;
      before = change;
    }
    return fail(Message("an implicit half step did not converge in {} iterations at t = {:.9g} s: give a shorter step",
                        iterations_, t));
  }

  /// u = u₀ + by u̇
  void kick(const State& from, double by, State& y) const noexcept {
    for (std::size_t i = 0; i < y.size(); ++i)
      if (kinds_[i] == StateKind::velocity || kinds_[i] == StateKind::other) y[i] = from[i] + by * rate_[i];
  }
  /// q = q₀ + by q̇
  void drift(const State& from, double by, State& y) const noexcept {
    for (std::size_t i = 0; i < y.size(); ++i)
      if (kinds_[i] == StateKind::position) y[i] = from[i] + by * rate_[i];
  }

  FirstOrderSystem& system_;
  SecondOrderSystem& parts_;
  std::span<const StateKind> kinds_;
  double step_, origin_ = 0, steps_ = 0;  ///< the last step end origin_ + steps_ * step_ that was reached
  int iterations_;
  State previous_, now_, next_;
  State end_rate_, start_rate_;  ///< derivatives near the end and the start of the last step
  State rate_, trial_;
};

class VerletIntegrator final : public IntegratorType {
 public:
  std::string_view name() const noexcept override { return "verlet"; }
  std::string_view meaning() const noexcept override {
    return "Stormer-Verlet method with a fixed step, whose energy does not drift";
  }
  std::string_view source() const noexcept override {
    return "Hairer, Lubich, Wanner: Geometric Numerical Integration, 2nd ed. (2006), I.1.4 and II.1";
  }
  Strided<const FieldSpec> fields() const noexcept override { return options; }
  int order() const noexcept override { return 2; }
  bool fixed_step() const noexcept override { return true; }
  int preference() const noexcept override { return 0; }
  Integrator* create(FirstOrderSystem& system, const StepSettings& settings, Strided<const FieldValue> values,
                     DiagnosticSink& sink) const noexcept override {
    auto* const parts = ask<SecondOrderSystem>(system);
    if (parts == nullptr) {
      sink.report({.message =
                       "the integrator verlet needs to know positions and velocities, which this solver does not "
                       "tell apart",
                   .remedy = "take another --solver, or an integrator of systems of first order"});
      return nullptr;
    }
    return make_batch<Verlet>(system, *parts, std::min(settings.step, settings.max_step),
                              static_cast<int>(values[most_iterations].integer));
  }
};

}  // namespace

const IntegratorType& verlet_integrator() noexcept {
  static constexpr VerletIntegrator type;
  return type;
}

}  // namespace example
