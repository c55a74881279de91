// Runs that start from a row of results with the clock at its time go on as the run would have that wrote the row.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/command/slide_model.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

/// A quaternion begins with the sign that a run gives it at its start; work and its balance are those of one run.
bool differs_by_run(const std::string& name) {
  return name.starts_with("energy.w") || name.starts_with("energy.b") || name.starts_with("constraint.") ||
         name.starts_with("correction.") || name.ends_with(".qw") || name.ends_with(".qx") || name.ends_with(".qy") ||
         name.ends_with(".qz");
}

/// Runs to 2 s in one go, and to 1 s and on from there; the rows from 1 s on are the same within the margin.
void check_goes_on(const std::string& model, const std::vector<std::string>& options, double margin) {
  const Workshop shop;
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), options.begin(), options.end());
    return more;
  };
  const Table whole = run(shop, model, with({"--duration", "2", "--output-interval", "0.1"}));
  shop.write("a.csv", "");
  const std::string state = shop.path("a.csv").string();
  std::vector<std::string> first{"run", model, "--duration", "1.3", "--output-interval", "0.1", "--output", state};
  const Outcome begun = shop.run(with(first));
  INFO(begun.err);
  REQUIRE(begun.code == 0);
  const Table rest =
      run(shop, model, with({"--state", state, "--at-time", "1", "--duration", "1", "--output-interval", "0.1"}));
  REQUIRE(rest.names == whole.names);
  REQUIRE(rest.rows.size() == 11);
  for (std::size_t r = 0; r < rest.rows.size(); ++r) {
    const std::vector<double>& expected = whole.rows[whole.rows.size() - rest.rows.size() + r];
    CHECK(rest.rows[r][0] == expected[0]);  // to the last digit
    for (std::size_t c = 1; c < rest.names.size(); ++c) {
      if (differs_by_run(rest.names[c])) continue;
      CAPTURE(rest.names[c], rest.rows[r][0]);
      CHECK(rest.rows[r][c] == Approx(expected[c]).margin(margin));
    }
  }
}

const std::vector<std::string> exactly{"--integrator", "dopri5", "--rtol", "1e-11", "--atol", "1e-13"};

void check_goes_on_everywhere(const std::string& model, double margin) {
  for (const std::string& solver : solvers) {
    CAPTURE(solver);
    std::vector<std::string> options{"--solver", solver};
    options.insert(options.end(), exactly.begin(), exactly.end());
    check_goes_on(model, options, margin);
  }
}

const char* const four_bar_that_is_driven =
    "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  - {name: crank, position: [0, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n"
    "  - {name: coupler, position: [0, 1, 0], mass: 2, center_of_mass: [1, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}\n"
    "  - {name: rocker, position: [2, 0, 0], mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n"
    "joints:\n"
    "  - {name: a, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  - {name: b, type: revolute, base: crank, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}\n"
    "  - {name: c, type: revolute, base: rocker, moving: coupler, position: [2, 1.5, 0], axis: [0, 0, 1]}\n"
    "  - {name: d, type: revolute, base: ground, moving: rocker, position: [2, 0, 0], axis: [0, 0, 1]}\n"
    "constraints:\n"
    "  - {name: drive, type: prescribed-motion, joint: a, motion: {expression: \"0.4*sin(3*t) + 0.1*t\"}}\n";

std::string sampled(const std::string& more = "") {
  return slide(
      "signals:\n"
      "  - {name: seen, type: sampler, input: \"q(slide)\", interval: 0.25}\n"
      "  - {name: older, type: sampler, input: \"signal(seen)\", interval: 0.25}\n"
      "  - {name: smooth, type: transfer-function, input: \"sin(5*t)\", numerator: [1],\n"
      "     denominator: [0.3, 1]}\n"
      "  - {name: before, type: delay, input: \"cos(4*t)\", time: 0.7}\n" +
          more + force("5*cos(2*t) - 8*signal(seen) - 4*signal(older) - v(slide) + signal(smooth) + signal(before)"),
      "{position: 0.4, velocity: 0.3}");
}

}  // namespace

TEST_CASE("a run goes on at the time of a row: formulas of time, signals and samplers, in every formulation") {
  const Workshop shop;
  check_goes_on_everywhere(shop.write("m.yaml", slide(force("10*sin(3*t) - 20*q(slide) - v(slide)"))), 1e-8);
  check_goes_on_everywhere(shop.write("s.yaml", sampled()), 1e-8);
}

