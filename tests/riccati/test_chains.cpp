// Elements and Algorithm A in space and in the plane.
#include <catch2/catch.hpp>

#include "paper/branch.hpp"
#include "tests/riccati/planar_rods.hpp"

using namespace polyform;
using namespace polyform::riccati::paper;
using polyform::test::Pin;
using polyform::test::Rod;

namespace {

class RandomBodies {
 public:
  explicit RandomBodies(unsigned seed) : random_(seed) {}
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3 vector() { return {number(-1, 1), number(-1, 1), number(-1, 1)}; }
  /// A body whose ends lie well apart, mass centre between them: Eq 10 then exists.
  RigidBody body() {
    RigidBody b;
    b.mass = number(1, 2);
    b.r_IO = {number(0.8, 1), number(-0.3, 0.3), number(-0.3, 0.3)};
    b.r_IC = 0.5 * b.r_IO;
    b.J_I = inertia_about(b.mass, b.r_IC, {0.01, 0.02, 0.03, 0.001, 0, 0});
    b.Omega = vector();
    b.f_C = vector();
    b.m_C = vector();
    return b;
  }
  std::vector<Matrix> matrices(int count) {
    std::vector<Matrix> all;
    for (int i = 0; i < count; ++i) all.push_back(transfer_matrix(body()));
    return all;
  }

 private:
  std::mt19937 random_;
};

Matrix rod_matrix(const Rod& rod) { return reduce_to_plane(transfer_matrix(rod.body())); }
std::vector<Matrix> matrices(const std::vector<Rod>& rods) {
  std::vector<Matrix> all;
  for (const Rod& rod : rods) all.push_back(rod_matrix(rod));
  return all;
}

/// Bodies with ball hinges between them.
std::vector<Element> hinged(const Layout& layout, const std::vector<Matrix>& bodies) {
  std::vector<Element> elements;
  for (const Matrix& U : bodies) {
    if (!elements.empty()) elements.push_back({ball_hinge(layout, U), true});
    elements.push_back({U, false});
  }
  return elements;
}

}  // namespace

TEST_CASE("Eqs 3 to 5: a body's transfer matrix is Newton's and Euler's law about the mass centre") {
  RandomBodies random(1);
  for (int i = 0; i < 20; ++i) {
    const RigidBody b = random.body();
    const Vec3 r_I = random.vector(), alpha = random.vector(), m_I = random.vector(), q_I = random.vector();
    Eigen::Matrix<double, 13, 1> z;
    z << to_eigen(r_I), to_eigen(alpha), to_eigen(m_I), to_eigen(q_I), 1;
    const Eigen::Matrix<double, 13, 1> out = transfer_matrix(b) * z;
    const auto at = [&](const Vec3& r) { return r_I + cross(alpha, r) + cross(b.Omega, cross(b.Omega, r)); };
    const Vec3 m_O{out[6], out[7], out[8]}, q_O{out[9], out[10], out[11]};
    CHECK(norm(Vec3{out[0], out[1], out[2]} - at(b.r_IO)) < 1e-13);
    CHECK(norm(b.mass * at(b.r_IC) - (b.f_C + q_I - q_O)) < 1e-13);
    const Mat3 J_C = b.J_I - b.mass * unit_mass_inertia(b.r_IC).full();
    const Vec3 moment = b.m_C - m_I + m_O - cross(b.r_IC, q_I) - cross(b.r_IO - b.r_IC, q_O);
    CHECK(norm(J_C * alpha + cross(b.Omega, J_C * b.Omega) - moment) < 1e-13);
  }
}

TEST_CASE("Eq 8: further inputs of a body act like massless links to the first") {
  RandomBodies random(2);
  const RigidBody b = random.body();
  const std::vector<Vec3> others{random.vector(), random.vector()};
  const Matrix U = multi_input_transfer_matrix(b, others);
  CHECK((U.leftCols(12) - transfer_matrix(b).leftCols(12)).norm() == 0);
  for (Index j = 0; j < 2; ++j) {
    RigidBody link;
    link.r_IO = b.r_IO - others[static_cast<std::size_t>(j)];
    CHECK((U.block(6, space.m(j + 1), 6, 6) - transfer_matrix(link).block(6, 6, 6, 6)).norm() < 1e-14);
  }
}

TEST_CASE("Eq 10 is what a hinge with any motion subspace gives for three rotations") {
  RandomBodies random(3);
  for (int i = 0; i < 10; ++i) {
    const Matrix13 U = transfer_matrix(random.body());
    HingeMotion ball;
    ball.H = Columns::Zero(6, 3);
    ball.H.bottomRows<3>().setIdentity();
    ball.effort = Effort::Zero(3);
    ball.bias.tail<3>() = to_eigen(random.vector());  // no matter: Ω̇ behind the hinge comes from the moment row
    GeneralHinge general;
    REQUIRE(general.set(ball, U, ball));
    const Matrix expected = ball_hinge(space, U);
    CHECK((general.U - expected).norm() < 1e-12 * expected.norm());
  }
}

