// Derivatives by extrapolated differences.
#include <catch2/catch.hpp>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "framework/workbench/linearization/differences.hpp"

using polyform::host::Derivative;
using polyform::host::differentiate;

TEST_CASE("a first step beyond the series of a function does not spoil its derivative") {
  // Poles at ±i r and at ±r: the series in h holds up to r, far below the step.
  for (const double r : {0.03, 0.003})
    for (const double sign : {1.0, -1.0}) {
      const Derivative d = differentiate(2, 0.125, [&](double h, std::span<double> out) {
        out[0] = 7 * h / (1 + sign * h * h / (r * r));
        out[1] = std::sin(h);
        return std::isfinite(out[0]);
      });
      INFO(r << ", " << sign);
      REQUIRE(d.found);
      CHECK(std::abs(d.value[0] - 7) < 1e-8);
      CHECK(std::abs(d.value[0] - 7) <= 100 * d.error[0] + 1e-13);
      CHECK(std::abs(d.value[1] - 1) < 1e-13);
    }
}

TEST_CASE("the derivative of a jump has an error of its own size") {
  const Derivative d = differentiate(1, 0.125, [](double h, std::span<double> out) {
    out[0] = h > 0 ? 1 : h < 0 ? -1 : 0;
    return true;
  });
  REQUIRE(d.found);
  CHECK(d.error[0] >= 0.1 * std::abs(d.value[0]));
}

// A length of 2730 m that changes by 0.3 of a step: at small steps its roundings agree by chance.
TEST_CASE("the rounding of a place far away is part of a derivative's error") {
  for (const double place : {801.968579, 536.113143, 1e6 + 0.1})
    for (const double stiffness : {1e3, 6.08e10}) {
      const double aside = 2.7 * place, natural = std::hypot(place, aside), slope = stiffness * place / natural;
      const Derivative d = differentiate(1, 0.125, [&](double h, std::span<double> out) {
        out[0] = stiffness * (std::hypot(place + h, aside) - natural);
        return true;
      });
      INFO(place << ", " << stiffness);
      REQUIRE(d.found);
      CHECK(std::abs(d.value[0] - slope) <= 4 * d.error[0]);
      CHECK(d.error[0] <= 1e-12 * place * slope);
    }
}

// Rounding of terms that cancel is the same in steps of the same digits.
TEST_CASE("terms that cancel in a linear function are part of its derivative's error") {
  for (int k = 1; k <= 20; ++k) {
    const double large = 20.1 * k;
    const Derivative d = differentiate(1, 0.125, [&](double h, std::span<double> out) {
      out[0] = (large * h + 1e-3 * h) - large * h;
      return true;
    });
    INFO(large);
    REQUIRE(d.found);
    CHECK(std::abs(d.value[0] - 1e-3) <= 10 * d.error[0]);
  }
}

TEST_CASE("the derivative at the knot of a spline has its digits") {
  for (const double jump : {0.5, -30.0}) {
    const Derivative d = differentiate(2, 0.125, [&](double h, std::span<double> out) {
      out[0] = 2 * h + 3 * h * h + (h > 0 ? jump : 0) * h * h - h * h * h;
      out[1] = std::sin(h);
      return true;
    });
    INFO(jump);
    REQUIRE(d.found);
    CHECK(std::abs(d.value[0] - 2) < 1e-11);
    CHECK(d.error[0] < 1e-9);
    CHECK(std::abs(d.value[1] - 1) < 1e-13);
  }
}

TEST_CASE("halvings of the step end where the errors that are left are small enough") {
  // Many entries, with the rounding of terms of 1e6 that cancel: by chance one or the other gains at any step.
  constexpr std::size_t n = 1000;
  std::size_t evaluations = 0;
  const auto f = [&](double h, std::span<double> out) {
    ++evaluations;
    for (std::size_t k = 0; k < n; ++k) {
      const double large = 1e6 * std::cos(static_cast<double>(k) + h);
      out[k] = (std::sin(h) + large) - large;
    }
    return true;
  };
  differentiate(n, 0.125, f);
  const std::size_t to_the_end = std::exchange(evaluations, 0);
  const std::vector<double> enough(n, 1e-7);
  const Derivative d = differentiate(n, 0.125, f, enough);
  REQUIRE(d.found);
  for (std::size_t k = 0; k < n; ++k) CHECK(std::abs(d.value[k] - 1) < 1e-7);
  CHECK(evaluations <= 10);
  CHECK(to_the_end >= 2 * evaluations);
  CHECK(d.is_good);
}

