// FMUs of other tools in models: FMI 3.0, units, failures, the end of a simulation, states at events.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "kept_states.hpp"
#include "tests/fmi/hand_written.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

Table ran(const Workshop& w, const std::string& fmu, const std::string& more = "") {
  const Outcome run =
      w.run({"run", w.write("driven.yaml", driven(fmu, more)), "--rtol", "1e-10", "--output", "-", "--quiet"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  return read_table(run.out);
}

void check_same(const Table& a, const Table& b, double within) {
  REQUIRE(a.rows.size() == b.rows.size());
  for (std::size_t row = 0; row < a.rows.size(); ++row)
    CHECK(a.at(row, "hinge.q") == Approx(b.at(row, "hinge.q")).margin(within));
}

constexpr const char* machine = R"YAML(polyform: 1
name: machine
gravity: [0, 0, 0]
bodies:
  - {name: wheel, mass: 1, inertia: {xx: 1, yy: 1, zz: 2}}
joints:
  - {name: axle, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
forces:
  - {name: brake, type: joint-spring-damper, joint: axle, stiffness: 5, damping: 0.5, rest: 0}
  - {name: torque, type: joint-force, joint: axle, effort: 0}
)YAML";

}  // namespace

TEST_CASE("an FMU of FMI 3.0 drives a joint as the same one of FMI 2.0 does") {
  const Workshop w;
  hand_written(w, "two.fmu");
  hand_written(w, "three.fmu", {.version = "3.0"});
  check_same(ran(w, "three.fmu"), ran(w, "two.fmu"), 0);
  const std::string stepping = ", kind: co-simulation, interval: 0.01";
  check_same(ran(w, "three.fmu", stepping), ran(w, "two.fmu", stepping), 0);
}

TEST_CASE("parameters of an FMU that are whole numbers or Booleans are set") {
  const Workshop w;
  for (const char* const version : {"2.0", "3.0"}) {
    INFO(version);
    hand_written(w, "motor.fmu", {.version = version});
    const Table one = ran(w, "motor.fmu", ", start_values: \"p = 0, target = 0\"");
    const Table plain = ran(w, "motor.fmu"), stepped = ran(w, "motor.fmu", ", start_values: \"poles = 1\"");
    check_same(plain, stepped, 0);
    CHECK(one.at(10, "hinge.q") == 0);
    const Table more = ran(w, "motor.fmu", ", start_values: \"poles = -2, is_reversed = true, k = 0.25\"");
    // Twice the torque of half the constant, and both signs turned; only the current has another way.
    CHECK(more.at(10, "hinge.q") > 0);
    for (const char* const wrong : {"poles = 1.5", "poles = true", "is_reversed = 2"}) {
      const std::string model = driven("motor.fmu", fmt::format(", start_values: \"{}\"", wrong));
      CHECK(w.run({"check", w.write("wrong.yaml", model)}).code == 2);
    }
  }
}

TEST_CASE("an output of an FMU that is a state too is one column") {
  const Workshop w;
  hand_written(w, "motor.fmu", {.of_i = "output"});
  const Table table = ran(w, "motor.fmu", ", channels: i");
  CHECK(std::ranges::count(table.names, "drive.i") == 1);
  CHECK(std::abs(table.at(2, "drive.i")) > 0.01);
}

TEST_CASE("models that were exported as FMI 3.0 come back, of both kinds") {
  const Workshop w;
  const std::string model = w.write("machine.yaml", machine);
  Table of[4];
  int k = 0;
  for (const char* version : {"2", "3"})
    for (const std::string kind : {"me", "cs"}) {
      const Outcome out = w.run({"export", "--fmi", version, "--kind", kind, model, "-o", "machine.fmu"});
      INFO(out.err);
      REQUIRE(out.code == 0);
      const std::string text = fmt::format(R"YAML(polyform: 1
name: arm
gravity: [0, 0, 0]
bodies:
  - {{name: arm, mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: hinge, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}}
modules:
  - {{name: other, type: fmu, kind: {}, file: machine.fmu, joints: [hinge], velocities: torque.effort, efforts: axle.v}}
simulation: {{duration: 1, output_interval: 0.1}}
)YAML",
                                           kind == "me" ? "model-exchange" : "co-simulation");
      const Outcome run = w.run({"run", w.write("arm.yaml", text), "--rtol", "1e-10", "--output", "-", "--quiet"});
      INFO(run.err);
      REQUIRE(run.code == 0);
      of[k++] = read_table(run.out);
    }
  check_same(of[0], of[2], 0);
  check_same(of[1], of[3], 0);
  check_same(of[0], of[1], 0.01);  // steps of 1 ms, of first order
  CHECK(std::abs(of[0].at(10, "hinge.q")) > 1);
}

