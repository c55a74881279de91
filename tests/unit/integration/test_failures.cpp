// What goes wrong is said, and what was reached stays.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "equations.hpp"
#include "framework/diagnostics.hpp"
#include "polyform/helpers/larger.hpp"

using namespace polyform::host;
using namespace polyform::host::test;
using Catch::Matchers::Contains;

namespace {

/// y' = 1, defined up to y = barrier.
Equation up_to(double barrier) {
  return {1, [barrier](double, Span y, std::span<double> ydot) {
            ydot[0] = 1;
            return y[0] <= barrier;
          }};
}

std::string refusal(const Method& method) {
  Equation ode = circle_oscillator();
  try {
    integration_of(ode, method);
  } catch (const Failure& f) {
    CHECK(f.code() == Exit::bad_input);
    return f.message() + " " + f.remedy();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("without an integrator plugin nothing is integrated, and that is said") {
  Equation ode = circle_oscillator();
  try {
    Integration(ode, {}, {});
    FAIL("accepted");
  } catch (const Failure& f) {
    CHECK(f.code() == Exit::plugin);
    CHECK(f.message() == "no integrator plugin was found");
  }
}

TEST_CASE("steps and tolerances must be positive numbers") {
  CHECK_THAT(refusal({"rk4", -0.1, 1e-6, 1e-6}), Contains("the step is -0.1 s; expected a number greater than 0"));
  CHECK_THAT(refusal({"rk4", std::nan(""), 1e-6, 1e-6}), Contains("the step is nan s"));
  CHECK_THAT(refusal({"dopri5", 0.1, 0, 1e-6}), Contains("the relative tolerance is 0"));
  CHECK_THAT(refusal({"cvode-bdf", 0.1, 1e-6, -1}), Contains("the absolute tolerance is -1"));
  CHECK(refusal({"rk4", 0.1, 0, 0}) == "accepted");
}

TEST_CASE("rk4 fails at once where the derivatives cannot be computed") {
  Equation ode = up_to(1.02);
  ode.why = "rod 'a' is upside down";
  const auto integrator = started(ode, {"rk4", 0.1, 0, 0}, {0});
  CHECK_FALSE(run(*integrator, 3));
  CHECK(integrator->time() == Approx(1.0));
  CHECK(integrator->state()[0] == Approx(1.0));
  CHECK(integrator->failure() == "the derivatives could not be computed at t = 1.05 s: rod 'a' is upside down");
}

TEST_CASE("adaptive integrators step up to where the derivatives end, then fail") {
  const char* name = GENERATE("dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode = up_to(1.02);
  const auto integrator = started(ode, {name, 0.1, 1e-6, 1e-6}, {0});
  CHECK_FALSE(run(*integrator, 3));
  CHECK(integrator->time() == Approx(integrator->state()[0]));
  CHECK(integrator->time() <= 1.02);
  CHECK(integrator->time() > 0.9);
  CHECK_THAT(std::string(integrator->failure()), Contains("the derivatives could not be computed at t = 1.0"));
  if (std::string_view(name) == "dopri5") {
    CHECK_THAT(std::string(integrator->failure()), Contains("the step size became too small ("));
    CHECK(integrator->statistics().rejected > 10);
  }
}

TEST_CASE("a derivative that is no number is reported with its state and time") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode(3, [](double t, Span, std::span<double> ydot) {
    ydot[0] = ydot[1] = 1;
    ydot[2] = t > 0.5 ? std::numeric_limits<double>::quiet_NaN() : 0;
    return true;
  });
  const auto integrator = started(ode, {name, 0.1, 1e-6, 1e-6}, {0, 0, 0});
  CHECK_FALSE(run(*integrator, 3));
  CHECK(integrator->time() <= 0.51);
  CHECK_THAT(std::string(integrator->failure()),
             Contains("the derivative of state 2 (counted from 0) is not finite (nan) at t = 0.5"));
}

TEST_CASE("the largest of sizes is no number where one of them is none, wherever it stands") {
  const double none = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(polyform::larger(polyform::larger(0, none), 1)));
  CHECK(std::isnan(polyform::larger(polyform::larger(0, 1), none)));
  CHECK(polyform::larger(polyform::larger(0, 2), 1) == 2);
}

TEST_CASE("a solution that leaves every bound ends in a failure, not in endless steps") {
  const char* name = GENERATE("dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode(1, [](double, Span y, std::span<double> ydot) {
    ydot[0] = y[0] * y[0];
    return true;
  });
  const auto integrator = started(ode, {name, 0.1, 1e-6, 1e-6}, {1});
  CHECK_FALSE(run(*integrator, 2));
  CHECK(integrator->time() == Approx(1).margin(1e-2));
  CHECK_FALSE(integrator->failure().empty());
}

// y = 1/(1 − t): the steps are ever shorter beside the pole, and nothing says what makes them so.
TEST_CASE("the kind of a failure tells whether steps became too short, and by what") {
  const char* name = GENERATE("dopri5", "dop853", "cvode-adams", "cvode-bdf", "radau5", "auto");
  CAPTURE(name);
  Equation pole(1, [](double, Span y, std::span<double> ydot) {
    ydot[0] = y[0] * y[0];
    return true;
  });
  const auto beside = started(pole, {name, 0.1, 1e-6, 1e-6}, {1});
  CHECK_FALSE(run(*beside, 2));
  CHECK(beside->failed_step() == StepFailure::stalled);

  Equation ends = up_to(1.02);
  const auto at_end = started(ends, {name, 0.1, 1e-6, 1e-6}, {0});
  REQUIRE(run(*at_end, 1));
  CHECK(at_end->failed_step() == StepFailure::other);
  CHECK_FALSE(run(*at_end, 3));
  CHECK(at_end->failed_step() == StepFailure::stalled_by_system);
  CHECK_FALSE(at_end->step(0.5));
  CHECK(at_end->failed_step() == StepFailure::other);

  Equation fixed = up_to(1.02);
  const auto one = started(fixed, {"rk4", 0.1, 0, 0}, {0});
  CHECK_FALSE(run(*one, 3));
  CHECK(one->failed_step() == StepFailure::other);
}

TEST_CASE("a correction that fails ends the run at the last corrected state") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode(
      1,
      [](double, Span, std::span<double> ydot) {
        ydot[0] = 1;
        return true;
      },
      [](double t, std::span<double>) { return t < 0.55; });
  const auto integrator = started(ode, {name, 0.1, 1e-6, 1e-6}, {0});
  CHECK_FALSE(run(*integrator, 3));
  CHECK(integrator->time() < 0.55);
  CHECK(integrator->state()[0] == Approx(integrator->time()));
  CHECK_THAT(std::string(integrator->failure()), Contains("the state could not be corrected at t = "));
}

TEST_CASE("a time that is not ahead, or not within the last step, is refused") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode = circle_oscillator();
  const auto integrator = started(ode, {name, 0.1, 1e-6, 1e-6}, {1, 0});
  REQUIRE(run(*integrator, 1.0));
  for (const double limit : {1.0, 0.5, std::nan(""), std::numeric_limits<double>::infinity()}) {
    CHECK_FALSE(integrator->step(limit));
    CHECK_THAT(std::string(integrator->failure()), Contains("cannot step from t = 1 s to t = "));
  }
  std::vector<double> y(2);
  CHECK_FALSE(integrator->state_at(0.001, y));
  CHECK_FALSE(integrator->state_at(1.1, y));
  CHECK_THAT(std::string(integrator->failure()), Contains("t = 1.1 s lies outside the last step"));
  CHECK(integrator->step(1.2));
}
