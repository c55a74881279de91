// Plugins that go wrong in the middle of a run: which one it was, when, and results so far that can be read.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "framework/host/results/result_reader.hpp"
#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/wait.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

const std::string plugin = std::string(POLYFORM_FIXTURES) + "/trouble.so";

std::string model_with(const std::string& force) {
  return R"(polyform: 1
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.0833, zz: 0.0833}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}
forces:
  - {name: bad, type: )" +
         force + R"(, joint: pin}
simulation: {duration: 1, integrator: rk4, step: 0.001, output_interval: 0.002}
)";
}

std::vector<std::string> arguments(const Workshop& shop, const std::string& force, const std::string& solver,
                                   const std::string& output) {
  return {"run", shop.write("model.yaml", model_with(force)), "--plugin-path", plugin, "--solver", solver, "--output",
          output};
}

std::ptrdiff_t lines(const Workshop& shop, const std::string& file) {
  return std::ranges::count(shop.read(file), '\n');
}

}  // namespace

TEST_CASE("an exception that leaves a plugin ends the run with its name, the solver, the time, and all rows before") {
  const Workshop shop;
  const Outcome outcome = shop.run(arguments(shop, "throwing", "riccati", "a.csv"));
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err,
             Contains("error: " + plugin + " threw an exception: out of luck, in solver riccati after t = 0.0"));
  CHECK_THAT(outcome.err, Contains("polyform conform FILE looks for the cause. Results so far are kept."));
  const Table table = read_table(shop.read("a.csv"));
  REQUIRE(table.rows.size() >= 24);
  CHECK(table.at(table.rows.size() - 1, "time") < 0.05);
  SECTION("in an HDF5 file too") {
    CHECK(shop.run(arguments(shop, "throwing", "riccati", "a.h5")).code == 1);
    const auto results = polyform::host::ResultFile(shop.path("a.h5").string()).read_all();
    REQUIRE(results.find("time") != nullptr);
    CHECK(results.find("time")->values.size() == table.rows.size());
  }
}

TEST_CASE("a crash in a plugin ends the run with its name; what was written can be read") {
  const Workshop shop;
  for (const char* output : {"a.csv", "a.h5"}) {
    const Outcome outcome = shop.run(arguments(shop, "crashing", "riccati", output));
    INFO(outcome.err);
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err,
               Contains("error: " + plugin + " crashed with signal SEGV, in solver riccati after t = 0.0"));
    CHECK_THAT(outcome.err, Contains("Results so far are kept but for the last seconds."));
  }
  CHECK_FALSE(read_table(shop.read("a.csv")).names.empty());
  CHECK(polyform::host::ResultFile(shop.path("a.h5").string()).read_all().find("time") != nullptr);
}

TEST_CASE("a plugin that asks for memory without end is told so") {
  if (has_address_sanitizer) return;
  const Workshop shop;
  const Outcome outcome = shop.run(arguments(shop, "hungry", "riccati", "a.csv"));
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains(plugin + " asked for more memory than there is, in solver riccati"));
}

TEST_CASE("a plugin that calls exit ends the run as a failure with its name, and all rows are kept") {
  const Workshop shop;
  for (const std::string force : {"exit", "quick-exit"}) {
    const Outcome outcome = shop.run(arguments(shop, force, "riccati", "a.csv"));
    INFO(outcome.err);
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err,
               Contains("error: " + plugin + " ended the program by calling exit, in solver riccati after t = 0.0"));
    CHECK(read_table(shop.read("a.csv")).rows.size() >= 24);
    CHECK(shop.run(arguments(shop, force, "riccati", "a.h5")).code == 1);
    const auto results = polyform::host::ResultFile(shop.path("a.h5").string()).read_all();
    REQUIRE(results.find("time") != nullptr);
    CHECK(results.find("time")->values.size() >= 24);
  }
}

TEST_CASE("a plugin that ends the process at once is seen from outside") {
  const Workshop shop;
  for (const char* output : {"a.csv", "a.h5"}) {
    const Outcome outcome = shop.run(arguments(shop, "immediate-exit", "riccati", output));
    INFO(outcome.err);
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err,
               Contains("error: a plugin ended the program with exit status 0, in solver riccati after t = 0.0"));
    CHECK_THAT(outcome.err, Contains("Results so far are kept"));
  }
  CHECK_FALSE(read_table(shop.read("a.csv")).names.empty());
  CHECK(polyform::host::ResultFile(shop.path("a.h5").string()).read_all().find("time") != nullptr);
}