TEST_CASE("a run goes on at the time of a row: motions that are given by time, in every formulation") {
  const Workshop shop;
  check_goes_on_everywhere(shop.write("loop.yaml", four_bar_that_is_driven), 1e-6);
  check_goes_on(shipped("shaken_ball"), exactly, 1e-7);
  check_goes_on(shipped("prescribed_motion"), exactly, 1e-7);
}

TEST_CASE("a run goes on at the time of a row: modes of flexible bodies and states of elements") {
  check_goes_on(shipped("flexible_pendulum"), exactly, 1e-6);
  check_goes_on(shipped("motor_arm"), exactly, 1e-6);
}

TEST_CASE("a run goes on at the time of a row: bodies that no joint ties to ground, whose springs rest as drawn") {
  const Workshop shop;
  check_goes_on_everywhere(shop.write("free.yaml", R"YAML(polyform: 1
gravity: [0, 0, -1]
bodies:
  - {name: f, position: [0.2, 0, 0], orientation: {axis: [0, 1, 0], angle: 0.4}, mass: 1,
     center_of_mass: [0.1, 0, 0.05], inertia: {xx: 0.1, yy: 0.2, zz: 0.15}, angular_velocity: [0.3, 0.5, -0.2]}
  - {name: g, position: [1.2, 0, 0], mass: 0.5, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: alone, position: [0, 3, 0], mass: 2, inertia: {xx: 0.3, yy: 0.2, zz: 0.15}, velocity: [0.4, 0, 0.1],
     angular_velocity: [1, 0.5, 0.2]}
joints:
  - {name: pin, type: revolute, base: f, moving: g, position: [0.7, 0, 0], axis: [0, 1, 0], initial: {velocity: 0.7}}
forces:
  - {name: s, type: spring-damper, a: {body: ground, point: [2, 0, 1]}, b: {body: f, point: [0, 0, 0]}, stiffness: 7}
  - {name: u, type: spring-damper, a: {body: ground, point: [0, 2, 0]}, b: {body: alone, point: [0.1, 0, 0]},
     stiffness: 5}
)YAML"),
                           1e-8);
}

TEST_CASE("the row at a time is found, and what it lacks is said") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", sampled());
  REQUIRE(shop.run({"run", model, "--output", shop.path("a.csv").string(), "--quiet"}).code == 0);
  const auto refusal = [&](const std::string& time, const std::string& state) {
    const Outcome outcome = shop.run({"run", model, "--state", state, "--at-time", time, "--quiet"});
    CHECK(outcome.code == 2);
    return in_one_line(outcome.err);
  };
  const std::string rows = shop.path("a.csv").string();
  CHECK_THAT(refusal("0.55", rows), Contains("no row at t = 0.55 s") && Contains("at 0.5 s and 0.6 s"));
  CHECK_THAT(refusal("7", rows), Contains("the last is at 2 s"));
  CHECK_THAT(refusal("-1", rows), Contains("expected a time in s from 0 on"));
  // Without a column of times the last row is the state, and the clock is as asked for.
  const std::string bare = shop.write("bare.csv", "slide.q,slide.v\n1,2\n3,4\n");
  const Outcome outcome = shop.run({"run", model, "--state", bare, "--at-time", "0.5", "--duration", "0.1", "--output",
                                    shop.path("b.csv").string(), "--quiet"});
  REQUIRE(outcome.code == 0);
  CHECK_THAT(in_one_line(outcome.err),
             Contains("`signal.seen.held`") && Contains("begin as at t = 0") && Contains("polyform resume"));
  const Table rest = read_table(shop.read("b.csv"));
  CHECK(rest.at(0, "time") == 0.5);
  CHECK(rest.at(0, "slide.q") == 3);
  CHECK(rest.at(rest.rows.size() - 1, "time") == Approx(0.6).epsilon(1e-15));
}

