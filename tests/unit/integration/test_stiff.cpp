// Stiff problems with published solutions: F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, 2.4.
#include <catch2/catch.hpp>

#include <numbers>

#include "equations.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

TEST_CASE("implicit methods solve the van der Pol problem with a time scale of 1e-6") {
  const char* name = GENERATE("cvode-bdf", "radau5", "auto");
  CAPTURE(name);
  Equation ode(2, [](double, Span y, std::span<double> ydot) {
    ydot[0] = y[1];
    ydot[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
    return true;
  });
  const auto integrator = started(ode, {name, 1e-6, 1e-9, 1e-9}, {2, 0});
  REQUIRE(run(*integrator, 2.0));
  CHECK(integrator->state()[0] == Approx(1.706167732170483).epsilon(1e-6));
  CHECK(integrator->state()[1] == Approx(-0.8928097010247975).epsilon(1e-6));
  // An explicit method would need about a million steps.
  CHECK(integrator->statistics().steps < 10000);
}

TEST_CASE("implicit methods solve Robertson's reaction to t = 1e11") {
  const char* name = GENERATE("cvode-bdf", "radau5");
  CAPTURE(name);
  Equation ode(3, [](double, Span y, std::span<double> ydot) {
    ydot[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    ydot[2] = 3e7 * y[1] * y[1];
    ydot[1] = -ydot[0] - ydot[2];
    return true;
  });
  const auto integrator = started(ode, {name, 1e-6, 1e-9, 1e-18}, {1, 0, 0});
  REQUIRE(run(*integrator, 1e11));
  CHECK(integrator->state()[0] == Approx(0.2083340149701255e-7).epsilon(1e-4));
  CHECK(integrator->state()[1] == Approx(0.8333360770334713e-13).epsilon(1e-4));
  CHECK(integrator->state()[2] == Approx(0.9999999791665050).epsilon(1e-8));
}

TEST_CASE("cvode-bdf solves a large stiff system without a matrix") {
  // Heat conduction in a rod of 199 points: the first mode decays at a known rate, the fastest 16000 times faster.
  constexpr std::size_t n = 199;
  constexpr double h = 1.0 / (n + 1);
  const auto mode = [](std::size_t i) { return std::sin(std::numbers::pi * h * static_cast<double>(i + 1)); };
  Equation ode(n, [](double, Span y, std::span<double> ydot) {
    for (std::size_t i = 0; i < n; ++i)
      ydot[i] = ((i > 0 ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < n ? y[i + 1] : 0)) / (h * h);
    return true;
  });
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) y[i] = mode(i);
  const auto integrator = started(ode, {"cvode-bdf", 1e-4, 1e-8, 1e-10}, y);
  REQUIRE(run(*integrator, 0.1));
  const double rate = 4 / (h * h) * std::pow(std::sin(std::numbers::pi * h / 2), 2);
  for (std::size_t i = 0; i < n; ++i)
    CHECK(integrator->state()[i] == Approx(mode(i) * std::exp(-0.1 * rate)).epsilon(1e-5));
  CHECK(integrator->statistics().steps < 1000);
}

TEST_CASE("auto follows a vibration explicitly and leaves it once it has died away") {
  // A spring that vibrates at 1e4 rad/s and dies away, and a slow one.
  Equation ode(4, [](double, Span y, std::span<double> ydot) {
    ydot[0] = y[1];
    ydot[1] = -y[0];
    ydot[2] = y[3];
    ydot[3] = -1e8 * (y[2] - 0.1 * y[0]) - 2e3 * y[3];
    return true;
  });
  const auto stiff = started(ode, {"auto", 1e-5, 1e-6, 1e-8}, {1, 0, 0.1, 0});
  REQUIRE(run(*stiff, 10.0));
  CHECK(stiff->state()[0] == Approx(std::cos(10.0)).margin(1e-5));
  CHECK(stiff->statistics().evaluations < 20000);
  CHECK_THAT(std::string(stiff->choices()), Catch::StartsWith("radau5 for 9") || Catch::StartsWith("radau5 for 100 %"));
  Equation slow = circle_oscillator();
  const auto plain = started(slow, {"auto", 1e-3, 1e-6, 1e-8}, {1.2, 0});
  REQUIRE(run(*plain, 100.0));
  // A vibration that lasts is not left to the implicit method, and a trial costs little.
  CHECK_THAT(std::string(plain->choices()),
             Catch::StartsWith("dop853 all along") || Catch::Contains("not worth its cost"));
  const auto fixed = started(slow, {"dop853", 1e-3, 1e-6, 1e-8}, {1.2, 0});
  REQUIRE(run(*fixed, 100.0));
  CHECK(static_cast<double>(plain->statistics().evaluations) <
        1.05 * static_cast<double>(fixed->statistics().evaluations));
}

TEST_CASE("auto takes the explicit method that comes farther per evaluation") {
  // A wheel on bumps whose slope jumps a hundred times within its own period, and an oscillator alone.
  const auto evaluations = [](const char* name, Equation ode, double relative, std::string& choices) {
    const auto integrator = started(ode, {name, 1e-3, relative, 1e-9}, {1, 0});
    REQUIRE(run(*integrator, 300.0));
    choices = integrator->choices();
    return integrator->statistics().evaluations;
  };
  Equation rough(2, [](double t, Span y, std::span<double> ydot) {
    ydot[0] = y[1];
    ydot[1] = std::abs(std::remainder(t, 0.06)) - y[0] - 0.1 * y[1];
    return true;
  });
  std::string choices;
  const auto low = evaluations("dopri5", rough, 1e-7, choices), high = evaluations("dop853", rough, 1e-7, choices);
  REQUIRE(low < high);
  CHECK(static_cast<double>(evaluations("auto", rough, 1e-7, choices)) < 1.05 * static_cast<double>(low) + 2000);
  CHECK(choices.find("dop853, and dopri5 for ") == 0);
  const auto smooth = evaluations("dop853", circle_oscillator(), 1e-10, choices);
  REQUIRE(smooth < evaluations("dopri5", circle_oscillator(), 1e-10, choices));
  CHECK(static_cast<double>(evaluations("auto", circle_oscillator(), 1e-10, choices)) <
        1.05 * static_cast<double>(smooth));
  CHECK(choices.find("dop853 all along") == 0);
}

TEST_CASE("radau5 steps over a stiff spring that stands a little off its balance") {
  // A slow motion with a spring of 1e4 rad/s on it, 1e-7 off: far above the tolerance of its velocity, and gone soon.
  Equation ode(4, [](double, Span y, std::span<double> ydot) {
    ydot[0] = y[1];
    ydot[1] = -y[0];
    ydot[2] = y[3];
    ydot[3] = -1e8 * (y[2] - 0.1 * y[0]) - 2e3 * y[3];
    return true;
  });
  const auto integrator = started(ode, {"radau5", 1e-2, 1e-6, 1e-8}, {1, 0, 0.1 + 1e-7, 0});
  REQUIRE(run(*integrator, 10.0));
  CHECK(integrator->state()[0] == Approx(std::cos(10.0)).margin(1e-5));
  // It follows the slow motion with a lag of damping by stiffness.
  CHECK(integrator->state()[2] == Approx(0.1 * std::cos(10.0) + 0.1 * 2e-5 * std::sin(10.0)).margin(1e-7));
  CHECK(integrator->statistics().steps < 200);  // of the order of those of the slow motion alone
}

TEST_CASE("the error of radau5 is about as large as its tolerance, at each tolerance") {
  Equation ode(2, [](double, Span y, std::span<double> ydot) {
    ydot[0] = y[1];
    ydot[1] = -y[0];
    return true;
  });
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(tolerance);
    const auto integrator = started(ode, {"radau5", 1e-2, tolerance, tolerance}, {1, 0});
    REQUIRE(run(*integrator, 10.0));
    const double error = std::hypot(integrator->state()[0] - std::cos(10.0), integrator->state()[1] + std::sin(10.0));
    CHECK(error < 30 * tolerance);
    CHECK(error > 1e-3 * tolerance);
  }
}