TEST_CASE("a copy of the process that a plugin makes, and that throws, leaves the run and its rows alone") {
  const Workshop shop;
  for (const char* output : {"a.csv", "a.h5"}) {
    const Outcome outcome = shop.run(arguments(shop, "copy", "riccati", output));
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, !Contains("error"));
  }
  CHECK(read_table(shop.read("a.csv")).rows.size() == 501);
  CHECK(polyform::host::ResultFile(shop.path("a.h5").string()).read_all().find("time")->values.size() == 501);
}

TEST_CASE("a run that is killed says so, with what it was at") {
  const Workshop shop;
  const pid_t process = shop.start(arguments(shop, "endless", "riccati", "a.csv"));
  REQUIRE(wait_until([&] { return lines(shop, "a.csv") > 24; }));
  kill(child_of(process), SIGKILL);
  const Outcome outcome = shop.finish(process);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("ended by signal KILL, in solver riccati after t = 0.0") && Contains("memory"));
}

TEST_CASE("an endless recursion and a thread that throws are told like other crashes") {
  const Workshop shop;
  CHECK_THAT(shop.run(arguments(shop, "overflow", "riccati", "a.csv")).err,
             Contains(plugin + " crashed with signal SEGV, in solver riccati after t = 0.0"));
  CHECK_THAT(shop.run(arguments(shop, "thread", "riccati", "a.csv")).err,
             Contains(plugin + " threw an exception of a type unknown here"));
}

TEST_CASE("what plugins print does not stand between results") {
  const Workshop shop;
  const auto clean = [](const Outcome& outcome) {
    INFO(outcome.out);
    CHECK(outcome.out.find("by a plugin") == std::string::npos);
    CHECK_THAT(outcome.err, Contains("printed by a plugin") && Contains("streamed by a plugin"));
  };
  std::vector<std::string> command = arguments(shop, "talking", "riccati", "-");
  const Outcome stream = shop.run(command);
  CHECK(stream.code == 0);
  clean(stream);
  CHECK(read_table(stream.out).rows.size() == 501);
  command.back() = "a.csv";
  command.emplace_back("--json");
  clean(shop.run(command));
  clean(shop.run({"plugins", "--plugin-path", plugin, "--json"}));
  clean(shop.run({"compare", command[1], "--plugin-path", plugin, "--json"}));
}

TEST_CASE("what a plugin changes in the process while it is loaded is put back") {
  const Workshop shop;
  shop.write("rod.yaml", endless_rod());
  std::vector<std::string> command{"run", "rod.yaml", "--duration", "1", "--output", "-"};
  const Outcome alone = shop.run(command);
  REQUIRE(alone.code == 0);
  command.insert(command.end(), {"--plugin-path", std::string(POLYFORM_FIXTURES) + "/meddles.so"});
  const Outcome meddled = shop.run(command);
  CHECK(meddled.code == 0);
  CHECK(meddled.out == alone.out);
  CHECK_THAT(meddled.err, Contains("energy       drift"));
}

TEST_CASE("a plugin that changes how numbers are rounded fails the run, with its name") {
  const Workshop shop;
  const Outcome outcome = shop.run(arguments(shop, "rounding", "riccati", "a.csv"));
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("a force of " + plugin + " changed how floating-point numbers are computed"));
}

TEST_CASE("a limit of memory is kept to") {
  if (has_address_sanitizer) return;
  const Workshop shop;
  std::vector<std::string> command = arguments(shop, "hungry", "riccati", "a.csv");
  command.insert(command.end(), {"--memory-limit", "1.5"});  // GiB, which it takes one by one
  const Outcome outcome = shop.run(command);
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains(plugin + " asked for more memory"));
  CHECK(read_table(shop.read("a.csv")).rows.size() >= 24);
}

TEST_CASE("what is no number stops every solver with the name of a body or joint") {
  const Workshop shop;
  for (const char* solver : {"riccati", "reduced", "particles", "hierarchy", "cartesian"}) {
    const Outcome outcome = shop.run(arguments(shop, "no-number", solver, "a.csv"));
    INFO(solver << ": " << outcome.err);
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err, Contains("`rod`") || Contains("`pin`"));
    CHECK_THAT(outcome.err, Contains("t = 0.0") && Contains(std::string("This was solver ") + solver));
    CHECK(read_table(shop.read("a.csv")).rows.size() >= 24);
  }
}

