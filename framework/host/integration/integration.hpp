// An equation that is integrated by a method of a plugin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/integration/counted_system.hpp"
#include "polyform/contract/failed_step.hpp"

namespace polyform::host::inline integration {

/// An integrator type with one value for each of its fields; without a type: none was found.
struct IntegratorChoice {
  const IntegratorType* type = nullptr;
  std::vector<FieldValue> options;
  std::shared_ptr<const void> storage{};  ///< of what the options point to
  std::string given{};                    ///< the options that differ from the defaults by the user's will: "a=1, b=2"

  /// Empty if there is no type.
  std::string_view name() const noexcept { return type == nullptr ? std::string_view() : type->name(); }
  bool fixed_step() const noexcept { return type != nullptr && type->fixed_step(); }
};

struct Statistics {
  std::size_t steps = 0;        ///< accepted
  std::size_t rejected = 0;     ///< tried and given up, to be repeated with a smaller step
  std::size_t evaluations = 0;  ///< of the derivative, those for Jacobians and for output between steps included
};

/// Goes forward in time, one accepted step at a call. The public functions check their arguments and count; the method
/// does the rest.
///
/// The equation may have a discrete state, of which the method knows nothing: one set of values belongs to the last
/// step from its start on, another to time(). Each function leaves the equation with the values that belong to the
/// state it gives; what others did to them in the meantime does not matter to the next step.
class Integration {
 public:
  /// The equation and what the choice points to must outlive the object. Failure (plugin) without a type, (bad_input)
  /// where a step or tolerance is no positive number, (simulation_failed) where the method cannot be set up.
  Integration(Ode&, const IntegratorChoice&, const StepSettings&);

  /// Sets the beginning, with the discrete state that the equation has now; forgets everything before. y has
  /// Ode::size() numbers. Failure (simulation_failed) if the
  /// method cannot begin there.
  void start(double t, std::span<const double> y);
  /// See Integrator::restart; with the discrete state that the equation has now. What is counted goes on.
  void restart(double t, std::span<const double> y, double first_step);
  /// Makes the equation stand where the next step begins, as step() does; for a method that steps before it is told to
  /// (of several equations together). Nothing else may be asked between the two.
  bool begin_step();
  /// One step, never beyond t_limit > time(). False when it failed: failure() says why, time() and state() stay as they
  /// were.
  bool step(double t_limit);
  /// The state at t within the last step: at its ends the state that it began with, and state() itself; between them
  /// see Integrator::state_at. False when it failed.
  bool state_at(double t, std::span<double> y);
  /// Whether states within the last step took evaluations of their own: what lies behind an event in that step is then
  /// felt before the event too.
  bool interpolation_evaluated() const { return interpolation_evaluated_; }
  /// Gives the equation the discrete state that belongs to time() and state().
  void stand_at_end();
  /// At time(), corrected. Valid until the next step.
  std::span<const double> state() const { return method_->state(); }
  double time() const { return method_->time(); }
  double previous_time() const { return method_->previous_time(); }
  Statistics statistics() const { return {steps_, method_->rejected(), system_.evaluations()}; }
  /// What a method that chooses among others has chosen, and why (IntegratorChoices); empty of any other.
  std::string choices() const;
  /// Whether the method is an implicit one, or changes to one where the equation is stiff.
  bool follows_stiffness() const { return system_.was_asked_for_matrix(); }
  /// Why the last call gave false: a sentence without a full stop that names the time.
  std::string_view failure() const { return failure_; }
  /// The kind of that failure (FailedStep).
  StepFailure failed_step() const { return failed_step_; }

 private:
  struct Destroy {
    void operator()(Integrator* method) const noexcept { method->destroy(); }
  };
  bool done(Status);
  bool fail(std::string why, StepFailure);  // false
  void begin_discrete();
  void stand(std::span<const std::int32_t> values);

  CountedSystem system_;
  DiscreteState* discrete_;                 ///< of the equation, or none
  std::vector<std::int32_t> within_, now_;  ///< its values within the last step, and at time()
  std::vector<double> step_start_;          ///< the state that the last step began with
  bool discrete_changed_ = false;           ///< at the end of the last step
  bool begun_ = false;                      ///< the next step
  std::unique_ptr<Integrator, Destroy> method_;
  std::size_t steps_ = 0;
  bool interpolation_evaluated_ = false;
  std::string failure_;
  StepFailure failed_step_ = StepFailure::other;
};

}  // namespace polyform::host::integration
