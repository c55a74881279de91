// An integrator type at work on a system whose solution is known.
#pragma once

#include <memory>
#include <vector>

#include "framework/host/integration/integration.hpp"
#include "framework/workbench/conformance/integrator_problems.hpp"

namespace polyform::host::inline conformance {

/// A method that tells what goes wrong in words. Each function throws Failure (simulation_failed) if the method fails,
/// or breaks its contract about time.
class Method {
 public:
  Method(const IntegratorChoice&, KnownSystem&, const StepSettings&);

  void start(double t, std::vector<double> y);
  void restart(double t, const std::vector<double>& y, double first_step = 0);
  /// Makes one step, which ends at the limit or before it.
  void step(double t_limit);
  /// Goes to the limit and returns the number of steps.
  std::size_t run(double t_limit);
  /// Tries a step and returns whether it failed, without a Failure.
  bool fails(double t_limit) { return method_->step(t_limit) != Status::ok; }
  /// The state within the last step, after this share of its length.
  const std::vector<double>& inside(double share);
  std::span<const double> state() const { return method_->state(); }
  Integrator& raw() { return *method_; }

 private:
  struct Destroy {
    void operator()(Integrator* method) const noexcept { method->destroy(); }
  };
  [[noreturn]] void fail(std::string_view what) const;
  void require(Status status, std::string_view call) const;

  std::string_view name_;
  std::unique_ptr<Integrator, Destroy> method_;
  std::vector<double> inside_;
};

/// The errors of a run: the largest of any state at the ends of steps and between them.
struct RunErrors {
  double at_ends = 0, between = 0;
  std::size_t steps = 0;
};
RunErrors run_errors(const IntegratorChoice&, KnownSystem&, const StepSettings&, double duration);

/// The largest difference between numbers at the same place.
double distance(std::span<const double> a, std::span<const double> b);

/// Settings for steps of one length, whatever the tolerance.
StepSettings steps_of(double step);
StepSettings tolerance_of(double tolerance);

}  // namespace polyform::host::conformance
