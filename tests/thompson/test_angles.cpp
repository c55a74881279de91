// Euler angle sequences.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "euler_angles.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/support/hand_built.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/random_model.hpp"
#include "tests/thompson/bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr const char* sequences[] = {
    "xyz", "zyx", "zxz", "yzy", "x (0 0.6 0.8) x", "(1 1 0) z (1 -1 0)", "(1 0 0.3) y (0 0.2 1)"};

/// A top on a ball, and a free body with an arm on a ball.
constexpr const char* model = R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: top, mass: 1.5, center_of_mass: [0.1, 0.02, 0.5], inertia: {xx: 0.1, yy: 0.12, zz: 0.03, xy: 0.01}}
  - {name: hull, position: [2, 0, 0], orientation: {rpy: [0.2, 0.1, -0.3]}, mass: 4, center_of_mass: [0, 0.1, 0], inertia: {xx: 0.5, yy: 0.3, zz: 0.4}}
  - {name: arm, position: [2, 1, 0], mass: 1, center_of_mass: [0.3, 0, 0], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
joints:
  - {name: foot, type: spherical, base: ground, moving: top, position: [0, 0, 0], initial: {position: [0.96, 0.168, -0.224, 0], velocity: [0.7, -0.4, 2]}}
  - {name: fly, type: free, base: ground, moving: hull, initial: {velocity: [1, 0, 2, 0.5, 1, -0.8]}}
  - {name: shoulder, type: spherical, base: arm, moving: hull, position: [2, 1, 0], initial: {velocity: [1, 0.3, -1]}}
)";

/// Turns about its y axis at 1 rad/s, from 0.3 rad on.
constexpr const char* pitching_ship = R"(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: ship, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 2, zz: 2.5}}
joints:
  - {name: flight, type: free, base: ground, moving: ship, initial: {position: [0, 0, 0, 0.98877107793604, 0, 0.14943813247, 0], velocity: [0, 0, 0, 0, 1, 0]}}
)";

struct Run {
  host::RunRecord record;
  std::vector<double> q;
};

Run run(const host::System& system, const SolverOptions& options, double duration) {
  const auto solver = solver_for(system, thompson_formulation(), options);
  host::RunSettings settings = test::run_settings("dopri5");
  settings.duration = duration;
  settings.output_interval = duration / 10;
  settings.relative_tolerance = settings.absolute_tolerance = 1e-11;
  class Last final : public host::RowSink {
   public:
    std::vector<double> q;
    std::size_t rows = 0;
    void row(double, const Observation& o) override {
      q.assign(o.q.begin(), o.q.end());
      ++rows;
    }
  } last;
  host::RowSink* sinks[] = {&last};
  return {host::simulate(system, *solver, settings, sinks, {}), last.q};
}

}  // namespace

TEST_CASE("angles of a sequence turn as the quaternion they come from, and their rates are its rates") {
  HandBuilt built;
  const BodyIndex b = built.add_body("b", {}, 1, {}, Sym3::diagonal(1));
  built.spherical("j", BodyIndex::ground, b, {});
  for (const char* text : sequences) {
    INFO(text);
    std::vector<thompson::EulerSequence> read;
    REQUIRE(!thompson::read_sequences(built.view(), text, read));
    REQUIRE(read.size() == 1);
    const thompson::EulerSequence& sequence = read[0];
    for (int k = 0; k < 50; ++k) {
      const double given[3] = {3 * std::sin(1.3 * k), 0.1 + std::sin(0.7 * k), 3 * std::cos(2.1 * k)};
      const Quat q = sequence.quaternion(given);
      double found[3]{};
      REQUIRE(sequence.angles(q, found));
      CHECK(std::abs(dot(sequence.quaternion(found), q)) == Approx(1).epsilon(1e-13));
      double near[3] = {given[0] + 0.01, given[1] - 0.01, given[2] + 0.01};
      if (std::abs(sequence.clearance(given)) < 0.1) continue;
      REQUIRE(sequence.angles(q, near));
      for (int c = 0; c < 3; ++c) CHECK(near[c] == Approx(given[c]).margin(1e-9));
      const Vec3 omega{0.3, -1.2, 0.8};
      double rate[3], ahead[3], behind[3];
      sequence.rates(given, omega, rate);
      constexpr double h = 1e-5;
      for (int c = 0; c < 3; ++c) {
        ahead[c] = given[c] + h * rate[c];
        behind[c] = given[c] - h * rate[c];
      }
      const Vec3 turned = rotation_vector(sequence.quaternion(ahead) * conjugate(sequence.quaternion(behind)));
      CHECK(norm((0.5 / h) * turned - omega) < 1e-6 * (1 + norm(Vec3{rate[0], rate[1], rate[2]})));
    }
  }
}

