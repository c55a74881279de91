// How redundant rows share what they carry, and which of them hold: a box on four points, by hand.
#include <catch2/catch.hpp>

#include <Eigen/Dense>
#include <cmath>

#include "framework/host/unilateral/active_set.hpp"

using namespace polyform;
using namespace polyform::host;

namespace {

constexpr double weight = 10, coefficient = 0.5;

/// A box of 1 kg, 0.4 m × 0.4 m × 0.2 m, on its four lower corners, turned about their normal. force: at its mass
/// centre; moment: about the normal.
ConeProblem box_on_corners(double turned, const Eigen::Vector3d& force, double moment = 0) {
  Eigen::MatrixXd rows(12, 6);
  Eigen::Index row = 0;
  for (const double x : {-0.2, 0.2})
    for (const double y : {-0.2, 0.2}) {
      const Eigen::Vector3d arm(x * std::cos(turned) - y * std::sin(turned),
                                x * std::sin(turned) + y * std::cos(turned), -0.1);
      for (const Eigen::Vector3d& d : {Eigen::Vector3d(0, 0, 1), Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 1, 0)})
        rows.row(row++) << d.transpose(), arm.cross(d).transpose();
    }
  Eigen::VectorXd inverse(6), acceleration(6);
  inverse << 1, 1, 1, 50, 50, 50;
  acceleration << force, 0, 0, inverse[5] * moment;
  ConeProblem problem;
  problem.W = rows * inverse.asDiagonal() * rows.transpose();
  problem.b = rows * acceleration;
  for (int p = 0; p < 4; ++p) {
    problem.points.emplace_back();
    problem.points.back().friction = coefficient;
  }
  return problem;
}

struct Shared {
  Eigen::VectorXd forces;
  bool is_unique;
};
/// With all points at rest.
Shared shared(const ConeProblem& problem) {
  const Eigen::Index n = problem.b.size();
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = 1 / std::sqrt(problem.W(i, i));
  const Eigen::MatrixXd G = scale.asDiagonal() * problem.W * scale.asDiagonal();
  const Eigen::VectorXd r = -(scale.asDiagonal() * problem.b);
  std::vector<ForceShares::Limits> limits;
  for (Eigen::Index i = 0; i < n; i += 3) limits.push_back({i, {i + 1, i + 2}, coefficient});
  ForceShares shares;
  Eigen::VectorXd x(n);
  REQUIRE(shares.solve(G, r, scale, limits, x));
  return {scale.asDiagonal() * x, shares.is_unique()};
}

double room_of(const Eigen::VectorXd& forces, Eigen::Index point) {
  return coefficient * forces[3 * point] - std::hypot(forces[3 * point + 1], forces[3 * point + 2]);
}

}  // namespace

TEST_CASE("a box that friction can hold finds a share within the cones of all corners, up to the limit") {
  for (const double turned : {0.0, 0.7, 1.3})
    for (const double part : {0.0, 0.5, 0.98, 0.999999}) {
      INFO(turned << " " << part);
      const ConeProblem problem = box_on_corners(turned, {part * coefficient * weight, 0, -weight});
      const Shared found = shared(problem);
      CHECK_FALSE(found.is_unique);
      CHECK((problem.b + problem.W * found.forces).norm() < 1e-11);
      double pressed = 0;
      for (Eigen::Index p = 0; p < 4; ++p) {
        pressed += found.forces[3 * p];
        CHECK(room_of(found.forces, p) > 0);
      }
      CHECK(pressed == Approx(weight).epsilon(1e-12));
    }
}

// All friction together is at most μ times the weight: at that load each corner is at its limit.
TEST_CASE("at the limit of a box all corners are at theirs, and beyond it all are beyond") {
  for (const double turned : {0.0, 0.7}) {
    const Shared at = shared(box_on_corners(turned, {coefficient * weight, 0, -weight}));
    for (Eigen::Index p = 0; p < 4; ++p) CHECK(std::abs(room_of(at.forces, p)) < 1e-8 * weight);
    const Shared beyond = shared(box_on_corners(turned, {1.01 * coefficient * weight, 0, -weight}));
    for (Eigen::Index p = 0; p < 4; ++p) CHECK(room_of(beyond.forces, p) == Approx(-0.0125).epsilon(1e-3));
  }
}

TEST_CASE("the modes of a box end: it sticks below the limit, and all corners slip beyond") {
  for (const double turned : {0.0, 0.7}) {
    for (const double part : {0.0, 0.9, 0.98, 0.99999}) {
      INFO(turned << " " << part);
      ActiveSet set(box_on_corners(turned, {part * coefficient * weight, 0, -weight}),
                    std::vector<ActiveSet::Point>(4, {.sliding = coefficient}));
      REQUIRE(set.find());
      for (const ActiveSet::Point& point : set.points()) CHECK(point.mode == UnilateralMode::stick);
    }
    ActiveSet set(box_on_corners(turned, {1.1 * coefficient * weight, 0, -weight}),
                  std::vector<ActiveSet::Point>(4, {.sliding = coefficient}));
    REQUIRE(set.find());
    for (const ActiveSet::Point& point : set.points()) {
      CHECK(point.mode == UnilateralMode::slip);
      CHECK(point.direction[0] == Approx(1).epsilon(1e-6));
    }
  }
}

