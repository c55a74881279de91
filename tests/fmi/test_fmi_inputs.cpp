// Inputs, states and events of exported FMUs, and the functions of FMI 3.0.
#include <dlfcn.h>
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "archive.hpp"
#include "fmu.hpp"
#include "tests/command/command_runner.hpp"

using namespace polyform;
using namespace polyform::test;
using fmus::Fmu;
using fmus::FmuInstance;
using fmus::Kind;
using fmus::Reference;

namespace {

std::string driven_arm(const std::string& effort) {
  return fmt::format(R"YAML(polyform: 1
name: driven arm
bodies:
  - {{name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {{xx: 0.01, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0]}}
forces:
  - {{name: motor, type: joint-force, joint: pin, effort: {}}}
simulation: {{duration: 1, tolerance: {{relative: 1.0e-10, absolute: 1.0e-12}}, output_interval: 0.1}}
)YAML",
                     effort);
}

double number(const FmuInstance& fmu, Reference reference) {
  double out = 0;
  REQUIRE(fmu.calls().get_real(fmu.handle(), &reference, 1, &out) == 0);
  return out;
}
void set(const FmuInstance& fmu, Reference reference, double to) {
  REQUIRE(fmu.calls().set_real(fmu.handle(), &reference, 1, &to) == 0);
}

void export_fmu(const Workshop& w, const std::string& model, const std::string& fmu,
                const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"export", "--fmi", "2", model, "-o", fmu};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome out = w.run(arguments);
  INFO(out.err);
  REQUIRE(out.code == 0);
}

}  // namespace

TEST_CASE("an input that another program sets acts as the same function of time in the model") {
  const Workshop w;
  export_fmu(w, w.write("arm.yaml", driven_arm("0.5")), "arm.fmu");
  const std::string truth = w.write("truth.yaml", driven_arm("{expression: \"if(t < 0.5, 0.5, 2)\"}"));
  const Table table = read_table(w.run({"run", truth, "--output", "-", "--quiet"}).out);
  const Fmu& fmu = Fmu::open(w.path("arm.fmu").string(), Kind::co_simulation);
  const FmuInstance arm(fmu, {}, {});
  const Reference effort = fmu.find("motor.effort", "input"), angle = fmu.find("pin.q", "output");
  for (int step = 0; step < 10; ++step) {
    if (step == 5) set(arm, effort, 2);
    REQUIRE(arm.calls().do_step(arm.handle(), 0.1 * step, 0.1) == 0);
    CHECK(number(arm, angle) == Approx(table.at(static_cast<std::size_t>(step) + 1, "pin.q")).margin(1e-8));
  }
}

TEST_CASE("a state of an FMU for co-simulation is set again, from bytes too") {
  const Workshop w;
  export_fmu(w, w.write("arm.yaml", driven_arm("0.5")), "arm.fmu", {"--integrator", "rk4", "--step", "0.001"});
  const Fmu& fmu = Fmu::open(w.path("arm.fmu").string(), Kind::co_simulation);
  FmuInstance arm(fmu, {}, {});
  const Reference effort = fmu.find("motor.effort", "input"), angle = fmu.find("pin.q", "output");
  REQUIRE(arm.calls().do_step(arm.handle(), 0, 0.3) == 0);
  std::vector<char> kept;
  REQUIRE(arm.save(kept));
  REQUIRE(arm.calls().do_step(arm.handle(), 0.3, 0.4) == 0);
  const double there = number(arm, angle);
  set(arm, effort, 7);
  REQUIRE(arm.calls().do_step(arm.handle(), 0.7, 0.1) == 0);
  REQUIRE(arm.restore(kept));
  REQUIRE(arm.calls().do_step(arm.handle(), 0.3, 0.4) == 0);
  CHECK(number(arm, angle) == Approx(there).margin(1e-12));
  FmuInstance other(fmu, {}, {});
  REQUIRE(other.restore(kept));
  REQUIRE(other.calls().do_step(other.handle(), 0.3, 0.4) == 0);
  CHECK(number(other, angle) == Approx(there).margin(1e-12));
  CHECK_FALSE(other.restore(std::vector<char>(kept.begin(), kept.end() - 8)));
  CHECK(other.calls().do_step(other.handle(), 0.1, 0.1) != 0);  // not the present time
}

