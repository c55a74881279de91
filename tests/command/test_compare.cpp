// polyform compare: the same model through several solvers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("two solvers agree on the branch pendulum and each writes its trajectory") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compare", shipped("branch_pendulum"), "--solvers", "riccati,cartesian",
                                    "--duration", "1", "--output", "b.csv", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json all = json::parse(outcome.out);
  REQUIRE(all.size() == 2);
  for (const auto& [name, one] : all.items()) {
    INFO(name);
    CHECK(one.at("status") == "done");
    CHECK(one.at("position_deviation").get<double>() < 1e-8);
    CHECK(one.at("angle_deviation").get<double>() < 1e-8);
    CHECK(read_table(shop.read("b." + name + ".csv")).rows.size() == 11);
  }
}

TEST_CASE("the table names every solver with its deviation") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compare", shipped("double_pendulum"), "--duration", "0.1"});
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("riccati") && Contains("cartesian") && Contains("reaction force") &&
                              Contains("consensus") && Contains("agree within 0.0001"));
}

TEST_CASE("a reason that several solvers have is said once, and long names keep both ends") {
  const Workshop shop;
  const std::string massless = shop.write("massless.yaml", R"({polyform: 1,
    bodies: [{name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}},
             {name: tip, mass: 0, inertia: {xx: 0, yy: 0, zz: 0}}],
    joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]},
             {name: motor, type: revolute, base: rod, moving: tip, position: [1, 0, 0], axis: [0, 0, 1]}]})");
  const Outcome failed = shop.run({"compare", massless, "--duration", "0.05", "--solvers", "reduced,riccati,thompson"});
  INFO(failed.out);
  const std::size_t first = failed.out.find("joint `motor` moves body");
  REQUIRE(first != std::string::npos);
  CHECK(failed.out.find("joint `motor` moves body", first + 1) == std::string::npos);
  CHECK_THAT(failed.out, Contains("failed: as reduced"));
  const std::string model = shop.write("long.yaml", R"({polyform: 1, gravity: [0, -9.81, 0],
    bodies: [{name: Bär, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}],
    joints: [{name: äöüäöüäöüäöüäöü_éé, type: revolute, base: ground, moving: Bär, position: [0, 0, 0],
              axis: [0, 0, 1]}], simulation: {integrator: rk4, step: 0.01, duration: 0.3, output_interval: 0.03}})");
  const Outcome cut = shop.run({"compare", model});
  INFO(cut.out);
  CHECK_THAT(cut.out, Contains("äö") && Contains("..") && Contains("éé"));
  CHECK_NOTHROW(json(cut.out).dump());  // is UTF-8
}

TEST_CASE("one solver alone has no deviation, and it is said that nothing was compared") {
  const Workshop shop;
  std::vector<std::string> command{"compare", shipped("double_pendulum"), "--solvers", "riccati", "--duration", "0.1"};
  for (const bool as_json : {false, true}) {
    if (as_json) command.emplace_back("--json");
    const Outcome outcome = shop.run(command);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("note: riccati is the only solver that ran"));
    if (as_json) CHECK_FALSE(json::parse(outcome.out).at("riccati").contains("position_deviation"));
  }
  CHECK_THAT(shop.run({"compare", shipped("double_pendulum"), "--duration", "0.1"}).err, !Contains("note:"));
}

TEST_CASE("the values of a sweep are round where they can be") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compare", shipped("double_pendulum"), "--solvers", "riccati", "--duration", "0.1",
                                    "--sweep", "tolerance=1e-4:1e-9:6", "--output", "sweep.csv"});
  CHECK(outcome.code == 0);
  const std::string table = shop.read("sweep.csv");
  for (const char* value : {"0.0001", "1e-05", "1e-06", "1e-07", "1e-08", "1e-09"})
    CHECK_THAT(table, Contains(std::string("\nriccati,") + value + ",done"));
}

