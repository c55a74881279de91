// Initial velocities that loops, prescribed motions and modules do not allow: they are projected, with a message, or
// refused.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/assembly/assembled.hpp"
#include "tests/unit/assembly/planar_models.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string rate(double v) { return fmt::format(", initial: {{velocity: {}}}", v); }

/// Five pins and four rods in a plane: two freedoms.
std::string five_bar(const std::string& a, const std::string& b, const std::string& c, const std::string& d,
                     const std::string& e) {
  return "polyform: 1\nbodies:\n" + rod("p", 0.1, 0.4) + rod("q", 0.7, 1.1) + rod("r", 1.6, 1.0) + rod("s", 2.2, 0.4) +
         "joints:\n" + pin("A", "ground", "p", 0, 0, a) + pin("B", "p", "q", 0.2, 0.8, b) +
         pin("C", "q", "r", 1.2, 1.4, c) + pin("D", "r", "s", 2.0, 0.7, d) + pin("E", "s", "ground", 2.4, 0, e);
}

/// A parallelogram in line: a singular position, where two motions part.
std::string flat_parallelogram(const std::string& a, const std::string& d) {
  return "polyform: 1\nbodies:\n" + rod("p", 0.5, 0) + rod("q", 2, 0) + rod("r", 2.5, 0) + "joints:\n" +
         pin("A", "ground", "p", 0, 0, a) + pin("B", "p", "q", 1, 0) + pin("C", "q", "r", 3, 0) +
         pin("D", "r", "ground", 2, 0, d);
}

}  // namespace

TEST_CASE("rates given to all joints of a loop that do not close it are projected, and each is told") {
  const Assembled model(five_bar(rate(-0.725), rate(0.817), rate(-0.241), rate(0.14), rate(0.3)));
  REQUIRE(model.system != nullptr);
  CHECK(model.open().second < 1e-14);
  // The first two that the loop allows are kept; it has two freedoms.
  CHECK(model.v("A") == -0.725);
  CHECK(model.v("B") == 0.817);
  for (const char* joint : {"`C`", "`D`", "`E`"})
    CHECK_THAT(model.messages(), Catch::Contains(std::string("(joint ") + joint));
}

TEST_CASE("rates that a loop allows are kept to the last digit, in any order and number, without a word") {
  const Assembled free(five_bar(rate(0.3), "", rate(-1.1), "", ""));
  REQUIRE(free.system != nullptr);
  CHECK(free.messages().empty());
  CHECK(free.v("A") == 0.3);
  CHECK(free.v("C") == -1.1);
  const auto text = [&](const char* joint) { return fmt::format(", initial: {{velocity: {:.17g}}}", free.v(joint)); };
  const Assembled all(five_bar(text("A"), text("B"), text("C"), text("D"), text("E")));
  REQUIRE(all.system != nullptr);
  CHECK(all.messages().empty());
  for (const char* joint : {"A", "B", "C", "D", "E"}) CHECK(all.v(joint) == Approx(free.v(joint)).epsilon(1e-14));
}

TEST_CASE("in a singular position rates of either motion are kept, and those of neither are changed with a word") {
  // Both cranks of the flat parallelogram (lengths 1 and 1, coupler 2) may turn alike or against each other; with a
  // crank at rest the other can only turn where the coupler does, about the line: not at all.
  for (const double sign : {1.0, -1.0}) {
    INFO(sign);
    const Assembled model(flat_parallelogram(rate(2), rate(sign * 2)));
    REQUIRE(model.system != nullptr);
    CHECK(model.messages().empty());
    CHECK(model.open().second < 1e-12);
    CHECK(model.v("A") == 2);
    CHECK(std::abs(model.v("B")) < 10);
  }
}

