// The loop of a run, with a solver whose motion is known: a body that turns about z at a constant rate.
#include <catch2/catch.hpp>

#include <cmath>

#include "framework/host/columns/row_maker.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/integration/integration.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/simulation/run_statistics.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::host;

namespace {

std::unique_ptr<System> one_body() {
  Diagnostics diagnostics;
  bool missing = false;
  Description model = read_model_text(
      "polyform: 1\nname: spin\ngravity: [0, 0, 0]\nbodies: [{name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]\n",
      "spin.yaml", Catalog{}, diagnostics, missing);
  auto system = System::assemble(std::move(model), nullptr, diagnostics);
  REQUIRE(system);
  return system;
}

/// A type of force of which there is no instance.
class NoForce final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "no-force", .meaning = "for tests"};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override { return new Batch; }

 private:
  class Batch final : public ForceBatch {
   public:
    void evaluate(const ForceInput&, ForceOutput&) noexcept override {}
    void destroy() noexcept override { delete this; }
  };
};

/// y = angle about z, from `first_angle` on; fails at `failing_time`.
class SpinningBody final : public Solver {
 public:
  double first_angle = 0, rate = 1, failing_time = INFINITY, work = 0;
  double speed = 0, force = 0;  ///< what is observed of the body's velocity and of the reaction of its joint
  std::size_t evaluations = 0;
  std::string_view failure() const noexcept override { return "the body is dizzy"; }
  void destroy() noexcept override {}

 protected:
  std::size_t do_state_size() const noexcept override { return 1; }
  Status do_encode(const ConstStateView&, std::span<double> y) noexcept override {
    y[0] = first_angle;
    return Status::ok;
  }
  Status do_decode(std::span<const double>, const StateView&) noexcept override { return Status::ok; }
  Status do_derivative(double t, std::span<const double>, std::span<double> ydot) noexcept override {
    ++evaluations;
    ydot[0] = rate;
    return t < failing_time ? Status::ok : Status::failed;
  }
  Status do_correct(double, std::span<double>, Correction&) noexcept override { return Status::ok; }
  Status do_observe(double t, std::span<const double> y, Observation& out) noexcept override {
    out.bodies[0] = {};
    out.bodies[0].pose.orientation = axis_angle(Vec3{0, 0, 1}, y[0]);
    out.bodies[0].velocity.x = t < 0.35 ? 0 : speed;
    out.reactions[0].linear.x = t < 0.35 ? 0 : force;
    out.kinetic_energy = 2;
    out.potential_energy = work * t;
    out.power = work;
    out.position_violation = t;
    return Status::ok;
  }
};

/// Keeps times and first quaternion components of the rows.
struct Rows final : RowSink {
  std::vector<double> times, w;
  std::size_t finished = 0;
  void row(double t, const Observation& now) override {
    times.push_back(t);
    w.push_back(now.bodies[0].pose.orientation.w);
  }
  void finish(const RunRecord&) override { ++finished; }
};

RunSettings settings(double duration, double interval) {
  RunSettings s = test::run_settings();
  s.duration = duration;
  s.output_interval = interval;
  s.integrator = test::integrator("rk4");
  s.step = 0.03;
  return s;
}

struct Result {
  RunRecord record;
  Rows rows;
};
Result run(SpinningBody& solver, const RunSettings& s, const RunControl& control = {}) {
  const auto system = one_body();
  Result result;
  RowSink* sinks[] = {&result.rows};
  result.record = simulate(*system, solver, s, sinks, control);
  return result;
}

}  // namespace

TEST_CASE("rows stand at exact products of the interval whatever the step, and at the end") {
  SpinningBody solver;
  const Result result = run(solver, settings(0.75, 0.1));
  REQUIRE(result.rows.times.size() == 9);
  for (std::size_t k = 0; k < 8; ++k) CHECK(result.rows.times[k] == static_cast<double>(k) * 0.1);
  CHECK(result.rows.times.back() == 0.75);
  for (std::size_t k = 0; k < 9; ++k)
    CHECK(result.rows.w[k] == Approx(std::cos(result.rows.times[k] / 2)).epsilon(1e-13));
  CHECK(result.record.end == End::done);
  CHECK(result.record.time == 0.75);
  CHECK(result.record.rows == 9);
  CHECK(result.rows.finished == 1);
  CHECK(result.record.evaluations == solver.evaluations);
}

TEST_CASE("a run shorter than the output interval has its first and its last row") {
  SpinningBody solver;
  CHECK(run(solver, settings(0.05, 0.1)).rows.times == std::vector<double>{0, 0.05});
}

TEST_CASE("a failing run keeps its rows and says what failed and when") {
  SpinningBody solver;
  solver.failing_time = 0.5;
  const Result result = run(solver, settings(1, 0.1));
  CHECK(result.record.end == End::failed);
  CHECK_THAT(result.record.failure, Catch::Contains("the body is dizzy") && Catch::Contains("t = 0."));
  CHECK(result.rows.times.size() >= 5);
  CHECK(result.rows.finished == 1);
}

