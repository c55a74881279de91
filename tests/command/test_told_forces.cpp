// What forces tell of themselves in results, and values that --set replaces in included files.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/command/slide_model.hpp"

using namespace polyform::test;
using Catch::Contains;

TEST_CASE("Forces of lines, points and joints tell what they feel", "[command][outputs]") {
  const Workshop shop;
  // At q = 1 m, v = 2 m/s: the spring from the origin has the length 1 m, tension 4 (1 - 0.5) + 3 * 2 = 8 N.
  shop.write("told.yaml", slide(R"(forces:
  - {name: s, type: spring-damper, a: {body: ground, point: [0, 0, 0]}, b: {body: block, point: [0, 0, 0]},
     stiffness: 4, damping: 3, free_length: 0.5}
  - {name: e, type: joint-force, joint: slide, effort: 2.5}
  - {name: p, type: point-force, body: block, force: [1, 2, 3], moment: [4, 5, 6]}
  - {name: j, type: joint-spring-damper, joint: slide, stiffness: 7, damping: 0.5, rest: 0.25}
)",
                                "{position: 1, velocity: 2}"));
  const Table rows = run(shop, "told.yaml", {"--columns", "s.*,e.*,p.*,j.*", "--duration", "0.1"});
  const std::vector<std::pair<std::string, double>> expected{{"s.length", 1},
                                                             {"s.rate", 2},
                                                             {"s.tension", 8},
                                                             {"e.effort", 2.5},
                                                             {"p.fx", 1},
                                                             {"p.fy", 2},
                                                             {"p.fz", 3},
                                                             {"p.mx", 4},
                                                             {"p.my", 5},
                                                             {"p.mz", 6},
                                                             {"j.rate", 2},
                                                             {"j.deflection", 0.75},
                                                             {"j.effort", -7 * 0.75 - 0.5 * 2}};
  for (const auto& [name, value] : expected) {
    INFO(name);
    CHECK(rows.at(0, name) == Approx(value).epsilon(1e-14));
  }
}

TEST_CASE("A name of columns that matches nothing is an error without results too", "[command][outputs]") {
  const Workshop shop;
  shop.write("told.yaml", slide(force("1")));
  for (const char* const name : {"nope.*", "f.efort"}) {
    const Outcome outcome = shop.run({"run", "told.yaml", "--quiet", "--columns", name});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("no column matches") && Contains(name));
  }
}

TEST_CASE("--set and --vary reach into included files", "[command][include]") {
  const Workshop shop;
  shop.write("inner.yaml", "parameters: {k: 4}\nbodies:\n  - {name: a, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}\n");
  shop.write("outer.yaml", R"(polyform: 1
include: inner.yaml
gravity: [0, 0, 0]
joints:
  - {name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0], initial: {position: 1}}
forces:
  - {name: s, type: joint-spring-damper, joint: j, stiffness: k}
simulation: {duration: 0.1, output_interval: 0.1}
)");
  const auto started = [&](std::vector<std::string> more) {
    more.insert(more.end(), {"--columns", "accelerations,s.effort"});
    return run(shop, "outer.yaml", more);
  };
  CHECK(started({}).at(0, "s.effort") == Approx(-4));
  CHECK(started({"--set", "parameters.k=9"}).at(0, "s.effort") == Approx(-9));
  CHECK(started({"--set", "bodies.a.mass=8"}).at(0, "a.ax") == Approx(-0.5));
  const Outcome wrong = shop.run({"run", "outer.yaml", "--quiet", "--set", "parameters.kk=9"});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains("Did you mean 'k'"));
}

TEST_CASE("Two included files may not give one parameter two values", "[command][include]") {
  const Workshop shop;
  shop.write("a.yaml", "parameters: {k: 4}\nbodies:\n  - {name: a, mass: k, inertia: {xx: 1, yy: 1, zz: 1}}\n");
  const auto started = [&](const std::string& more, const std::string& head = {}) {
    shop.write("b.yaml", more);
    shop.write("top.yaml", "polyform: 1\ninclude: [a.yaml, b.yaml]\n" + head + "simulation: {duration: 0.1}\n");
    return shop.run({"run", "top.yaml", "--quiet"});
  };
  const Outcome other = started("parameters: {l: 1, k: 5}\n");
  CHECK(other.code == 2);
  CHECK_THAT(other.err,
             Contains("b.yaml:1:23") && Contains("the value 5 here and 4 in another") && Contains("a.yaml:1:14"));
  CHECK(started("parameters: {k: 5}\n", "parameters: {k: 6}\n").code == 0);
  CHECK(started("parameters: {k: 2 + 2}\n").code == 0);
  CHECK(started("include: c.yaml\n").code == 2);  // there is none
  shop.write("c.yaml", "parameters: {l: 7}\n");
  CHECK(started("include: c.yaml\nparameters: {l: 8}\n").code == 0);  // the file that includes takes precedence
  CHECK_THAT(started("parameters: {pi: 3}\n").err, Contains("'pi' is no name of a parameter"));
  CHECK_THAT(started("parameters: {t: 3}\n").err, Contains("'t' is no name of a parameter: it is the time"));
}