TEST_CASE("a row of an HDF5 file is a state too") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", sampled());
  const std::string rows = shop.path("a.h5").string();
  REQUIRE(shop.run({"run", model, "--output", rows, "--quiet"}).code == 0);
  const Table whole = run(shop, model);
  const Table rest = run(shop, model, {"--state", rows, "--at-time", "1", "--duration", "1"});
  CHECK(rest.at(0, "slide.q") == whole.at(10, "slide.q"));
  CHECK(rest.at(10, "slide.q") == Approx(whole.at(20, "slide.q")).margin(1e-8));
  const Table last = run(shop, model, {"--state", rows, "--duration", "0.1"});
  CHECK(last.at(0, "slide.q") == whole.at(20, "slide.q"));
  const Outcome outcome = shop.run({"run", model, "--state", rows, "--at-time", "1.04", "--quiet"});
  CHECK(outcome.code == 2);
  CHECK_THAT(in_one_line(outcome.err), Contains("the nearest are at 1 s and 1.1 s"));
}

TEST_CASE("evaluate, linearize, check and compare start at the time of a row too") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", slide(force("10*sin(3*t) - 20*q(slide)^2 - v(slide)")));
  const std::string rows = shop.path("a.csv").string();
  REQUIRE(shop.run({"run", model, "--output", rows, "--quiet"}).code == 0);
  const Table table = read_table(shop.read("a.csv"));
  const double q = table.at(10, "slide.q"), v = table.at(10, "slide.v");
  const Outcome there = shop.run({"evaluate", model, "--state", rows, "--at-time", "1", "--json"});
  REQUIRE(there.code == 0);
  const auto number_after = [](const std::string& text, const std::string& mark) {
    const std::size_t place = text.find(mark);
    REQUIRE(place != std::string::npos);
    const std::size_t first = text.find_first_of("-0123456789", place + mark.size());
    return std::stod(text.substr(first));
  };
  CHECK(number_after(there.out, "\"acceleration\"") ==
        Approx((10 * std::sin(3.0) - 20 * q * q - v) / 2).epsilon(1e-12));
  const Outcome linear = shop.run({"linearize", model, "--state", rows, "--at-time", "1"});
  CHECK(linear.code == 0);
  CHECK(shop.run({"check", model, "--state", rows, "--at-time", "1"}).code == 0);
  CHECK(shop.run({"check", model, "--state", rows, "--at-time", "1.05"}).code == 2);
  const Outcome compared = shop.run({"compare", model, "--state", rows, "--at-time", "1", "--duration", "0.2"});
  CHECK(compared.code == 0);
}

TEST_CASE("a run that started later has checkpoints, from which it goes on") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", sampled());
  const std::string rows = shop.path("a.csv").string(), rest = shop.path("b.csv").string();
  const Table whole = run(shop, model, {"--output-interval", "0.1"});
  REQUIRE(shop.run({"run", model, "--output", rows, "--quiet"}).code == 0);
  const std::string checkpoint = shop.path("run.state").string();
  REQUIRE(shop.run({"run", model, "--state", rows, "--at-time", "1", "--duration", "0.5", "--output", rest,
                    "--checkpoint", checkpoint, "--quiet"})
              .code == 0);
  const Outcome resumed = shop.run({"resume", checkpoint, "--duration", "2", "--quiet"});
  INFO(resumed.err);
  REQUIRE(resumed.code == 0);
  const Table last = read_table(shop.read("b.csv"));
  REQUIRE(last.rows.size() == 11);
  CHECK(last.at(10, "time") == 2);
  CHECK(last.at(10, "slide.q") == Approx(whole.at(whole.rows.size() - 1, "slide.q")).margin(1e-7));
}

TEST_CASE("a run begins where all forces vanish, and no formulation takes their rounding for an imbalance") {
  const Workshop shop;
  const std::string file = shop.path("rest.yaml").string(), model = shipped("connected_joints");
  REQUIRE(shop.run({"equilibrium", model, "--output", file}).code == 0);
  for (const char* const solver : {"riccati", "reduced", "particles", "thompson", "cartesian", "hierarchy"}) {
    const Outcome outcome = shop.run({"run", model, "--state", file, "--solver", solver, "--duration", "0.01",
                                      "--output", shop.path("x.csv").string()});
    INFO(solver << ": " << outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, !Contains("warning"));
  }
}

TEST_CASE("a flexible body rests from its equilibrium, though its modes move at the start of the model") {
  const Workshop shop;
  const std::string file = shop.path("rest.yaml").string();
  REQUIRE(shop.run({"equilibrium", shipped("modal_frame"), "--output", file}).code == 0);
  CHECK_THAT(shop.read("rest.yaml"), Contains("modal_velocity: [0, 0, 0]"));
  const Table rest = run(shop, shipped("modal_frame"), {"--state", file, "--duration", "0.2"});
  for (const char* const column : {"frame.etadot[0]", "frame.etadot[1]", "frame.etadot[2]"})
    CHECK(std::abs(rest.at(rest.rows.size() - 1, column)) < 1e-9);
}

