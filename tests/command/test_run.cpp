// polyform run: rows, columns, their places, and the messages about the run.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include <cmath>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;

TEST_CASE("rows stand at products of the output interval and at the end") {
  const Workshop shop;
  const Outcome outcome = shop.run(
      {"run", shipped("double_pendulum"), "--duration", "1.05", "--output-interval", "0.1", "--output", "a.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Table table = read_table(shop.read("a.csv"));
  REQUIRE(table.rows.size() == 12);
  for (std::size_t k = 0; k < 11; ++k) CHECK(table.at(k, "time") == static_cast<double>(k) * 0.1);
  CHECK(table.at(11, "time") == 1.05);
}

TEST_CASE("a duration that is a multiple of the output interval up to rounding has no doubled last row") {
  const Workshop shop;
  REQUIRE(shop.run({"run", shipped("double_pendulum"), "--duration", "0.3", "--output-interval", "0.1", "--output",
                    "a.csv"})
              .code == 0);
  CHECK(read_table(shop.read("a.csv")).rows.size() == 4);
}

TEST_CASE("columns are those of the contract, in its order") {
  const Workshop shop;
  REQUIRE(shop.run({"run", shipped("heavy_top"), "--duration", "0.01", "--output", "a.csv", "--columns",
                    "joints,bodies,energy,constraints,reactions"})
              .code == 0);
  const std::vector<std::string> expected{"time",
                                          "s.q[0]",
                                          "s.q[1]",
                                          "s.q[2]",
                                          "s.q[3]",
                                          "s.v[0]",
                                          "s.v[1]",
                                          "s.v[2]",
                                          "top.x",
                                          "top.y",
                                          "top.z",
                                          "top.qw",
                                          "top.qx",
                                          "top.qy",
                                          "top.qz",
                                          "top.vx",
                                          "top.vy",
                                          "top.vz",
                                          "top.wx",
                                          "top.wy",
                                          "top.wz",
                                          "energy.kinetic",
                                          "energy.potential",
                                          "energy.total",
                                          "energy.power",
                                          "energy.work",
                                          "energy.balance",
                                          "constraint.position",
                                          "constraint.velocity",
                                          "correction.position",
                                          "correction.velocity",
                                          "correction.iterations",
                                          "s.fx",
                                          "s.fy",
                                          "s.fz",
                                          "s.mx",
                                          "s.my",
                                          "s.mz"};
  CHECK(read_table(shop.read("a.csv")).names == expected);
}

TEST_CASE("only the groups asked for are written, without reactions by default") {
  const Workshop shop;
  REQUIRE(
      shop.run({"run", shipped("double_pendulum"), "--duration", "0.01", "--output", "a.csv", "--columns", "energy"})
          .code == 0);
  CHECK(read_table(shop.read("a.csv")).names == std::vector<std::string>{"time", "energy.kinetic", "energy.potential",
                                                                         "energy.total", "energy.power", "energy.work",
                                                                         "energy.balance"});
  REQUIRE(shop.run({"run", shipped("double_pendulum"), "--duration", "0.01", "--output", "b.csv"}).code == 0);
  const Table table = read_table(shop.read("b.csv"));
  CHECK(table.names[1] == "j1.q");
  CHECK(table.names[2] == "j1.v");
  CHECK(std::find(table.names.begin(), table.names.end(), "j1.fx") == table.names.end());
}

TEST_CASE("a single coordinate starts as drawn and initial values move it") {
  const Workshop shop;
  Rod rod;
  rod.joint =
      "{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1], "
      "initial: {position: 0.3, velocity: 1.5}}";
  REQUIRE(shop.run({"run", shop.write("rod.yaml", rod.text()), "--duration", "0.01", "--output", "a.csv"}).code == 0);
  const Table table = read_table(shop.read("a.csv"));
  CHECK(table.at(0, "pin.q") == Approx(0.3));
  CHECK(table.at(0, "pin.v") == Approx(1.5));
  CHECK(table.at(0, "rod.wz") == Approx(1.5));
  CHECK(table.at(0, "rod.qw") == Approx(std::cos(0.15)));
}

TEST_CASE("the first quaternion has a positive first component and stays continuous over turns") {
  const Workshop shop;
  Rod rod;
  rod.joint =
      "{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1], "
      "initial: {position: 4, velocity: 20}}";
  REQUIRE(shop.run({"run", shop.write("rod.yaml", rod.text()), "--duration", "2", "--output-interval", "0.01",
                    "--output", "a.csv"})
              .code == 0);
  const Table table = read_table(shop.read("a.csv"));
  CHECK(table.at(0, "rod.qw") > 0);
  for (std::size_t k = 1; k < table.rows.size(); ++k) {
    double dot = 0;
    for (const char* name : {"rod.qw", "rod.qx", "rod.qy", "rod.qz"}) dot += table.at(k - 1, name) * table.at(k, name);
    REQUIRE(dot > 0.5);
  }
}

TEST_CASE("the CSV goes to the output stream and the summary to the error stream for --output -") {
  const Workshop shop;
  const Outcome outcome = shop.run({"run", shipped("double_pendulum"), "--duration", "0.1", "--output", "-"});
  REQUIRE(outcome.code == 0);
  CHECK(read_table(outcome.out).rows.size() == 3);
  CHECK_THAT(outcome.err, Contains("double pendulum"));
}

TEST_CASE("a page and a record in JSON do not share the output stream") {
  const Workshop shop;
  const Outcome outcome = shop.run({"run", shipped("double_pendulum"), "--report", "-", "--json"});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("--report - and --json would mix on the output stream"));
}

TEST_CASE("without an output only the summary is printed, and it says so") {
  const Workshop shop;
  const Outcome outcome = shop.run({"run", shipped("double_pendulum"), "--duration", "0.1"});
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("--output"));
  CHECK(shop.run({"run", shipped("double_pendulum"), "--duration", "0.1", "--quiet"}).out.empty());
}

