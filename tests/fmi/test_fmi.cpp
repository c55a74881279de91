// FMUs: what the export writes runs as the model does, and FMUs drive mechanisms in every formulation.
#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "archive.hpp"
#include "fmu.hpp"
#include "tests/fmi/hand_written.hpp"

using namespace polyform;
using namespace polyform::test;
using fmus::Fmu;
using fmus::FmuInstance;
using fmus::Kind;
using fmus::Reference;

namespace {

namespace fs = std::filesystem;

constexpr const char* pendulum = R"YAML(polyform: 1
name: driven pendulum
parameters: {length: 0.5, mass: 2}
bodies:
  - {name: rod, mass: mass, center_of_mass: [length, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: tip, position: [1, 0, 0], mass: 1, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.03, zz: 0.03}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 1}}
  - {name: elbow, type: spherical, base: rod, moving: tip, position: [1, 0, 0]}
forces:
  - {name: motor, type: joint-force, joint: pin, effort: 0.5}
simulation: {duration: 1, integrator: rk4, step: 0.001, output_interval: 0.05}
)YAML";

Outcome exported(const Workshop& w, const std::string& model, const std::string& fmu,
                 std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"export", "--fmi", "2", model, "-o", fmu};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return w.run(arguments);
}

double value(const FmuInstance& fmu, Reference reference) {
  double out = 0;
  REQUIRE(fmu.calls().get_real(fmu.handle(), &reference, 1, &out) == 0);
  return out;
}

}  // namespace

TEST_CASE("an FMU for co-simulation runs as the command does, bit for bit, with functions of time as inputs too") {
  const Workshop w;
  const auto check = [&](const std::string& model, const std::string& integrator, std::vector<std::string> more) {
    INFO(model << " " << integrator);
    const std::string name = fmt::format("{}_{}.fmu", fs::path(model).stem().string(), integrator);
    more.insert(more.end(), {"--integrator", integrator});
    const Outcome out = exported(w, model, name, more);
    INFO(out.err);
    REQUIRE(out.code == 0);
    const Outcome run = w.run({"run", model, "--integrator", integrator, "--output", "-", "--quiet"});
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    const Fmu& fmu = Fmu::open(w.path(name).string(), Kind::co_simulation);
    const FmuInstance instance(fmu, {}, {});
    std::vector<Reference> references;
    for (std::size_t k = 1; k < table.names.size(); ++k) {
      const bool is_input_too = fmu.description().variables.contains(table.names[k] + ".column");
      references.push_back(fmu.find(table.names[k] + (is_input_too ? ".column" : ""), "output"));
    }
    std::size_t differ = 0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (row > 0) {
        const double from = table.rows[row - 1][0];
        REQUIRE(instance.calls().do_step(instance.handle(), from, table.rows[row][0] - from) == 0);
      }
      for (std::size_t k = 1; k < table.names.size(); ++k)
        if (std::bit_cast<std::uint64_t>(value(instance, references[k - 1])) !=
            std::bit_cast<std::uint64_t>(table.rows[row][k]))
          ++differ;
    }
    CHECK(differ == 0);
  };
  const std::string model = w.write("pendulum.yaml", pendulum);
  for (const char* const integrator : {"rk4", "dopri5"}) check(model, integrator, {"--inputs", "none"});
  const std::vector<std::pair<std::string, std::string>> efforts{
      {"table", "{table: [[0, 0], [0.3, 2], [0.31, -4], [1, 0]]}"},
      {"spline", "{table: [[0, 0], [0.3, 2], [0.35, -4], [1, 0]], interpolation: cubic}"},
      {"sine", "{sine: {amplitude: 3, frequency: 4}}"},
      {"formula", "{expression: \"3*sin(20*t) + 1/(t + 0.01)\"}"}};
  for (const auto& [name, effort] : efforts) {
    std::string text = pendulum;
    text.replace(text.find("effort: 0.5"), std::string("effort: 0.5").size(), "effort: " + effort);
    check(w.write(name + ".yaml", text), "dopri5", {});
  }
}