TEST_CASE("velocities of bodies that contradict a loop are projected in the inertia metric, and told body by body") {
  // A parallelogram of two cranks and a rod that stays parallel: with crank 10 and rod −3 given, the cranks' common
  // rate w and the rod's velocity w × l minimize the kinetic energy of the difference. By its turn the rod's mass
  // centre moves across w × l, and of the other crank nothing is given: w is 10.
  const std::string text = "polyform: 1\nbodies:\n" + rod("p", 0, 0.5, 1.5, ", angular_velocity: [0, 0, 10]") +
                           rod("q", 1, 1, 1.5, ", angular_velocity: [0, 0, -3]") + rod("r", 2, 0.5) + "joints:\n" +
                           pin("A", "ground", "p", 0, 0) + pin("B", "p", "q", 0, 1) + pin("C", "q", "r", 2, 1) +
                           pin("D", "r", "ground", 2, 0);
  const Assembled model(text);
  REQUIRE(model.system != nullptr);
  CHECK(model.open().second < 1e-12);
  CHECK(model.v("A") == Approx(10).epsilon(1e-8));
  CHECK_THAT(model.messages(),
             Catch::Contains("the loops do not allow the given velocity of body `q`: angular velocity "
                             "(0 0 -3) given, (0 0 0) taken") &&
                 !Catch::Contains("body `p`"));
}

TEST_CASE("what is given and what is taken differ as they are told, however little they differ") {
  // The rate of the second crank of the parallelogram is that of the first, 10 rad/s.
  const auto said = [](const std::string& of_crank, const std::string& of_other) {
    const Assembled model("polyform: 1\nbodies:\n" + rod("p", 0, 0.5, 1.5, of_crank) + rod("q", 1, 1, 1.5) +
                          rod("r", 2, 0.5, 1.5, of_other) + "joints:\n" + pin("A", "ground", "p", 0, 0) +
                          pin("B", "p", "q", 0, 1) + pin("C", "q", "r", 2, 1) + pin("D", "r", "ground", 2, 0));
    REQUIRE(model.system != nullptr);
    return model.messages();
  };
  const std::string near = said(", angular_velocity: [0, 0, 10]", ", angular_velocity: [0, 0, 10.0000001]");
  REQUIRE_THAT(near, Catch::Contains(" given, "));
  CHECK_THAT(near, !Catch::Contains("(0 0 10) given, (0 0 10) taken"));
  // The crank's end moves by −ω × its half length: a velocity of the mass centre of 5 m/s along −x is right.
  const std::string moved = said(", angular_velocity: [0, 0, 10], velocity: [-5.000001, 0, 0]", "");
  CHECK_THAT(moved, Catch::Contains("velocity (-5.000001 0 0) given, (-5") &&
                        !Catch::Contains("(0 0 10) given, (0 0 10) taken"));
}

TEST_CASE("velocities of bodies that the loops allow are kept, however the other bodies are to follow") {
  // A slider-crank at its dead centre, where the rod turns by −r/l of the crank's rate and the block stands still.
  const auto slider_crank = [](const std::string& of_crank, const std::string& of_rod) {
    return "polyform: 1\nbodies:\n"
           "  - {name: crank, mass: 1, center_of_mass: [0.25, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}" +
           of_crank +
           "}\n  - {name: rod, position: [0.5, 0, 0], mass: 1, center_of_mass: [0, 0, 0], "
           "inertia: {xx: 0.01, yy: 0.1, zz: 0.1}" +
           of_rod +
           "}\n  - {name: block, position: [1.3, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\njoints:\n" +
           pin("A", "ground", "crank", 0, 0) + pin("B", "crank", "rod", 0.5, 0) + pin("C", "rod", "block", 1.3, 0) +
           "  - {name: D, type: prismatic, base: ground, moving: block, position: [1.3, 0, 0], axis: [1, 0, 0]}\n";
  };
  for (const auto& [crank, rod] :
       {std::pair(", angular_velocity: [0, 0, 20]", ""), std::pair("", ", angular_velocity: [0, 0, -12.5]"),
        std::pair("", ", velocity: [0, 10, 0], angular_velocity: [0, 0, -12.5]")}) {
    INFO(crank << rod);
    const Assembled model(slider_crank(crank, rod));
    REQUIRE(model.system != nullptr);
    CHECK(model.messages().empty());
    CHECK(model.open().second < 1e-12);
    CHECK(model.v("A") == Approx(20).epsilon(1e-12));
    CHECK(model.v("B") == Approx(-32.5).epsilon(1e-12));
  }
}