TEST_CASE("a state holds what sticks and what touches") {
  const Workshop w;
  std::string text = driven_arm("0.5");
  text.replace(text.find("forces:"), std::string("forces:").size(),
               "forces:\n  - {name: rub, type: dry-friction, joint: pin, effort: 0.4}\n"
               "  - {name: stop, type: joint-limit, joint: pin, lower: -0.2, upper: 0.3, restitution: 0.5}");
  export_fmu(w, w.write("arm.yaml", text), "arm.fmu", {});
  const Fmu& fmu = Fmu::open(w.path("arm.fmu").string(), Kind::co_simulation);
  FmuInstance arm(fmu, {}, {}), other(fmu, {}, {});
  const Reference angle = fmu.find("pin.q", "output");
  for (const double begin : {0.2, 0.6}) {
    if (begin == 0.2) REQUIRE(arm.calls().do_step(arm.handle(), 0, begin) == 0);
    std::vector<char> kept;
    REQUIRE(arm.save(kept));
    REQUIRE(arm.calls().do_step(arm.handle(), begin, 0.4) == 0);
    REQUIRE(other.restore(kept));
    REQUIRE(other.calls().do_step(other.handle(), begin, 0.4) == 0);
    CHECK(number(other, angle) == Approx(number(arm, angle)).margin(1e-6));
    CHECK(number(arm, angle) < 0.3 + 1e-6);
  }
}

TEST_CASE("a state of an FMU holds its parameters") {
  const Workshop w;
  std::string text = driven_arm("0.5");
  text.replace(text.find("bodies:"), 0, "parameters: {mass: 1}\n");
  text.replace(text.find("mass: 1,"), 8, "mass: mass,");
  for (const auto& [name, kind] : {std::pair("cs", Kind::co_simulation), std::pair("me", Kind::model_exchange)}) {
    const std::string file = std::string(name) + ".fmu";
    export_fmu(w, w.write("arm.yaml", text), file, {"--kind", name});
    const Fmu& fmu = Fmu::open(w.path(file).string(), kind);
    const Reference mass = fmu.find("parameters.mass", "parameter"), energy = fmu.find("energy.potential", "output");
    const Reference which[] = {mass};
    const double heavy[] = {3};
    FmuInstance one(fmu, which, heavy), other(fmu, {}, {});
    std::vector<char> kept;
    REQUIRE(one.save(kept));
    REQUIRE(other.restore(kept));
    CHECK(number(other, mass) == 3);
    if (kind == Kind::co_simulation) {
      REQUIRE(one.step(0, 0.2));
      REQUIRE(other.step(0, 0.2));
    }
    CHECK(number(other, energy) == Approx(number(one, energy)).margin(1e-12));
    CHECK(std::abs(number(one, energy)) < 100);
  }
}