TEST_CASE("a prescribed motion is an input of an FMU with its rate and acceleration") {
  const Workshop w;
  const std::string cart = R"YAML(polyform: 1
name: cart
bodies:
  - {name: cart, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: rod, mass: 1, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.1, yy: 0.1, zz: 0.01}}
joints:
  - {name: rail, type: prismatic, base: ground, moving: cart, position: [0, 0, 0], axis: [1, 0, 0]}
  - {name: pin, type: revolute, base: cart, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}
constraints:
  - {name: drive, type: prescribed-motion, joint: rail, motion: MOTION}
simulation: {duration: 1, output_interval: 0.1}
)YAML";
  const auto moved = [&](const std::string& motion) {
    std::string text = cart;
    return text.replace(text.find("MOTION"), 6, motion);
  };
  const std::string truth = w.write("truth.yaml", moved("{expression: \"0.1*(1-cos(2*pi*t))\"}"));
  const Table expected = read_table(w.run({"run", truth, "--rtol", "1e-10", "--output", "-", "--quiet"}).out);
  for (const std::string solver : {"riccati", "particles"}) {
    const std::string inner = w.write("cart.yaml", moved("0"));
    const Outcome out = w.run({"export", "--fmi", "3", "--kind", "me", "--solver", solver, inner, "-o", "cart.fmu"});
    INFO(out.err);
    REQUIRE(out.code == 0);
    const Outcome run = w.run({"run", w.write("outer.yaml", R"YAML(polyform: 1
name: arm
gravity: [0, 0, 0]
bodies:
  - {name: arm, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: hinge, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}
modules:
  - name: other
    type: fmu
    file: cart.fmu
    joints: [hinge]
    commands: drive.motion, drive.motion.rate, drive.motion.acceleration
    command_values:
      - {expression: "0.1*(1-cos(2*pi*t))"}
      - {expression: "0.1*2*pi*sin(2*pi*t)"}
      - {expression: "0.1*4*pi^2*cos(2*pi*t)"}
    channels: pin.q, rail.q
simulation: {duration: 1, output_interval: 0.1}
)YAML"),
                               "--rtol", "1e-10", "--output", "-", "--quiet"});
    INFO(run.err);
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      CHECK(table.at(row, "other.rail.q") == Approx(expected.at(row, "rail.q")).margin(1e-7));
      CHECK(table.at(row, "other.pin.q") == Approx(expected.at(row, "pin.q")).margin(1e-7));
    }
  }
}

TEST_CASE("coordinates and efforts are converted to the units of an FMU, which its types may give") {
  const Workshop w;
  hand_written(w, "si.fmu");
  const Table expected = ran(w, "si.fmu");
  // With angles in degrees it is the same motor, where the gain and the target are in degrees too.
  const std::string units = R"(<UnitDefinitions>
    <Unit name="deg"><BaseUnit rad="1" factor="0.017453292519943295"/></Unit>
    <Unit name="N.m"><BaseUnit kg="1" m="2" s="-2"/></Unit>
    <Unit name="kg"><BaseUnit kg="1"/></Unit></UnitDefinitions>)";
  for (const std::string version : {"2.0", "3.0"}) {
    const std::string type = version == "2.0" ? R"(<SimpleType name="Angle"><Real unit="deg"/></SimpleType>)"
                                              : R"(<Float64Type name="Angle" unit="deg"/>)";
    const std::string types = "<TypeDefinitions>" + type + "</TypeDefinitions>";
    hand_written(w, "degrees.fmu",
                 {.version = version,
                  .of_phi = "declaredType=\"Angle\"",
                  .of_tau = "unit=\"N.m\"",
                  .definitions = units + types});
    check_same(ran(w, "degrees.fmu", ", start_values: \"p = 0.06981317007977318, target = 57.29577951308232\""),
               expected, 1e-8);
    hand_written(w, "wrong.fmu", {.version = version, .of_phi = "unit=\"kg\"", .definitions = units});
    const Outcome out = w.run({"run", w.write("driven.yaml", driven("wrong.fmu", "")), "--quiet"});
    CHECK(out.code == 0);
    CHECK_THAT(in_one_line(out.err), Catch::Contains("the unit kg of number 1 of its positions is not one of rad"));
  }
}