TEST_CASE(
    "one SIGTERM or SIGHUP ends a run whose plugin never returns, after some seconds, and all rows before are kept") {
  const auto given = GENERATE(std::pair{SIGTERM, "a.csv"}, std::pair{SIGHUP, "a.h5"});
  const int signal = given.first;
  const char* const output = given.second;
  const Workshop shop;
  const pid_t process = shop.start(arguments(shop, "endless", "riccati", output));
  std::this_thread::sleep_for(std::chrono::milliseconds(has_address_sanitizer ? 6000 : 3000));
  if (signal == SIGTERM) REQUIRE(wait_until([&] { return lines(shop, output) > 24; }));
  kill(process, signal);
  const Outcome outcome = shop.finish(process);
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK_THAT(outcome.err, Contains("warning: interrupted, but a step of the run did not end within 5 s, in solver "
                                   "riccati after t = 0.0") &&
                              Contains("the results so far are kept"));
  if (signal == SIGTERM)
    CHECK(read_table(shop.read(output)).rows.size() >= 24);
  else
    CHECK(polyform::host::ResultFile(shop.path(output).string()).read_all().find("time")->values.size() >= 24);
}

TEST_CASE("a second interrupt ends a run whose plugin never returns, at once, and all rows before are kept") {
  const std::string output = GENERATE("a.csv", "a.h5");
  const Workshop shop;
  const pid_t process = shop.start(arguments(shop, "endless", "riccati", output));
  // Rows are stored within seconds, though no further one comes.
  std::this_thread::sleep_for(std::chrono::milliseconds(has_address_sanitizer ? 6000 : 3000));
  if (output == "a.csv") REQUIRE(wait_until([&] { return lines(shop, output) > 24; }));
  kill(process, SIGINT);
  CHECK(wait_until(
      [&] { return shop.read("stderr.txt").find("Ctrl-C once more ends the run at once") != std::string::npos; }));
  CHECK(kill(process, SIGINT) == 0);
  const Outcome outcome = shop.finish(process);
  CHECK(outcome.code == 130);
  if (output == "a.csv") {
    CHECK(read_table(shop.read(output)).rows.size() >= 24);
    return;
  }
  const auto results = polyform::host::ResultFile(shop.path(output).string()).read_all();
  REQUIRE(results.find("time") != nullptr);
  CHECK(results.find("time")->values.size() >= 24);
}

TEST_CASE("a motion that explodes is said to explode, and its drift is as large as the motion") {
  const Workshop shop;
  shop.write("blow.yaml", R"(polyform: 1
gravity: [0, -9.81, 0]
bodies:
- {name: a, mass: 2, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.2, zz: 0.2}}
- {name: b, mass: 1, position: [1, 0, 0], center_of_mass: [0.4, 0.1, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
- {name: p, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}}
- {name: q, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 0, 1], initial: {velocity: 0.3}}
simulation: {duration: 1.4, integrator: rk4, step: 0.35, output_interval: 0.35}
)");
  const Outcome run = shop.run({"run", "blow.yaml", "--json"});
  INFO(run.err);
  CHECK_THAT(run.err, Contains("explodes") && Contains("smaller --step"));
  // All of the energy at the end is gained: the scale is that energy.
  CHECK(nlohmann::json::parse(run.out)["energy_drift"].get<double>() == Approx(1).epsilon(1e-3));
  CHECK_THAT(shop.run({"run", "blow.yaml", "--step", "0.01"}).err, !Contains("explodes"));
}

TEST_CASE("no output of any command takes the place of a file that the model includes") {
  const Workshop shop;
  const std::string part = R"(bodies:
- {name: a, mass: 2, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.2, zz: 0.2}}
joints:
- {name: p, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}
)";
  for (const char* name : {"part.csv", "part.h5", "part.html", "part.so", "part.trajectories.h5"}) {
    shop.write(name, part);
    shop.write("top.yaml", "polyform: 1\ninclude: [" + std::string(name) +
                               "]\ngravity: [0, -9.81, 0]\nsimulation: {duration: 0.1}\n");
    const std::string file = name;
    const std::vector<std::string> vary{"--vary", "gravity[1]=-9,-10"};
    std::vector<std::vector<std::string>> commands;
    if (file == "part.csv" || file == "part.h5") {
      commands = {{"run", "top.yaml", "--output", file},
                  {"equilibrium", "top.yaml", "--output", file},
                  {"linearize", "top.yaml", vary[0], vary[1], "--output", file},
                  {"study", "top.yaml", vary[0], vary[1], "--quantity", "e=final(p.q)", "--output", file},
                  {"export", "--urdf", "top.yaml", "-o", file},
                  {"run", "top.yaml", "--checkpoint", file}};
    } else if (file == "part.html") {
      REQUIRE(shop.run({"run", "top.yaml", "--output", "rows.h5"}).code == 0);
      commands = {{"run", "top.yaml", "--report", file},
                  {"compare", "top.yaml", "--report", file},
                  {"linearize", "top.yaml", vary[0], vary[1], "--report", file},
                  {"report", "rows.h5", "--output", file},
                  {"report", "rows.h5", "--model", "top.yaml", "--output", file},
                  {"study", "top.yaml", vary[0], vary[1], "--quantity", "e=final(p.q)", "--report", file}};
    } else if (file == "part.so") {
      commands = {{"compile", "top.yaml", "-o", file}, {"compile", "top.yaml", vary[0], vary[1], "-o", file}};
    } else {
      commands = {{"study", "top.yaml", vary[0], vary[1], "--quantity", "e=final(p.q)", "--trajectories", "p.q",
                   "--output", "part.csv"}};
      std::filesystem::remove(shop.path("part.csv"));
    }
    for (const std::vector<std::string>& words : commands) {
      const Outcome outcome = shop.run(words);
      INFO(words[0] << ' ' << words.back() << ": " << outcome.err);
      CHECK(outcome.code == 2);
      CHECK_THAT(outcome.err, Contains("would be lost"));
      CHECK(shop.read(name) == part);
    }
  }
}