TEST_CASE("numbers in the CSV read back exactly") {
  const Workshop shop;
  const std::string tenth = "0.1000000000000000055";
  REQUIRE(shop.run({"run", shipped("double_pendulum"), "--duration", tenth, "--output-interval", tenth, "--output",
                    "a.csv"})
              .code == 0);
  CHECK(read_table(shop.read("a.csv")).at(1, "time") == 0.1);
}

TEST_CASE("the record of a run is one JSON object") {
  const Workshop shop;
  const Outcome outcome = shop.run(
      {"run", shipped("double_pendulum"), "--duration", "0.5", "--integrator", "rk4", "--step", "0.01", "--json"});
  REQUIRE(outcome.code == 0);
  const auto record = nlohmann::json::parse(outcome.out);
  CHECK(record.at("model") == "double pendulum");
  CHECK(record.at("bodies") == 2);
  CHECK(record.at("degrees_of_freedom") == 2);
  CHECK(record.at("steps").get<int>() >= 50);
  CHECK(record.at("rejected_steps") == 0);
  CHECK(record.at("evaluations").get<int>() >= 4 * 50);
  CHECK(record.at("time") == 0.5);
  CHECK(record.at("energy_drift").get<double>() < 1e-5);
  for (const char* key : {"solver", "state_size", "wall_seconds", "seconds_per_evaluation", "constraint_violation"})
    CHECK(record.contains(key));
}