TEST_CASE("the JSON of a comparison tells time and place of every deviation") {
  const Workshop shop;
  const json all = json::parse(
      shop.run({"compare", shipped("double_pendulum"), "--solvers", "riccati,cartesian", "--duration", "1", "--json"})
          .out);
  for (const auto& [name, one] : all.items()) {
    for (const std::string quantity : {"position", "angle", "joint", "force", "moment"}) {
      CHECK(one.contains(quantity + "_deviation"));
      CHECK(one.contains(quantity + "_deviation_time"));
    }
    CHECK(one.at("angle_deviation_body").is_string());
    CHECK(one.at("force_deviation_joint").is_string());
    CHECK(one.at("agrees") == true);
  }
}

namespace {

/// A comparison of these solvers, some of which feel more gravity than there is.
Outcome compare_planted(const Workshop& shop, const std::string& solvers, bool as_json = false) {
  std::vector<std::string> command{"compare",       shipped("double_pendulum"),
                                   "--solvers",     solvers,
                                   "--duration",    "0.1",
                                   "--plugin-path", std::string(POLYFORM_FIXTURES) + "/planted.so"};
  if (as_json) command.emplace_back("--json");
  return shop.run(command);
}

}  // namespace

TEST_CASE("a disagreement tells how many solvers and how many votes stand against each other") {
  const Workshop shop;
  const Outcome one = compare_planted(shop, "planted-alone,thompson");
  INFO(one.out);
  CHECK(one.code == 1);
  CHECK_THAT(in_one_line(one.out), Contains("One against one: planted-alone against thompson. No majority.") &&
                                       Contains("Votes: no two of these solvers share arithmetic"));
  const Outcome two = compare_planted(shop, "planted-a,planted-b,thompson");
  INFO(two.out);
  CHECK(two.code == 1);
  CHECK_THAT(in_one_line(two.out),
             Contains("planted-a and planted-b part from thompson first at t = 0 s") &&
                 Contains("Two against one, but the two share arithmetic (planted: weight): planted-a and planted-b "
                          "against thompson. By votes it is one against one: no majority."));
  CHECK_THAT(two.out, Contains("1  planted-a, planted-b  planted: weight\n") && Contains("2  thompson\n"));
  const Outcome three = compare_planted(shop, "planted-alone,riccati,cartesian,thompson");
  INFO(three.out);
  CHECK(three.code == 1);
  CHECK_THAT(in_one_line(three.out),
             Contains("Disagreement: planted-alone parts from the consensus first") &&
                 Contains("One against three: planted-alone against riccati, cartesian and thompson, each "
                          "with a vote of its own."));
}

TEST_CASE("many solvers of one kernel do not outvote two that share none, and the JSON tells who shares what") {
  const Workshop shop;
  const json all = json::parse(compare_planted(shop, "planted-a,planted-b,riccati,thompson", true).out);
  CHECK(all.at("planted-a").at("agrees") == false);
  CHECK(all.at("planted-b").at("agrees") == false);
  for (const char* right : {"riccati", "thompson"}) CHECK(all.at(right).at("agrees") == true);
  CHECK(all.at("planted-a").at("vote") == all.at("planted-b").at("vote"));
  CHECK(all.at("planted-a").at("kernels") == json{"planted: weight"});
  CHECK(all.at("planted-a").at("shares") == json{{"planted-b", {"planted: weight"}}});
  CHECK(all.at("thompson").at("shares").empty());
  CHECK(all.at("thompson").at("votes") == 3);
  const bool first = all.at("planted-a").at("parting").contains("sides");
  const json& sides = all.at(first ? "planted-a" : "planted-b").at("parting").at("sides");
  CHECK(sides == json{{{"solvers", {"planted-a", "planted-b"}}, {"votes", 1.0}},
                      {{"solvers", {"riccati", "thompson"}}, {"votes", 2.0}}});
}

