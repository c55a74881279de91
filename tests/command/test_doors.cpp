// What comes in and goes out of the command: no file is lost, no blame misplaced, no text steers a terminal.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>

#include "framework/host/results/result_reader.hpp"
#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/wait.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

const std::string doors = std::string(POLYFORM_FIXTURES) + "/trouble.so";

/// A rod with a force that goes wrong after a twentieth of a second.
std::vector<std::string> troubled(const Workshop& shop, const std::string& force, const std::string& output) {
  Rod rod;
  rod.more = "forces:\n  - {name: bad, type: " + force +
             ", joint: pin}\nsimulation: {duration: 1, integrator: rk4, step: 0.001, output_interval: 0.002}\n";
  return {"run", shop.write("model.yaml", rod.text()), "--plugin-path", doors, "--solver", "riccati", "--output",
          output};
}

}  // namespace

TEST_CASE("no output is the model, by any name, and the model stays") {
  const Workshop shop;
  const std::string model = Rod{}.text();
  shop.write("m.csv", model);
  std::filesystem::create_hard_link(shop.path("m.csv"), shop.path("m.html"));
  std::filesystem::create_symlink("m.csv", shop.path("a.riccati.csv"));
  const std::vector<std::vector<std::string>> commands{
      {"run", "m.csv", "--output", "m.csv"},
      {"run", "m.csv", "--output", "./m.csv"},
      {"run", "m.csv", "--report", "m.html"},
      {"run", "m.csv", "--output", "x.csv", "--report", "x.csv"},
      {"equilibrium", "m.csv", "--output", "m.csv"},
      {"equilibrium", "m.csv", "--output", "m.html"},
      {"compare", "m.csv", "--report", "m.html", "--duration", "0.1"},
      {"compare", "m.csv", "--solvers", "riccati", "--output", "a.csv", "--duration", "0.1"},
      {"compare", "m.csv", "--sweep", "step=0.1", "--output", "m.csv", "--duration", "0.1"},
      {"report", "m.csv", "--output", "m.html"}};
  for (const auto& command : commands) {
    const Outcome outcome = shop.run(command);
    INFO(command[0] << " " << command[2] << " " << command[3] << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("would be lost") || Contains("are one file"));
    CHECK(shop.read("m.csv") == model);
  }
}

TEST_CASE("no output is the state that a run starts from, or a file with a part of the model") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", Rod{}.text()), state = "pin.q,pin.v\n0.3,1\n";
  for (const char* name : {"s.csv", "s.html"}) shop.write(name, state);
  const std::string part =
      "bodies:\n  - {name: rod, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}\n";
  shop.write("part.csv", part);
  shop.write("whole.yaml",
             "polyform: 1\nparts:\n  - {name: leg, file: part.csv}\nplace:\n  - {part: leg, name: one}\n");
  const std::vector<std::vector<std::string>> commands{
      {"run", "m.yaml", "--state", "s.csv", "--output", "s.csv"},
      {"run", "m.yaml", "--state", "s.html", "--report", "s.html"},
      {"equilibrium", "m.yaml", "--state", "s.csv", "--output", "s.csv"},
      {"compare", "m.yaml", "--state", "s.html", "--report", "s.html", "--duration", "0.1"},
      {"run", "whole.yaml", "--output", "part.csv"},
      {"equilibrium", "whole.yaml", "--output", "part.csv"},
      {"compare", "whole.yaml", "--sweep", "step=0.1", "--output", "part.csv", "--duration", "0.1"},
      {"export", "--urdf", "whole.yaml", "-o", "part.csv"}};
  for (const auto& command : commands) {
    const Outcome outcome = shop.run(command);
    INFO(command[0] << " " << command[2] << " " << command[3] << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("would be lost"));
    CHECK(shop.read("part.csv") == part);
    CHECK(shop.read("s.csv") == state);
    CHECK(shop.read("s.html") == state);
  }
}

