// How bodies answer to impulses of contact, and the impulses of problems whose solutions are known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "framework/host/evaluation/solver_ode.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/unilateral/contact_sizes.hpp"
#include "framework/host/unilateral/sparse_response.hpp"
#include "framework/host/unilateral/unilateral_response.hpp"
#include "plugins/integrators/time_stepping/impulse_problem.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;
using time_stepping::ImpulseProblem;
using time_stepping::NormalProblem;

namespace {

/// Two free bodies with centres of mass beside their origins and skew inertia, a pendulum of two links that one of them
/// touches, and a floor.
constexpr const char* touching_bodies = R"(
polyform: 1
gravity: [0, 0, -9.81]
ground: {geometry: [{type: plane}]}
bodies:
  - {name: stone, mass: 2, center_of_mass: [0.03, -0.02, 0.01], position: [0, 0, 0.1],
     orientation: {axis: [1, 2, 3], angle: 0.7},
     inertia: {xx: 0.02, yy: 0.03, zz: 0.04, xy: 0.004, xz: -0.003, yz: 0.002},
     geometry: [{type: sphere, radius: 0.1}]}
  - {name: pebble, mass: 0.5, center_of_mass: [-0.01, 0.02, 0.02], position: [0, 0.2, 0.1],
     orientation: {axis: [3, -1, 2], angle: -1.1},
     inertia: {xx: 0.004, yy: 0.003, zz: 0.002, xy: 0.0003, xz: 0.0002, yz: -0.0001},
     geometry: [{type: sphere, radius: 0.1}]}
  - {name: arm, mass: 1, position: [0.3, 0, 0.3], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: bob, mass: 3, position: [0.2, 0, 0.1], inertia: {xx: 0.01, yy: 0.012, zz: 0.014},
     geometry: [{type: sphere, radius: 0.1}]}
joints:
  - {name: flight, type: free, base: ground, moving: stone, initial: {velocity: [0.1, 0.2, 0.3, 1, -2, 3]}}
  - {name: other, type: free, base: ground, moving: pebble}
  - {name: pivot, type: revolute, base: ground, moving: arm, position: [0.3, 0, 0.5], axis: [0, 1, 0]}
  - {name: elbow, type: revolute, base: arm, moving: bob, position: [0.3, 0, 0.2], axis: [0, 1, 0]}
forces:
  - {name: on floor, type: contact, a: stone, b: ground, law: rigid, friction: {dynamic: 0.3}}
  - {name: beside, type: contact, a: pebble, b: ground, law: rigid, friction: {dynamic: 0.3}}
  - {name: between, type: contact, a: stone, b: pebble, law: rigid, friction: {dynamic: 0.3}}
  - {name: at bob, type: contact, a: stone, b: bob, law: rigid, friction: {dynamic: 0.3}}
)";

/// Points in a row, each of which answers to its neighbours, of which the first is pressed by 1 m/s.
void make_stack(std::size_t count, ImpulseProblem& problem, std::vector<std::size_t>& starts,
                std::vector<std::size_t>& columns, std::vector<double>& blocks) {
  starts.assign(1, 0);
  for (std::size_t p = 0; p < count; ++p) {
    for (const std::size_t q : {p - 1, p, p + 1}) {
      if (q >= count) continue;  // below the lowest, too
      columns.push_back(q);
      blocks.insert(blocks.end(), 9, 0.0);
      blocks[blocks.size() - 9] = q != p ? -1 : p == 0 ? 1 : 2;
    }
    starts.push_back(columns.size());
  }
  problem.points.assign(count, {.has_normal = true, .tangents = 0, .friction = 0});
  problem.b.assign(3 * count, 0.0);
  problem.b[0] = -1;
  problem.take({starts, columns, blocks});
}

}  // namespace

