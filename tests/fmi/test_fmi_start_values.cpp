// Values at the start that another program sets, what drives prescribed motions, and directional derivatives.
#include <dlfcn.h>
#include <fmt/format.h>

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <map>

#include "fmu.hpp"
#include "tests/command/command_runner.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// An FMU that is driven step by step as the standard has it, from its instantiation on.
class DrivenFmu {
 public:
  DrivenFmu(const Workshop& w, const std::string& model, const std::string& kind, std::vector<std::string> more = {})
      : kind_(kind == "me" ? fmus::Kind::model_exchange : fmus::Kind::co_simulation) {
    static int number = 0;
    const std::string file = fmt::format("driven_{}.fmu", ++number);
    std::vector<std::string> arguments{"export", "--fmi", "2", "--kind", kind, model, "-o", file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome out = w.run(arguments);
    INFO(out.err);
    REQUIRE(out.code == 0);
    fmu_ = &fmus::Fmu::open(w.path(file).string(), kind_);
    handle_ = calls().instantiate({"driven", fmu_->description().token, fmu_->resources(), kind_}, log_);
    REQUIRE(handle_ != nullptr);
  }
  ~DrivenFmu() { calls().free(handle_); }

  const fmus::Fmu& fmu() const { return *fmu_; }
  const fmus::Calls& calls() const { return fmu_->calls(); }
  fmus::Handle handle() const { return handle_; }
  std::string said() const { return log_.text(); }
  /// Whether the FMU takes the value.
  bool set(const std::string& name, double to, const char* causality = "parameter") {
    const fmus::Reference reference = fmu_->find(name, causality);
    return calls().set_real(handle_, &reference, 1, &to) == 0;
  }
  bool initialize() {
    return calls().enter_initialization(handle_, 0) == 0 && calls().exit_initialization(handle_) == 0;
  }
  double get(const std::string& name, const char* causality = "output") {
    const fmus::Reference reference = fmu_->find(name, causality);
    double out = 0;
    INFO(name << ' ' << said());
    REQUIRE(calls().get_real(handle_, &reference, 1, &out) == 0);
    return out;
  }

 private:
  fmus::Kind kind_;
  const fmus::Fmu* fmu_ = nullptr;
  fmus::MessageLog log_;
  fmus::Handle handle_ = nullptr;
};

/// Of the derivatives of one variable by another.
double derivative(DrivenFmu& driven, fmus::Reference unknown, fmus::Reference known) {
  const fmus::Fmu& fmu = driven.fmu();
  const std::filesystem::path folder = std::filesystem::path(fmu.resources()).parent_path() / "binaries/linux64";
  void* const library = ::dlopen((folder / (fmu.description().identifier + ".so")).c_str(), RTLD_NOW | RTLD_NOLOAD);
  REQUIRE(library != nullptr);
  using Function = int(void*, const unsigned*, std::size_t, const unsigned*, std::size_t, const double*, double*);
  auto* const function = reinterpret_cast<Function*>(::dlsym(library, "fmi2GetDirectionalDerivative"));
  REQUIRE(function != nullptr);
  const double seed = 1;
  double found = 0;
  REQUIRE(function(driven.handle(), &unknown, 1, &known, 1, &seed, &found) == 0);
  return found;
}

bool same(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

constexpr const char* tree = R"YAML(polyform: 1
name: rods with a ball
parameters: {length: 0.5}
bodies:
  - {name: rod, mass: 2, center_of_mass: [length, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: tip, position: [1, 0, 0], mass: 1, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.03, zz: 0.03}}
  - {name: stone, position: [2, 0, 0], mass: 1, inertia: {xx: 0.02, yy: 0.03, zz: 0.04}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 1}}
  - {name: ball, type: spherical, base: rod, moving: tip, position: [1, 0, 0]}
simulation: {duration: 0.5, integrator: rk4, step: 0.001, output_interval: 0.05}
)YAML";

}  // namespace

TEST_CASE("values at the start are those of the first row of a run") {
  const Workshop w;
  for (const std::string model : {"four_bar_rhombus", "free_body", "flexible_pendulum", "servo_slide", "bricard",
                                  "prescribed_motion", "whirling_rod", "differential_axle"}) {
    INFO(model);
    DrivenFmu fmu(w, shipped(model), "cs");
    const Outcome run = w.run({"run", shipped(model), "--duration", "0.01", "--output", "-", "--quiet"});
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    std::size_t found = 0;
    for (std::size_t k = 1; k < table.names.size(); ++k) {
      const std::string name = "start." + table.names[k];
      if (!fmu.fmu().description().variables.contains(name)) continue;
      INFO(name);
      ++found;
      CHECK(fmu.get(name, "parameter") == Approx(table.rows[0][k]).margin(1e-9));
    }
    CHECK(found >= 2);
  }
}