TEST_CASE("energy of a conservative system is kept, and that of a damped one less what is lost") {
  const Workshop shop;
  const auto record_of = [&](const std::string& more) {
    Rod rod;
    rod.more = more;
    const Outcome outcome = shop.run({"run", shop.write("rod.yaml", rod.text()), "--duration", "2", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto free = record_of("");
  CHECK(free.at("conservative") == true);
  CHECK(free.at("energy_drift").get<double>() < 1e-6);
  const auto damped =
      record_of("forces: [{name: d, type: joint-spring-damper, joint: pin, stiffness: 0, damping: 0.5}]\n");
  CHECK(damped.at("conservative") == false);
  CHECK(damped.at("energy_drift").get<double>() < 1e-6);
}

TEST_CASE("the command line overrides the model, and the model the defaults") {
  const Workshop shop;
  Rod rod;
  rod.more = "simulation: {duration: 0.2, integrator: rk4, step: 0.01, output_interval: 0.1}\n";
  const std::string model = shop.write("rod.yaml", rod.text());
  const auto record = nlohmann::json::parse(shop.run({"run", model, "--json"}).out);
  CHECK(record.at("time") == 0.2);
  CHECK(record.at("rows") == 3);
  const auto longer =
      nlohmann::json::parse(shop.run({"run", model, "--json", "--duration", "0.4", "--output-interval", "0.05"}).out);
  CHECK(longer.at("time") == 0.4);
  CHECK(longer.at("rows") == 9);
}

TEST_CASE("a failing run is exit code 1, says what failed and when, and keeps its rows") {
  const Workshop shop;
  Rod rod;
  rod.more =
      "forces: [{name: s, type: joint-spring-damper, joint: pin, stiffness: 1.0e+9, damping: 0}]\n"
      "simulation: {duration: 50, integrator: rk4, step: 0.1, output_interval: 0.1}\n";
  const Outcome outcome = shop.run({"run", shop.write("rod.yaml", rod.text()), "--output", "a.csv", "--json"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("error: ") && Contains("t = "));
  CHECK(nlohmann::json::parse(outcome.out).at("status") == "failed");
  const Table table = read_table(shop.read("a.csv"));
  CHECK(table.rows.size() >= 2);
  CHECK(table.rows.size() < 500);
}

TEST_CASE("a tolerance below rounding asks for rounding") {
  const Workshop shop;
  for (const char* solver : {"riccati", "particles", "cartesian"})
    for (const char* model : {"double_pendulum", "four_bar_rhombus"}) {
      INFO(solver << ", " << model);
      const Outcome outcome = shop.run({"run", shipped(model), "--solver", solver, "--option", "tolerance=1e-20",
                                        "--duration", "0.2", "--integrator", "rk4", "--step", "0.001"});
      CHECK(outcome.code == 0);
      CHECK(outcome.err.empty());
    }
}

TEST_CASE("accelerations are columns on request, in every formulation") {
  const Workshop shop;
  // A horizontal rod on a pin that is let go: α = −m g d / (I + m d²).
  const std::string model = shop.write("rod.yaml", R"({polyform: 1, gravity: [0, -9.81, 0],
    bodies: [{name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.08, zz: 0.08}}],
    joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}],
    simulation: {duration: 0.1, output_interval: 0.1}})");
  const double expected = -9.81 * 0.5 / (0.08 + 0.25);
  for (const char* solver : {"cartesian", "hierarchy", "particles", "reduced", "riccati", "thompson"}) {
    const Outcome outcome = shop.run({"run", model, "--solver", solver, "--columns", "accelerations", "--output", "-"});
    INFO(solver << ": " << outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
    std::istringstream lines(outcome.out);
    std::string header, first, cell;
    std::getline(lines, header);
    std::getline(lines, first);
    CHECK(header == "time,pin.a,rod.ax,rod.ay,rod.az,rod.alphax,rod.alphay,rod.alphaz");
    std::vector<double> numbers;
    for (std::istringstream cells(first); std::getline(cells, cell, ',');) numbers.push_back(std::stod(cell));
    REQUIRE(numbers.size() == 8);
    CHECK(numbers[1] == Approx(expected).epsilon(1e-12));
    CHECK(numbers[7] == Approx(expected).epsilon(1e-12));
    for (const std::size_t zero : {2u, 3u, 4u, 5u, 6u}) CHECK(std::abs(numbers[zero]) < 1e-12);
  }
  CHECK_THAT(shop.run({"run", model, "--columns", "*.alphaz", "--output", "-"}).out,
             Catch::StartsWith("time,rod.alphaz\n"));
}

TEST_CASE("joints with as many coordinates as a kernel may have run with every integrator, in trees and loops") {
  const Workshop shop;
  const std::string plugin = std::string(POLYFORM_FIXTURES) + "/many_coordinates.so";
  // A mass on a spring: x = g/ω² (1 − cos ω t), ω = 10 rad/s. The second slider closes a loop when it is cut.
  const auto model = [&](const std::string& more) {
    return shop.write("slider.yaml", R"({polyform: 1, gravity: [1, 0, 0],
    bodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}],
    joints: [{name: s, type: many-coordinates, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0]})" +
                                         more + R"(],
    forces: [{name: f, type: spring-damper, a: {body: ground, point: [-1, 0, 0]}, b: {body: b}, stiffness: 100}],
    simulation: {duration: 0.3, output_interval: 0.3}})");
  };
  for (
      const char* more :
      {"",
       ", {name: t, type: many-coordinates, base: ground, moving: b, position: [0, 1, 0], axis: [1, 0, 0], cut: true}"})
    for (const char* integrator : {"dopri5", "radau5", "cvode-bdf"}) {
      const Outcome outcome = shop.run({"run", model(more), "--plugin-path", plugin, "--integrator", integrator,
                                        "--rtol", "1e-9", "--atol", "1e-11", "--columns", "b.x", "--output", "-"});
      INFO(integrator << ": " << outcome.out << outcome.err);
      REQUIRE(outcome.code == 0);
      const std::string last = outcome.out.substr(outcome.out.rfind(',') + 1);
      CHECK(std::stod(last) == Approx(0.01 * (1 - std::cos(3.0))).epsilon(1e-6));
    }
  CHECK(shop.run({"linearize", model(""), "--plugin-path", plugin}).code == 0);
}