namespace {

/// A spring at the origin with k = 4 N/m and the free length 0.5 m, and a push by half of its tension the same way.
std::string pushed(const std::string& effort, const std::string& more = {}) {
  return slide(
      "signals:\n  - {name: sum, type: integrator, input: \"channel(s.tension)\"}\n"
      "  - {name: twice, value: \"2*channel(signal.sum.integral)\"}\n"
      "forces:\n  - {name: push, type: joint-force, joint: slide, effort: {expression: \"" +
          effort + "\"}}\n" + more +
          "  - {name: s, type: spring-damper, a: {body: ground, point: [0, 0, 0]}, "
          "b: {body: block, point: [0, 0, 0]}, stiffness: 4, free_length: 0.5}\n",
      "{position: 1}");
}

}  // namespace

TEST_CASE("Formulas read forces and states at the same instant, in every formulation", "[command][formulas]") {
  const Workshop shop;
  shop.write("pushed.yaml", pushed("-0.5*channel(s.tension)"));
  // 2 x'' = -6 (x - 0.5): x = 0.5 + 0.5 cos(w t), w = sqrt(3); the tension 2 cos(w t) has the integral 2 sin(w t)/w.
  const double w = std::sqrt(3.0);
  for (const std::string& solver : solvers) {
    INFO(solver);
    const Table rows = run(shop, "pushed.yaml", {"--solver", solver, "--columns", "slide.q,elements"});
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      const double t = rows.at(k, "time");
      CHECK(rows.at(k, "slide.q") == Approx(0.5 + 0.5 * std::cos(w * t)).margin(1e-8));
      CHECK(rows.at(k, "push.effort") == Approx(-std::cos(w * t)).margin(1e-8));
      CHECK(rows.at(k, "signal.twice") == Approx(4 * std::sin(w * t) / w).margin(1e-8));
    }
  }
}

TEST_CASE("What a formula cannot read is refused with its reason", "[command][formulas]") {
  const Workshop shop;
  const auto refused = [&](const std::string& effort, const std::string& more, const std::string& why) {
    shop.write("wrong.yaml", pushed(effort, more));
    const Outcome outcome = shop.run({"run", "wrong.yaml", "--quiet"});
    INFO(effort);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains(why));
  };
  const std::string other =
      "  - {name: g, type: joint-force, joint: slide, effort: {expression: \"channel(push.effort)\"}}\n";
  refused("-channel(g.effort)", other, "an algebraic loop of forces: push -> g -> push");
  refused("channel(imu.specific_force_x)",
          "  - {name: imu, type: inertial-sensor, at: {body: block, point: [0, 0, 0]}, lag: 0.1}\n",
          "imu.specific_force_x, which depends on accelerations");
  refused("channel(d.effort)", "  - {name: d, type: dry-friction, joint: slide, effort: 1}\n", "what sticks or locks");
  refused("channel(s.tensin)", "", "Did you mean 'tension'?");
  refused("channel(spring.tension)", "", "there is no force 'spring'");
  refused("channel(signal.sum.x)", "", "the signal sum has no state 'x'");
}

TEST_CASE("Motors of a chain and friction tell their efforts", "[command][outputs]") {
  const Workshop shop;
  // Two level links of 2 kg: their weights act 1 m and 1.5 m from the first axis, 0.5 m from the second.
  shop.write("chain.yaml", R"(polyform: 1
bodies:
  - {name: a, mass: 2, center_of_mass: [1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: b, position: [1, 0, 0], mass: 2, center_of_mass: [0.5, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: k, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 1, 0]}
forces:
  - {name: m, type: computed-torque, joints: [j, k], links: [{body: a}, {body: b}], acceleration: [0, 0]}
simulation: {duration: 0.1, output_interval: 0.1}
)");
  const Table held = run(shop, "chain.yaml", {"--columns", "m.*"});
  CHECK(held.at(0, "m.effort[0]") == Approx(-2 * 9.81 * 1 - 2 * 9.81 * 1.5));
  CHECK(held.at(0, "m.effort[1]") == Approx(-2 * 9.81 * 0.5));
  shop.write("rubbed.yaml", slide("forces:\n  - {name: r, type: sliding-friction, body: block, force: 3, speed: 1.5}\n",
                                  "{velocity: 2}"));
  const Table rubbed = run(shop, "rubbed.yaml", {"--columns", "r.*", "--duration", "0.1"});
  CHECK(rubbed.at(0, "r.speed") == Approx(2));
  CHECK(rubbed.at(0, "r.force") == Approx(3 * 2 / 2.5));  // 1.5, 2, 2.5: a right triangle
}