TEST_CASE("velocities that contradict each other are told with all that asks for them") {
  const Assembled model(R"(
polyform: 1
bodies:
  - {name: a, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: b, position: [1, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: c, position: [2, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: ja, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: jb, type: revolute, base: ground, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}
  - {name: jc, type: revolute, base: ground, moving: c, position: [2, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: first, type: geared-shaft, joint: ja, other_joint: jb, ratio: 2}
  - {name: second, type: geared-shaft, joint: jb, other_joint: jc, ratio: 3}
constraints:
  - {name: da, type: prescribed-motion, joint: ja, motion: {polynomial: [0, 1]}}
  - {name: db, type: prescribed-motion, joint: jb, motion: {polynomial: [0, 1]}}
)");
  CHECK(model.system == nullptr);
  for (const char* name : {"`da`", "`db`", "`first`"}) CHECK_THAT(model.messages(), Catch::Contains(name));
  CHECK_THAT(model.messages(), !Catch::Contains("`second`"));
}

TEST_CASE("a prescribed motion that sets free joints in motion says which") {
  // A hub that is driven at 5 rad/s carries a blade on a hinge at 0.3 m. From rest, an impulse of the drive leaves the
  // blade's angular momentum about the hinge zero: J w + m c (0.3 * 5 + c w) = 0 for its absolute rate w.
  const std::string text = R"(
polyform: 1
bodies:
  - {name: hub, mass: 2, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: blade, position: [0.3, 0, 0], mass: 1.2, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: hinge, type: revolute, base: hub, moving: blade, position: [0.3, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: drive, type: prescribed-motion, joint: shaft, motion: {polynomial: [0, 5]}}
)";
  const Assembled model(text);
  REQUIRE(model.system != nullptr);
  const double absolute = -1.2 * 0.5 * 0.3 * 5 / (0.1 + 1.2 * 0.25);
  CHECK(model.v("shaft") == Approx(5).epsilon(1e-14));
  CHECK(model.v("hinge") == Approx(absolute - 5).epsilon(1e-12));
  CHECK_THAT(model.messages(),
             Catch::Contains("leave open how some joints start to move") && Catch::Contains("`hinge` -7.25"));
  // With a rate of its own the blade keeps it, and there is no message.
  std::string given = text;
  given.insert(given.find(", axis: [0, 0, 1]}\nconstraints"), ", initial: {velocity: 0}");
  const Assembled silent(given);
  CHECK(silent.messages().empty());
  CHECK(silent.v("hinge") == 0);
}

TEST_CASE("a shaft of two Cardan joints with massless crosses turns as one") {
  const auto body = [](const char* name, double x, double mass) {
    return fmt::format("  - {{name: {0}, position: [{1}, 0, 0], mass: {2}, inertia: {{xx: {3}, yy: {3}, zz: {3}}}}}\n",
                       name, x, mass, 0.01 * mass);
  };
  const auto joint = [](const char* name, const char* type, const char* base, const char* moving, double x, double y,
                        const char* axis, const char* more = "") {
    return fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}, position: [{}, {}, 0], axis: [{}]{}}}\n", name,
                       type, base, moving, x, y, axis, more);
  };
  // Parallel outer shafts and forks in phase: both shafts have the same speed.
  const Assembled model(
      "polyform: 1\nbodies:\n" + body("in", 0, 1) + body("x", 1, 0) + body("mid", 1.5, 2) + body("y", 2, 0) +
      body("out", 3, 1) + "joints:\n" +
      joint("entry", "revolute", "ground", "in", 0, 0, "1, 0, 0", ", initial: {velocity: 30}") +
      joint("a", "revolute", "in", "x", 1, 0, "0, 0, 1") + joint("b", "revolute", "x", "mid", 1, 0, "-0.5, 1, 0") +
      joint("c", "revolute", "mid", "y", 2, 0.5, "-0.5, 1, 0") + joint("d", "revolute", "y", "out", 2, 0.5, "0, 0, 1") +
      joint("exit", "cylindrical", "out", "ground", 3, 0.5, "1, 0, 0"));
  INFO(model.messages());
  REQUIRE(model.system != nullptr);
  CHECK(model.messages().empty());
  CHECK(model.v("entry") == 30);
  CHECK(model.open().second < 1e-11);
  const ConstStateView state = model.system->initial_state();
  TreeKinematics tree(model.system->view());
  tree.evaluate(state.q.data(), state.v.data());
  for (std::size_t i = 0; i < model.system->view().bodies.size(); ++i)
    if (model.system->view().bodies[i].name == "out") CHECK(tree.bodies()[i].V.angular.x == Approx(30).epsilon(1e-12));
}

