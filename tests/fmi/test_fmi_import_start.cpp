// What an FMU in a model begins with: the motion that the model begins with, at the time where the run begins.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fmi/hand_written.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// The arm of the model `driven` with the motor written by hand, by other means. The inertia of the arm and the
/// parameters of the motor are those of their files.
struct DrivenArm {
  double phi, w, i = 0, before = 0;  ///< before: what the motor aims at before its jump at 0.1 s
  static constexpr double J = 0.1, R = 1, L = 0.05, k = 0.5, p = 4, target = 1;

  double voltage(double t) const { return p * ((t < 0.1 - 1e-9 ? before : target) - phi); }
  /// The equations by the method of Runge and Kutta, in steps of 10 us.
  void move(double from, double to) {
    const double h = 1e-5;
    for (double t = from; t < to - h / 2; t += h) {
      const auto rates = [&](const DrivenArm& at) {
        return DrivenArm{at.w, k * at.i / J, (at.voltage(t) - R * at.i - k * at.w) / L, before};
      };
      const auto ahead = [&](const DrivenArm& by, double step) {
        return DrivenArm{phi + step * by.phi, w + step * by.w, i + step * by.i, before};
      };
      const DrivenArm a = rates(*this), b = rates(ahead(a, h / 2)), c = rates(ahead(b, h / 2)), d = rates(ahead(c, h));
      phi += h / 6 * (a.phi + 2 * b.phi + 2 * c.phi + d.phi);
      w += h / 6 * (a.w + 2 * b.w + 2 * c.w + d.w);
      i += h / 6 * (a.i + 2 * b.i + 2 * c.i + d.i);
    }
  }
  /// Co-simulation: the arm moves with the torque that is held, then the motor makes its own 100 steps.
  void step(double t, double h) {
    phi += w * h + k * i / J * h * h / 2;
    w += k * i / J * h;
    for (int n = 0; n < 100; ++n) i += h / 100 * (voltage(t + h * n / 100) - R * i - k * w) / L;
  }
};

/// The model with an arm that begins in motion. taps: how the motor is coupled.
std::string moving(const std::string& fmu, const std::string& taps, const std::string& more) {
  std::string text = driven(fmu, more);
  const auto put = [&](const std::string& at, const std::string& by) { text.replace(text.find(at), at.size(), by); };
  put("axis: [0, 0, 1]", "axis: [0, 0, 1], initial: {position: 0.2, velocity: 0.3}");
  put("positions: phi, velocities: w", taps);
  return text;
}

Table ran_moving(const Workshop& w, const std::string& model, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"run", w.write("moving.yaml", model), "--rtol", "1e-11", "--output", "-", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome run = w.run(words);
  INFO(run.err);
  REQUIRE(run.code == 0);
  return read_table(run.out);
}

const std::string of_joints = "positions: phi, velocities: w",
                  by_formulas =
                      "commands: \"w, phi\", command_values: [{expression: v(hinge)}, {expression: q(hinge)}]",
                  seen = ", start_values: \"failing = 8\"";

}  // namespace

TEST_CASE("an FMU is initialized with the motion that the model begins with") {
  const Workshop w;
  for (const char* const version : {"2.0", "3.0"})
    for (const std::string& taps : {of_joints, by_formulas}) {
      INFO(version << ' ' << taps);
      hand_written(w, "motor.fmu", {.version = version});
      DrivenArm arm{0.2, 0.3, 0.3, 0.2}, stepped = arm;
      const Table table = ran_moving(w, moving("motor.fmu", taps, seen));
      CHECK(table.at(0, "drive.i") == Approx(0.3).margin(1e-14));
      const Table steps = ran_moving(w, moving("motor.fmu", taps, seen + ", kind: co-simulation, interval: 0.01"));
      CHECK(steps.at(0, "drive.tau") == Approx(0.15).margin(1e-14));  // the effort of the first interval
      REQUIRE(table.rows.size() == 11);
      for (std::size_t row = 1; row < table.rows.size(); ++row) {
        const double from = 0.1 * static_cast<double>(row - 1);
        arm.move(from, from + 0.1);
        CHECK(table.at(row, "hinge.q") == Approx(arm.phi).margin(1e-8));
        for (int n = 0; n < 10; ++n) stepped.step(from + 0.01 * n, 0.01);
      }
      CHECK(steps.at(steps.rows.size() - 1, "hinge.q") == Approx(stepped.phi).margin(1e-8));
    }
}