TEST_CASE("Algorithm A: a pendulum of rods, free tip and pinned root") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    test::RandomRods random(seed);
    std::vector<Rod> rods{random(), random(), random()};
    rods[1].angle = rods[0].angle + random.uniform(-1, 1);  // away from the zeros of P's determinant, as in Eq 46
    rods[2].angle = rods[1].angle + random.uniform(-1, 1);
    std::vector<Pin> pins{{0, Rod::a, 1, -Rod::a}, {1, Rod::a, 2, -Rod::a}, {2, Rod::a}};
    test::solve(rods, pins);
    const Chain chain(plane, Boundary::free, hinged(plane, matrices(rods)));
    const auto z_b = chain.root(Boundary::pinned);
    REQUIRE(z_b.has_value());
    const std::vector<Vector> z = chain.states(*z_b);
    REQUIRE(z.size() == 6);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK((z[2 * i + 1] - test::planar_state(rods[i], Rod::a, -pins[i].force)).norm() < 1e-8 * z[2 * i + 1].norm());
    }
  }
}

TEST_CASE("Algorithm A: pinned tip and free root, and pinned at both ends") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    test::RandomRods random(seed);
    std::vector<Rod> rods{random(), random(), random()};
    rods[1].angle = rods[0].angle + random.uniform(-1, 1);
    rods[2].angle = rods[1].angle + random.uniform(-1, 1);
    for (const Boundary root : {Boundary::free, Boundary::pinned}) {
      std::vector<Pin> pins{{0, -Rod::a}, {0, Rod::a, 1, -Rod::a}, {1, Rod::a, 2, -Rod::a}};
      if (root == Boundary::pinned) pins.push_back({2, Rod::a});
      test::solve(rods, pins);
      const Chain chain(plane, Boundary::pinned, hinged(plane, matrices(rods)));
      const auto z_b = chain.root(root);
      REQUIRE(z_b.has_value());
      const std::vector<Vector> z = chain.states(*z_b);
      CHECK((z[0] - test::planar_state(rods[0], -Rod::a, pins[0].force)).norm() < 1e-8 * z[0].norm());
      const Eigen::Vector2d end = root == Boundary::pinned ? Eigen::Vector2d(-pins[3].force) : Eigen::Vector2d::Zero();
      CHECK((z[5] - test::planar_state(rods[2], Rod::a, end)).norm() < 1e-8 * (1 + z[5].norm()));
    }
  }
}

TEST_CASE("Algorithm A: a fixed end belongs to a chain without hinges") {
  test::RandomRods random(7);
  Rod rod = random();
  rod.rate = 0;
  for (const bool at_tip : {true, false}) {
    const Chain cantilever(plane, at_tip ? Boundary::fixed : Boundary::free, {{rod_matrix(rod), false}});
    const auto z_b = cantilever.root(at_tip ? Boundary::free : Boundary::fixed);
    REQUIRE(z_b.has_value());
    const std::vector<Vector> z = cantilever.states(*z_b);
    const Vector& held = at_tip ? z.front() : z.back();
    // q: on the rod at the tip, by the rod at the root; m about −z at the tip.
    CHECK(held.head(3).norm() == 0);
    CHECK(held[3] == Approx(-Rod::m * Rod::g * Rod::a * rod.c()));
    CHECK(held[5] == Approx((at_tip ? 1 : -1) * Rod::m * Rod::g));
    CHECK_FALSE(Chain(plane, Boundary::fixed, {{rod_matrix(rod), false}}).root(Boundary::fixed).has_value());
    const Chain two(plane, at_tip ? Boundary::fixed : Boundary::free, hinged(plane, matrices({rod, random()})));
    CHECK_FALSE(two.root(at_tip ? Boundary::free : Boundary::fixed).has_value());
  }
}

TEST_CASE("Algorithm A in space: two bodies on ball hinges") {
  RandomBodies random(11);
  for (int i = 0; i < 10; ++i) {
    const std::vector<Element> elements = hinged(space, random.matrices(2));
    const Chain chain(space, Boundary::free, elements);
    const auto z_b = chain.root(Boundary::pinned);
    REQUIRE(z_b.has_value());
    // What the elements, the hinges and both ends ask for, with nothing of the recursion in it.
    const std::vector<Vector> z = chain.states(*z_b);
    for (std::size_t k = 0; k < elements.size(); ++k)
      CHECK((elements[k].U * z[k] - z[k + 1]).norm() < 1e-9 * z[k + 1].norm());
    CHECK(z.front().segment(6, 6).norm() == 0);
    CHECK(z.back().head(3).norm() < 1e-9 * z.back().norm());
    for (const std::size_t end : {1u, 3u}) CHECK(z[end].segment(6, 3).norm() < 1e-9 * z[end].norm());
  }
}

TEST_CASE("in space P of Eq 24 does not exist from the second ball hinge of a chain on") {
  RandomBodies random(12);
  const Chain chain(space, Boundary::free, hinged(space, random.matrices(3)));
  CHECK_FALSE(chain.regular());
  CHECK_FALSE(chain.root(Boundary::pinned).has_value());
}