TEST_CASE("free and jointed bodies answer to impulses as the equations of all together say") {
  const auto system = system_from_text(touching_bodies);
  const SystemView& view = system->view();
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::SolverOde ode(*solver, view);
    host::UnilateralSet set(view, 0, system->initial_state(), *solver, host::UnilateralUse::events);
    std::vector<double> y(ode.size());
    host::encode_start(0, *solver, system->initial_state(), std::span(y).first(solver->state_size()));
    set.evaluate(0, y);
    REQUIRE(set.points() == 4);
    std::vector<std::size_t> points(set.points());
    std::iota(points.begin(), points.end(), 0);
    std::vector<double> free;
    for (const std::size_t k : points)
      free.push_back(host::free_response(view, set.frame_of(k, 0), set.frame_of(k, 1)));

    host::UnilateralResponse all(view, set, 0, system->initial_state(), *solver, ode);
    REQUIRE(all.find_base(0, y, std::vector<double>(12)));
    for (std::size_t row = 0; row < 12; ++row) {
      host::UnilateralResponse::Forces force{};
      force[row % 3] = 1;
      all.add_column(row / 3, force);
    }
    REQUIRE(all.find_columns(0, y));

    host::SparseResponse response(view, set, *solver);
    REQUIRE(response.find(0, y, points, free));
    // The rates of one point alone take evaluations, those of its three rows, and one without forces.
    CHECK(response.evaluations() == 4);
    std::vector<double> dense(144);
    for (std::size_t p = 0; p < 4; ++p)
      for (std::size_t e = response.starts()[p]; e < response.starts()[p + 1]; ++e)
        for (std::size_t i = 0; i < 9; ++i)
          dense[12 * (3 * p + i / 3) + 3 * response.columns()[e] + i % 3] = response.blocks()[9 * e + i];
    for (std::size_t row = 0; row < 12; ++row)
      for (std::size_t column = 0; column < 12; ++column) {
        INFO("row " << row << ", column " << column);
        CHECK(dense[12 * row + column] == Approx(all.rate(column, row)).epsilon(1e-9).margin(1e-9));
      }
  }
}

TEST_CASE("impulses without friction carry a stack, and one that nothing presses has none") {
  constexpr std::size_t count = 60;
  ImpulseProblem problem;
  std::vector<std::size_t> starts, columns;
  std::vector<double> blocks;
  make_stack(count, problem, starts, columns, blocks);
  std::vector<double> impulses(3 * count);
  REQUIRE(problem.solve(impulses, 1e-12, 2000));
  // b + W λ = 0: all of them are equal to what presses on the end, times what is left to the free end.
  for (std::size_t p = 0; p < count; ++p)
    CHECK(impulses[3 * p] == Approx(static_cast<double>(count - p)).epsilon(1e-8));
  CHECK(problem.residual() < 1e-10);
  problem.b[0] = 1;
  REQUIRE(problem.solve(impulses, 1e-12, 2000));
  // A residual of 1e-12 leaves impulses of its size times the square of the count at most.
  CHECK(*std::ranges::max_element(impulses) < 1e-12 * count * count);
}

TEST_CASE("rows that say the same share an impulse, and a row without an answer has none") {
  NormalProblem problem;
  problem.clear();
  for (std::size_t p = 0; p < 3; ++p) {
    for (std::size_t q = 0; q < 3; ++q)
      if (q != p) problem.add(q, 2);
    problem.end_row(2);
  }
  problem.end_row(0);
  const std::vector<double> b{-6, -6, -6, -1};
  std::vector<double> impulses(4);
  REQUIRE(problem.solve(b, impulses, 1e-12, 100));
  CHECK(impulses[0] + impulses[1] + impulses[2] == Approx(3).epsilon(1e-12));
  CHECK(impulses[3] == 0);
}

TEST_CASE("a body on many points with friction is held, or slides with all that friction has") {
  // A block of 1 kg on four corners at (±1, ±1), which moves without turning: all points answer alike.
  constexpr std::size_t count = 4;
  ImpulseProblem problem;
  std::vector<std::size_t> starts{0}, columns;
  std::vector<double> blocks;
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t q = 0; q < count; ++q) {
      columns.push_back(q);
      for (std::size_t i = 0; i < 9; ++i) blocks.push_back(i % 4 == 0 ? 1 : 0);
    }
    starts.push_back(columns.size());
  }
  constexpr double friction = 0.5, weight = 2;
  problem.points.assign(count, {.has_normal = true, .tangents = 2, .friction = friction});
  problem.take({starts, columns, blocks});
  std::vector<double> impulses(3 * count), rates(3 * count);
  for (const double push : {0.9, 3.0}) {
    problem.b.clear();
    for (std::size_t p = 0; p < count; ++p) problem.b.insert(problem.b.end(), {-weight, 0.6 * push, 0.8 * push});
    REQUIRE(problem.solve(impulses, 1e-12, 2000));
    problem.find_rates(impulses, rates);
    double normal = 0;
    for (std::size_t p = 0; p < count; ++p) normal += impulses[3 * p];
    CHECK(normal == Approx(weight).epsilon(1e-10));
    const double left = std::max(0.0, push - friction * weight);
    for (std::size_t p = 0; p < count; ++p) {
      CHECK(std::abs(rates[3 * p + 1] - 0.6 * left) < 1e-10);
      CHECK(std::abs(rates[3 * p + 2] - 0.8 * left) < 1e-10);
    }
  }
}
