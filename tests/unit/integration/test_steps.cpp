// Where steps end, what lies between, what a correction does, and what a step costs.
#include <catch2/catch.hpp>

#include "equations.hpp"
#include "tests/support/allocations.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

TEST_CASE("rk4 ends its steps at products of the step, and the last one at the end") {
  Equation ode = circle_oscillator();
  const auto integrator = started(ode, {"rk4", 0.1, 0, 0}, {1, 0}, 0.3);
  const double end = 0.3 + 10.05;
  for (int k = 1; k <= 100; ++k) {
    REQUIRE(integrator->step(end));
    REQUIRE(integrator->time() == 0.3 + k * 0.1);
  }
  REQUIRE(integrator->step(end));
  CHECK(integrator->time() == end);
  CHECK(integrator->statistics().steps == 101);
  CHECK(integrator->statistics().evaluations == 404);
  // On from there, back on the grid.
  REQUIRE(integrator->step(20));
  CHECK(integrator->time() == 0.3 + 101 * 0.1);
}

TEST_CASE("rk4 makes no sliver of a step when the end is a multiple of the step up to rounding") {
  Equation ode = circle_oscillator();
  const auto integrator = started(ode, {"rk4", 0.1, 0, 0}, {1, 0});
  REQUIRE(run(*integrator, 0.3));  // 3 * 0.1 > 0.3
  CHECK(integrator->time() == 0.3);
  CHECK(integrator->statistics().steps == 3);
}

TEST_CASE("asking for states between steps does not alter the steps") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation first = circle_oscillator(), second = circle_oscillator();
  const Method settings{name, 0.01, 1e-8, 1e-10};
  const auto plain = started(first, settings, {1.2, 0}), asked = started(second, settings, {1.2, 0});
  std::vector<double> y(2);
  while (plain->time() < 2) {
    REQUIRE(plain->step(2));
    REQUIRE(asked->step(2));
    for (const double part : {0.1, 0.5, 0.9}) {
      const double t = asked->previous_time() + part * (asked->time() - asked->previous_time());
      REQUIRE(asked->state_at(t, y));
      CHECK(circle_error(1.2, t, y) < 1e-6);
    }
    CHECK(plain->time() == asked->time());
    CHECK(std::ranges::equal(plain->state(), asked->state()));
  }
}

TEST_CASE("every integrator ends exactly at the limit, and gives the corrected state there") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode = corrected_circle_oscillator(1.2);
  const auto integrator = started(ode, {name, 0.03, 1e-8, 1e-10}, {1.2, 0});
  std::vector<double> y(2);
  for (const double limit : {0.1, 0.100001, 0.7, 3.0}) {
    REQUIRE(run(*integrator, limit));
    CHECK(integrator->time() == limit);
    CHECK(std::hypot(integrator->state()[0], integrator->state()[1]) == Approx(1.2).epsilon(4e-16));
    REQUIRE(integrator->state_at(limit, y));
    CHECK(std::ranges::equal(y, integrator->state()));
    CHECK(circle_error(1.2, limit, y) < 1e-5);
  }
  CHECK(ode.corrections >= integrator->statistics().steps);
}

TEST_CASE("dopri5 reuses its last stage unless the correction moved the state") {
  Equation free = circle_oscillator(), corrected = corrected_circle_oscillator(1.2);
  for (Equation* ode : {&free, &corrected}) {
    const auto integrator = started(*ode, {"dopri5", 0.01, 1e-6, 1e-6}, {1.2, 0});
    REQUIRE(run(*integrator, 3.0));
    const Statistics s = integrator->statistics();
    CHECK(s.evaluations == ode->evaluations);
    const std::size_t once = 1 + 6 * (s.steps + s.rejected);
    if (ode == &free) {
      CHECK(s.evaluations == once);
    } else {
      CHECK(s.evaluations > once);
      CHECK(s.evaluations < once + s.steps);
    }
  }
}