TEST_CASE("a run that an FMU fails in tells what the FMU has said") {
  const Workshop w;
  for (const std::string version : {"2.0", "3.0"}) {
    hand_written(w, "motor.fmu", {.version = version});
    const Outcome out =
        w.run({"run", w.write("driven.yaml", driven("motor.fmu", ", start_values: \"failing = 4\"")), "--quiet"});
    CHECK(out.code == 1);
    CHECK_THAT(in_one_line(out.err), Catch::Contains("the FMU motor.fmu failed in its derivatives: the winding is too "
                                                     "hot"));
  }
}

TEST_CASE("an FMU that asks for the end of the simulation gets it") {
  const Workshop w;
  for (const std::string version : {"2.0", "3.0"})
    for (const std::string more : {"", ", kind: co-simulation, interval: 0.01"}) {
      hand_written(w, "motor.fmu", {.version = version});
      const std::string model = w.write("driven.yaml", driven("motor.fmu", ", start_values: \"failing = 5\"" + more));
      const Outcome out = w.run({"run", model, "--output", "-", "--json"});
      INFO(version << more << out.err);
      CHECK(out.code == 0);
      const std::size_t record = out.out.find('{');
      const Table table = read_table(out.out.substr(0, record));
      CHECK(table.rows.back()[0] == Approx(more.empty() ? 0.1 : 0.11).margin(1e-6));
      CHECK_THAT(out.out.substr(record) + out.err, Catch::Contains("ended the run at t = 0.1"));
    }
}

TEST_CASE("an exported model whose element ends the run asks for the end") {
  const Workshop w;
  const std::string press = w.write("press.yaml", R"YAML(polyform: 1
gravity: [0, 0, 0]
bodies: [{name: ram, position: [1, 0, 0], mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: slide, type: prismatic, base: ground, moving: ram, position: [1, 0, 0], axis: [1, 0, 0]}]
forces:
  - {name: cylinder, type: hydraulic-cylinder, a: {body: ground}, b: {body: ram}, piston_area: 0.002, stroke: 0.2,
     dead_volume: 1e-4, flow: 2e-3}
simulation: {duration: 1, integrator: dopri5, output_interval: 0.1}
)YAML");
  const std::string host = w.write("host.yaml", R"YAML(polyform: 1
gravity: [0, 0, 0]
bodies: [{name: m, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: a, type: prismatic, base: ground, moving: m, position: [0, 0, 0], axis: [1, 0, 0]}]
modules: [{name: u, type: fmu, joints: a, file: press.fmu, kind: model-exchange, channels: slide.q}]
simulation: {duration: 1, integrator: dopri5, output_interval: 0.1}
)YAML");
  const auto end_of = [&](const std::string& model) {
    const Outcome out = w.run({"run", model, "--quiet", "--output", "rows.csv", "--json"});
    INFO(out.err);
    CHECK(out.code == 0);
    CHECK_THAT(out.err, Catch::Contains("ended the run at t = "));
    return nlohmann::json::parse(out.out).at("time").get<double>();
  };
  const double end = end_of(press);
  CHECK(end < 0.9);
  for (const char* version : {"2", "3"}) {
    INFO(version);
    REQUIRE(w.run({"export", "--fmi", version, "--kind", "me", press, "-o", "press.fmu"}).code == 0);
    CHECK(end_of(host) == Approx(end).epsilon(1e-6));
  }
}

