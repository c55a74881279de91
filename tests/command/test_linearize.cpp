// polyform linearize and polyform equilibrium, as typed.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;
using Json = nlohmann::json;

TEST_CASE("linearize prints states, matrices, modes and whether they are stable") {
  const Workshop shop;
  const Outcome outcome = shop.run({"linearize", shipped("double_pendulum"), "--at", "equilibrium"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("j1.q [rad]") && Contains("damping") && Contains("neutral"));
}

TEST_CASE("a state that nothing feels does not change what is said of the motions") {
  const Workshop shop;
  const Outcome outcome = shop.run({"linearize", shipped("motor_arm"), "--at", "equilibrium"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("asymptotically stable") && Contains("motor.angle, which nothing feels"));
}

TEST_CASE("linearize --json holds matrices as lists of rows, with units and errors") {
  const Workshop shop;
  const Outcome outcome = shop.run({"linearize", shipped("rotor_flap"), "--inputs", "*.stiffness", "--outputs",
                                    "flap1,shaft.mz", "--multi-blade", "shaft=flap1,flap2,flap3", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["A"].size() == 6);
  CHECK(json["A"][0].size() == 6);
  CHECK(json["B"][0].size() == 3);
  CHECK(json["D"].size() == json["outputs"].size());
  CHECK(json["inputs"][0]["unit"] == "N m/rad");
  CHECK(json["states"][0]["name"] == "flap.q.collective");
  CHECK(json["error"]["A"]["relative"].get<double>() < 1e-10);
  REQUIRE(json["modes"].size() == 3);
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(json["modes"][k]["natural_frequency"].get<double>() ==
          Approx(1.0 + 4.0 * static_cast<double>(k)).epsilon(1e-9));
}

TEST_CASE("linearize at a time says that time is frozen there") {
  const Workshop shop;
  const Outcome outcome = shop.run({"linearize", shipped("double_pendulum"), "--at", "0.1"});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("at t = 0.1 s") && Contains("frozen"));
}

TEST_CASE("linearize --json judges a periodic motion by its multipliers, and gives the period and the reason") {
  const Workshop shop;
  const Outcome outcome = shop.run({"linearize", shipped("ground_resonance"), "--outputs", "none", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["verdict"] == "unstable");
  CHECK(json["modes_of"] == "instant");
  CHECK(json["floquet"]["period"].get<double>() == Approx(0.3490658503988659));
  CHECK(json["floquet"]["multipliers"][0]["growth"].get<double>() == Approx(1.00574).epsilon(1e-5));
  CHECK_THAT(json["why"].get<std::string>(), Contains("a turn of joint `shaft`"));
}

TEST_CASE("a period that the motion does not have gives no verdict") {
  const Workshop shop;
  const Outcome outcome = shop.run({"linearize", shipped("double_pendulum"), "--floquet", "0.5", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["verdict"] == "none");
  CHECK_THAT(json["why"].get<std::string>(), Contains("does not repeat after 0.5 s"));
  CHECK_FALSE(json.contains("floquet"));
  CHECK(shop.run({"linearize", shipped("double_pendulum"), "--floquet", "-1"}).code == 2);
}

TEST_CASE("a rod on a vibrating pivot is told to be neutral, within 80 columns") {
  const Workshop shop;
  const Outcome outcome = shop.run({"linearize", shipped("vibrating_pivot")});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("stability    neutral") && Contains("a sine in time"));
  std::size_t start = 0;
  for (std::size_t end; (end = outcome.out.find('\n', start)) != std::string::npos; start = end + 1)
    CHECK(end - start <= 80);
}

TEST_CASE("a coordinated turn is trimmed with the controls, and judged") {
  const Workshop shop;
  const Outcome outcome = shop.run(
      {"equilibrium", shipped("coordinated_turn"), "--steady", "--trim", "air.controls,thrust.force[0]", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["balanced"] == true);
  CHECK(json["verdict"] == "neutral");
  CHECK_THAT(json["why"].get<std::string>(), Contains("`flight` turns about [0, 0, -1]"));
}

TEST_CASE("the state of a driven motion is not called an equilibrium, and its joints are named") {
  const Workshop shop;
  const Outcome text = shop.run({"equilibrium", shipped("whirling_rod")});
  INFO(text.err << text.out);
  CHECK(text.code == 0);
  CHECK_THAT(text.out, Contains("state of a driven motion at t = 0 s") && Contains("joint `hinge`, which moves") &&
                           Contains("no equilibrium") && !Contains(" equilibrium found"));
  const Outcome outcome = shop.run({"equilibrium", shipped("prescribed_motion"), "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json json = Json::parse(outcome.out);
  CHECK(json["found"] == "driven motion");
  CHECK(json["balanced"] == false);
  CHECK(!json["driven"].empty());
  const Outcome linear = shop.run({"linearize", shipped("whirling_rod"), "--at", "equilibrium"});
  CHECK_THAT(linear.out, Contains("driven") && !Contains("at an equilibrium"));
  CHECK(Json::parse(shop.run({"equilibrium", shipped("double_pendulum"), "--json"}).out)["found"] == "equilibrium");
}

TEST_CASE("a hub driven by a sine is in no steady motion, though it does not accelerate at t = 0") {
  const Workshop shop;
  const auto hub = [&](const std::string& motion) {
    return shop.write("hub.yaml",
                      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
                      "  - {name: hub, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
                      "  - {name: blade, position: [0.3, 0, 0], mass: 2, center_of_mass: [1, 0, 0], "
                      "inertia: {xx: 0.01, yy: 0.7, zz: 0.7}}\njoints:\n"
                      "  - {name: shaft, type: revolute, base: ground, moving: hub, position: [0, 0, 0], "
                      "axis: [0, 0, 1]}\n"
                      "  - {name: flap, type: revolute, base: hub, moving: blade, position: [0.3, 0, 0], "
                      "axis: [0, -1, 0]}\n"
                      "constraints:\n  - {name: drive, type: prescribed-motion, joint: shaft, motion: " +
                          motion + "}\n");
  };
  const auto found = [&](const std::string& motion, const std::vector<std::string>& more = {"--steady"}) {
    std::vector<std::string> arguments{"equilibrium", hub(motion), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(arguments);
    INFO(motion << outcome.err);
    REQUIRE(outcome.code == 0);
    return Json::parse(outcome.out);
  };
  for (const char* motion : {"{expression: \"sin(6*t)\"}", "{sine: {amplitude: 1, frequency: 0.954929658551372}}",
                             "{polynomial: [0, 6, 0, 0.1]}"}) {
    const Json json = found(motion);
    CHECK(json["found"] == "driven motion");
    CHECK(json["balanced"] == false);
    CHECK(json["driven"][0]["accelerates"] == false);
    CHECK(json["driven"][0]["changes"] == true);
  }
  // What begins to move later is no equilibrium either; a ramp that begins at 2 s is held.
  CHECK(found("{polynomial: [0, 0, 0, 1]}", {})["found"] == "driven motion");
  CHECK(found("{ramp: {rate: 1, start: 2, end: 3}}", {})["found"] == "equilibrium");
  CHECK(found("{polynomial: [0, 6]}")["found"] == "steady motion");
}

TEST_CASE("what balances for an instant is called a momentary balance, without a verdict") {
  const Workshop shop;
  const auto rod = [&](const std::string& forces, const std::string& initial = "{}") {
    return shop.write("rod.yaml",
                      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                      "  - {name: rod, mass: 2, center_of_mass: [0, 0, -0.5], inertia: {xx: 0.2, yy: 0.2, zz: 0.01}}\n"
                      "joints:\n  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], "
                      "axis: [0, 1, 0], initial: " +
                          initial + "}\n" + forces);
  };
  const auto found = [&](const std::string& model, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"equilibrium", model, "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(arguments);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return Json::parse(outcome.out);
  };
  // A pendulum at its lowest position at 3 rad/s does not accelerate there.
  const Json swinging = found(rod("", "{velocity: 3}"), {"--steady"});
  CHECK(swinging["found"] == "momentary balance");
  CHECK(swinging["balanced"] == false);
  CHECK(swinging["lasts"] == false);
  const std::string effort = "forces:\n  - {name: f, type: joint-force, joint: pin, effort: ";
  for (const char* law : {"{sine: {amplitude: 1, frequency: 2}}", "{expression: \"sin(6*t)\"}",
                          "{expression: \"t*q(pin)\"}", "{polynomial: [0, 0, 3]}"}) {
    INFO(law);
    const std::string model = rod(effort + law + "}\n");
    // An effort t q vanishes where the rod hangs at rest; it does so at all times.
    const bool lasts = std::string(law).find("q(pin)") != std::string::npos;
    const Json json = found(model);
    CHECK(json["found"] == (lasts ? "equilibrium" : "momentary balance"));
    CHECK(json["lasts"] == lasts);
    CHECK(json["verdict"] == "none");
  }
  CHECK_THAT(shop.run({"linearize", rod(effort + "{polynomial: [0, 3]}}\n"), "--at", "equilibrium"}).out,
             Contains("momentary balance") && !Contains("at an equilibrium"));
  // Tables and ramps are held as they are: the rod leans until its weight balances 2 N m.
  const Json held = found(rod(effort + "{table: [[0, 2], [1, 4]]}}\n"));
  CHECK(held["found"] == "equilibrium");
  CHECK(held["joints"]["pin"]["position"][0].get<double>() == Approx(std::asin(2 / (2 * 9.81 * 0.5))).epsilon(1e-9));
}

TEST_CASE("an equilibrium can be written as initial values, and starts one") {
  const Workshop shop;
  const Outcome outcome = shop.run({"equilibrium", shipped("double_pendulum"), "--output", "rest.yaml", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(Json::parse(outcome.out)["balanced"] == true);
  CHECK_THAT(shop.read("rest.yaml"), Contains("initial: {position: "));
}

TEST_CASE("what falls freely has no equilibrium: exit code 1, and the force is named") {
  const Workshop shop;
  const std::string model = shop.write("fall.yaml", R"(
polyform: 1
bodies:
  - {name: stone, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: slide, type: prismatic, base: ground, moving: stone, position: [0, 0, 0], axis: [0, 0, 1]}
)");
  const Outcome outcome = shop.run({"equilibrium", model});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("slide.v: -19.62 N"));
  CHECK(shop.run({"linearize", model, "--at", "equilibrium"}).code == 1);
}

TEST_CASE("a ramp without an end is an input as any function of time") {
  const Workshop shop;
  for (const char* element :
       {"forces: [{name: f, type: joint-force, joint: px, effort: {ramp: {rate: 1}}}]",
        "constraints: [{name: f, type: prescribed-motion, joint: px, motion: {ramp: {rate: 1}}}]"}) {
    shop.write("ramp.yaml",
               std::string(
                   "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
                   "  - {name: disc, mass: 2, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}\n"
                   "  - {name: bob, mass: 1, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}\njoints:\n"
                   "  - {name: px, type: prismatic, base: ground, moving: disc, position: [0, 0, 0], axis: [1, 0, 0]}\n"
                   "  - {name: pb, type: prismatic, base: disc, moving: bob, position: [0, 0, 0], axis: [1, 0, 0]}\n") +
                   element + "\n");
    const Outcome outcome = shop.run({"linearize", "ramp.yaml", "--json"});
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.out, Contains("\"B\"") && !Contains("null"));
  }
}

TEST_CASE("wrong places, inputs, outputs and rotors are refused with a suggestion") {
  const Workshop shop;
  const auto refusal = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"linearize", shipped("rotor_flap")});
    const Outcome outcome = shop.run(more);
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  CHECK_THAT(refusal({"--at", "later"}), Contains("initial, equilibrium or a time"));
  CHECK_THAT(refusal({"--at", "-1"}), Contains("--at"));
  CHECK_THAT(refusal({"--inputs", "spring1.stifness"}), Contains("ean 'spring1.stiffness'?"));
  CHECK_THAT(refusal({"--outputs", "flap1.w"}), Contains("no output 'flap1.w'"));
  CHECK_THAT(refusal({"--multi-blade", "flap1,flap2"}), Contains("hub=blade"));
  CHECK_THAT(refusal({"--multi-blade", "shaft=flap1,flap2"}), Contains("three blades"));
  CHECK_THAT(refusal({"--multi-blade", "shaft=flap1,flap3,flap2"}), Contains("deg"));
  CHECK_THAT(refusal({"--steady"}), Contains("--at equilibrium"));
}

TEST_CASE("in a singular position the message tells this cause, and no options that nobody gave") {
  const Workshop shop;
  // Four links of 1 m in line: the mechanism may go on as a parallelogram or fold up.
  const auto flat = [](const char* gravity) {
    return fmt::format(R"(
polyform: 1
gravity: [0, {}, 0]
bodies:
  - {{name: a, position: [0, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
  - {{name: b, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
  - {{name: c, position: [1, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.001, yy: 0.0833, zz: 0.0833}}}}
joints:
  - {{name: j1, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}}
  - {{name: j2, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}}
  - {{name: j3, type: revolute, base: ground, moving: c, position: [1, 0, 0], axis: [0, 0, 1]}}
  - {{name: j4, type: revolute, base: b, moving: c, position: [2, 0, 0], axis: [0, 0, 1]}}
)",
                       gravity);
  };
  for (const char* gravity : {"-9.81", "0"})
    for (const char* solver : {"riccati", "particles", "hierarchy", "cartesian"}) {
      shop.write("flat.yaml", flat(gravity));
      const Outcome outcome = shop.run({"linearize", "flat.yaml", "--solver", solver});
      INFO(gravity << " " << solver << ": " << outcome.err);
      CHECK(outcome.code != 0);
      CHECK_THAT(outcome.err, Contains("singular position, in which it has 2 degrees of freedom, and 1 beside it"));
      CHECK_THAT(outcome.err, !Contains("options"));
    }
}

TEST_CASE("solvers set up to leave out constraints, or to let them give way, are refused before anything is printed") {
  const Workshop shop;
  const std::vector<std::vector<std::string>> commands{
      {"linearize"}, {"linearize", "--at", "0.1"}, {"linearize", "--at", "equilibrium"}, {"equilibrium"}};
  for (const std::vector<std::string>& command : commands) {
    const auto with = [&](const std::vector<std::string>& options) {
      std::vector<std::string> typed = command;
      typed.insert(typed.end(), {shipped("planar_3rrr_subsystems"), "--solver", "hierarchy"});
      for (const std::string& option : options) typed.insert(typed.end(), {"--option", option});
      return shop.run(typed);
    };
    for (const char* level : {"level=1", "level=2"}) {
      const Outcome outcome = with({level});
      INFO(command[0] << " " << level << ": " << outcome.err);
      CHECK(outcome.code == 2);
      CHECK(outcome.out.empty());
      CHECK_THAT(outcome.err, Contains("does not keep all constraints") && Contains("joint `"));
      CHECK_THAT(outcome.err, Contains("Remove options"));
    }
    CHECK(with({"clearance=C1=1e-3", "correction=none"}).code == 2);
    const Outcome top = with({"level=3"});
    INFO(top.err);
    CHECK(top.code == 0);
  }
}

TEST_CASE("an equilibrium of smooth laws has a verdict, though its forces balance to their rounding") {
  const Workshop shop;
  const auto verdict_of = [&](const char* model) {
    const Outcome outcome = shop.run({"equilibrium", shipped(model), "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return Json::parse(outcome.out).at("verdict").get<std::string>();
  };
  // A top that hangs has two equal pendulum modes, and turns about its axis as it likes.
  CHECK(verdict_of("heavy_top") == "neutral");
  CHECK(verdict_of("triple_spherical_pendulum") == "neutral");
}

TEST_CASE("a linear model of too many states is refused before a long run or search") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", R"YAML(
polyform: 1
gravity: [0, -9.81, 0]
chains:
  - {name: rod, count: 2001, base: ground, start: [0, 0, 0], step: [0.1, 0, 0],
     joint: {type: revolute, axis: [0, 0, 1]}, body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}}
)YAML");
  for (const char* at : {"equilibrium", "1e6"}) {  // either would take hours
    const Outcome outcome = shop.run({"linearize", model, "--at", at});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("the linear model would have 4002 states"));
  }
}

TEST_CASE("states of a joint that is code, and what drives it, have the units and names of its type") {
  const Workshop shop;
  const std::string bead = shop.read(shipped("bead_on_a_wire"));
  const std::string push = "forces:\n  - {name: push, type: joint-force, joint: wire, effort: [0.1, 0.01, 0, 0]}\n";
  const Outcome outcome = shop.run({"linearize", shop.write("m.yaml", bead + push), "--json", "--inputs", "push.*"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Json linear = Json::parse(outcome.out), states = linear.at("states");
  REQUIRE(states.size() == 8);
  CHECK(states[0] == Json{{"name", "wire.q[0]"}, {"unit", "m"}, {"own_name", "way"}});
  CHECK(states[1] == Json{{"name", "wire.turn[1]"}, {"unit", "rad"}});
  CHECK(states[4] == Json{{"name", "wire.v[0]"}, {"unit", "m/s"}, {"own_name", "way_rate"}});
  CHECK(linear.at("inputs").at(0) == Json{{"name", "push.effort[0]"}, {"unit", "N"}});
  CHECK(linear.at("inputs").at(1) == Json{{"name", "push.effort[1]"}, {"unit", "N m"}});
}