TEST_CASE("no output is a file that the file of a robot names, whether it is read or not") {
  const Workshop shop;
  const std::string bytes = "bytes that are dear to somebody\n";
  for (const char* name : {"arm.dae", "bump.stl", "skin.png", "table.csv"}) shop.write(name, bytes);
  std::filesystem::create_directories(shop.path("meshes"));
  shop.write("meshes/hull.stl", bytes);
  shop.write("robot.urdf",
             "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" "
             "ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><visual><geometry><mesh filename=\"arm.dae\"/></geometry>"
             "<material name=\"m\"><texture filename=\"skin.png\"/></material></visual>"
             "<collision><geometry><mesh filename=\"bump.stl\"/></geometry></collision></link>"
             "<gazebo><plugin><data>table.csv</data></plugin></gazebo></robot>");
  shop.write("robot.sdf",
             "<sdf version=\"1.9\"><model name=\"m\"><link name=\"a\"><visual name=\"v\"><geometry><mesh>"
             "<uri>arm.dae</uri></mesh></geometry></visual></link></model></sdf>");
  shop.write("robot.xml",
             "<mujoco><compiler meshdir=\"meshes\"/><asset><texture name=\"t\" file=\"../skin.png\" type=\"2d\"/>"
             "</asset><worldbody><body><joint/><geom type=\"sphere\" size=\"1\"/></body></worldbody>"
             "<custom><text name=\"n\" data=\"hull.stl\"/></custom></mujoco>");
  const std::vector<std::pair<std::string, std::string>> outputs{
      {"robot.urdf", "arm.dae"}, {"robot.urdf", "bump.stl"}, {"robot.urdf", "skin.png"},
      {"robot.sdf", "arm.dae"},  {"robot.xml", "skin.png"},  {"robot.xml", "meshes/hull.stl"}};
  const auto refused = [&](const std::vector<std::string>& command, const std::string& output) {
    const Outcome outcome = shop.run(command);
    INFO(command[0] << " " << command[1] << " to " << output << ": " << outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("would be lost"));
    CHECK(shop.read(output) == bytes);
  };
  for (const auto& [robot, output] : outputs) refused({"import", robot, "-o", output}, output);
  refused({"run", "robot.urdf", "--output", "table.csv", "--duration", "0.1"}, "table.csv");
  CHECK(shop.run({"import", "robot.urdf", "-o", "robot.yaml"}).code == 0);
}

TEST_CASE("a plugin that copies the process and goes on twice leaves one table of rows") {
  const Workshop shop;
  for (const char* output : {"a.csv", "a.h5"}) {
    const Outcome outcome = shop.run(troubled(shop, "twin", output));
    INFO(outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("warning: a plugin copied the process"));
  }
  CHECK(read_table(shop.read("a.csv")).rows.size() == 501);
  CHECK(polyform::host::ResultFile(shop.path("a.h5").string()).read_all().find("time")->values.size() == 501);
  const Outcome outcome = shop.run(troubled(shop, "twin", "-"));
  CHECK(read_table(outcome.out).rows.size() == 501);
}

TEST_CASE("a copy of the process that is still there when the first has ended locks no results") {
  const Workshop shop;
  for (const char* output : {"a.csv", "a.h5"}) {
    const Outcome late = shop.run(troubled(shop, "late-twin", output));
    INFO(late.err);
    CHECK(late.code == 0);
  }
  CHECK(polyform::host::ResultFile(shop.path("a.h5").string()).read_all().find("time")->values.size() == 501);
}

TEST_CASE("a plugin that cuts or closes descriptors is found out, with a word and exit code 1") {
  const Workshop shop;
  for (const std::string output : {"a.csv", "a.h5"}) {
    const Outcome cut = shop.run(troubled(shop, "cut", output));
    INFO(cut.err);
    CHECK(cut.code == 1);
    CHECK_THAT(cut.err, Contains("the results in " + output + " were changed while they were written"));
    for (const std::string force : {"close", "close-all"}) {
      const Outcome closed = shop.run(troubled(shop, force, output));
      INFO(closed.err);
      CHECK(closed.code == 1);
      CHECK_THAT(closed.err, Contains("error: ") && Contains("a plugin closed the descriptor of the file"));
    }
  }
}

TEST_CASE("a solver whose way to report was closed is said to have lost it") {
  const Workshop shop;
  auto command = troubled(shop, "close", "a.csv");
  command[0] = "compare";
  command[4] = "--solvers";
  const Outcome outcome = shop.run(command);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 1);
  CHECK_THAT(in_one_line(outcome.out), Contains("closed a file descriptor that is not its own"));
}

