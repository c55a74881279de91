// The second reduction, by itself and in mechanisms.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "framework/host/simulation/simulate.hpp"
#include "second_reduction.hpp"
#include "tests/support/integrators.hpp"
#include "tests/thompson/bench.hpp"

using namespace polyform;
using namespace polyform::test;
using thompson::SecondReduction;

namespace {

/// Four-bars side by side that share their verticals.
std::string ladder(int cells) {
  std::string bodies, joints;
  const auto rod = [&](const std::string& name, double px, double py, bool upright) {
    bodies += fmt::format(
        "  - {{name: {}, position: [{}, {}, 0], mass: 1, center_of_mass: [{}, {}, 0], inertia: {{xx: 0.08, yy: 0.08, "
        "zz: 0.0833}}}}\n",
        name, px, py, upright ? 0 : 0.5, upright ? 0.5 : 0);
  };
  const auto pin = [&](const std::string& base, const std::string& moving, double px, double py,
                       const char* more = "") {
    joints += fmt::format(
        "  - {{name: {}_{}, type: revolute, base: {}, moving: {}, position: [{}, {}, 0], axis: [0, 0, 1]{}}}\n", base,
        moving, base, moving, px, py, more);
  };
  rod("v0", 0, 0, true);
  pin("ground", "v0", 0, 0, ", initial: {velocity: -0.7}");
  for (int k = 0; k < cells; ++k) {
    const std::string before = fmt::format("v{}", k), vertical = fmt::format("v{}", k + 1), top = fmt::format("h{}", k);
    rod(vertical, k + 1, 0, true);
    rod(top, k, 1, false);
    pin("ground", vertical, k + 1, 0);
    pin(before, top, k, 1);
    pin(top, vertical, k + 1, 1);
  }
  return "polyform: 1\ngravity: [0, -9.81, 0]\nbodies:\n" + bodies + "joints:\n" + joints;
}

host::RunRecord run(const host::System& system, const SolverOptions& options, double step, double duration) {
  const auto solver = solver_for(system, thompson_formulation(), options);
  host::RunSettings settings = test::run_settings("rk4");
  settings.step = step;
  settings.duration = settings.output_interval = duration;
  return host::simulate(system, *solver, settings, {}, {});
}

/// The coordinates and velocities of the joints in the last row.
struct LastJoints final : host::RowSink {
  std::vector<double> q, v;
  void row(double, const Observation& seen) override {
    q.assign(seen.q.begin(), seen.q.end());
    v.assign(seen.v.begin(), seen.v.end());
  }
};

}  // namespace

TEST_CASE("the second reduction finds all velocities that rows leave, and the multipliers of forces along the rows") {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 50; ++trial) {
    INFO("trial " << trial);
    constexpr std::size_t coordinates = 20;
    std::vector<SecondReduction::Group> groups;
    for (int g = 0; g < 4; ++g) {
      SecondReduction::Group group{3, {}};
      for (std::size_t c = 0; c < coordinates; ++c)
        if (number(generator) > -0.2) group.columns.push_back(c);
      groups.push_back(group);
    }
    groups.push_back(groups[1]);  // rows that depend on those of another group
    SecondReduction reduction;
    reduction.analyze(coordinates, groups);
    const std::size_t rows = reduction.rows();
    std::vector<std::vector<double>> J(rows, std::vector<double>(coordinates));
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t k = 0; k < groups[g].columns.size(); ++k)
          reduction.row(g, r)[k] =
              g < 4 ? number(generator) : reduction.row(1, r)[k] - 2 * reduction.row(1, (r + 1) % 3)[k];
        for (std::size_t k = 0; k < groups[g].columns.size(); ++k)
          J[reduction.first_row(g) + r][groups[g].columns[k]] = reduction.row(g, r)[k];
        reduction.set_scale(g, r, 1);
      }
    reduction.eliminate(true);
    CHECK(reduction.independent().size() == coordinates - 12);
    std::size_t left_out = 0;
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t r = 0; r < 3; ++r) left_out += reduction.left_out(g) >> r & 1;
    CHECK(left_out == 3);
    // J Z = 0.
    std::vector<double> moved(coordinates);
    for (const std::size_t c : reduction.independent()) moved[c] = number(generator);
    reduction.extend(moved.data());
    for (const auto& row : J) {
      double sum = 0;
      for (std::size_t c = 0; c < coordinates; ++c) sum += row[c] * moved[c];
      CHECK(std::abs(sum) < 1e-11);
    }
    // J of a particular solution, where the right-hand sides fit.
    std::vector<double> wanted(coordinates), right(rows), particular(coordinates);
    for (double& w : wanted) w = number(generator);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < coordinates; ++c) right[r] += J[r][c] * wanted[c];
    reduction.particular(right.data(), particular.data());
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = -right[r];
      for (std::size_t c = 0; c < coordinates; ++c) sum += J[r][c] * particular[c];
      CHECK(std::abs(sum) < 1e-10);
    }
    // Forces along the rows do no work on Z, and their multipliers make them up.
    std::vector<double> force(coordinates), folded, lambda(rows), again(coordinates);
    for (std::size_t r = 0; r < rows; ++r) {
      const double f = number(generator);
      for (std::size_t c = 0; c < coordinates; ++c) force[c] += f * J[r][c];
    }
    folded = force;
    reduction.fold(folded.data());
    for (const std::size_t c : reduction.independent()) CHECK(std::abs(folded[c]) < 1e-10);
    folded = force;
    reduction.multipliers(folded.data(), lambda.data());
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < coordinates; ++c) again[c] += lambda[r] * J[r][c];
    for (std::size_t c = 0; c < coordinates; ++c) CHECK(std::abs(again[c] - force[c]) < 1e-10);
  }
}

