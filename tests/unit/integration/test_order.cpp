// The order of each Runge-Kutta method, proved where it is exact and measured where it is not.
#include <catch2/catch.hpp>

#include "equations.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

namespace {

/// The errors at the end of one step of size h and within it.
struct OneStep {
  double end, inside;
};
OneStep one_step(const char* name, double h) {
  Equation ode = logistic();
  const auto integrator = started(ode, {name, h, 1e3, 1e3}, {0.2});
  REQUIRE(integrator->step(h));
  REQUIRE(integrator->time() == h);
  std::vector<double> y(1);
  REQUIRE(integrator->state_at(0.4 * h, y));
  return {logistic_error(h, integrator->state()), logistic_error(0.4 * h, y)};
}

double observed_order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace

TEST_CASE("rk4 integrates polynomials up to degree 3 exactly, at step ends and between") {
  const int power = GENERATE(0, 1, 2, 3);
  Equation ode = power_of_time(power);
  const auto integrator = started(ode, {"rk4", 0.7, 0, 0}, {0});
  REQUIRE(run(*integrator, 2.0));
  CHECK(integrator->state()[0] == Approx(std::pow(2.0, power + 1) / (power + 1)).epsilon(1e-14));
  std::vector<double> y(1);
  REQUIRE(integrator->state_at(1.6, y));
  CHECK(y[0] == Approx(std::pow(1.6, power + 1) / (power + 1)).epsilon(1e-14));
}

TEST_CASE("dopri5 integrates polynomials up to degree 4 exactly, its dense output up to degree 3") {
  const int power = GENERATE(0, 1, 2, 3, 4);
  Equation ode = power_of_time(power);
  const auto integrator = started(ode, {"dopri5", 2.0, 1e3, 1e3}, {0});
  REQUIRE(integrator->step(2.0));
  REQUIRE(integrator->time() == 2.0);
  CHECK(integrator->state()[0] == Approx(std::pow(2.0, power + 1) / (power + 1)).epsilon(1e-14));
  if (power == 4) return;
  std::vector<double> y(1);
  REQUIRE(integrator->state_at(0.6, y));
  CHECK(y[0] == Approx(std::pow(0.6, power + 1) / (power + 1)).epsilon(1e-13));
}

TEST_CASE("dop853 integrates polynomials up to degree 7 exactly, its dense output up to degree 6") {
  const int power = GENERATE(0, 1, 2, 3, 4, 5, 6, 7);
  Equation ode = power_of_time(power);
  const auto integrator = started(ode, {"dop853", 2.0, 1e3, 1e3}, {0});
  REQUIRE(integrator->step(2.0));
  REQUIRE(integrator->time() == 2.0);
  CHECK(integrator->state()[0] == Approx(std::pow(2.0, power + 1) / (power + 1)).epsilon(1e-14));
  if (power == 7) return;
  std::vector<double> y(1);
  REQUIRE(integrator->state_at(0.6, y));
  CHECK(y[0] == Approx(std::pow(0.6, power + 1) / (power + 1)).epsilon(1e-12));
}

TEST_CASE("the error of one step falls by at least the order plus one when the step is halved") {
  const OneStep rk4 = one_step("rk4", 0.2), rk4_half = one_step("rk4", 0.1);
  CHECK(observed_order(rk4.end, rk4_half.end) > 4.8);
  CHECK(observed_order(rk4.inside, rk4_half.inside) > 4.8);
  const OneStep dopri5 = one_step("dopri5", 0.4), dopri5_half = one_step("dopri5", 0.2);
  CHECK(observed_order(dopri5.end, dopri5_half.end) > 5.8);
  CHECK(observed_order(dopri5.inside, dopri5_half.inside) > 4.8);
  const OneStep dop853 = one_step("dop853", 1.6), dop853_half = one_step("dop853", 0.8);
  CHECK(observed_order(dop853.end, dop853_half.end) > 8.8);
  CHECK(observed_order(dop853.inside, dop853_half.inside) > 7.8);
}

TEST_CASE("the error of rk4 over a fixed time falls sixteenfold when the step is halved") {
  const auto error = [](double h) {
    Equation ode = circle_oscillator();
    const auto integrator = started(ode, {"rk4", h, 0, 0}, {1.2, 0});
    REQUIRE(run(*integrator, 3.0));
    return circle_error(1.2, 3.0, integrator->state());
  };
  CHECK(observed_order(error(0.02), error(0.01)) == Approx(4).margin(0.1));
}

TEST_CASE("the error of radau5 over a fixed time falls thirty-two-fold when its steps are halved") {
  const auto error = [](double h) {
    Equation ode = circle_oscillator();
    polyform::StepSettings settings{.step = h, .relative_tolerance = 1e3, .absolute_tolerance = 1e3};
    settings.max_step = h;
    Integration integrator(ode, polyform::test::integrator("radau5"), settings);
    integrator.start(0, std::vector<double>{1.2, 0});
    REQUIRE(run(integrator, 3.0));
    return circle_error(1.2, 3.0, integrator.state());
  };
  CHECK(observed_order(error(0.1), error(0.05)) == Approx(5).margin(0.2));
}

TEST_CASE("the global error of the adaptive integrators follows the tolerance") {
  const char* name = GENERATE("dopri5", "dop853", "radau5", "auto", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  const auto error = [name](double tolerance) {
    Equation ode = circle_oscillator();
    const auto integrator = started(ode, {name, 1e-3, tolerance, tolerance}, {1.2, 0});
    REQUIRE(run(*integrator, 5.0));
    return circle_error(1.2, 5.0, integrator->state());
  };
  const double coarse = error(1e-5), fine = error(1e-9);
  CHECK(coarse < 1e-2);
  CHECK(fine < 1e-6);
  CHECK(fine < coarse / 1e2);
}