TEST_CASE("a force that switches traps on or writes beyond its output is named, not the solver") {
  if (has_address_sanitizer) return;
  const Workshop shop;
  const Outcome traps = shop.run(troubled(shop, "traps", "a.csv")),
                beyond = shop.run(troubled(shop, "beyond", "b.csv"));
  INFO(traps.err << beyond.err);
  CHECK(traps.code == 1);
  CHECK_THAT(traps.err, Contains("error: a force of " + doors + " changed how floating-point numbers are computed") &&
                            Contains("in solver riccati after t = 0.0"));
  CHECK(beyond.code == 1);
  CHECK_THAT(beyond.err, Contains("error: a force of " + doors + " wrote beyond the memory"));
  CHECK(read_table(shop.read("a.csv")).rows.size() >= 24);
}

TEST_CASE("a run that hears no signal, or was stopped, ends with SIGTERM all the same") {
  const bool stopped = GENERATE(false, true);
  const Workshop shop;
  std::vector<std::string> command = troubled(shop, "stubborn", "a.csv");
  if (stopped) command = {"run", shop.write("rod.yaml", endless_rod()), "--solver", "riccati", "--output", "a.csv"};
  const pid_t process = shop.start(command);
  REQUIRE(wait_until([&] { return std::ranges::count(shop.read("a.csv"), '\n') > 20; }));
  if (stopped) kill(child_of(process), SIGSTOP);
  kill(process, SIGTERM);
  const Outcome outcome = shop.finish(process);
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK_THAT(outcome.err, Contains(stopped ? "interrupted at t = " : "in solver riccati after t = 0.0"));
}

