// polyform linearize and polyform equilibrium, as typed.
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
