// Functions of time: from text to values and derivatives.
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "tests/unit/reading/reading.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::host::testing;

namespace {

/// A function with the description that owns its table.
struct ReadFunction {
  Description model;
  const TimeFunction& law() const { return model.forces[0].fields.values[6].functions[0]; }
  TimeFunction::Value operator()(double t) const { return law()(t); }
};
ReadFunction function(const std::string& text) {
  return {
      read_good("{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}], "
                "forces: [{name: f, type: everything, law: " +
                text + "}]}")};
}

void check(const TimeFunction::Value& v, double value, double rate, double acceleration) {
  CHECK(v.value == Approx(value).margin(1e-14));
  CHECK(v.rate == Approx(rate).margin(1e-14));
  CHECK(v.acceleration == Approx(acceleration).margin(1e-14));
}

}  // namespace

TEST_CASE("constants and polynomials") {
  check(function("4")(7), 4, 0, 0);
  check(function("{constant: -2}")(7), -2, 0, 0);
  check(function("{polynomial: [1, 2, 3, 4]}")(2), 1 + 4 + 12 + 32, 2 + 12 + 48, 6 + 48);
}

TEST_CASE("a ramp is zero before start and held after end") {
  const ReadFunction f = function("{ramp: {rate: 2, start: 1, end: 3}}");
  check(f(0.5), 0, 0, 0);
  check(f(1), 0, 2, 0);
  check(f(2), 2, 2, 0);
  check(f(4), 4, 0, 0);
  check(function("{ramp: {rate: 2}}")(1e6), 2e6, 2, 0);
}

TEST_CASE("a sine takes its frequency in Hz") {
  const double w = 2 * std::numbers::pi * 0.25, phase = w * 0.3 + 0.1;
  check(function("{sine: {amplitude: 2, frequency: 0.25, phase: 0.1, offset: 5}}")(0.3), 5 + 2 * std::sin(phase),
        2 * w * std::cos(phase), -2 * w * w * std::sin(phase));
}

TEST_CASE("a linear table is held outside its range") {
  const ReadFunction f = function("{table: [[0, 1], [1, 3], [3, -1]]}");
  check(f(-1), 1, 0, 0);
  check(f(0.5), 2, 2, 0);
  check(f(2), 1, -2, 0);
  check(f(3), -1, 0, 0);
  check(f(9), -1, 0, 0);
  check(function("{table: [[0, 7]]}")(1), 7, 0, 0);
}

TEST_CASE("a cubic table is the natural spline: through the points, twice smooth, without curvature at the ends") {
  const ReadFunction f = function("{table: [[0, 0], [1, 1], [2, 0], [4, 2]], interpolation: cubic}");
  const std::vector<std::pair<double, double>> points{{0, 0}, {1, 1}, {2, 0}, {4, 2}};
  const double e = 1e-9;
  for (const auto& [t, x] : points) CHECK(f(t).value == Approx(x).margin(1e-14));
  for (const double t : {1.0, 2.0}) {
    CHECK(f(t - e).rate == Approx(f(t + e).rate).margin(1e-7));
    CHECK(f(t - e).acceleration == Approx(f(t + e).acceleration).margin(1e-7));
  }
  CHECK(f(e).acceleration == Approx(0).margin(1e-7));
  CHECK(f(4 - e).acceleration == Approx(0).margin(1e-7));
  const double h = 1e-5;
  for (const double t : {0.3, 1.6, 2.9}) {
    CHECK(f(t).rate == Approx((f(t + h).value - f(t - h).value) / (2 * h)).margin(1e-8));
    CHECK(f(t).acceleration == Approx((f(t + h).rate - f(t - h).rate) / (2 * h)).margin(1e-8));
  }
}

TEST_CASE("the natural spline through points of a line is that line") {
  const ReadFunction f = function("{table: [[0, 1], [0.5, 2], [2, 5]], interpolation: cubic}");
  check(f(1.2), 1 + 2 * 1.2, 2, 0);
}

TEST_CASE("functions know their knots and their shortest time") {
  const double none = std::numeric_limits<double>::infinity();
  for (const char* smooth : {"4", "{polynomial: [1, 2]}", "{sine: {amplitude: 2, frequency: 4}}", "{table: [[0, 7]]}"})
    CHECK(function(smooth).law().next_knot(-1) == none);
  CHECK(function("{sine: {amplitude: 2, frequency: 4}}").law().shortest_time() == 0.25);
  CHECK(function("{sine: {amplitude: 0, frequency: 4}}").law().shortest_time() == none);
  const ReadFunction ramp = function("{ramp: {rate: 2, start: 1, end: 3}}");
  CHECK(ramp.law().next_knot(0) == 1);
  CHECK(ramp.law().next_knot(1) == 3);
  CHECK(ramp.law().next_knot(3) == none);
  CHECK(ramp.law().shortest_time() == 2);
  CHECK(function("{ramp: {rate: 2, start: 1}}").law().next_knot(1) == none);
  for (const char* kind : {"linear", "cubic"}) {
    const ReadFunction table = function(fmt::format("{{table: [[0, 1], [1, 3], [1.5, -1]], interpolation: {}}}", kind));
    CHECK(table.law().next_knot(-4) == 0);
    CHECK(table.law().next_knot(0) == 1);
    CHECK(table.law().next_knot(0.99) == 1);
    CHECK(table.law().next_knot(1) == 1.5);
    CHECK(table.law().next_knot(1.5) == none);
    CHECK(table.law().shortest_time() == 0.5);
  }
}