TEST_CASE("a corner that lets go leaves the others as they were, and a box that is lifted opens") {
  ActiveSet lifted(box_on_corners(0, {0, 0, 1}), std::vector<ActiveSet::Point>(4, {.sliding = coefficient}));
  REQUIRE(lifted.find());
  for (const ActiveSet::Point& point : lifted.points()) CHECK(point.mode == UnilateralMode::open);
  std::vector<ActiveSet::Point> stuck(4, {.sliding = coefficient, .mode = UnilateralMode::stick});
  ActiveSet pulled(box_on_corners(0, {0, 0, -weight}), stuck);
  pulled.fire(2, ActiveSet::Event::pulls);
  REQUIRE(pulled.find());
  std::size_t closed = 0;
  for (const ActiveSet::Point& point : pulled.points()) closed += point.mode == UnilateralMode::stick ? 1 : 0;
  CHECK(closed == 3);
}

namespace {

/// The modes after a corner of boxes that stick has lost its grip.
std::vector<ActiveSet::Point> after_grip_of(const ConeProblem& problem, std::size_t corner) {
  ActiveSet set(problem, std::vector<ActiveSet::Point>(problem.points.size(),
                                                       {.sliding = coefficient, .mode = UnilateralMode::stick}));
  set.fire(corner, ActiveSet::Event::grips);
  REQUIRE(set.find());
  return set.points();
}

ConeProblem beside_each_other(const ConeProblem& one, const ConeProblem& other) {
  ConeProblem both = one;
  const Eigen::Index n = one.b.size(), m = other.b.size();
  both.W.setZero(n + m, n + m);
  both.W.topLeftCorner(n, n) = one.W;
  both.W.bottomRightCorner(m, m) = other.W;
  both.b.resize(n + m);
  both.b << one.b, other.b;
  both.points.insert(both.points.end(), other.points.begin(), other.points.end());
  return both;
}

}  // namespace

TEST_CASE("corners that hold a box together break away together, along the pull whichever gives way first") {
  for (const double turned : {0.0, 0.7})
    for (std::size_t corner = 0; corner < 4; ++corner) {
      INFO(turned << " " << corner);
      const auto points = after_grip_of(box_on_corners(turned, {0, 1.0001 * coefficient * weight, -weight}), corner);
      for (const ActiveSet::Point& point : points) {
        CHECK(point.mode == UnilateralMode::slip);
        CHECK(point.guided);
        CHECK(point.direction[0] == Approx(0).margin(1e-3));
        CHECK(point.direction[1] == Approx(1).epsilon(1e-6));
      }
    }
}

// The friction of all corners holds μ times the weight times their distance from the middle.
TEST_CASE("corners of a box that is turned break away around its middle") {
  const double distance = 0.2 * std::sqrt(2.0), most = coefficient * weight * distance;
  for (const double turned : {0.0, 0.7}) {
    const auto points = after_grip_of(box_on_corners(turned, {0, 0, -weight}, 1.001 * most), 1);
    for (std::size_t p = 0; p < 4; ++p) {
      INFO(turned << " " << p);
      const double x = p < 2 ? -0.2 : 0.2, y = p % 2 == 0 ? -0.2 : 0.2;
      const double across[2] = {x * std::cos(turned) - y * std::sin(turned),
                                x * std::sin(turned) + y * std::cos(turned)};
      CHECK(points[p].mode == UnilateralMode::slip);
      CHECK(points[p].direction[0] == Approx(-across[1] / distance).margin(1e-3));
      CHECK(points[p].direction[1] == Approx(across[0] / distance).margin(1e-3));
    }
  }
}

TEST_CASE("a box beside one that breaks away goes on sticking") {
  const ConeProblem pulled = box_on_corners(0, {1.0001 * coefficient * weight, 0, -weight}),
                    near_limit = box_on_corners(0, {0.999 * coefficient * weight, 0, -weight});
  const auto points = after_grip_of(beside_each_other(near_limit, pulled), 5);
  for (std::size_t p = 0; p < 8; ++p) CHECK(points[p].mode == (p < 4 ? UnilateralMode::stick : UnilateralMode::slip));
}

// A row of n carriages between springs, in closed form: G is 2 on the diagonal and −1 beside it, and with r = 1
// everywhere x_k = k (n + 1 − k)/2. What is at the end of the row twice shares its part.
TEST_CASE("many rows are solved as few are, and rows that depend on others are found among them") {
  for (const Eigen::Index n : {8, 23, 24, 60, 150}) {
    INFO(n);
    Eigen::MatrixXd G = 2 * Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index i = 1; i < n; ++i) G(i, i - 1) = G(i - 1, i) = -1;
    Eigen::VectorXd r = Eigen::VectorXd::Ones(n), x(n);
    ForceShares shares;
    REQUIRE(shares.solve_least(G, r, x));
    CHECK(shares.is_unique());
    CHECK(shares.null_space().cols() == 0);
    for (Eigen::Index i = 0; i < n; ++i)
      CHECK(x[i] == Approx(0.5 * static_cast<double>((i + 1) * (n - i))).epsilon(1e-11));
    Eigen::MatrixXd twice(n + 1, n + 1);
    twice.topLeftCorner(n, n) = G;
    twice.col(n).head(n) = G.col(n - 1);
    twice.row(n) = twice.row(n - 1).eval();
    Eigen::VectorXd more = Eigen::VectorXd::Ones(n + 1), y(n + 1);
    REQUIRE(shares.solve_least(twice, more, y));
    CHECK_FALSE(shares.is_unique());
    REQUIRE(shares.null_space().cols() == 1);
    CHECK(y[n - 1] == Approx(0.5 * x[n - 1]).epsilon(1e-9));
    CHECK(y[n] == Approx(0.5 * x[n - 1]).epsilon(1e-9));
  }
}