TEST_CASE("an FMU starts where another program says, bit for bit as --state does") {
  const Workshop w;
  const std::string model = w.write("tree.yaml", tree);
  const std::map<std::string, double> values{{"pin.q", 0.3},    {"ball.v[0]", 0.1}, {"ball.v[1]", -0.2},
                                             {"ball.v[2]", 2.}, {"stone.z", 0.7},   {"stone.vx", 3.}};
  std::string names, row;
  {
    DrivenFmu fmu(w, model, "cs");
    for (const auto& [name, variable] : fmu.fmu().description().variables) {
      if (!name.starts_with("start.")) continue;
      const auto given = values.find(name.substr(6));
      const double value = given == values.end() ? fmu.get(name, "parameter") : given->second;
      names += (names.empty() ? "" : ",") + name.substr(6);
      row += fmt::format("{}{}", row.empty() ? "" : ",", value);
    }
  }
  w.write("start.csv", names + '\n' + row + '\n');
  const Outcome run = w.run({"run", model, "--state", "start.csv", "--output", "-", "--quiet"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Table table = read_table(run.out);
  for (const std::string kind : {"cs", "me"}) {
    DrivenFmu fmu(w, model, kind);
    CHECK(fmu.set("start.stone.y", 0));  // as it is: nothing changes
    for (const auto& [name, value] : values) CHECK(fmu.set("start." + name, value));
    REQUIRE(fmu.initialize());
    CHECK(fmu.get("start.pin.q", "parameter") == 0.3);
    for (std::size_t k = 1; k < table.names.size(); ++k) CHECK(same(fmu.get(table.names[k]), table.rows[0][k]));
    CHECK_FALSE(fmu.set("start.pin.q", 0.4));
    CHECK_THAT(fmu.said(), Catch::Contains("after the initialization"));
    if (kind == "me") continue;
    for (std::size_t r = 1; r < table.rows.size(); ++r) {
      const double from = table.rows[r - 1][0];
      REQUIRE(fmu.calls().do_step(fmu.handle(), from, table.rows[r][0] - from) == 0);
    }
    std::size_t differ = 0;
    for (std::size_t k = 1; k < table.names.size(); ++k)
      if (!same(fmu.get(table.names[k]), table.rows.back()[k])) ++differ;
    CHECK(differ == 0);
    REQUIRE(fmu.calls().reset(fmu.handle()) == 0);
    CHECK(fmu.get("start.pin.q", "parameter") == 0);
    REQUIRE(fmu.initialize());
    CHECK(fmu.get("pin.q") == 0);
  }
}

TEST_CASE("a start that is set changes no other one") {
  const Workshop w;
  DrivenFmu fmu(w, shipped("double_pendulum"), "cs");  // its bodies have velocities, which belong to the drawn pose
  REQUIRE(fmu.set("start.j1.v", 2));
  REQUIRE(fmu.initialize());
  CHECK(fmu.get("j1.v") == 2);
  CHECK(fmu.get("j2.v") == Approx(-1.3).epsilon(1e-12));
  // A loop of one degree of freedom: the crank is kept, the others follow.
  DrivenFmu loop(w, shipped("four_bar_rhombus"), "cs");
  const std::string crank = "start." + loop.fmu().description().variables.lower_bound("start.")->first.substr(6);
  REQUIRE(loop.set(crank, loop.get(crank, "parameter") + 0.05));
  REQUIRE(loop.initialize());
  CHECK(loop.get("constraint.position") < 1e-9);
}

TEST_CASE("a start does not break a prescribed motion, and the first-order states of elements have one too") {
  const Workshop w;
  DrivenFmu driven(w, shipped("prescribed_motion"), "cs");
  REQUIRE(driven.set("start.pin.q", 0.5));
  REQUIRE(driven.initialize());
  CHECK(driven.get("pin.q") == Approx(0).margin(1e-12));  // as the motion says: polyform run warns of it too
  const std::string model = w.write("filter.yaml", R"YAML(polyform: 1
name: a filter
bodies: [{name: cart, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: slide, type: prismatic, base: ground, moving: cart, position: [0, 0, 0], axis: [1, 0, 0]}]
signals: [{name: s, type: integrator, input: "-2*signal(s)", initial: 1}]
forces: [{name: push, type: joint-force, joint: slide, effort: {expression: "signal(s)"}}]
simulation: {duration: 1, tolerance: {relative: 1.0e-10, absolute: 1.0e-12}, output_interval: 0.5}
)YAML");
  DrivenFmu fmu(w, model, "cs");
  CHECK(fmu.get("start.signal.s.integral", "parameter") == 1);
  REQUIRE(fmu.set("start.signal.s.integral", 3));
  REQUIRE(fmu.initialize());
  REQUIRE(fmu.calls().do_step(fmu.handle(), 0, 0.5) == 0);
  CHECK(fmu.get("signal.s") == Approx(3 * std::exp(-1.0)).epsilon(1e-8));
  CHECK(fmu.get("slide.v") == Approx(1.5 * (1 - std::exp(-1.0))).epsilon(1e-8));
}

TEST_CASE("what drives a prescribed motion is an output") {
  const Workshop w;
  // The bead runs outwards, r = 0.1 cosh wt: the torque is 2 m r ṙ w (prescribed_motion.yaml).
  const double m = 1.2, rate = 2;
  const auto torque = [&](double t) {
    return 2 * m * 0.1 * std::cosh(rate * t) * 0.1 * rate * std::sinh(rate * t) * rate;
  };
  for (const std::string solver : {"riccati", "cartesian"}) {
    DrivenFmu fmu(w, shipped("prescribed_motion"), "cs", {"--solver", solver});
    REQUIRE(fmu.initialize());
    for (int step = 0; step < 10; ++step) REQUIRE(fmu.calls().do_step(fmu.handle(), 0.1 * step, 0.1) == 0);
    CHECK(std::abs(fmu.get("drive.force")) == Approx(torque(1)).epsilon(1e-7));
  }
  // Columns that are asked for are those that are given.
  DrivenFmu few(w, shipped("prescribed_motion"), "cs", {"--columns", "joints"});
  CHECK_FALSE(few.fmu().description().variables.contains("drive.force"));
}

TEST_CASE("an input that is not set goes on as it was when another one is") {
  const Workshop w;
  const std::string model = w.write("two.yaml", R"YAML(polyform: 1
name: two slides
gravity: [0, 0, 0]
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: left, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0], initial: {velocity: 1}}
  - {name: right, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0]}
constraints: [{name: drive, type: prescribed-motion, joint: left, motion: {polynomial: [0, 1]}}]
forces: [{name: push, type: joint-force, joint: right, effort: 0}]
simulation: {duration: 1, output_interval: 0.1}
)YAML");
  DrivenFmu fmu(w, model, "cs", {"--inputs", "drive.motion,push.effort"});
  REQUIRE(fmu.set("drive.motion.acceleration", 2, "input"));  // added to the model's: x = t + t²
  REQUIRE(fmu.initialize());
  for (int step = 0; step < 10; ++step) {
    if (step == 5) REQUIRE(fmu.set("push.effort", 1, "input"));
    REQUIRE(fmu.calls().do_step(fmu.handle(), 0.1 * step, 0.1) == 0);
  }
  CHECK(fmu.get("left.q") == Approx(2).epsilon(1e-9));
  CHECK(fmu.get("left.v") == Approx(3).epsilon(1e-9));
  CHECK(fmu.get("right.q") == Approx(0.125).epsilon(1e-9));
  CHECK(fmu.get("drive.motion", "input") == Approx(1).epsilon(1e-12));
}