TEST_CASE("states of an FMU at events are kept in a file, each once") {
  fmus::KeptStates kept;
  const auto state = [](int k) { return std::vector<char>(1000, static_cast<char>(k)); };
  for (std::size_t k = 1; k <= 100; ++k) CHECK(kept.keep(state(static_cast<int>(k))) == k);
  CHECK(kept.keep(state(7)) == 7);
  CHECK(kept.keep({}) == 101);
  for (std::size_t k = 1; k <= 100; ++k) CHECK(kept.at(k) == state(static_cast<int>(k)));
  CHECK(kept.at(101).empty());
  CHECK_THROWS(kept.at(0));
  CHECK_THROWS(kept.at(102));
}

TEST_CASE("an FMU is told of each accepted step, and may ask for an event or for the end there") {
  const Workshop w;
  hand_written(w, "two.fmu");
  hand_written(w, "three.fmu", {.version = "3.0"});
  const Table plain = ran(w, "two.fmu");
  const Table switched = ran(w, "two.fmu", ", start_values: \"failing = 6\"");
  check_same(ran(w, "three.fmu", ", start_values: \"failing = 6\""), switched, 0);
  REQUIRE(switched.rows.size() >= plain.rows.size());
  CHECK(switched.at(4, "hinge.q") == Approx(plain.at(4, "hinge.q")).epsilon(1e-7));
  // Without a target the motor brakes.
  CHECK(switched.at(switched.rows.size() - 1, "hinge.v") < plain.at(plain.rows.size() - 1, "hinge.v") - 0.1);
  const Table ended = ran(w, "two.fmu", ", start_values: \"failing = 7\"");
  CHECK(ended.at(ended.rows.size() - 1, "time") == Approx(0.5).margin(0.1));
}

TEST_CASE("the loops of an exported model stay closed where the FMU is told of steps") {
  const Workshop w;
  const Outcome out = w.run({"export", "--fmi", "2", "--kind", "me",
                             std::string(POLYFORM_MODELS) + "/four_bar_rhombus.yaml", "-o", "bars.fmu"});
  INFO(out.err);
  REQUIRE(out.code == 0);
  const std::string text = R"YAML(polyform: 1
name: an arm beside a four-bar linkage
gravity: [0, 0, 0]
bodies:
  - {name: arm, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: hinge, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: bars, type: fmu, file: bars.fmu, joints: [hinge], channels: constraint.position}
simulation: {duration: 5, output_interval: 0.5}
)YAML";
  const Outcome run = w.run({"run", w.write("beside.yaml", text), "--output", "-", "--quiet"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Table table = read_table(run.out);
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    CHECK(std::abs(table.at(row, "bars.constraint.position")) < 1e-9);
}

TEST_CASE("elements of the arrays of an FMU are coupled one by one") {
  const Workshop w;
  hand_written(w, "three.fmu", {.version = "3.0"});
  const Table plain = ran(w, "three.fmu");
  const auto run_with = [&](const std::string& taps) {
    std::string text = driven("three.fmu", "");
    const std::string scalar = "positions: phi, velocities: w, efforts: tau";
    text.replace(text.find(scalar), scalar.size(), taps);
    return w.run({"run", w.write("arrays.yaml", text), "--rtol", "1e-10", "--output", "-", "--quiet"});
  };
  const Outcome run =
      run_with("positions: \"motion[1]\", velocities: \"motion[2]\", efforts: \"out[1,1]\", channels: \"out[1,2]\"");
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Table table = read_table(run.out);
  check_same(table, plain, 0);
  CHECK(table.at(5, "drive.out[1][2]") == Approx(table.at(5, "drive.i")).epsilon(1e-12));
  CHECK(run_with("positions: \"motion[3]\"").err.find("It is an array of 2; indices begin at 1.") != std::string::npos);
  CHECK(run_with("positions: motion").err.find("Give its elements: `motion[1]` and so on.") != std::string::npos);
}