TEST_CASE("the description of an FMU follows the rules of the standard") {
  if (std::string(POLYFORM_XMLLINT).empty()) return;
  const Workshop w;
  for (const char* version : {"2", "3"})
    for (const char* kind : {"cs", "me"})
      for (const char* model : {"simple_pendulum", "bouncing_ball", "prescribed_motion", "computed_torque"}) {
        INFO(version << " " << kind << " " << model);
        const Outcome out = w.run({"export", "--fmi", version, "--kind", kind, shipped(model), "-o", "m.fmu"});
        INFO(out.err);
        REQUIRE(out.code == 0);
        const auto folder = w.path(fmt::format("{}{}{}", version, kind, model));
        fmus::unpack(w.path("m.fmu"), folder);
        const std::string call =
            fmt::format("{} --noout --schema {}/fmi{}.xsd {}/modelDescription.xml 2> {}/said", POLYFORM_XMLLINT,
                        POLYFORM_SCHEMAS, version, folder.string(), folder.string());
        const int end = std::system(call.c_str());
        INFO(content_of(folder.string() + "/said"));
        CHECK(end == 0);
        // Of elements it has the plugins that the model uses, and none of devices.
        CHECK(fs::exists(folder / "resources/plugins/standard-joints.so"));
        for (const char* const other : {"tyres", "cuda-devices"})
          CHECK_FALSE(fs::exists(folder / "resources/plugins" / (std::string(other) + ".so")));
      }
}

