// Rows that are nonlinear in velocities, met from a start that is far from them, and what is said where none are near.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Two slides of 1 kg and 3 kg with these rates at the start, and rows.
std::string two_slides(const std::string& a, const std::string& b, const std::string& rows) {
  const auto slide = [](const char* name, double mass, double y, const std::string& rate) {
    return std::pair(fmt::format("  - {{name: {}, position: [0, {}, 0], mass: {}, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n",
                                 name, y, mass),
                     fmt::format("  - {{name: rail_{0}, type: prismatic, base: ground, moving: {0}, position: [0, {1}, "
                                 "0], axis: [1, 0, 0]{2}}}\n",
                                 name, y, rate.empty() ? "" : ", initial: {velocity: " + rate + "}"));
  };
  const auto [first, rail] = slide("a", 1, 0, a);
  const auto [second, other] = slide("b", 3, 1, b);
  return "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n" + first + second + "joints:\n" + rail + other + "constraints:\n" +
         rows;
}
std::string row(const char* name, const std::string& formula, const char* level = "velocity") {
  return fmt::format("  - {{name: {}, type: formula-constraint, {}: {{expression: \"{}\"}}}}\n", name, level, formula);
}

}  // namespace

TEST_CASE("a start far from a row that is nonlinear in velocities is brought onto it") {
  // One freedom: the root on the side of the start, from near and from 500 times as far.
  for (const auto& [start, formula, root] :
       {std::tuple("0.5", "v(rail_a)^2 - 4", 2.0), std::tuple("-0.004", "v(rail_a)^2 - 4", -2.0),
        std::tuple("1000", "v(rail_a)^2 - 4", 2.0), std::tuple("0.01", "v(rail_a)^3 + v(rail_a) - 10", 2.0),
        std::tuple("0.1", "log(v(rail_a)) - 3", std::exp(3.0)), std::tuple("30", "log(v(rail_a)) + 3", std::exp(-3.0)),
        std::tuple("20", "tanh(v(rail_a)/10) - 0.5", 10 * std::atanh(0.5))}) {
    INFO(formula << " from " << start);
    const Assembled model(two_slides(start, "0", row("h", formula)));
    INFO(model.messages());
    REQUIRE(model.system != nullptr);
    CHECK(model.v("rail_a") == Approx(root).epsilon(1e-12));
    CHECK(model.v("rail_b") == 0);
  }
}

TEST_CASE("rows that agree where they are met may contradict each other as they are linearized on the way") {
  for (const char* start : {"2.1", "0.3", "40"}) {
    INFO(start);
    const Assembled model(two_slides(start, "0", row("h", "v(rail_a)^2 - 4") + row("g", "v(rail_a) - 2")));
    INFO(model.messages());
    REQUIRE(model.system != nullptr);
    CHECK(model.v("rail_a") == Approx(2).epsilon(1e-9));
  }
}

TEST_CASE("of several freedoms those move whose rates are not given, the light ones more") {
  const std::string speed = row("h", "v(rail_a)^2 + v(rail_b)^2 - 25");
  const Assembled kept(two_slides("3", "", speed));  // at b = 0 the row does not depend on b: so a gives way
  REQUIRE(kept.system != nullptr);
  CHECK(std::hypot(kept.v("rail_a"), kept.v("rail_b")) == Approx(5).epsilon(1e-12));
  // The given rate of a is kept where b can follow: a v_b^3 has a slope everywhere but at zero.
  const Assembled given(two_slides("3", "", row("h", "v(rail_a) + v(rail_b)^3 + v(rail_b) - 13")));
  REQUIRE(given.system != nullptr);
  CHECK(given.messages().find("does not allow") == std::string::npos);
  CHECK(given.v("rail_a") == 3);
  CHECK(given.v("rail_b") == Approx(2).epsilon(1e-12));
  // Both free: along M^-1 of the slopes, so the light one moves more.
  const Assembled both(two_slides("", "", row("h", "exp(v(rail_a) + v(rail_b)) - 5")));
  REQUIRE(both.system != nullptr);
  CHECK(both.v("rail_a") + both.v("rail_b") == Approx(std::log(5.0)).epsilon(1e-12));
  CHECK(both.v("rail_a") == Approx(3 * both.v("rail_b")).epsilon(1e-12));
}

TEST_CASE("rows that no velocities near the start meet are refused by their own names") {
  const auto refused = [](const std::string& rows, const char* a, const char* b) {
    const Assembled model(two_slides(a, b, rows));
    CHECK(model.system == nullptr);
    return model.messages();
  };
  const std::string on_acceleration = row("push", "a(rail_a) - 2", "acceleration");
  const std::string none = refused(row("h", "v(rail_a)^2 + 1") + on_acceleration, "2", "0");
  CHECK_THAT(none, Catch::Contains("constraint `h` is off by") && !Catch::Contains("push"));
  const std::string flat = refused(row("h", "v(rail_a)^2 - 4") + on_acceleration, "0", "0");
  CHECK_THAT(flat, Catch::Contains("constraint `h` is off by 4") && Catch::Contains("its derivatives are zero") &&
                       !Catch::Contains("push"));
  const std::string undefined = refused(row("h", "1/v(rail_a) - 4"), "0", "0");
  CHECK_THAT(undefined, Catch::Contains("constraint `h` has no value at the start: division by zero in `1/v(rail_a)`"));
  const std::string two = refused(row("h", "v(rail_a)^2 - 4") + row("g", "v(rail_a) - 3"), "2.1", "0");
  CHECK_THAT(two, Catch::Contains("`h`") && Catch::Contains("`g`"));
}

TEST_CASE("a row on accelerations asks nothing of the velocities at the start") {
  // With the row on velocities alone the start would be moved in the same way.
  const std::string speed = row("h", "v(rail_a) + v(rail_b) - 4");
  const Assembled alone(two_slides("", "", speed)),
      with(two_slides("", "", speed + row("push", "a(rail_a) - 2", "acceleration")));
  REQUIRE(alone.system != nullptr);
  REQUIRE(with.system != nullptr);
  CHECK(alone.v("rail_a") == Approx(3).epsilon(1e-12));
  CHECK(with.v("rail_a") == Approx(3).epsilon(1e-12));
  CHECK(with.v("rail_b") == Approx(1).epsilon(1e-12));
}