TEST_CASE("a ladder of 120 four-bars runs and keeps its energy and its loops") {
  const auto system = system_from_text(ladder(120));
  REQUIRE(system->view().cut_joints().size() == 120);
  CHECK(difference(observe(*system, *solver_for(*system, formulation_named("riccati")))->now(),
                   observe_with(*system, {})->now())
            .acceleration < 1e-9);
  const host::RunRecord record = run(*system, {}, 2e-3, 0.4);
  INFO(record.failure);
  CHECK(record.end == host::End::done);
  CHECK(record.energy_drift < 1e-8);
  CHECK(record.constraint_violation < 1e-10);
}

TEST_CASE("every construction keeps the energy of trees and loops, and without correction the loops drift") {
  for (const char* name : {"vehicle", "planar_3rrr", "bricard", "triple_spherical_pendulum"}) {
    const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
    for (const SolverOptions& options : variants()) {
      INFO(name << ", " << text_of(options));
      if (!refusal(*system, options).empty()) continue;
      const host::RunRecord record = run(*system, options, 1e-3, 0.1);
      INFO(record.failure);
      CHECK(record.end == host::End::done);
      if (record.conservative) CHECK(record.energy_drift < 1e-7);
      CHECK(record.constraint_violation < 1e-10);
    }
  }
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/planar_3rrr.yaml");
  CHECK(run(*system, {{"correction", "none"}}, 1e-2, 1).constraint_violation > 1e-11);
}

TEST_CASE("what the implicit forms cannot carry is refused, with the reason") {
  const auto large = system_from_text(ladder(120));
  CHECK(refusal(*large, {{"form", "implicit-1"}}).find("dense in all unknowns") != std::string::npos);
  const auto chain = system_from_file(std::string(POLYFORM_MODELS) + "/chain_1000.yaml");
  CHECK(refusal(*chain, {{"form", "implicit-1"}}).find("holds H2 itself") != std::string::npos);
  CHECK(refusal(*chain, {{"form", "implicit-2"}}).empty());
}