TEST_CASE("solvers of one kernel that agree are one vote, and it is said that nobody confirms them") {
  const Workshop shop;
  const Outcome same =
      shop.run({"compare", shipped("double_pendulum"), "--solvers", "riccati,reduced", "--duration", "0.1"});
  INFO(same.out);
  CHECK(same.code == 0);
  CHECK_THAT(in_one_line(same.out), Contains("They share arithmetic and are one vote") && Contains("tree recursion"));
  const Outcome all = shop.run({"compare", shipped("double_pendulum"), "--duration", "0.1"});
  INFO(all.out);
  CHECK_THAT(in_one_line(all.out),
             Contains("They are three votes.") && Contains("cartesian, hierarchy") && Contains("saddle-point system"));
}

TEST_CASE("solvers that disagree beyond the tolerance give exit code 1 and the place where they part") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"compare", shipped("double_pendulum"), "--solvers", "riccati,cartesian", "--duration", "30"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.out, Contains("Disagreement: ") && Contains(" first at t = ") && Contains("chaos"));
}

TEST_CASE("a solver beyond its time limit loses only its own row") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compare", shipped("chain_1000"), "--solvers", "riccati,cartesian", "--duration",
                                    "1000", "--time-limit", "0.2", "--json"});
  CHECK(outcome.code == 1);
  const json all = json::parse(outcome.out);
  for (const auto& [name, one] : all.items()) {
    CHECK(one.at("status") == "failed");
    CHECK(one.at("reason") == "not done within the time limit of 0.2 s");
  }
}

TEST_CASE("a sweep gives errors against work, as JSON and as a table in a file") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compare", shipped("double_pendulum"), "--solvers", "riccati", "--duration", "0.5",
                                    "--sweep", "tolerance=1e-5:1e-9:3", "--output", "work.csv", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json points = json::parse(outcome.out).at("riccati").at("points");
  REQUIRE(points.size() == 3);
  CHECK(points[0].at("tolerance").get<double>() == Approx(1e-5));
  CHECK(points[1].at("tolerance").get<double>() == Approx(1e-7));
  CHECK(points[2].at("angle_error") < points[0].at("angle_error"));
  CHECK_THAT(shop.read("work.csv"), Contains("solver,tolerance,status,steps") && Contains("riccati,") &&
                                        Contains(",vote,kernels\n") &&
                                        Contains(",1,hinge elimination; tree recursion\n"));
}

TEST_CASE("a sweep does not warn of the place of a body that never moves, and warns where all errors are rounding") {
  const Workshop shop;
  const auto told = [&](const std::string& values) {
    return in_one_line(shop.run({"compare", shipped("tutorial/02_spring_and_damper"), "--solvers", "riccati,cartesian",
                                 "--duration", "1", "--sweep", "tolerance=" + values})
                           .out);
  };
  CHECK_THAT(told("1e-4,1e-6"), Contains("no error is known better") && !Contains("Warning"));
  CHECK_THAT(told("1e-13,1e-14"), Contains("Warning: "));
}

TEST_CASE("a solver that drops out of a sweep is named in table and JSON, with the reason, and the others go on") {
  const Workshop shop;
  std::vector<std::string> command{"compare",       shipped("double_pendulum"),
                                   "--solvers",     "riccati,failing",
                                   "--duration",    "0.5",
                                   "--sweep",       "tolerance=1e-5,1e-7",
                                   "--plugin-path", std::string(POLYFORM_FIXTURES) + "/failing_solver.so"};
  const Outcome table = shop.run(command);
  INFO(table.out);
  CHECK(table.code == 1);
  CHECK_THAT(in_one_line(table.out), Contains("failing is not part of the reference: failed: ") &&
                                         Contains("it was told to fail") &&
                                         Contains("against riccati at tolerance 1e-09"));
  command.emplace_back("--json");
  const Outcome outcome = shop.run(command);
  CHECK(outcome.code == 1);
  const json all = json::parse(outcome.out);
  const json& missing = all.at("riccati").at("reference").at("missing");
  CHECK_THAT(missing.at("failing").get<std::string>(), Contains("it was told to fail"));
  for (const json& point : all.at("riccati").at("points")) CHECK(point.contains("angle_error"));
  REQUIRE(all.at("failing").at("points").size() == 2);
  for (const json& point : all.at("failing").at("points")) {
    CHECK(point.at("status") == "failed");
    CHECK_THAT(point.at("reason").get<std::string>(), Contains("it was told to fail"));
    CHECK_FALSE(point.contains("angle_error"));
  }
}