TEST_CASE("removing drift does not cost the multistep methods their order") {
  const char* name = GENERATE("cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation free = circle_oscillator(), corrected = corrected_circle_oscillator(1.2);
  const Method settings{name, 1e-3, 1e-8, 1e-10};
  const auto plain = started(free, settings, {1.2, 0}), drift_free = started(corrected, settings, {1.2, 0});
  REQUIRE(run(*plain, 20));
  REQUIRE(run(*drift_free, 20));
  CHECK(drift_free->statistics().steps < plain->statistics().steps * 5 / 4);
  CHECK(circle_error(1.2, 20, drift_free->state()) < circle_error(1.2, 20, plain->state()));
}

TEST_CASE("a correction that makes the state jump is followed by all methods") {
  const char* name = GENERATE("dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  constexpr double turn_angle = 6.283185307179586;
  // An angle kept below a full turn by the correction, and the integral of a function of it that feels the jump.
  Equation ode(
      2,
      [](double, Span y, std::span<double> ydot) {
        ydot[0] = 2;
        ydot[1] = 2 * std::cos(y[0]) + 0.1 * y[0];
        return true;
      },
      [](double, std::span<double> y) {
        if (y[0] > turn_angle) y[0] -= turn_angle;
        return true;
      });
  const auto integrator = started(ode, {name, 1e-3, 1e-9, 1e-9}, {0, 0});
  const double end = 10;
  double integral = 0, last_wrap = 0;
  while (integrator->time() < end) {
    const double angle = integrator->state()[0];
    REQUIRE(integrator->step(end));
    if (integrator->state()[0] < angle) {
      // The angle rose from where it was to one that still counts the full turn.
      last_wrap = integrator->time();
      integral += turn_angle;
    }
  }
  CHECK(last_wrap > 0);
  CHECK(integrator->state()[0] + integral == Approx(2 * end).epsilon(1e-8));
}

TEST_CASE("rk4 and dopri5 allocate nothing after the start") {
  const char* name = GENERATE("rk4", "dopri5", "dop853");
  CAPTURE(name);
  Equation ode = corrected_circle_oscillator(1.2);
  // A first step too large for the tolerance: rejections are part of what must not allocate.
  const auto integrator = started(ode, {name, 0.5, 1e-9, 1e-9}, {1.2, 0});
  std::vector<double> y(2);
  const std::size_t before = polyform::test::allocations();
  bool good = true;
  while (integrator->time() < 3) {
    good = good && integrator->step(3);
    good = good && integrator->state_at((integrator->time() + integrator->previous_time()) / 2, y);
  }
  const std::size_t after = polyform::test::allocations();
  CHECK(good);
  CHECK(after == before);
}

TEST_CASE("a system without states steps through time") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode(0, [](double, Span, std::span<double>) { return true; });
  const auto integrator = started(ode, {name, 0.1, 1e-8, 1e-8}, {});
  REQUIRE(run(*integrator, 1.0));
  CHECK(integrator->time() == 1.0);
}

TEST_CASE("an integrator can be started again") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode = circle_oscillator();
  const auto integrator = started(ode, {name, 0.01, 1e-8, 1e-8}, {1.2, 0});
  REQUIRE(run(*integrator, 1.0));
  const std::vector<double> first(integrator->state().begin(), integrator->state().end());
  const std::size_t steps = integrator->statistics().steps;
  integrator->start(0, std::vector<double>{1.2, 0});
  CHECK(integrator->statistics().steps == 0);
  REQUIRE(run(*integrator, 1.0));
  CHECK(std::ranges::equal(first, integrator->state()));
  CHECK(integrator->statistics().steps == steps);
}

TEST_CASE("within a step that is next to nothing its beginning is not its end") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Equation ode = circle_oscillator();
  const auto integrator = started(ode, {name, 1e-3, 1e-8, 1e-10}, {1, 0}, 0.2);
  REQUIRE(integrator->step(0.2 + 2e-13));
  std::vector<double> y(2);
  REQUIRE(integrator->state_at(integrator->previous_time(), y));
  CHECK(y[1] == Approx(0).margin(1e-15));
  CHECK(std::abs(integrator->state()[1]) > 1e-13);
}
