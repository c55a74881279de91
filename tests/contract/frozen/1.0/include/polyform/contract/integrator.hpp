// Integrators: the interface between the host and a method that goes forward in time.
//
// The host makes a system of first order, ẏ = f(t, y), from a solver and hands it to an integrator, which knows nothing
// of mechanics. The host checks arguments, counts, and looks for numbers that are not finite; a method does the steps.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/field.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/growth.hpp"

namespace polyform {

/// ẏ = f(t, y), and what is done to y after each step. It belongs to the host and outlives the integrator. Times in s.
class FirstOrderSystem {
 public:
  virtual std::size_t size() const noexcept = 0;
  /// How many of the states, the last ones, are integrals of the others. Nothing depends on them: they are integrated
  /// along, to the order of the method. In the choice of steps they count with integral_tolerance times the tolerances,
  /// relative to their largest value so far: an integral that is always zero changes nothing.
  virtual std::size_t integrals() const noexcept = 0;
  /// ydot = f(t, y); failed if it cannot be computed or is not finite. y may lack the integrals. Depends on t and y
  /// only, until correct or a call of the host changes something else: the host then begins the integrator anew.
  virtual Status derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept = 0;
  /// Called once at the end of each step that is accepted, before the next: removes drift from y. failed when it
  /// cannot.
  virtual Status correct(double t, std::span<double> y) noexcept = 0;
  /// Why the last call failed: a sentence without a full stop that names the time. Valid until the next call.
  virtual std::string_view failure() const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~FirstOrderSystem() = default;
};

/// How much coarser the tolerances of integrals are. An integral is a balance to look at, not the motion: an error of
/// the motion shows in it some ten times as large, and it decides on steps only if the motion does not (a drive whose
/// motion is given).
inline constexpr double integral_tolerance = 10;

/// What every integrator is told; the host has checked that all are greater than zero. Options of one method are
/// fields.
struct StepSettings {
  Size<StepSettings> size{};
  double step = 1e-3;                 ///< s: every step of a fixed-step integrator, the first one of an adaptive one
  double relative_tolerance = 1e-8;   ///< of each state; fixed-step integrators use no tolerance
  double absolute_tolerance = 1e-10;  ///< in the unit of each state
  double max_step = std::numeric_limits<double>::infinity();  ///< no step is longer, s
};

/// A method at work on one system, with its own workspace. Goes forward in time, one accepted step at a call. Nothing
/// allocates or throws after it is made. The host calls from one thread, with arguments that it has checked.
class Integrator {
 public:
  /// Sets the beginning; forgets everything before. y has FirstOrderSystem::size() numbers.
  virtual Status start(double t, std::span<const double> y) noexcept = 0;
  /// Begins anew at t, which lies within the last step or a little after it: what was learned of the motion before
  /// (derivatives, order, history) is forgotten, for it may not hold any more. y may be state() itself. first_step:
  /// length of an adaptive integrator's next step, s; 0: the integrator chooses it.
  virtual Status restart(double t, std::span<const double> y, double first_step) noexcept = 0;
  /// One accepted and corrected step, never beyond t_limit > time(): the step that would pass it ends exactly there.
  /// After a failure time() and state() are as they were.
  virtual Status step(double t_limit) noexcept = 0;
  /// The state at t within the last step, previous_time() ≤ t < time(): the integrator's own interpolation, to which
  /// FirstOrderSystem::correct has not been applied. After a failed step the host asks for its start only. Does not
  /// alter the sequence of steps.
  virtual Status state_at(double t, std::span<double> y) noexcept = 0;
  /// The corrected state at time(). Valid until the next step.
  virtual std::span<const double> state() const noexcept = 0;
  /// The times at which the last step ended and began, s.
  virtual double time() const noexcept = 0;
  virtual double previous_time() const noexcept = 0;
  /// Steps that were tried and given up since start, to be repeated with a smaller one.
  virtual std::size_t rejected() const noexcept = 0;
  /// Why the last call failed: a sentence without a full stop that names the time.
  virtual std::string_view failure() const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }
  virtual void destroy() noexcept = 0;  ///< frees the object where it was made

 protected:
  ~Integrator() = default;
};

/// An integrator type. One object per type, constant, living as long as its plugin.
class IntegratorType {
 public:
  virtual std::string_view name() const noexcept = 0;
  virtual std::string_view meaning() const noexcept = 0;         ///< one line
  virtual std::string_view source() const noexcept = 0;          ///< the paper or book
  virtual Strided<const FieldSpec> fields() const noexcept = 0;  ///< its options
  /// The order of convergence as the steps become smaller; if it varies, the highest one.
  virtual int order() const noexcept = 0;
  /// Whether it takes StepSettings::step for every step and uses no tolerance.
  virtual bool fixed_step() const noexcept = 0;
  /// If the user names no integrator, the host takes the one with the largest preference.
  virtual int preference() const noexcept = 0;
  /// A method for the system, or nullptr after a report to the sink. options: one value per fields().
  virtual Integrator* create(FirstOrderSystem&, const StepSettings&, Strided<const FieldValue> options,
                             DiagnosticSink&) const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual const void* query(std::string_view interface_name) const noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~IntegratorType() = default;
};

}  // namespace polyform
