#include <catch2/catch.hpp>

#include "mechanisms.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

struct Turn {
  double angle, rate;
};

/// A pendulum θ̈ = −factor g cos θ integrated on its own (Nyström's method): parallelograms in disguise.
Turn swing(double angle, double rate, double factor, double duration) {
  const auto f = [factor](double x) { return -9.81 * factor * std::cos(x); };
  const double h = 1e-4;
  for (long i = 0; i < std::lround(duration / h); ++i) {
    const double a1 = f(angle), a2 = f(angle + 0.5 * h * rate + 0.125 * h * h * a1);
    const double a3 = f(angle + h * rate + 0.5 * h * h * a2);
    angle += h * rate + h * h / 6 * (a1 + 2 * a2);
    rate += h / 6 * (a1 + 4 * a2 + a3);
  }
  return {angle, rate};
}

}  // namespace

TEST_CASE("a four-bar crosses its singular position on its branch", "[cartesian]") {
  HandBuilt m({0, -9.81, 0});
  build_four_bar(m);
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  std::vector<double> y = encoded(*solver, State(view));
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 1e-3, 1500));  // the links line up at 0.538 s and once more
  // 5/3 θ̈ = −2 g cos θ
  const Turn end = swing(std::numbers::pi / 3, 0, 2 / (5.0 / 3), 1.5);
  Observed o(view);
  REQUIRE(solver->observe(t, y, o.observation) == Status::ok);
  CHECK(o.bodies[0].angular_velocity.z == Approx(end.rate).margin(1e-7));
  CHECK(o.bodies[1].pose.position.x == Approx(std::cos(end.angle)).margin(1e-8));
  CHECK(o.bodies[1].pose.position.y == Approx(std::sin(end.angle)).margin(1e-8));
  CHECK(o.observation.position_violation < 1e-12);
}

TEST_CASE("Bennett's linkage, spatial and overconstrained, keeps the order of the integrator", "[cartesian]") {
  // Four revolute joints; the common normals of neighbouring axes are a, b, a, b long and the axes twisted by α, β, α,
  // β, with sin α / a = sin β / b. A count of freedoms says −2, yet it moves.
  const double a = 1, b = 0.8, alpha = 0.7, beta = std::asin(std::sin(alpha) * b / a), first = 1.0;
  const double second =
      2 * std::atan(std::sin(0.5 * (beta + alpha)) / std::sin(0.5 * (beta - alpha)) / std::tan(first / 2));
  const double length[] = {a, b, a, b}, twist[] = {alpha, beta, alpha, beta},
               angle[] = {first, second, -first, -second};
  HandBuilt m({0.3, -9.81, 2});
  Mat3 R = Mat3::identity();
  Vec3 p;
  std::vector<Vec3> corners, axes;
  for (std::size_t i = 0; i < 4; ++i) {
    corners.push_back(p);
    axes.push_back(R.column(2));
    R = R * axis_rotation(z_axis, std::cos(angle[i]), std::sin(angle[i]));
    if (i < 3)
      m.add_body(std::string(1, "abc"[i]), {quaternion_of(R), p}, 1, {0.5 * length[i], 0.1, 0},
                 {0.02, 0.09, 0.08, 0, 0, 0});
    p += length[i] * R.column(0);
    R = R * axis_rotation({1, 0, 0}, std::cos(twist[i]), std::sin(twist[i]));
  }
  REQUIRE(norm(p) < 1e-14);
  m.revolute("1", ground, BodyIndex{0}, corners[0], axes[0]);
  m.revolute("2", BodyIndex{0}, BodyIndex{1}, corners[1], axes[1]);
  m.revolute("3", BodyIndex{1}, BodyIndex{2}, corners[2], axes[2]);
  m.revolute("4", BodyIndex{2}, ground, corners[3], axes[3]);
  const SystemView& view = m.view();
  SolverPointer solver = make_cartesian(view);
  const std::vector<double> start = encoded(*solver, State(view));
  const double before = energy(*solver, view, 0, start);
  double drift[2], reached[2];
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> y = start;
    double t = 0;
    REQUIRE(integrate(*solver, y, t, k == 0 ? 4e-3 : 2e-3, k == 0 ? 500 : 1000));
    drift[k] = std::abs(energy(*solver, view, t, y) - before);
    State state(view);
    REQUIRE(solver->decode(y, state.view()) == Status::ok);
    reached[k] = state.q[0];
  }
  CHECK(drift[1] < 1e-6);
  CHECK(drift[0] / drift[1] > 12);
  CHECK(reached[0] == Approx(reached[1]).margin(2e-6));
}

TEST_CASE("a ladder of four-bars crosses its singular position on its branch", "[cartesian]") {
  // Verticals in preorder with the horizontals that they carry; every horizontal is cut from the next vertical. All
  // verticals turn together, all horizontals translate: one pendulum again.
  const std::size_t n = 6;
  HandBuilt m({0, -9.81, 0});
  std::vector<BodyIndex> verticals, horizontals;
  for (std::size_t i = 0; i <= n; ++i) {
    const double x = static_cast<double>(i);
    verticals.push_back(add_rod(m, "v", {x, 0, 0}, std::numbers::pi / 2));
    if (i < n) horizontals.push_back(add_rod(m, "h", {x, 1, 0}, 0));
  }
  for (std::size_t i = 0; i <= n; ++i) {
    const double x = static_cast<double>(i);
    m.revolute("pin", ground, verticals[i], {x, 0, 0}, z_axis);
    if (i < n) m.revolute("left", verticals[i], horizontals[i], {x, 1, 0}, z_axis);
  }
  for (std::size_t i = 0; i < n; ++i)
    m.revolute("right", horizontals[i], verticals[i + 1], {static_cast<double>(i + 1), 1, 0}, z_axis);
  const SystemView& view = m.view();
  State state(view);
  for (const JointData& joint : view.joints) state.v[joint.v_offset] = joint.name == "left" ? 1 : -1;
  SolverPointer solver = make_cartesian(view);
  std::vector<double> y = encoded(*solver, state);
  double t = 0;
  REQUIRE(integrate(*solver, y, t, 1e-3, 1000));
  // (7/3 + 6) θ̈ = −(7/2 + 6) g cos θ
  const Turn end = swing(std::numbers::pi / 2, -1, (3.5 + 6) / (7.0 / 3 + 6), 1.0);
  Observed o(view);
  REQUIRE(solver->observe(t, y, o.observation) == Status::ok);
  for (const BodyIndex v : verticals) CHECK(o.bodies[at(v)].angular_velocity.z == Approx(end.rate).margin(1e-7));
  for (const BodyIndex h : horizontals) {
    CHECK(std::abs(o.bodies[at(h)].angular_velocity.z) < 1e-7);
    CHECK(o.bodies[at(h)].pose.position.y == Approx(std::sin(end.angle)).margin(1e-8));
  }
}
