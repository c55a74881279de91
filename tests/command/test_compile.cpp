// Compiled models through the command line: what they give, what is kept, and what goes wrong.
#include <sys/stat.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

/// A value of the environment until the end of its scope.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    const char* const before = std::getenv(name);
    had_ = before != nullptr;
    if (had_) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() {
    if (had_)
      ::setenv(name_, before_.c_str(), 1);
    else
      ::unsetenv(name_);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::string before_;
  bool had_;
};

const std::string swing = R"(polyform: 1
bodies:
  - {name: bob, mass: 2, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: pin, type: revolute, base: ground, moving: bob, position: [0, 0, 0], axis: [0, 1, 0],
     initial: {position: 0.3}}
simulation: {duration: 0.5, output_interval: 0.05, integrator: dopri5}
solver: {name: riccati}
)";

std::size_t kept_in(const std::filesystem::path& cache) {
  std::error_code none;
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(cache / "polyform/compiled", none),
                                                std::filesystem::directory_iterator()));
}

}  // namespace

TEST_CASE("a compiled model runs, is kept, and two processes that compile it do not disturb each other") {
  const Workshop shop;
  const Setting cache("XDG_CACHE_HOME", shop.path("cache"));
  shop.write("swing.yaml", swing);
  const pid_t first = shop.start({"compile", "swing.yaml", "--json"}),
              second = shop.start({"compile", "swing.yaml", "--json"});
  for (const pid_t one : {first, second}) {
    const Outcome outcome = shop.finish(one);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
  }
  CHECK(kept_in(shop.path("cache")) == 1);

  const Outcome again = shop.run({"compile", "swing.yaml", "-o", "swing.so", "--json"});
  INFO(again.err);
  REQUIRE(again.code == 0);
  const auto told = nlohmann::json::parse(again.out);
  CHECK(told["kept"] == true);
  CHECK(told["solver"] == "compiled-swing");
  CHECK(told["file"] == "swing.so");

  const Outcome run = shop.run(
      {"run", "swing.yaml", "--plugin-path", "swing.so", "--solver", "compiled-swing", "--output", "a.csv", "--quiet"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  REQUIRE(shop.run({"run", "swing.yaml", "--output", "b.csv", "--quiet"}).code == 0);
  const Table a = read_table(shop.read("a.csv")), b = read_table(shop.read("b.csv"));
  REQUIRE(a.rows.size() == b.rows.size());
  for (std::size_t row = 0; row < a.rows.size(); ++row)
    CHECK(std::abs(a.at(row, "pin.q") - b.at(row, "pin.q")) < 1e-12);

  // A pipe or a device is no place for it, and stays what it is.
  REQUIRE(::mkfifo(shop.path("pipe.so").c_str(), 0666) == 0);
  const Outcome piped = shop.run({"compile", "swing.yaml", "-o", "pipe.so"});
  CHECK(piped.code == 2);
  CHECK_THAT(piped.err, Contains("not a regular file"));
  CHECK(std::filesystem::is_fifo(shop.path("pipe.so")));

  // Random models are none of its own.
  const Outcome conform = shop.run({"conform", "swing.so"});
  CHECK(conform.code == 0);
  CHECK_THAT(in_one_line(conform.out), Contains("a solver of one model alone") && Contains("0 failed, 1 unsupported"));

  // It counts as a witness together with the solver that it comes from, and solves no other model.
  const Outcome compared =
      shop.run({"compare", "swing.yaml", "--plugin-path", "swing.so", "--solvers", "riccati,compiled-swing", "--json"});
  INFO(compared.err);
  CHECK(compared.code == 0);
  std::string heavier = swing;
  heavier.replace(heavier.find("mass: 2"), 7, "mass: 3");
  shop.write("heavier.yaml", heavier);
  const Outcome refused =
      shop.run({"run", "heavier.yaml", "--plugin-path", "swing.so", "--solver", "compiled-swing", "--quiet"});
  CHECK(refused.code == 2);
  CHECK_THAT(in_one_line(refused.err), Contains("compiled-swing was compiled for another model"));
}

TEST_CASE("a study by a compiled model gives what it gives without") {
  const Workshop shop;
  const Setting cache("XDG_CACHE_HOME", shop.path("cache"));
  shop.write("swing.yaml", swing);
  const std::vector<std::string> study{"study",  "swing.yaml",        "--vary",     "bodies.bob.mass=1:3:9",
                                       "--vary", "gravity[2]=-9,-10", "--quantity", "end=final(pin.q)"};
  const auto table = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = study;
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(arguments);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return outcome;
  };
  const Outcome compiled = table({"--compile", "--json", "--output", "a.csv"});
  CHECK(nlohmann::json::parse(compiled.out)["compiled"]["solver"] == "compiled-swing");
  table({"--output", "b.csv"});
  const std::string a = shop.read("a.csv"), b = shop.read("b.csv");
  REQUIRE(std::count(a.begin(), a.end(), '\n') == 19);
  std::istringstream of_a(a), of_b(b);
  std::string x, y;
  std::getline(of_a, x);
  std::getline(of_b, y);
  CHECK(x == y);
  while (std::getline(of_a, x) && std::getline(of_b, y)) {
    // case, two factors, the quantity
    const auto quantity = [](std::string row) {
      for (int i = 0; i < 3; ++i) row = row.substr(row.find(',') + 1);
      return std::stod(row);
    };
    CHECK(std::abs(quantity(x) - quantity(y)) < 1e-9);
  }
  table({"--compile", "--workers", "2", "--output", "c.csv"});
  CHECK(shop.read("c.csv") == a);
}

TEST_CASE("the work of dampers is that of a compiled model with implicit integrators too") {
  const Workshop shop;
  const Setting cache("XDG_CACHE_HOME", shop.path("cache"));
  const std::string damped =
      swing + "forces: [{name: rub, type: joint-spring-damper, joint: pin, stiffness: 2, damping: 0.3}]\n";
  const std::string model = shop.write("damped.yaml", damped);
  REQUIRE(shop.run({"compile", model, "-o", "damped.so"}).code == 0);
  const std::string integrator = GENERATE(as<std::string>(), "radau5", "generalized-alpha", "cvode-bdf", "dopri5");
  const auto work = [&](const std::string& solver) {
    const Outcome outcome = shop.run({"run", model, "--plugin-path", "damped.so", "--solver", solver, "--integrator",
                                      integrator, "--columns", "energy", "--output", "a.csv", "--rtol", "1e-9"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    CHECK_THAT(outcome.err, !Contains("warning"));
    const Table table = read_table(shop.read("a.csv"));
    return table.at(table.rows.size() - 1, "energy.work");
  };
  CHECK(work("compiled-damped") < -0.001);
  CHECK(work("compiled-damped") == Approx(work("riccati")).epsilon(1e-9));
}

TEST_CASE("without a compiler, after an error of it, or without a place to keep it, the reason is told") {
  const Workshop shop;
  const Setting cache("XDG_CACHE_HOME", shop.path("cache"));
  shop.write("swing.yaml", swing);
  const std::vector<std::string> study{"study",      "swing.yaml",       "--vary",   "bodies.bob.mass=1,2",
                                       "--quantity", "end=final(pin.q)", "--output", "a.csv",
                                       "--compile"};
  const auto check = [&](const std::string& reason) {
    const Outcome alone = shop.run({"compile", "swing.yaml"});
    CHECK(alone.code == 1);
    CHECK_THAT(in_one_line(alone.err), Contains(reason));
    const Outcome together = shop.run(study);
    INFO(together.err);
    CHECK(together.code == 0);
    CHECK_THAT(in_one_line(together.err), Contains("the cases go on without --compile: ") && Contains(reason) &&
                                              Contains("in lanes: 8 cases at a time"));
    std::filesystem::remove(shop.path("a.csv"));
  };
  {
    const Setting compiler("POLYFORM_CXX", "no-such-compiler");
    check("POLYFORM_CXX names no-such-compiler, which is no program");
  }
  {
    shop.write("broken", "#!/bin/sh\n[ \"$1\" = --version ] && echo broken 1.0 && exit 0\necho no room >&2\nexit 4\n");
    ::chmod(shop.path("broken").c_str(), 0700);
    const Setting compiler("POLYFORM_CXX", shop.path("broken"));
    check("could not compile the model (exit status 4): no room");
  }
  CHECK(kept_in(shop.path("cache")) == 0);
  shop.write("file", "");
  const Setting no_folder("XDG_CACHE_HOME", shop.path("file"));
  check("cannot write in " + (shop.path("file") / "polyform/compiled").string());
}

TEST_CASE("what lanes do not carry is refused before a compiler is looked for") {
  const Workshop shop;
  const Setting compiler("POLYFORM_CXX", "no-such-compiler");
  const Outcome outcome = shop.run({"compile", shipped("flexible_pendulum"), "--solver", "riccati"});
  CHECK(outcome.code == 2);
  CHECK_THAT(in_one_line(outcome.err), Contains("riccati cannot compile the model: it has flexible bodies"));
  const Outcome other = shop.run({"compile", shipped("double_pendulum"), "--solver", "cartesian"});
  CHECK(other.code == 2);
  CHECK_THAT(in_one_line(other.err), Contains("cartesian does not compile its solvers; riccati does"));
}

TEST_CASE("the source of a model is printed") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compile", shipped("double_pendulum"), "--source"});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("POLYFORM_PLUGIN(\"formulation\", \"compiled-double-pendulum\""));
}