TEST_CASE("a prescribed motion that a mechanism cannot follow in its position is refused by name") {
  // At its dead centre a slider cannot be pushed.
  const Assembled model(
      "polyform: 1\nbodies:\n" + rod("crank", 0.5, 0) + rod("rod", 2, 0) + rod("slider", 3, 0) + "joints:\n" +
      pin("A", "ground", "crank", 0, 0) + pin("B", "crank", "rod", 1, 0) + pin("C", "rod", "slider", 3, 0) +
      "  - {name: D, type: prismatic, base: ground, moving: slider, position: [3, 0, 0], axis: [1, 0, 0]}\n"
      "constraints:\n"
      "  - {name: push, type: prescribed-motion, joint: D, motion: {polynomial: [0, 1]}}\n");
  CHECK(model.system == nullptr);
  CHECK_THAT(model.messages(),
             Catch::Contains("no velocities respect all loops and constraints at the initial position"));
}

TEST_CASE("rates of joints that follow from the velocities of bodies are not called open") {
  // The cranks of a parallelogram turn alike; the third body's rate is that of the first.
  const Assembled model("polyform: 1\nbodies:\n" + rod("p", 0, 0.5, 1.5, ", angular_velocity: [0, 0, 10]") +
                        rod("q", 1, 1) + rod("r", 2, 0.5) + "joints:\n" + pin("A", "ground", "p", 0, 0) +
                        pin("B", "p", "q", 0, 1) + pin("C", "q", "r", 2, 1) + pin("D", "r", "ground", 2, 0));
  REQUIRE(model.system != nullptr);
  CHECK(model.open().second < 1e-12);
  CHECK_THAT(model.messages(), !Catch::Contains("leave open"));
}

TEST_CASE("a body without a given velocity does not hold back those of others that contradict a loop") {
  const auto crank_and_rod = [](const std::string& rate_of_rod) {
    return "polyform: 1\nbodies:\n"
           "  - {name: crank, mass: 1, center_of_mass: [0.1, 0, 0.15], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}, "
           "angular_velocity: [0, 10, 0], velocity: [1.5, 0, -1]}\n"
           "  - {name: rod, position: [0.2, 0, 0.3], mass: 1, center_of_mass: [0.4, 0, -0.15], "
           "inertia: {xx: 0.01, yy: 0.1, zz: 0.1}, angular_velocity: [0, " +
           rate_of_rod +
           ", 0]}\n"
           "  - {name: slider, position: [1, 0, 0], mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}\n"
           "joints:\n"
           "  - {name: a, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 1, 0]}\n"
           "  - {name: b, type: revolute, base: crank, moving: rod, position: [0.2, 0, 0.3], axis: [0, 1, 0]}\n"
           "  - {name: c, type: revolute, base: rod, moving: slider, position: [1, 0, 0], axis: [0, 1, 0]}\n"
           "  - {name: d, type: prismatic, base: ground, moving: slider, position: [1, 0, 0], axis: [1, 0, 0]}\n";
  };
  const Assembled fits(crank_and_rod("-2.5")), nearly(crank_and_rod("-2.5000001")), off(crank_and_rod("-3"));
  REQUIRE(fits.system != nullptr);
  REQUIRE(nearly.system != nullptr);
  REQUIRE(off.system != nullptr);
  CHECK(fits.v("a") == Approx(10).epsilon(1e-12));
  CHECK(nearly.v("a") == Approx(10).epsilon(1e-7));
  // The crank by d faster, the rod turns at -2.5 - d / 4: the least of
  // 0.0425 d^2 + 0.1 (0.5 - d / 4)^2 + (0.3375 d - 0.075)^2 + (0.1 d + 0.2)^2, from the inertia of these two alone.
  CHECK(off.v("a") == Approx(10 + 0.0178125 / 0.17265625).epsilon(1e-7));
  CHECK_THAT(off.messages(), Catch::Contains("body `crank`") && Catch::Contains("body `rod`"));
}