TEST_CASE("an FMU for model exchange has the model's derivatives, states and parameters") {
  const Workshop w;
  const std::string model = w.write("pendulum.yaml", pendulum);
  const Outcome out = exported(w, model, "me.fmu", {"--kind", "me", "--solver", "riccati"});
  INFO(out.err);
  REQUIRE(out.code == 0);
  const Fmu& fmu = Fmu::open(w.path("me.fmu").string(), Kind::model_exchange);
  const FmuInstance instance(fmu, {}, {});
  const fmus::Calls& call = instance.calls();
  const std::size_t n = fmu.states().size();
  REQUIRE(n > 0);
  std::vector<double> y(n), k1(n), k2(n), k3(n), k4(n), z(n);
  const auto rates = [&](double t, const std::vector<double>& at, std::vector<double>& to) {
    REQUIRE(call.set_time(instance.handle(), t) == 0);
    REQUIRE(call.set_states(instance.handle(), at.data(), n) == 0);
    REQUIRE(call.get_rates(instance.handle(), to.data(), n) == 0);
  };
  REQUIRE(call.get_states(instance.handle(), y.data(), n) == 0);
  const double h = 1e-3;
  for (int step = 0; step < 1000; ++step) {
    const double t = step * h;
    const auto ahead = [&](const std::vector<double>& k, double part) {
      for (std::size_t i = 0; i < n; ++i) z[i] = y[i] + part * k[i];
    };
    rates(t, y, k1);
    ahead(k1, h / 2), rates(t + h / 2, z, k2);
    ahead(k2, h / 2), rates(t + h / 2, z, k3);
    ahead(k3, h), rates(t + h, z, k4);
    for (std::size_t i = 0; i < n; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  rates(1, y, k1);
  const Table table = read_table(w.run({"run", model, "--solver", "riccati", "--output", "-", "--quiet"}).out);
  for (const char* name : {"pin.q", "pin.v", "tip.x", "tip.wz", "energy.total"})
    CHECK(value(instance, fmu.find(name, "output")) == Approx(table.rows.back()[table.column(name)]).epsilon(1e-10));

  // Parameters reach the model: half the mass, another acceleration; the same as --set gives.
  const Reference mass[] = {fmu.find("parameters.mass", "parameter")};
  const double lighter[] = {1};
  FmuInstance other(fmu, mass, lighter);
  const Reference rate = fmu.find("pin.v", "output");
  CHECK(value(other, rate) == 1);
  std::vector<double> other_rates(n), first_rates(n);
  REQUIRE(call.get_rates(other.handle(), other_rates.data(), n) == 0);
  const FmuInstance same(fmu, {}, {});
  REQUIRE(call.get_rates(same.handle(), first_rates.data(), n) == 0);
  CHECK(other_rates != first_rates);

  // All of a state, there and back.
  std::vector<char> kept;
  REQUIRE(other.save(kept));
  REQUIRE(call.set_states(other.handle(), y.data(), n) == 0);
  REQUIRE(other.restore(kept));
  std::vector<double> again(n);
  REQUIRE(call.get_rates(other.handle(), again.data(), n) == 0);
  CHECK(again == other_rates);
}

TEST_CASE("a motor of another tool drives a joint in every formulation") {
  const Workshop w;
  hand_written(w, "motor.fmu");
  // The same motor as an element of the model, from the time of the jump on.
  const std::string truth = w.write("truth.yaml", R"YAML(polyform: 1
name: the same in one tool
gravity: [0, 0, 0]
bodies:
  - {name: arm, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: hinge, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}
signals:
  - {name: current, type: integrator, input: "(4*(if(t < 0.1, 0, 1) - q(hinge)) - signal(current) - 0.5*v(hinge))/0.05"}
forces:
  - {name: motor, type: joint-force, joint: hinge, effort: {expression: "0.5*signal(current)"}}
simulation: {duration: 1, step: 0.001, output_interval: 0.1}
)YAML");
  const Table expected =
      read_table(w.run({"run", truth, "--rtol", "1e-11", "--atol", "1e-13", "--output", "-", "--quiet"}).out);
  const std::string model = w.write("driven.yaml", driven("motor.fmu", ", channels: tau"));
  for (const std::string& solver : solvers) {
    INFO(solver);
    const Outcome run =
        w.run({"run", model, "--solver", solver, "--rtol", "1e-11", "--atol", "1e-13", "--output", "-", "--quiet"});
    INFO(run.err);
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    REQUIRE(table.rows.size() == expected.rows.size());
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      CHECK(table.at(row, "hinge.q") == Approx(expected.at(row, "hinge.q")).margin(1e-8));
      CHECK(table.at(row, "drive.tau") == Approx(0.5 * table.at(row, "drive.i")).margin(1e-12));
    }
  }
}

TEST_CASE("an FMU for co-simulation comes nearer to the model with shorter steps") {
  const Workshop w;
  hand_written(w, "motor.fmu");
  const Table fine = read_table(
      w.run({"run", w.write("me.yaml", driven("motor.fmu", "")), "--rtol", "1e-10", "--output", "-", "--quiet"}).out);
  double error[2];
  int k = 0;
  for (const double interval : {0.01, 0.0025}) {
    const std::string model =
        w.write("cs.yaml", driven("motor.fmu", fmt::format(", kind: co-simulation, interval: {}", interval)));
    const Outcome run = w.run({"run", model, "--output", "-", "--quiet"});
    INFO(run.err);
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    error[k++] = std::abs(table.at(10, "hinge.q") - fine.at(10, "hinge.q"));
  }
  CHECK(error[1] < 0.35 * error[0]);
  CHECK(error[1] < 0.02);
}

TEST_CASE("a model of Polyform drives another one as an FMU") {
  const Workshop w;
  const std::string inner = w.write("inner.yaml", R"YAML(polyform: 1
name: damped flywheel
gravity: [0, 0, 0]
bodies:
  - {name: wheel, mass: 1, inertia: {xx: 1, yy: 1, zz: 2}}
joints:
  - {name: axle, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
forces:
  - {name: brake, type: joint-spring-damper, joint: axle, stiffness: 5, damping: 0.5, rest: 0}
  - {name: torque, type: joint-force, joint: axle, effort: 0}
)YAML");
  const Outcome out = exported(w, inner, "wheel.fmu", {"--kind", "me", "--inputs", "torque.effort"});
  INFO(out.err);
  REQUIRE(out.code == 0);
  // The speed of the wheel pulls at the arm, and the arm's speed at the wheel.
  const std::string text = R"YAML(polyform: 1
name: arm
gravity: [0, 0, 0]
bodies:
  - {name: arm, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: hinge, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}
modules:
  - {name: other, type: fmu, file: wheel.fmu, joints: [hinge], velocities: torque.effort, efforts: axle.v}
simulation: {duration: 1, output_interval: 0.1}
)YAML";
  const std::string whole = w.write("whole.yaml", R"YAML(polyform: 1
name: both
gravity: [0, 0, 0]
bodies:
  - {name: wheel, mass: 1, inertia: {xx: 1, yy: 1, zz: 2}}
  - {name: arm, mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
joints:
  - {name: axle, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
  - {name: hinge, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: brake, type: joint-spring-damper, joint: axle, stiffness: 5, damping: 0.5, rest: 0}
  - {name: torque, type: joint-force, joint: axle, effort: {expression: "v(hinge)"}}
  - {name: pull, type: joint-force, joint: hinge, effort: {expression: "v(axle)"}}
simulation: {duration: 1, output_interval: 0.1}
)YAML");
  const Table expected = read_table(w.run({"run", whole, "--rtol", "1e-11", "--output", "-", "--quiet"}).out);
  const std::string model = w.write("arm.yaml", text);
  for (const std::string solver : {"riccati", "cartesian", "particles"}) {
    const Outcome run = w.run({"run", model, "--solver", solver, "--rtol", "1e-11", "--output", "-", "--quiet"});
    INFO(solver << run.err);
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
      CHECK(table.at(row, "hinge.q") == Approx(expected.at(row, "hinge.q")).margin(1e-8));
  }
}

TEST_CASE("what is wrong with an FMU is told") {
  const Workshop w;
  const auto said = [&](const std::string& file, const std::string& more) {
    const Outcome out = w.run({"run", w.write("driven.yaml", driven(file, more)), "--quiet"});
    CHECK(out.code != 0);
    return in_one_line(out.err);
  };
  CHECK_THAT(said("absent.fmu", ""), Catch::Contains("there is no file"));
  w.write("text.fmu", "this is no archive, but it is long enough to look for the end of one");
  CHECK_THAT(said("text.fmu", ""), Catch::Contains("no ZIP archive"));
  const std::string whole = content_of(hand_written(w, "motor.fmu"));
  w.write("cut.fmu", whole.substr(0, whole.size() / 2));
  CHECK_THAT(said("cut.fmu", ""), Catch::Contains("cut short"));
  hand_written(w, "old.fmu", {.version = "1.0"});
  CHECK_THAT(said("old.fmu", ""), Catch::Contains("FMI version 1.0"));
  hand_written(w, "new.fmu", {.version = "4.0"});
  CHECK_THAT(said("new.fmu", ""), Catch::Contains("FMI version 4.0"));
  hand_written(w, "elsewhere.fmu", {.library = "other"});
  CHECK_THAT(said("elsewhere.fmu", ""), Catch::Contains("no library for this system"));
  CHECK_THAT(said("motor.fmu", ", channels: torque"), Catch::Contains("no output `torque`") && Catch::Contains("tau"));
  CHECK_THAT(said("motor.fmu", ", start_values: \"R = one\""), Catch::Contains("expected name = number"));
  CHECK_THAT(said("motor.fmu", ", start_values: \"failing = 1\""), Catch::Contains("initialization failed"));
  CHECK_THAT(said("motor.fmu", ", start_values: \"failing = 2\""), Catch::Contains("derivatives cannot be computed"));
  CHECK_THAT(said("motor.fmu", ", kind: co-simulation, start_values: \"failing = 3\""), Catch::Contains("drive"));
}