TEST_CASE("a sweep with a page says in its JSON why the comparison before it gives exit code 1") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"compare", shipped("double_pendulum"), "--solvers", "riccati,cartesian", "--duration", "15", "--rtol",
                "1e-4", "--atol", "1e-5", "--sweep", "tolerance=1e-3,1e-4", "--report", "a.html", "--json"});
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  bool found = false;
  const json all = json::parse(outcome.out);
  for (const auto& [name, one] : all.items()) {
    CHECK(one.at("points").size() == 2);
    const json& before = one.at("comparison");
    found = found || (before.at("agrees") == false && before.contains("divergence") &&
                      before.at("divergence").contains("cause"));
  }
  CHECK(found);
}

TEST_CASE("a sweep of what the integrator does not use is refused") {
  const Workshop shop;
  for (const char* sweep : {"step=1e-3,1e-4", "tolerance", "tolerance=1e-3:1e-5", "tolerance=-1", "speed=1"}) {
    const Outcome outcome = shop.run({"compare", shipped("double_pendulum"), "--sweep", sweep});
    INFO(outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("--sweep: ") && Contains("Examples: "));
  }
}

TEST_CASE("verify tells errors, times and what passed; a misspelt problem is refused") {
  const Workshop shop;
  const Outcome outcome = shop.run({"verify", "--problem", "simple_pendulum", "--solvers", "riccati,cartesian"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("passed") && Contains("of the tolerance") && Contains("2 runs passed, 0 failed"));
  const Outcome misspelt = shop.run({"verify", "--problem", "simple_pendlum"});
  CHECK(misspelt.code == 2);
  CHECK_THAT(misspelt.err, Contains("Did you mean") && Contains("simple_pendulum"));
  const Outcome both = shop.run({"verify", "--problem", "simple_pendulum", "--set", "long"});
  CHECK(both.code == 2);
  CHECK_THAT(both.err, Contains("--problem excludes --set"));
  const Outcome unknown = shop.run({"verify", "--solvers", "ricatti"});
  CHECK(unknown.code == 3);
  CHECK_THAT(unknown.err, Contains("riccati") && !Contains("NOT CHECKED"));
  const json all =
      json::parse(shop.run({"verify", "--problem", "simple_pendulum", "--solvers", "riccati", "--json"}).out);
  CHECK(all.at("simple_pendulum").at("solvers").at("riccati").at("status") == "passed");
}

TEST_CASE("a reference that cannot be read loses only its own row, and the exit code says so") {
  const Workshop shop;
  shop.write("broken.json", "{\"model\": \"a.yaml\"}");
  shop.write("lost.json", R"({"model": "none.yaml", "source": "none", "evaluate": {"tolerance": {}}})");
  const std::string good = shipped("references/simple_pendulum");
  std::filesystem::copy_file(good.substr(0, good.size() - 5) + ".json", shop.path("sound.json"));
  std::string text = shop.read("sound.json");
  text.replace(text.find("../simple_pendulum.yaml"), 23, shipped("simple_pendulum"));
  shop.write("sound.json", text);
  const std::vector<std::string> command{"verify", "--references", ".", "--solvers", "riccati"};
  const Outcome outcome = shop.run(command);
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("broken.json:1:1: error: source: 'source' is missing") && Contains("Add 'source"));
  CHECK_THAT(outcome.out, Contains("broken: NOT CHECKED") && Contains("lost: NOT CHECKED") &&
                              Contains("1 run passed, 0 failed, 0 skipped; 2 problems not checked"));
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const json all = json::parse(shop.run(as_json).out);
  CHECK(all.at("broken").at("status") == "not checked");
  CHECK(all.at("sound").at("solvers").at("riccati").at("status") == "passed");
}