TEST_CASE("directional derivatives are those of the closed form, in any unit of length") {
  const Workshop w;
  // m l² q'' = −m g l sin q − k q³ − d v² + u: the spring's law bends, so differences have errors of all orders.
  for (const double l : {1e-6, 1.0, 1e4}) {
    const double m = 2, g = 9.81, q = 0.6, v = 1.5 * std::sqrt(g / l), u = 0.3 * m * g * l;
    const double k = 0.4 * m * g * l, d = 0.2 * m * l * l;
    const std::string model = w.write(fmt::format("pendulum_{}.yaml", l), fmt::format(R"YAML(polyform: 1
name: pendulum of {0}
gravity: [0, 0, {1}]
bodies: [{{name: bob, position: [0, 0, {2}], mass: {3}, inertia: {{xx: 0, yy: 0, zz: 0}}}}]
joints:
  - {{name: pin, type: revolute, base: ground, moving: bob, position: [0, 0, 0], axis: [0, 1, 0]}}
forces:
  - {{name: law, type: joint-force, joint: pin, effort: {{expression: "-{4}*q(pin)^3 - {5}*v(pin)^2"}}}}
  - {{name: motor, type: joint-force, joint: pin, effort: {6}}}
simulation: {{duration: 1}}
)YAML",
                                                                                      l, -g, -l, m, k, d, u));
    DrivenFmu fmu(w, model, "me", {"--solver", "riccati", "--inputs", "motor.effort"});
    REQUIRE(fmu.set("start.pin.q", q));
    REQUIRE(fmu.set("start.pin.v", v));
    REQUIRE(fmu.initialize());
    const fmus::Reference rate = fmu.fmu().find("der(state[1])", "local"), turn = fmu.fmu().find("state[0]", "local"),
                          speed = fmu.fmu().find("state[1]", "local"), effort = fmu.fmu().find("motor.effort", "input");
    INFO(l);
    const double J = m * l * l;
    const std::pair<fmus::Reference, double> truths[] = {
        {turn, (-m * g * l * std::cos(q) - 3 * k * q * q) / J}, {speed, -2 * d * v / J}, {effort, 1 / J}};
    for (const auto& [known, truth] : truths) CHECK(derivative(fmu, rate, known) == Approx(truth).epsilon(1e-10));
    // It leaves the state as it was.
    CHECK(fmu.get("pin.q") == q);
    CHECK(fmu.get("motor.effort", "input") == u);
  }
}
