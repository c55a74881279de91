// Discrete states of an equation: constant within a step, kept by the host for each end of it.
#include <catch2/catch.hpp>

#include "equations.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::host::test;

namespace {

/// ẏ = d, where d is a discrete state that each correction sets to 1 + ⌊t⌋. A y of 100 or more cannot be corrected:
/// then it is set to something else before the correction fails.
class Stairs final : public Equation, public DiscreteState {
 public:
  Stairs()
      : Equation(
            1,
            [this](double, Span, std::span<double> ydot) {
              ydot[0] = value_;
              return true;
            },
            [this](double t, std::span<double> y) {
              value_ = y[0] < 100 ? 1 + static_cast<std::int32_t>(std::floor(t + 1e-9)) : 50;
              return y[0] < 100;
            }) {}
  DiscreteState* discrete() noexcept override { return this; }
  std::span<const std::int32_t> values() const noexcept override { return {&value_, 1}; }
  Status set(std::span<const std::int32_t> values) noexcept override {
    value_ = values[0];
    return Status::ok;
  }
  void describe(std::size_t, DiscreteDescription& out) const noexcept override { out.name = "stair"; }
  std::int32_t now() const { return value_; }

 private:
  std::int32_t value_ = 1;
};

}  // namespace

// y(3) = 1 + 2 + 3, and between steps a straight line, only if no step begins with what was found before a correction.
TEST_CASE("every integrator keeps a discrete state constant within a step and takes up a change at its end") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Stairs stairs;
  const auto integrator = started(stairs, {name, 0.25, 1e-9, 1e-9}, {0});
  std::vector<double> y(1);
  double expected = 0;
  for (int second = 1; second <= 3; ++second) {
    while (integrator->time() < second) {
      REQUIRE(integrator->step(second));
      const double from = integrator->previous_time(), to = integrator->time();
      for (const double part : {0.0, 0.3, 0.9}) {
        const double t = from + part * (to - from);
        REQUIRE(integrator->state_at(t, y));
        CHECK(stairs.now() == second);
        CHECK(y[0] == Approx(expected + second * (t - (second - 1))).epsilon(1e-12));
      }
      stairs.set(std::vector<std::int32_t>{77});  // by somebody else who uses the equation
      REQUIRE(integrator->state_at(to, y));
      CHECK(stairs.now() == (to == second ? second + 1 : second));
      stairs.set(std::vector<std::int32_t>{77});
    }
    expected += second;
    CHECK(integrator->state()[0] == Approx(expected).epsilon(1e-12));
  }
  stairs.set(std::vector<std::int32_t>{77});
  integrator->stand_at_end();
  CHECK(stairs.now() == 4);
}

TEST_CASE("a step that is repeated from its start has the discrete state of then") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Stairs stairs;
  const auto integrator = started(stairs, {name, 0.5, 1e-9, 1e-9}, {0});
  REQUIRE(run(*integrator, 1));
  CHECK(stairs.now() == 2);
  std::vector<double> y(1);
  const double from = integrator->previous_time();
  REQUIRE(integrator->state_at(from, y));
  integrator->restart(from, y, 1e-3);
  REQUIRE(run(*integrator, 1));
  CHECK(integrator->state()[0] == Approx(1).epsilon(1e-9));
  REQUIRE(run(*integrator, 2));
  CHECK(integrator->state()[0] == Approx(3).epsilon(1e-9));
}

TEST_CASE("a step that fails leaves the discrete state of its start") {
  const char* name = GENERATE("rk4", "dopri5", "dop853", "cvode-adams", "cvode-bdf");
  CAPTURE(name);
  Stairs stairs;
  const auto integrator = started(stairs, {name, 0.5, 1e-9, 1e-9}, {100});
  CHECK_FALSE(integrator->step(3));
  CHECK(integrator->time() == 0);
  CHECK(stairs.now() == 1);
}