TEST_CASE("columns are chosen by name, and a pattern that matches none is refused") {
  const Workshop shop;
  const Outcome outcome = shop.run({"run", shipped("double_pendulum"), "--duration", "0.1", "--output", "a.csv",
                                    "--columns", "rod2.?,*.q,energy,j1.fx", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(read_table(shop.read("a.csv")).names == std::vector<std::string>{"time", "j1.q", "j2.q", "rod2.x", "rod2.y",
                                                                         "rod2.z", "energy.kinetic", "energy.potential",
                                                                         "energy.total", "energy.power", "energy.work",
                                                                         "energy.balance", "j1.fx"});
  const Outcome none = shop.run({"run", shipped("double_pendulum"), "--output", "a.csv", "--columns", "rod3.*"});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("no column matches rod3.*"));
}

TEST_CASE("round-off in the reaction of a joint that carries nothing is no disagreement") {
  const Workshop shop;
  const std::string model = shop.write("drop.yaml", R"(
polyform: 1
bodies:
  - {name: drop, mass: 740, center_of_mass: [0.3, 0.2, -0.1], inertia: {xx: 900, yy: 1300, zz: 1700}, angular_velocity: [0.3, 1, -0.2]}
joints:
  - {name: loose, type: free, base: ground, moving: drop, position: [0.1, 0, 0]}
forces:
  - {name: push, type: point-force, body: drop, point: [1, 0.4, 0], force: [170, -310, 90]}
)");
  const Outcome outcome = shop.run({"compare", model, "--duration", "1", "--json"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  std::size_t solvers = 0;
  const auto all = nlohmann::json::parse(outcome.out);
  for (const auto& [name, one] : all.items()) {
    if (one.at("status") != "done") continue;
    CHECK(one.at("force_deviation") < 1e-6);
    ++solvers;
  }
  CHECK(solvers >= 4);
}

TEST_CASE("an empty reference is called one, and a list without numbers gives one message") {
  const Workshop shop;
  shop.write("empty.json", "");
  shop.write("nulls.json", R"({"model": "m.yaml", "source": "none", "times": [0, 1, 2], "tolerance": {"position": 1},
                               "channels": {"rod.x": [null, null, null], "rod.y": [0, 0]}})");
  const std::string err = shop.run({"verify", "--references", "."}).err;
  INFO(err);
  CHECK_THAT(err, Contains("the file is empty, expected a reference") && !Contains("model begins"));
  CHECK_THAT(err, Contains("channels.rod.x[0]: found nothing, expected a number") && !Contains("channels.rod.x[1]") &&
                      !Contains("found 0 values") && Contains("channels.rod.y: found 2 values for 3 times"));
}

TEST_CASE("the warning of a beam that bends too far ends with one full stop") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compare", shop.write("soft.yaml", R"({polyform: 1, gravity: [0, 0, 0],
    bodies: [{name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 4, modes: 1,
              boundary: clamped-free, modal_velocity: [2]}],
    joints: [{name: clamp, type: fixed, base: ground, moving: beam, position: [0, 0, 0]}],
    simulation: {duration: 0.5, output_interval: 0.01}})")});
  std::string text;  // wrapped lines as one
  for (const char c : outcome.out) text += c == '\n' ? ' ' : c;
  INFO(outcome.out << outcome.err);
  CHECK_THAT(text, Contains("stiffer.") && !Contains("stiffer.."));
}

TEST_CASE("a pattern of --columns that matches nothing is refused as by run") {
  const Workshop shop;
  for (const char* command : {"run", "compare"}) {
    CAPTURE(command);
    const Outcome outcome = shop.run({command, shipped("double_pendulum"), "--duration", "0.1", "--columns", "nix.*"});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("no column matches nix.*"));
  }
}