TEST_CASE("an input that a parameter of the model gives starts from this parameter until it is set") {
  const Workshop w;
  std::string text = driven_arm("\"2*torque\"");
  text.replace(text.find("bodies:"), 0, "parameters: {torque: 0.5}\n");
  const std::string model = w.write("arm.yaml", text);
  const auto end_with = [&](const std::string& effort) {
    const std::string truth = w.write("truth.yaml", driven_arm(effort));
    return read_table(w.run({"run", truth, "--duration", "0.2", "--output", "-", "--quiet"}).out).at(2, "pin.q");
  };
  for (const auto& [name, kind] : {std::pair("cs", Kind::co_simulation), std::pair("me", Kind::model_exchange)}) {
    const std::string file = std::string(name) + ".fmu";
    export_fmu(w, model, file, {"--kind", name});
    const Fmu& fmu = Fmu::open(w.path(file).string(), kind);
    const Reference torque[] = {fmu.find("parameters.torque", "parameter")},
                    both[] = {torque[0], fmu.find("motor.effort", "input")};
    const double three[] = {3}, three_and_one[] = {3, 1};
    FmuInstance plain(fmu, {}, {}), changed(fmu, torque, three), given(fmu, both, three_and_one);
    CHECK(number(plain, both[1]) == 1);
    CHECK(number(changed, both[1]) == 6);
    CHECK(number(given, both[1]) == 1);
    if (kind == Kind::model_exchange) continue;
    const Reference angle = fmu.find("pin.q", "output");
    for (FmuInstance* const arm : {&plain, &changed, &given}) REQUIRE(arm->step(0, 0.2));
    CHECK(number(plain, angle) == Approx(end_with("1")).margin(1e-9));
    CHECK(number(changed, angle) == Approx(end_with("6")).margin(1e-9));
    CHECK(number(given, angle) == number(plain, angle));
  }
}

TEST_CASE("an external signal is an input") {
  const Workshop w;
  std::string text = driven_arm("{expression: \"2*signal(command)\"}");
  text.replace(text.find("forces:"), 0, "signals:\n  - {name: command, type: external, initial: 0.25}\n");
  const std::string model = w.write("arm.yaml", text);
  // If no other program gives the signal, it keeps its initial value.
  const Table still = read_table(w.run({"run", model, "--output", "-", "--quiet"}).out);
  const std::string constant = w.write("constant.yaml", driven_arm("0.5"));
  const Table expected = read_table(w.run({"run", constant, "--output", "-", "--quiet"}).out);
  CHECK(still.at(10, "pin.q") == Approx(expected.at(10, "pin.q")).margin(1e-9));
  export_fmu(w, model, "arm.fmu");
  const std::string jumping = w.write("truth.yaml", driven_arm("{expression: \"if(t < 0.5, 0.5, 2)\"}"));
  const Table truth = read_table(w.run({"run", jumping, "--output", "-", "--quiet"}).out);
  const Fmu& fmu = Fmu::open(w.path("arm.fmu").string(), Kind::co_simulation);
  const FmuInstance arm(fmu, {}, {});
  const Reference command = fmu.find("signal.command", "input"), angle = fmu.find("pin.q", "output");
  CHECK(number(arm, command) == 0.25);
  for (int step = 0; step < 10; ++step) {
    if (step == 5) set(arm, command, 1);
    REQUIRE(arm.calls().do_step(arm.handle(), 0.1 * step, 0.1) == 0);
    CHECK(number(arm, angle) == Approx(truth.at(static_cast<std::size_t>(step) + 1, "pin.q")).margin(1e-8));
  }
}

TEST_CASE("the shipped slide follows the target that another program gives") {
  const Workshop w;
  const auto response = [](double t) {
    const double z = 0.4, omega = 5, d = omega * std::sqrt(1 - z * z);
    return t < 0 ? 0 : 1 - std::exp(-z * omega * t) * (std::cos(d * t) + z * omega / d * std::sin(d * t));
  };
  for (const std::string solver : {"riccati", "reduced", "particles", "hierarchy", "thompson", "cartesian"}) {
    const Outcome run = w.run({"run", shipped("commanded_slide"), "--solver", solver, "--output", "-", "--quiet"});
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      CHECK(table.at(row, "slide.q") == Approx(0.1 * response(table.rows[row][0])).margin(1e-9));
  }
  export_fmu(w, shipped("commanded_slide"), "slide.fmu");
  const Fmu& fmu = Fmu::open(w.path("slide.fmu").string(), Kind::co_simulation);
  const Reference target[] = {fmu.find("signal.target", "input")};
  const double at_rest[] = {0};
  const FmuInstance slide(fmu, target, at_rest);
  const Reference position = fmu.find("slide.q", "output");
  for (int step = 0; step < 20; ++step) {
    if (step == 5) set(slide, target[0], 1);
    REQUIRE(slide.calls().do_step(slide.handle(), 0.1 * step, 0.1) == 0);
    CHECK(number(slide, position) == Approx(response(0.1 * (step + 1) - 0.5)).margin(1e-8));
  }
}