TEST_CASE("violations of each joint are columns on request, in every formulation") {
  const Workshop shop;
  // The rod is drawn in place, and its pin is met by every formulation, to rounding; so is the drive's motion.
  const std::string model = shop.write("rods.yaml", R"({polyform: 1, gravity: [0, -9.81, 0],
    bodies: [{name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.08, zz: 0.08}},
             {name: disc, position: [3, 0, 0], mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.2}},
             {name: bird, position: [9, 0, 0], mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.2}}],
    joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]},
             {name: axle, type: revolute, base: ground, moving: disc, position: [3, 0, 0], axis: [0, 0, 1], initial: {velocity: 2}},
             {name: air, type: free, base: ground, moving: bird}],
    constraints: [{name: drive, type: prescribed-motion, joint: axle, motion: {polynomial: [0, 2]}}],
    modules: [{name: armature, type: rotor, joint: axle, inertia: 0.01, ratio: 3}],
    simulation: {duration: 0.2, output_interval: 0.1}})");
  for (const char* solver : {"cartesian", "hierarchy", "particles", "reduced", "riccati", "thompson"}) {
    const Outcome outcome =
        shop.run({"run", model, "--solver", solver, "--columns", "violations", "--output", "a.csv"});
    INFO(solver << ": " << outcome.out << outcome.err);
    REQUIRE(outcome.code == 0);
    const Table table = read_table(shop.read("a.csv"));
    REQUIRE(table.names.size() == 1 + 2 * 12 + 2 + 2);  // a free joint forbids nothing
    CHECK(table.names[1] == "pin.violation_x");
    CHECK(table.names[4] == "pin.violation_rx");
    CHECK(table.names[7] == "pin.violation_vx");
    CHECK(table.names[10] == "pin.violation_wx");
    CHECK(table.names[25] == "drive.violation");
    CHECK(table.names[26] == "drive.violation_rate");
    CHECK(table.names[27] == "armature.violation");
    CHECK(table.names[28] == "armature.violation_rate");
    for (const std::vector<double>& row : table.rows)
      for (std::size_t k = 1; k < row.size(); ++k) CHECK(std::abs(row[k]) < 1e-9);
  }
}

TEST_CASE("the violation of a cut joint is how far its bodies' points have parted, in ground axes") {
  const Workshop shop;
  const Outcome outcome =
      shop.run({"run", shipped("four_link_flexible"), "--solver", "reduced", "--option", "correction=none",
                "--duration", "3.2", "--columns", "C.violation_*,link*.q?,constraint.*", "--output", "a.csv"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Table table = read_table(shop.read("a.csv"));
  double largest = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto at = [&](const char* column) { return table.at(row, column); };
    // Links of 1 m along their x axes; a beam between pins keeps its length.
    const double one = 2 * std::atan2(at("link1.qz"), at("link1.qw"));
    const double two = 2 * std::atan2(at("link2.qz"), at("link2.qw"));
    const double three = 2 * std::atan2(at("link3.qz"), at("link3.qw"));
    const double x = 1 + std::cos(three) - std::cos(one) - std::cos(two);
    const double y = std::sin(three) - std::sin(one) - std::sin(two);
    CHECK(at("C.violation_x") == Approx(x).margin(1e-14));
    CHECK(at("C.violation_y") == Approx(y).margin(1e-14));
    CHECK(std::abs(at("C.violation_z")) < 1e-15);
    largest = std::max({largest, std::abs(x), std::abs(y)});
  }
  CHECK(largest > 1e-6);  // Fig. 12: it grows without correction
  const Table held = [&] {
    REQUIRE(shop.run({"run", shipped("four_link_flexible"), "--solver", "reduced", "--columns", "C.violation_*",
                      "--output", "b.csv"})
                .code == 0);
    return read_table(shop.read("b.csv"));
  }();
  for (const std::vector<double>& row : held.rows)  // Fig. 13
    for (std::size_t k = 1; k < row.size(); ++k) CHECK(std::abs(row[k]) < 1e-10);
}

TEST_CASE("an absolute tolerance that is coarse beside the bodies is told where states are lengths") {
  const Workshop shop;
  const std::string model =
      shop.write("m.yaml",
                 "polyform: 1\nbodies:\n  - {name: hand, mass: 1.0e-15, center_of_mass: [5.0e-7, 0, 0], "
                 "inertia: {xx: 0, yy: 8.0e-29, zz: 8.0e-29}}\njoints:\n  - {name: pin, type: revolute, base: ground, "
                 "moving: hand, position: [0, 0, 0], axis: [0, 1, 0]}\nsimulation: {duration: 0.001}\n");
  const auto said = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"run", model, "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(arguments);
    CHECK(outcome.code == 0);
    return outcome.err;
  };
  CHECK_THAT(said({"--solver", "cartesian"}), Contains("the absolute tolerance of 1e-10") && Contains("--atol"));
  CHECK_THAT(said({"--solver", "cartesian", "--atol", "1e-17"}), !Contains("of the size of the largest body"));
  CHECK_THAT(said({"--solver", "riccati"}), !Contains("absolute tolerance"));
}