TEST_CASE("a run that loses its energy says so, also to compare") {
  const Workshop shop;
  const std::string model = std::string(POLYFORM_MODELS) + "/double_pendulum.yaml";
  const Outcome coarse = shop.run({"run", model, "--rtol", "0.1", "--atol", "10", "--duration", "1.5"});
  INFO(coarse.err);
  CHECK_THAT(coarse.err, Contains("the energy balance drifts by") && Contains("tolerances that are too coarse"));
  CHECK_THAT(shop.run({"compare", model, "--rtol", "0.1", "--atol", "10", "--duration", "1.5"}).out,
             Contains("the energy balance drifts by"));
  CHECK_THAT(shop.run({"run", model, "--duration", "1.5"}).err, !Contains("drifts"));
}

TEST_CASE("what moves between rows alone is no explosion") {
  const Workshop shop;
  // The disc is at 2 rad/s for a millisecond: two pulses of 4 N m s, each a triangle, whose sum is zero.
  shop.write("pulse.yaml", R"(polyform: 1
gravity: [0, 0, 0]
bodies:
- {name: disc, mass: 3, inertia: {xx: 1, yy: 1, zz: 2}}
joints:
- {name: axle, type: revolute, base: ground, moving: disc, position: [0, 0, 0], axis: [0, 0, 1]}
forces:
- {name: motor, type: joint-force, joint: axle,
   effort: {table: [[2.5, 0], [2.501, 4000], [2.502, 0], [2.503, -4000], [2.504, 0]]}}
simulation: {duration: 10, output_interval: 1}
)");
  const Outcome run = shop.run({"run", "pulse.yaml", "--json"});
  INFO(run.err);
  CHECK(run.err.empty());
  CHECK(nlohmann::json::parse(run.out)["energy_drift"].get<double>() < 1e-9);
  // A pendulum in rows of its own period stands where it began.
  shop.write("swing.yaml", R"(polyform: 1
gravity: [0, 0, 0]
bodies:
- {name: disc, mass: 3, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
- {name: axle, type: revolute, base: ground, moving: disc, position: [0, 0, 0], axis: [0, 0, 1], initial: {position: 1}}
forces:
- {name: spring, type: joint-spring-damper, joint: axle, stiffness: 39.478417604357434}
simulation: {duration: 20, output_interval: 1}
)");
  const Outcome swing = shop.run({"run", "swing.yaml", "--json"});
  INFO(swing.err);
  CHECK(swing.err.empty());
  CHECK(nlohmann::json::parse(swing.out)["energy_drift"].get<double>() < 1e-5);
}

TEST_CASE("a fixed step that is too long is named where the run fails, with the element that it cannot follow") {
  const Workshop shop;
  shop.write("damped.yaml", R"(polyform: 1
gravity: [0, 0, 0]
bodies:
- {name: m, mass: 1, inertia: {xx: 1, yy: 1, zz: 2}}
joints:
- {name: s, type: prismatic, base: ground, moving: m, position: [0, 0, 0], axis: [1, 0, 0], initial: {position: 0.01}}
forces:
- {name: buffer, type: joint-spring-damper, joint: s, stiffness: 4.0e+7, damping: 1.26e+4}
simulation: {duration: 1, integrator: rk4, step: 0.001, output_interval: 0.01}
)");
  for (const char* solver : {"riccati", "cartesian", "particles"}) {
    const Outcome run = shop.run({"run", "damped.yaml", "--solver", solver});
    INFO(run.err);
    CHECK(run.code == 1);
    CHECK_THAT(run.err, Contains("steps of 0.001 s are too long") && Contains("`buffer`"));
  }
  CHECK(shop.run({"run", "damped.yaml", "--step", "1e-4"}).code == 0);
}