TEST_CASE("the implicit forms carry bodies without mass or inertia, which Eqs 20 and 21 do not divide by") {
  // The paper's point mass on a massless rod, a frame without mass between two bodies, and a loop with one.
  const char* const models[] = {R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: b, mass: 1.5, center_of_mass: [0, 0, -0.7], inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: p, type: revolute, base: ground, moving: b, position: [0, 0, 0], axis: [0, 1, 0], initial: {position: 0.4, velocity: 2}}
)",
                                R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: fuselage, mass: 900, center_of_mass: [0.1, 0, 0], inertia: {xx: 300, yy: 900, zz: 800}}
  - {name: hub, position: [0, 0, 1], mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
  - {name: blade, position: [0.2, 0, 1], mass: 20, center_of_mass: [2, 0, 0], inertia: {xx: 0, yy: 30, zz: 30}}
joints:
  - {name: flight, type: free, base: ground, moving: fuselage, initial: {velocity: [1, 2, 3, 0.1, 0.2, 0.3]}}
  - {name: shaft, type: revolute, base: fuselage, moving: hub, position: [0, 0, 1], axis: [0, 0, 1], initial: {position: 0.3, velocity: 20}}
  - {name: flap, type: revolute, base: hub, moving: blade, position: [0.2, 0, 1], axis: [0, 1, 0], initial: {position: -0.1, velocity: 1}}
)"};
  for (const char* model : models) {
    const auto system = system_from_text(model);
    const auto expected = observe(*system, *solver_for(*system, formulation_named("cartesian")));
    for (const SolverOptions& options : variants()) {
      INFO(text_of(options));
      const Difference d = difference(expected->now(), observe_with(*system, options)->now());
      CHECK(d.acceleration < 1e-11);
      CHECK(d.reaction < 1e-11);
    }
  }
  const auto shaft = system_from_file(std::string(POLYFORM_MODELS) + "/cardan_shaft.yaml");
  const auto expected = observe_with(*shaft, {});
  for (const SolverOptions& options : variants()) {
    INFO(text_of(options));
    CHECK(difference(expected->now(), observe_with(*shaft, options)->now()).acceleration < 1e-9);
  }
}

TEST_CASE("a joint that moves no inertia is named, by every construction") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0.1], inertia: {xx: 0.01, yy: 0.1, zz: 0.1}}
  - {name: bead, position: [1, 0, 0], mass: 0, center_of_mass: [0, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: a, type: spherical, base: ground, moving: rod, position: [0, 0, 0]}
  - {name: b, type: revolute, base: rod, moving: bead, position: [1, 0, 0], axis: [0, 1, 0]}
)");
  for (const SolverOptions& options : variants()) {
    INFO(text_of(options));
    const auto solver = solver_for(*system, thompson_formulation(), options);
    std::vector<double> y = initial_vector(*system, *solver), rate(y.size());
    CHECK(solver->derivative(0, y, rate) == Status::failed);
    CHECK(std::string(solver->failure()).find("joint `b` moves body `bead` without any inertia") != std::string::npos);
  }
}

TEST_CASE("a cross whose point lies on both shafts locks what it would lock by rounding alone") {
  // Its force has no lever about either shaft: the three rows on the point are zero but for rounding, also where the
  // joint of a shaft stands far from the cross. What is left is tan q2 = cos(angle) tan q1, and the energy.
  const double c = std::cos(0.5), s = std::sin(0.5);
  for (const double away : {1e-3, 1.0, 1e3})
    for (const bool swapped : {false, true}) {
      const auto system = system_from_text(fmt::format(
          "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
          "  - {{name: s1, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n"
          "  - {{name: s2, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\njoints:\n"
          "  - {{name: j1, type: revolute, base: ground, moving: s1, position: [{0}, 0, 0], axis: [1, 0, 0], initial: "
          "{{velocity: 2}}}}\n"
          "  - {{name: j2, type: revolute, base: ground, moving: s2, position: [{1}, {2}, 0], axis: [{3}, {4}, 0]}}\n"
          "  - {{name: u, type: universal, base: {5}, moving: {6}, position: [0, 0, 0], axis: {7}, axis2: {8}}}\n",
          -away, away * c, away * s, c, s, swapped ? "s2" : "s1", swapped ? "s1" : "s2",
          swapped ? fmt::format("[{}, {}, 0]", -s, c) : "[0, 0, 1]",
          swapped ? "[0, 0, 1]" : fmt::format("[{}, {}, 0]", -s, c)));
      std::vector<SolverOptions> all = variants();
      all.emplace_back();
      for (const SolverOptions& options : all) {
        INFO(away << " m, " << (swapped ? "swapped, " : "") << text_of(options));
        const auto solver = solver_for(*system, thompson_formulation(), options);
        host::RunSettings settings = test::run_settings("rk4");
        settings.step = 2e-3;
        settings.duration = settings.output_interval = 1;
        LastJoints last;
        host::RowSink* sinks[] = {&last};
        const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
        INFO(record.failure);
        REQUIRE(record.end == host::End::done);
        CHECK(std::abs(last.q[1] - std::atan2(c * std::sin(last.q[0]), std::cos(last.q[0]))) < 1e-11);
        CHECK(std::abs(last.v[0] * last.v[0] + last.v[1] * last.v[1] - 4 * (1 + c * c)) < 1e-8);
      }
    }
}