TEST_CASE("a number in a row that is none ends the run with the name of what has it") {
  const auto failure_of = [](double speed, double force) {
    SpinningBody solver;
    solver.speed = speed;
    solver.force = force;
    const Result result = run(solver, settings(1, 0.1));
    CHECK(result.record.end == End::failed);
    CHECK(result.rows.times.size() == 4);
    return result.record.failure;
  };
  CHECK_THAT(failure_of(NAN, 0), Catch::Contains("at t = 0.4 s the velocity of body `b` is no number"));
  CHECK_THAT(failure_of(0, INFINITY), Catch::Contains("at t = 0.4 s the reaction of joint"));
}

TEST_CASE("an interruption ends the run after the step in which it comes") {
  SpinningBody solver;
  volatile std::sig_atomic_t flag = 0;
  const Result result = run(solver, settings(1, 0.1), {&flag, [&](double t) { flag = t > 0.5; }});
  CHECK(result.record.end == End::interrupted);
  CHECK(result.record.time == Approx(0.51));
  CHECK(result.rows.times.size() == 6);
}

TEST_CASE("drift and violation are taken from the rows") {
  SpinningBody solver;
  CHECK(run(solver, settings(1, 0.1)).record.energy_drift == 0);
  solver.work = 0.5;
  const RunRecord record = run(solver, settings(1, 0.1)).record;
  CHECK(record.energy_drift == Approx(0.25));  // of 2 J kinetic energy, which no element of the model accounts for
  CHECK_FALSE(record.conservative);
  CHECK(record.constraint_violation == 1);
}

TEST_CASE("drift is seen against the energy that moves, however much rests; where all rests, against what could act") {
  const auto system = one_body();
  ObservationStore store(system->view());
  store.now().bodies[0] = {};
  const auto drift_of = [&](double kinetic, double off) {
    RunStatistics statistics(system->view());
    store.now().kinetic_energy = 0;
    store.now().potential_energy = 1e8;
    statistics.row(0, store.now(), 0);
    store.now().kinetic_energy = kinetic;
    store.now().potential_energy = 1e8 - kinetic + off;
    statistics.row(1, store.now(), 0);
    RunRecord record;
    statistics.store(record);
    return record.energy_drift;
  };
  CHECK(drift_of(0.01, 1e-7) == Approx(1e-5).epsilon(0.2));  // 1e8 J is told to 1.5e-8 J
  CHECK(drift_of(1e-20, 1.5e-8) < 1e-15);
}

TEST_CASE("work done accounts for a change of energy, with every integrator") {
  const auto system = one_body();
  SystemView view = system->view();
  const NoForce type;
  ForceInstances something;  // what may do work
  something.type = &type;
  view.forces = {&something, 1};
  for (const IntegratorType* method : test::integrator_types()) {
    INFO(method->name());
    SpinningBody solver;
    solver.work = 0.5;
    RunSettings s = settings(1, 0.1);
    s.integrator = test::integrator(method->name());
    const RunRecord record = simulate(view, system->initial_state(), solver, s, {}, {});
    CHECK(record.energy_drift < 1e-14);
    CHECK_FALSE(record.conservative);
    CHECK(record.state_size == 1);
  }
}

TEST_CASE("the first quaternion of a result has a positive first component, and the next ones follow it") {
  const auto system = one_body();
  RowMaker rows(*system, {false, true, false, false, false});
  REQUIRE(rows.channels()[4].name == "b.qw");
  Observation::Body body{};
  Observation now;
  now.bodies = {&body, 1};
  body.pose.orientation = axis_angle(Vec3{0, 0, 1}, 4.0);  // w < 0
  CHECK(rows.make(0, now)[4] == Approx(-std::cos(2.0)));
  body.pose.orientation = axis_angle(Vec3{0, 0, 1}, 7.0);
  CHECK(rows.make(1, now)[4] == Approx(-std::cos(3.5)));
}

TEST_CASE("where the first component vanishes the next one decides the sign") {
  const auto system = one_body();
  RowMaker rows(*system, {false, true, false, false, false});
  Observation::Body body{};
  Observation now;
  now.bodies = {&body, 1};
  body.pose.orientation = {1e-17, 0, -1, 0};
  CHECK(rows.make(0, now)[6] == 1);
}

TEST_CASE("patterns match whole names") {
  CHECK(matches("tip.*", "tip.x"));
  CHECK(matches("*.q", "arm[3].joint.q"));
  CHECK(matches("*[3]*.q", "arm[3].joint.q"));
  CHECK(matches("rod.?", "rod.x"));
  CHECK(matches("*", ""));
  CHECK_FALSE(matches("rod.?", "rod.qw"));
  CHECK_FALSE(matches("tip", "tip.x"));
  CHECK_FALSE(matches("*.q", "arm.q[0]"));
}