// sin(100 h)/100: its series holds from steps of some thousandths on, and a difference that begins there needs fewer.
TEST_CASE("a derivative tells whether its errors are small enough and down to which step it was sought") {
  std::size_t evaluations = 0;
  const auto f = [&](double h, std::span<double> out) {
    ++evaluations;
    out[0] = std::sin(100 * h) / 100;
    return true;
  };
  const std::vector<double> enough(1, 1e-12);
  const Derivative whole = differentiate(1, 0.125, f, enough);
  const std::size_t from_large = std::exchange(evaluations, 0);
  CHECK(whole.is_good);
  CHECK(whole.last_step < 0.01);
  const Derivative near = differentiate(1, 4 * whole.last_step, f, enough);
  CHECK(near.is_good);
  CHECK(std::abs(near.value[0] - 1) < 1e-12);
  CHECK(evaluations < from_large);
  const Derivative jump = differentiate(
      1, 0.125,
      [](double h, std::span<double> out) {
        out[0] = h > 0 ? 1 : 0;
        return true;
      },
      enough);
  CHECK(!jump.is_good);
}

namespace {

template <class Function>
polyform::host::Kink kink_of(Function f, double terms = 0) {
  const double middle = f(0.0);
  return polyform::host::kink(std::span(&middle, 1), terms, 1, 0.125, [&](double h, std::span<double> out) {
    out[0] = f(h);
    return true;
  });
}

}  // namespace

TEST_CASE("a kink is told from a bend, however sharp, and from a smooth law with an offset") {
  const auto part = [](auto f, double terms = 0) { return kink_of(f, terms).part; };
  CHECK(part([](double x) { return 1e3 + 2 * x + 5 * x * x; }) == 0);
  CHECK(part([](double x) { return std::sin(x) + 1e-3 * std::cos(300 * x); }) == 0);
  CHECK(part([](double x) { return x * std::abs(x); }) == 0);
  CHECK(part([](double) { return 9.81; }) == 0);
  // The rounding of forces of 10 N that balance.
  CHECK(part([](double x) { return (10 + 1e-17 * x) + x * x - 10; }, 10) == 0);
  CHECK(part([](double x) { return x == 0 ? 0 : x < 0 ? 2e-15 : -1e-15; }, 10) == 0);
  CHECK(std::abs(part([](double x) { return x < 0 ? x : 3 * x; }) - 0.5) < 1e-6);
  CHECK(std::abs(part([](double x) { return 1e4 + (x < 0 ? x : 1.1 * x); }) - 0.1 / 2.1) < 1e-3);
  CHECK(std::abs(part([](double x) { return x < 0 ? x : (1 + 2e-5) * x; }) - 1e-5) < 1e-9);
}

// Both sides have the same difference, which is 1/h, h^(-2/3) or 1/sqrt(h).
TEST_CASE("a jump and a cusp that are odd about the point have no derivative") {
  const auto grows = [](auto f) { return kink_of(f, 10).grows; };
  CHECK(grows([](double x) { return x > 0 ? 0.1 : x < 0 ? -0.1 : 0; }));
  CHECK(grows([](double x) { return std::cbrt(x); }));
  CHECK(grows([](double x) { return std::copysign(std::sqrt(std::abs(x)), x) + 3 * x; }));
  CHECK(grows([](double x) { return std::tanh(x / 1e-7); }));
  CHECK_FALSE(grows([](double x) { return x * std::abs(x); }));
  CHECK_FALSE(grows([](double x) { return std::tanh(x / 1e-3); }));
  CHECK_FALSE(grows([](double x) { return x < 0 ? x : 3 * x; }));
  CHECK_FALSE(grows([](double x) { return x * x * x; }));
  CHECK_FALSE(grows([](double x) { return x == 0 ? 0 : x < 0 ? 2e-15 : -1e-15; }));
}