TEST_CASE("an interruption while a plugin hangs on loading names the plugin's file") {
  const Workshop shop;
  const std::string slow = std::string(POLYFORM_FIXTURES) + "/load-hangs.so";
  const pid_t process = shop.start({"check", shop.write("m.yaml", Rod{}.text()), "--plugin-path", slow});
  REQUIRE(wait_until([&] { return child_of(process) != 0; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  kill(process, SIGTERM);
  const Outcome outcome = shop.finish(process);
  INFO(outcome.err);
  CHECK(outcome.code == 130);
  CHECK_THAT(outcome.err, Contains("interrupted, in the loading of " + slow));
}

TEST_CASE("an output stream that takes no more is a sentence, for every command") {
  const Workshop shop;
  shop.write("m.yaml", Rod{}.text());
  for (const char* command :
       {"plugins", "schema", "completion bash", "help", "check m.yaml", "evaluate m.yaml --json",
        "run m.yaml --duration 0.1", "run m.yaml --output - --duration 9", "linearize m.yaml", "equilibrium m.yaml",
        "compare m.yaml --duration 0.1", "verify --json", "verify --set short", "--help"}) {
    const std::string line =
        "cd '" + shop.path("").string() + "' && '" + POLYFORM_COMMAND + "' " + command + " >/dev/full 2>err.txt";
    const int status = std::system(line.c_str());
    INFO(command << ": " << shop.read("err.txt"));
    CHECK(WEXITSTATUS(status) == 1);
    CHECK_THAT(shop.read("err.txt"), Contains("output stream") && !Contains("defect"));
  }
}

TEST_CASE("a file that may not grow is cut back to its last whole row") {
  const Workshop shop;
  shop.write("m.yaml", Rod{}.text());
  for (const char* output : {"--output a.csv", "--output - --quiet > a.csv"}) {
    const std::string line = "cd '" + shop.path("").string() + "' && ulimit -f 8 && '" + POLYFORM_COMMAND +
                             "' run m.yaml --duration 20 --output-interval 0.01 " + output + " 2>err.txt";
    const int status = std::system(line.c_str());
    INFO(output << ": " << shop.read("err.txt"));
    CHECK(WEXITSTATUS(status) == 1);
    CHECK_THAT(shop.read("err.txt"), Contains("File too large") && !Contains("defect"));
    const std::string text = shop.read("a.csv");
    REQUIRE_FALSE(text.empty());
    CHECK(text.back() == '\n');
    const std::size_t rows = read_table(text).rows.size();
    CHECK(rows > 3);
    if (std::string(output) == "--output a.csv")
      CHECK_THAT(in_one_line(shop.read("err.txt")), Contains("The first " + std::to_string(rows) + " rows are kept"));
  }
}

TEST_CASE("where not even the first row of a page has space, the run does not begin, and no file is replaced") {
  const Workshop shop;
  shop.write("m.yaml", Rod{}.text());
  shop.write("a.csv", "earlier results");
  const std::string line = "cd '" + shop.path("").string() + "' && ulimit -f 8 && '" + POLYFORM_COMMAND +
                           "' run m.yaml --output a.csv --report a.html 2>err.txt";
  const int status = std::system(line.c_str());
  const std::string said = in_one_line(shop.read("err.txt"));
  INFO(said);
  CHECK(WEXITSTATUS(status) == 1);
  CHECK_THAT(said, Contains("File too large") && Contains("No row could be written"));
  CHECK(shop.read("a.csv") == "earlier results");
  CHECK_FALSE(std::filesystem::exists(shop.path("a.html")));
}

TEST_CASE("a step or an interval that is too short is told where it stands") {
  const Workshop shop;
  Rod rod;
  rod.more = "simulation: {duration: 1, step: 1.0e-300}\n";
  const Outcome written = shop.run({"check", shop.write("m.yaml", rod.text())});
  CHECK(written.code == 2);
  CHECK_THAT(written.err, Contains("m.yaml:11:33: error: simulation.step: a step of 1e-300 s is too short"));
  const Outcome typed = shop.run({"run", shop.write("n.yaml", Rod{}.text()), "--output-interval", "1e-300"});
  CHECK(typed.code == 2);
  CHECK_THAT(typed.err, Contains("error: --output-interval: an output interval of 1e-300 s is too short"));
}

TEST_CASE("a relative tolerance finer than rounding is told where it stands") {
  const Workshop shop;
  Rod rod;
  rod.more = "simulation: {duration: 1, tolerance: {relative: 1.0e-16}}\n";
  const Outcome written = shop.run({"run", shop.write("m.yaml", rod.text())});
  CHECK(written.code == 2);
  CHECK_THAT(written.err, Contains("m.yaml:11:49: error: simulation.tolerance.relative: a relative tolerance of 1e-16 "
                                   "cannot be met"));
  const std::string model = shop.write("n.yaml", Rod{}.text());
  const Outcome typed = shop.run({"run", model, "--integrator", "radau5", "--rtol", "1e-16"});
  CHECK(typed.code == 2);
  CHECK_THAT(typed.err, Contains("error: --rtol: a relative tolerance of 1e-16 cannot be met"));
  // Nobody asks what it is where no tolerance is used.
  CHECK(shop.run({"run", model, "--integrator", "rk4", "--rtol", "1e-16", "--quiet"}).code == 0);
}

TEST_CASE("accelerations beyond any scale are a failure with the name of the body") {
  const Workshop shop;
  Rod rod;
  rod.mass = "mass: 1.0e-300";
  rod.inertia = "inertia: {xx: 1.0e-300, yy: 1.0e-300, zz: 1.0e-300}";
  rod.more = "forces:\n  - {name: push, type: joint-force, joint: pin, effort: 1.0e-7}\n";
  const Outcome outcome = shop.run({"evaluate", shop.write("m.yaml", rod.text())});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("beyond any scale") && Contains("`pin`"));
  for (const char* command : {"linearize", "equilibrium"}) {
    const Outcome other = shop.run({command, "m.yaml"});
    CHECK(other.code == 1);
    CHECK_THAT(other.err, Contains("beyond any scale") && Contains("`pin`"));
  }
}

TEST_CASE("what steers a terminal is written out in messages, whatever it came from") {
  const Workshop shop;
  const Outcome outcome = shop.run({"check", "no\033[31m\u202esuch.yaml"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("\\x1b[31m\\u202e") && !Contains("\033"));
}

TEST_CASE("a lenient command takes an inertia that no body has, with a warning") {
  const Workshop shop;
  Rod rod;
  rod.inertia = "inertia: {xx: 0.001, yy: 0.0833, zz: 0.1}";
  const std::string model = shop.write("m.yaml", rod.text());
  CHECK(shop.run({"evaluate", model}).code == 2);
  for (const char* command : {"check", "evaluate", "linearize", "equilibrium"}) {
    const Outcome outcome = shop.run({command, model, "--lenient"});
    INFO(command << outcome.err);
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, Contains("warning: bodies[0].inertia"));
  }
}
