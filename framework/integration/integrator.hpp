// Integrators of ordinary differential equations, chosen by name. Nothing here knows mechanics.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace polyform::host {

/// ẏ = f(t, y), and what is done to y after each step. Times in s.
class Ode {
 public:
  virtual ~Ode() = default;
  virtual std::size_t size() const noexcept = 0;
  /// How many of the states, the last ones, are integrals of the others that nothing depends on: they are integrated
  /// along, to the order of the method. They take part in the choice of steps with integral_tolerance times the
  /// tolerances, relative to the largest that they have been: one that is always zero changes nothing.
  virtual std::size_t integrals() const noexcept { return 0; }
  /// ydot = f(t, y); false when it cannot be computed there. y may lack the integrals.
  virtual bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept = 0;
  /// Called once after each accepted step, before the next: removes drift from y. false when it cannot.
  virtual bool correct(double t, std::span<double> y) noexcept = 0;
  /// Why the last call gave false: a sentence without a full stop; may be empty.
  virtual std::string_view failure() const noexcept { return {}; }
  /// Told after a derivative there that is not finite: failure() may then say what of it is not.
  virtual void find_not_finite(double t, std::span<const double> y) noexcept { (void)t, (void)y; }
};

struct IntegratorSettings {
  std::string name = "dopri5";
  double step = 1e-3;                 ///< s: every step of a fixed-step integrator, the first one of an adaptive one
  double relative_tolerance = 1e-8;   ///< of each state; fixed-step integrators use no tolerance
  double absolute_tolerance = 1e-10;  ///< in the unit of each state
  double max_step = std::numeric_limits<double>::infinity();  ///< no step is longer, s
};

struct Statistics {
  std::size_t steps = 0;        ///< accepted
  std::size_t rejected = 0;     ///< tried and given up, to be repeated with a smaller step
  std::size_t evaluations = 0;  ///< of the derivative, those for Jacobians and for output between steps included
};

/// An integral is a balance that is looked at, not the motion: it shows what an error of the motion makes of it, some ten
/// times that error, and steps are chosen for it only where the motion says nothing (a drive whose motion is given).
inline constexpr double integral_tolerance = 10;

/// Goes forward in time, one accepted step at a call.
class Integrator {
 public:
  virtual ~Integrator() = default;
  /// Sets the beginning; forgets everything before. y has Ode::size() numbers.
  virtual void start(double t, std::span<const double> y) = 0;
  /// Begins anew at t, which lies within the last step or a little after it, with what is counted kept: what was learned
  /// of the motion before (derivatives, order, history) is forgotten, for it may not hold any more. first_step: of the
  /// next step of an adaptive integrator, s; 0: of its own choice.
  virtual void restart(double t, std::span<const double> y, double first_step) = 0;
  /// One accepted and corrected step, never beyond t_limit > time(); the step that would pass it is shortened to end
  /// exactly there. false when it failed: failure() says why, time() and state() stay as they were.
  virtual bool step(double t_limit) = 0;
  /// The state at t within the last step, previous_time() ≤ t ≤ time(): at its end state() itself, before it the
  /// integrator's own interpolation, to which Ode::correct has not been applied. Not available after a failed step
  /// but for its start. Does not alter the sequence of steps. false when it failed.
  virtual bool state_at(double t, std::span<double> y) = 0;
  /// At time(), corrected. Valid until the next step.
  virtual std::span<const double> state() const = 0;
  virtual Statistics statistics() const = 0;

  double time() const { return time_; }
  double previous_time() const { return previous_time_; }
  /// Why the last call gave false: a sentence without a full stop that names the time.
  std::string_view failure() const { return failure_; }

 protected:
  bool fail(std::string why) {
    failure_ = std::move(why);
    return false;
  }
  /// Whether a step may be tried; fails when t_limit is not a finite time after time().
  bool check_limit(double t_limit);
  /// Whether t lies in the last step; fails when not.
  bool check_within_step(double t);
  /// Whether t is time(), up to rounding.
  bool is_now(double t) const;

  double time_ = 0, previous_time_ = 0;

 private:
  std::string failure_;
};

struct IntegratorInfo {
  std::string_view name;
  std::string_view meaning;  ///< one line
  bool fixed_step;           ///< uses no tolerance
  int order;                 ///< the highest one where it varies
};

/// All integrators there are, for help, schema and suggestions.
std::span<const IntegratorInfo> integrators();

/// An integrator for the equation, which must outlive it. Failure (bad_input) for an unknown name (with a suggestion)
/// or a step or tolerance that is no positive number.
std::unique_ptr<Integrator> make_integrator(Ode&, const IntegratorSettings&);

}  // namespace polyform::host