TEST_CASE("a model behind a link is exported with the parts beside the link") {
  const Workshop w;
  std::filesystem::create_directories(w.path("store"));
  std::filesystem::create_directories(w.path("here"));
  w.write("store/original.yaml", "polyform: 1\nname: linked\ninclude: [part.yaml]\nsimulation: {duration: 1}\n");
  const std::string arm = driven_arm("0.5");
  const std::size_t bodies = arm.find("bodies:");
  w.write("here/part.yaml", arm.substr(bodies, arm.find("simulation:") - bodies));
  std::filesystem::create_symlink(w.path("store/original.yaml"), w.path("here/model.yaml"));
  const std::string model = w.path("here/model.yaml").string();
  const Outcome check = w.run({"check", model});
  INFO(check.err);
  REQUIRE(check.code == 0);
  export_fmu(w, model, "linked.fmu");
  const Fmu& fmu = Fmu::open(w.path("linked.fmu").string(), Kind::co_simulation);
  const FmuInstance linked(fmu, {}, {});
  CHECK(number(linked, fmu.find("pin.q", "output")) == 0);
}

TEST_CASE("events of a model pass through model exchange") {
  const Workshop w;
  export_fmu(w, shipped("bouncing_ball"), "ball.fmu", {"--kind", "me"});
  const std::string model = w.write("outer.yaml", R"YAML(polyform: 1
name: beside a ball
bodies:
  - {name: arm, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: hinge, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: other, type: fmu, file: ball.fmu, joints: [hinge], channels: "ball.z, energy.total"}
simulation: {duration: 1, output_interval: 0.05}
)YAML");
  const Outcome run = w.run({"run", model, "--output", "-", "--quiet"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Table table = read_table(run.out);
  const Table truth = read_table(w.run({"run", shipped("bouncing_ball"), "--duration", "1", "--output-interval", "0.05",
                                        "--output", "-", "--quiet"})
                                     .out);
  REQUIRE(table.rows.size() == truth.rows.size());
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    CHECK(table.at(row, "other.ball.z") == Approx(truth.at(row, "ball.z")).margin(1e-6));
}

TEST_CASE("an FMU of FMI 3.0 runs as the command does") {
  const Workshop w;
  const Outcome out = w.run({"export", "--fmi", "3", w.write("arm.yaml", driven_arm("0.5")), "-o", "arm.fmu",
                             "--columns", "pin.q", "--inputs", "none"});
  INFO(out.err);
  REQUIRE(out.code == 0);
  const Table table = read_table(w.run({"run", w.path("arm.yaml").string(), "--output", "-", "--quiet"}).out);
  fmus::unpack(w.path("arm.fmu"), w.path("unpacked"));
  void* const library = ::dlopen((w.path("unpacked") / "binaries/x86_64-linux/driven_arm.so").c_str(), RTLD_NOW);
  REQUIRE(library != nullptr);
  const std::string description = w.read("unpacked/modelDescription.xml");
  const std::string key = "instantiationToken=\"";
  const std::size_t begin = description.find(key) + key.size();
  const std::string token = description.substr(begin, description.find('"', begin) - begin);
  using Handle = void*;
  const auto function = [&]<class F>(F*, const char* name) {
    auto* const found = reinterpret_cast<F*>(::dlsym(library, name));
    REQUIRE(found != nullptr);
    return found;
  };
  using Instantiate = Handle(const char*, const char*, const char*, bool, bool, bool, bool, const std::uint32_t*,
                             std::size_t, void*, void (*)(void*, int, const char*, const char*), void*);
  using Call = int(Handle);
  using Free = void(Handle);
  using Enter = int(Handle, bool, double, double, bool, double);
  using Get = int(Handle, const std::uint32_t*, std::size_t, double*, std::size_t);
  using Step = int(Handle, double, double, bool, bool*, bool*, bool*, double*);
  using GetState = int(Handle, void**);
  using SetState = int(Handle, void*);
  const auto instantiate = function(static_cast<Instantiate*>(nullptr), "fmi3InstantiateCoSimulation");
  const std::string resources = (w.path("unpacked") / "resources/").string();
  CHECK(instantiate("arm", "{another}", resources.c_str(), false, false, false, false, nullptr, 0, nullptr, nullptr,
                    nullptr) == nullptr);
  const Handle arm = instantiate("arm", token.c_str(), resources.c_str(), false, false, false, false, nullptr, 0,
                                 nullptr, nullptr, nullptr);
  REQUIRE(arm != nullptr);
  const auto step = function(static_cast<Step*>(nullptr), "fmi3DoStep");
  const auto exit = function(static_cast<Call*>(nullptr), "fmi3ExitInitializationMode");
  const auto refuses_step = [&] {
    bool event = false, end = false, early = false;
    double reached = 0;
    return step(arm, 0, 0.1, false, &event, &end, &early, &reached) != 0;
  };
  CHECK(refuses_step());
  CHECK(exit(arm) != 0);
  CHECK(function(static_cast<Enter*>(nullptr), "fmi3EnterInitializationMode")(arm, false, 0, 0, true, 1) == 0);
  CHECK(refuses_step());
  CHECK(exit(arm) == 0);
  const auto get = function(static_cast<Get*>(nullptr), "fmi3GetFloat64");
  const std::uint32_t angle = 1;  // after the time
  void* kept = nullptr;
  for (std::size_t row = 1; row < table.rows.size(); ++row) {
    bool event = false, end = false, early = false;
    double reached = 0, q = 0;
    const double from = table.rows[row - 1][0];
    REQUIRE(step(arm, from, table.rows[row][0] - from, false, &event, &end, &early, &reached) == 0);
    REQUIRE(get(arm, &angle, 1, &q, 1) == 0);
    CHECK(q == table.at(row, "pin.q"));
    if (row == 1) REQUIRE(function(static_cast<GetState*>(nullptr), "fmi3GetFMUState")(arm, &kept) == 0);
  }
  bool event = false, end = false, early = false;
  double reached = 0, again = 0;
  // The state of an instance that runs makes another one run.
  const Handle other = instantiate("other", token.c_str(), resources.c_str(), false, false, false, false, nullptr, 0,
                                   nullptr, nullptr, nullptr);
  REQUIRE(function(static_cast<SetState*>(nullptr), "fmi3SetFMUState")(other, kept) == 0);
  const double second = table.rows[1][0];
  CHECK(step(other, second, table.rows[2][0] - second, false, &event, &end, &early, &reached) == 0);
  CHECK(get(other, &angle, 1, &again, 1) == 0);
  CHECK(again == Approx(table.at(2, "pin.q")).epsilon(1e-8));
  CHECK(function(static_cast<GetState*>(nullptr), "fmi3FreeFMUState")(arm, &kept) == 0);
  function(static_cast<Free*>(nullptr), "fmi3FreeInstance")(other);
  CHECK(step(arm, 1, 0.5, false, &event, &end, &early, &reached) != 0);  // past the stop time
  CHECK(function(static_cast<Call*>(nullptr), "fmi3Terminate")(arm) == 0);
  CHECK(refuses_step());
  function(static_cast<Free*>(nullptr), "fmi3FreeInstance")(arm);
}