TEST_CASE("an equilibrium is written with the states of modules and signals, and a run from it rests") {
  const Workshop shop;
  const std::string model = shop.write("motor.yaml", R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies: [{name: b, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: s, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}]
forces: [{name: k, type: joint-spring-damper, joint: s, stiffness: 5, damping: 1}]
modules:
  - {name: m, type: dc-motor, joint: s, voltage: 10, resistance: 2, inductance: 0.1, torque_constant: 0.3}
signals:
  - {name: lag, type: transfer-function, input: "2 + q(s)", numerator: [3], denominator: [1, 0.5]}
  - {name: late, type: delay, input: "4*q(s)", time: 0.25, order: 3}
simulation: {duration: 1, output_interval: 0.1, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}}
)YAML");
  const std::string file = shop.path("rest.yaml").string();
  const Outcome found = shop.run({"equilibrium", model, "--output", file, "--json"});
  INFO(found.err);
  REQUIRE(found.code == 0);
  CHECK(nlohmann::json::parse(found.out)["states"]["m.current"].get<double>() == Approx(5).epsilon(1e-9));
  const Table rest = run(shop, model, {"--state", file});
  for (const std::size_t row : {std::size_t(0), rest.rows.size() - 1}) {
    CHECK(rest.at(row, "m.current") == Approx(10 / 2.0).margin(1e-8));
    CHECK(rest.at(row, "s.q") == Approx(0.3 * 5 / 5).margin(1e-8));
    CHECK(rest.at(row, "signal.lag") == Approx(3 / 0.5 * 2.3).margin(1e-8));
    CHECK(rest.at(row, "signal.late") == Approx(4 * 0.3).margin(1e-8));
  }
  const auto refusal = [&](const std::string& states) {
    const std::string text = "joints:\n  - {name: s, initial: {position: 0}}\nstates:\n" + states;
    const Outcome outcome = shop.run({"check", model, "--state", shop.write("bad.yaml", text)});
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK_THAT(refusal("  - {name: m.current, value: much}\n"), Contains("bad.yaml:4"));
  CHECK_THAT(refusal("  - {name: m.current}\n"), Contains("value"));
}

TEST_CASE("a flexible body keeps the law of the model's own start in a run that goes on") {
  // The spring spins the beam up from rest, so that its tension does not count (geometric_stiffening is not given).
  const Workshop shop;
  check_goes_on(shop.write("m.yaml", R"YAML(polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 40, modes: 1,
     boundary: clamped-free, mass: 1, inertia: {xx: 0.5, yy: 0.5, zz: 0.5}}
joints:
  - {name: pin, type: revolute, base: ground, moving: beam, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {position: 1}}
forces:
  - {name: wound, type: joint-spring-damper, joint: pin, stiffness: 3}
simulation: {duration: 2}
)YAML"),
                exactly, 1e-8);
}

TEST_CASE("states that cannot be taken are refused") {
  const Workshop shop;
  const std::string ball =
      shop.write("m.yaml",
                 "polyform: 1\nbodies:\n  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
                 "joints:\n  - {name: j, type: spherical, base: ground, moving: b, position: [0, 0, 1]}\n"
                 "simulation: {duration: 0.1}\n");
  const auto refused = [&](const std::string& rows) {
    const Outcome outcome = shop.run({"check", ball, "--state", shop.write("s.csv", rows)});
    CHECK(outcome.code == 2);
    return in_one_line(outcome.err);
  };
  CHECK_THAT(refused("time,j.q[0],j.q[1],j.q[2],j.q[3]\n0,0,0,0,0\n"),
             Contains("the quaternion's length differs from 1"));
  CHECK_THAT(refused("time,j.q[0],j.q[0],j.q[1],j.q[2],j.q[3]\n0,1,1,0,0,0\n"),
             Contains("column 'j.q[0]' stands in the header twice"));
  const std::string commented =
      shop.write("s.csv", "# written by hand\ntime,j.q[0],j.q[1],j.q[2],j.q[3]\n0,0.6,0.8,0,0\n");
  CHECK(shop.run({"check", ball, "--state", commented}).code == 0);
}