TEST_CASE("all solvers hand the initial motion to an FMU, with positions that assembly finds too") {
  const Workshop w;
  w.write("gain.yaml", R"YAML(polyform: 1
name: gain
bodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: j, type: fixed, base: ground, moving: b, position: [0, 0, 0]}]
signals:
  - {name: u, type: external, initial: 0}
  - {name: y, value: "-50*signal(u)"}
)YAML");
  const Outcome out = w.run({"export", "--fmi", "2", "--kind", "cs", w.path("gain.yaml").string(), "-o", "gain.fmu"});
  INFO(out.err);
  REQUIRE(out.code == 0);
  const std::string model = w.write("sprung.yaml", R"YAML(polyform: 1
name: sprung
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, {name: wheel, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]
joints:
  - {name: h, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: g, type: revolute, base: ground, moving: wheel, position: [1, 0, 0], axis: [0, 1, 0], initial: {position: 0.2}}
constraints: [{name: gear, type: joint-coupling, joint: h, other_joint: g, coefficients: [0, 2]}]
modules:
  - {name: dr, type: fmu, file: gain.fmu, kind: co-simulation, interval: 0.1, joints: h, positions: signal.u,
     efforts: signal.y}
simulation: {duration: 0.1}
)YAML");
  for (const std::string& solver : solvers) {
    const Outcome run = w.run({"run", model, "--solver", solver, "--columns", "h.q,dr.*", "--output", "-", "--quiet"});
    INFO(solver << run.err);
    REQUIRE(run.code == 0);
    const Table table = read_table(run.out);
    REQUIRE(std::abs(table.at(0, "h.q")) > 0.05);
    CHECK(table.at(0, "dr.signal.y") == Approx(-50 * table.at(0, "h.q")).epsilon(1e-12));
  }
}

TEST_CASE("an FMU begins at the time where the run begins") {
  const Workshop w;
  for (const char* const version : {"2.0", "3.0"}) {
    INFO(version);
    hand_written(w, "motor.fmu", {.version = version});
    DrivenArm arm{0.2, 0.3, 0.3, 0.2}, stepped = arm, early = arm;
    const Table table = ran_moving(w, moving("motor.fmu", of_joints, seen), {"--at-time", "1", "--duration", "0.5"});
    const std::string stepping = seen + ", kind: co-simulation, interval: 0.01";
    const Table steps =
        ran_moving(w, moving("motor.fmu", of_joints, stepping), {"--at-time", "1", "--duration", "0.5"});
    arm.move(1, 1.5);  // its jump is over
    for (int n = 0; n < 50; ++n) stepped.step(1 + 0.01 * n, 0.01);
    CHECK(table.at(table.rows.size() - 1, "hinge.q") == Approx(arm.phi).margin(1e-8));
    CHECK(steps.at(steps.rows.size() - 1, "hinge.q") == Approx(stepped.phi).margin(1e-8));
    // Its events by the clock come where the run begins before them.
    early.move(0.05, 0.35);
    const Table before =
        ran_moving(w, moving("motor.fmu", of_joints, seen), {"--at-time", "0.05", "--duration", "0.3"});
    CHECK(before.at(before.rows.size() - 1, "hinge.q") == Approx(early.phi).margin(1e-8));
  }
}

TEST_CASE("from a row of results an FMU takes its continuous states, and begins anew with the rest") {
  const Workshop w;
  hand_written(w, "motor.fmu");
  const std::string model = moving("motor.fmu", of_joints, seen);
  const Table whole = ran_moving(w, model);
  const Outcome rows = w.run({"run", w.path("moving.yaml").string(), "--rtol", "1e-11", "--duration", "0.5", "--output",
                              w.path("half.csv").string(), "--quiet"});
  REQUIRE(rows.code == 0);
  const Table rest =
      ran_moving(w, model, {"--state", w.path("half.csv").string(), "--at-time", "0.5", "--duration", "0.5"});
  CHECK(rest.at(rest.rows.size() - 1, "hinge.q") == Approx(whole.at(10, "hinge.q")).margin(1e-8));
}

TEST_CASE("an FMU that cannot begin with the motion of the model is refused with its reason") {
  const Workshop w;
  hand_written(w, "motor.fmu");
  for (const std::string kind : {"model-exchange", "co-simulation"}) {
    const std::string model = moving("motor.fmu", of_joints, ", start_values: \"failing = 9\", kind: " + kind);
    const Outcome out = w.run({"run", w.write("moving.yaml", model), "--quiet"});
    CHECK(out.code == 2);
    CHECK_THAT(in_one_line(out.err), Catch::Contains("the state of `drive` (fmu) cannot be found at the start: the FMU "
                                                     "motor.fmu failed in its initialization"));
  }
}
