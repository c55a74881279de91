// Limits of signals with an integral, which the output leaves with a slope of zero, compared with closed forms.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>

#include "tests/command/slide_model.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

constexpr double pi = std::numbers::pi;

/// The integral of sin between -0.5 and 0.5, from 0. It stays at a limit until sin changes its sign.
double swing(double t) {
  if (t < pi / 3) return 1 - std::cos(t);
  if (t < pi) return 0.5;
  if (t < 1.5 * pi) return -0.5 - std::cos(t);
  if (t < 2 * pi) return -0.5;
  return 0.5 - std::cos(t);
}

/// sin and its integral, at most 1.5. The sine passes it, comes back, and is then held by the integral until it falls
/// faster than that grows, at 3 pi/4.
double led(double t) {
  const double reached = pi / 4 + std::asin(0.5 / std::numbers::sqrt2), left = 3 * pi / 4;
  if (t < reached) return std::sin(t) + 1 - std::cos(t);
  return t < left ? 1.5 : 1.5 + std::sin(t) - std::cos(t) - std::numbers::sqrt2;
}

/// The integral of -sin between 0 and 1, from 0, where it is at a limit that it would pass at once.
double from_zero(double t) {
  if (t < pi) return 0;
  if (t < 1.5 * pi) return 1 + std::cos(t);
  return t < 2 * pi ? 1 : std::max(0.0, std::cos(t));
}

}  // namespace

TEST_CASE("a limited pid leaves its limit with a slope of zero by one event") {
  const Workshop shop;
  // `touched` comes to its limit with a slope of zero and goes back; `both` is pushed back while it is beyond.
  const std::string model = shop.write("m.yaml", slide(R"YAML(signals:
  - {name: swing, type: pid, ki: 1, input: "sin(t)", lower: -0.5, upper: 0.5}
  - {name: touched, type: pid, ki: 1, input: "sin(t)", lower: -1, upper: 2}
  - {name: led, type: pid, kp: 1, ki: 1, input: "sin(t)", upper: 1.5}
  - {name: zero, type: pid, ki: 1, input: "-sin(t)", lower: 0, upper: 1}
)YAML"));
  for (const std::string integrator : {"dopri5", "dop853", "rk4", "radau5", "cvode-bdf"}) {
    CAPTURE(integrator);
    const Outcome outcome =
        shop.run({"run", model, "--integrator", integrator, "--step", "0.01", "--rtol", "1e-9", "--atol", "1e-11",
                  "--duration", "7", "--output-interval", "0.1", "--output", shop.path("rows.csv").string()});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, !Contains("without end"));
    const Table t = read_table(shop.read("rows.csv"));
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const double s = t.at(r, "time");
      CAPTURE(s);
      CHECK(t.at(r, "signal.swing") == Approx(swing(s)).margin(1e-7));
      CHECK(t.at(r, "signal.touched") == Approx(1 - std::cos(s)).margin(1e-7));
      CHECK(t.at(r, "signal.zero") == Approx(from_zero(s)).margin(1e-7));
      CHECK(t.at(r, "signal.led") == Approx(led(s)).margin(1e-6));
    }
  }
}