TEST_CASE("runs with Euler angles are those with quaternions") {
  const auto system = system_from_text(model);
  const Run expected = run(*system, {}, 0.3);
  REQUIRE(expected.record.end == host::End::done);
  for (const char* angles :
       {"zyx", "zyx, foot=x (0 0.6 0.8) z", "xyz, shoulder=quaternion", "foot=(1 0 0.3) y (0 0.2 1)"}) {
    INFO(angles);
    const Run found = run(*system, {{"angles", angles}}, 0.3);
    INFO(found.record.failure);
    REQUIRE(found.record.end == host::End::done);
    for (std::size_t k = 0; k < expected.q.size(); ++k) CHECK(found.q[k] == Approx(expected.q[k]).margin(1e-8));
  }
}

TEST_CASE("a state goes to angles and back unchanged, signs of quaternions included") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const auto system =
        system_from_text(random_model({.seed = seed, .bodies = 8, .loops = static_cast<int>(seed % 2)}));
    const auto solver = solver_for(*system, thompson_formulation(), {{"angles", "zyx"}});
    const std::vector<double> y = initial_vector(*system, *solver);
    State state(system->view());
    REQUIRE(solver->decode(y, state.view()) == Status::ok);
    const ConstStateView initial = system->initial_state();
    for (std::size_t k = 0; k < initial.q.size(); ++k) CHECK(state.q[k] == Approx(initial.q[k]).margin(1e-12));
    for (std::size_t k = 0; k < initial.v.size(); ++k) CHECK(state.v[k] == Approx(initial.v[k]).margin(1e-12));
  }
}

TEST_CASE("gimbal lock ends a run with its joint, its time and a way out, and keeps what was computed") {
  // Pitching at 1 rad/s about the second axis: lock at a right angle, here at t = 1.2707963 less 0.57 degrees.
  const auto system = system_from_text(pitching_ship);
  const Run found = run(*system, {{"angles", "zyx"}}, 2);
  CHECK(found.record.end == host::End::failed);
  INFO(found.record.failure);
  CHECK(found.record.failure.find("gimbal lock") != std::string::npos);
  CHECK(found.record.failure.find("`flight`") != std::string::npos);
  CHECK(found.record.failure.find("t = 1.2") != std::string::npos);
  CHECK(found.record.failure.find("flight=quaternion") != std::string::npos);
  CHECK(found.record.time > 1.1);
  CHECK(found.record.time < 1.28);
  CHECK(!found.q.empty());
  CHECK(run(*system, {}, 2).record.end == host::End::done);
  // Axes along which this motion meets no lock.
  CHECK(run(*system, {{"angles", "yzx"}}, 2).record.end == host::End::done);
}

TEST_CASE("a step that leaps over gimbal lock is noticed") {
  const auto system = system_from_text(pitching_ship);
  const auto solver = solver_for(*system, thompson_formulation(), {{"angles", "zyx"}});
  std::vector<double> y = initial_vector(*system, *solver);
  double t = 0;
  CHECK(!integrate(*solver, y, t, 0.5, 4));
  CHECK(std::string(solver->failure()).find("gimbal lock") != std::string::npos);
}

TEST_CASE("angles that cannot be are refused before anything runs") {
  const auto system = system_from_text(model);
  const auto complaint = [&](const char* angles) { return refusal(*system, {{"angles", angles}}); };
  CHECK(complaint("zy").find("three axes") != std::string::npos);
  CHECK(complaint("zyxx").find("more than three axes") != std::string::npos);
  CHECK(complaint("zzx").find("parallel") != std::string::npos);
  CHECK(complaint("zyq").find("`zyq`") != std::string::npos);
  CHECK(complaint("x (0 0 0) y").find("three axes") != std::string::npos);
  CHECK(complaint("x (0 1) y").find("three axes") != std::string::npos);
  CHECK(complaint("food=zyx").find("no such joint") != std::string::npos);
  CHECK(complaint("=zyx").find("name no joint") != std::string::npos);
  CHECK(complaint("zyx, xyz").find("twice") != std::string::npos);
  CHECK(complaint("zyx, foot=xyz").empty());
}
