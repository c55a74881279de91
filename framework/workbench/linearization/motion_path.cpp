#include "framework/workbench/linearization/motion_path.hpp"

#include <fmt/format.h>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/state_encoding.hpp"

namespace polyform::host::inline linearization {
namespace {

/// The first step of an adaptive integrator, s; the end of a path, as a part of it, that is rounding of the time.
constexpr double first_step_of_path = 1e-4, rounding_of_end = 1e-13;

class CarriedPath final : public MotionPath {
 public:
  CarriedPath(const PointModel& model, const MotionFields& fields, std::vector<double> rates)
      : model_(model), fields_(fields), rates_(std::move(rates)) {}
  CanonicalState at(double t) override { return fields_.carry(model_.nominal(), rates_, t); }

 private:
  const PointModel& model_;
  const MotionFields& fields_;
  std::vector<double> rates_;
};

class IntegratedPath final : public MotionPath, private Ode {
 public:
  IntegratedPath(const PointModel& model, const IntegratorChoice& choice, double tolerance)
      : start_(model.time()),
        solver_(model.maker()(model.view())),
        store_(model.view()),
        y_(solver_->state_size()),
        integrator_(
            *this, choice,
            {.step = first_step_of_path, .relative_tolerance = tolerance, .absolute_tolerance = 0.1 * tolerance}) {
    if (encode_at(start_, *solver_, model.nominal().constant(), y_) != Status::ok) fail(solver_->failure());
    integrator_.start(start_, y_);
  }

  CanonicalState at(double t) override {
    const double end = start_ + t;
    while (integrator_.time() < end && end - integrator_.time() > rounding_of_end * std::max(1.0, end))
      if (!integrator_.step(end)) fail(integrator_.failure());
    const std::span<const double> now = integrator_.state();
    std::copy(now.begin(), now.end(), y_.begin());
    if (solver_->observe(end, y_, store_.now()) != Status::ok) fail(solver_->failure());
    return CanonicalState(as_const(store_.now().state()));
  }

 private:
  [[noreturn]] static void fail(std::string_view why) {
    throw Failure(Exit::simulation_failed, fmt::format("the motion cannot be followed: {}", why));
  }

  std::size_t size() const noexcept override { return solver_->state_size(); }
  bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    return solver_->derivative(t, y, ydot) == Status::ok;
  }
  bool correct(double t, std::span<double> y) noexcept override {
    Correction correction;
    return solver_->correct(t, y, correction) == Status::ok;
  }
  std::string_view failure() const noexcept override { return solver_->failure(); }
  DiscreteState* discrete() noexcept override { return ask<DiscreteState>(*solver_); }
  SecondOrderSystem* second_order() noexcept override { return ask<SecondOrderSystem>(*solver_); }

  double start_;
  SolverPointer solver_;
  ObservationStore store_;
  std::vector<double> y_;
  Integration integrator_;
};

}  // namespace

std::unique_ptr<MotionPath> carried_path(const PointModel& model, const MotionFields& fields,
                                         std::vector<double> rates) {
  return std::make_unique<CarriedPath>(model, fields, std::move(rates));
}

std::unique_ptr<MotionPath> integrated_path(const PointModel& model, const IntegratorChoice& choice, double tolerance) {
  return std::make_unique<IntegratedPath>(model, choice, tolerance);
}

}  // namespace polyform::host::linearization
