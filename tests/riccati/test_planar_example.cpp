// The planar example of Rui et al. 2020, Sect. 5.1, equation by equation, at random states. Rods 1, 3, 5 and the
// multi-input rod 7: 1 and 5 hang from the ends of 7, 3 from 5, and 7 by its middle from the ceiling.
#include <catch2/catch.hpp>

#include "paper/branch.hpp"
#include "tests/riccati/planar_rods.hpp"

using namespace polyform;
using namespace polyform::riccati::paper;
using polyform::test::Pin;
using polyform::test::Rod;

namespace {

constexpr double m = Rod::m, a = Rod::a, g = Rod::g;

double difference(const Matrix& x, const Matrix& y) {
  REQUIRE(x.rows() == y.rows());
  REQUIRE(x.cols() == y.cols());
  return (x - y).cwiseAbs().maxCoeff() / std::max(1.0, y.cwiseAbs().maxCoeff());
}
Matrix matrix(Index rows, Index columns, std::initializer_list<double> values) {
  Matrix result(rows, columns);
  auto value = values.begin();
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < columns; ++c) result(r, c) = *value++;
  return result;
}
Matrix matrix_of_rod(const Rod& rod) { return reduce_to_plane(transfer_matrix(rod.body())); }

/// The example at a random state, with the true accelerations and forces.
struct Example {
  explicit Example(unsigned seed) {
    test::RandomRods random(seed);
    // Eq 46 has the denominator 3 cos(θ3 − θ5) + 2: stay away from its zero.
    do rods = {random(), random(), random(), random()};
    while (std::abs(denominator()) < 0.5);
    pins = {{0, a, 3, -a}, {1, a, 2, -a}, {2, a, 3, a}, {3, 0}};
    test::solve(rods, pins);
  }
  const Rod& one() const { return rods[0]; }
  const Rod& three() const { return rods[1]; }
  const Rod& five() const { return rods[2]; }
  const Rod& seven() const { return rods[3]; }
  double denominator() const { return 3 * std::cos(three().angle - five().angle) + 2; }

  Chain first() const { return {plane, Boundary::free, {{matrix_of_rod(one()), false}}}; }
  Chain second() const {
    const Matrix outboard = matrix_of_rod(five());
    return {plane,
            Boundary::free,
            {{matrix_of_rod(three()), false}, {ball_hinge(plane, outboard), true}, {outboard, false}}};
  }
  std::vector<Vec3> second_input() const { return {{2 * a * seven().c(), 2 * a * seven().s(), 0}}; }
  Matrix multi_body() const { return reduce_to_plane(multi_input_transfer_matrix(seven().body(a), second_input())); }
  MultiHinge multi_hinge() const { return {plane, multi_body(), second_input(), {0, 0, seven().rate}}; }
  OverallEquation overall() const { return {plane, {first(), second()}, multi_hinge(), multi_body()}; }

  Vector z_1O() const { return test::planar_state(one(), a, -pins[0].force); }
  Vector z_5O() const { return test::planar_state(five(), a, -pins[2].force); }
  Vector z_7O() const { return test::planar_state(seven(), 0, -pins[3].force); }

  std::vector<Rod> rods;
  std::vector<Pin> pins;
};

/// Runs a check at many states.
template <class Check>
void at_random_states(Check check) {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    INFO("seed " << seed);
    check(Example(seed));
  }
}

}  // namespace

TEST_CASE("Eq 36: the transfer matrix of a rod, and Eq 37 it carries the true states") {
  at_random_states([](const Example& x) {
    const double c = x.one().c(), s = x.one().s(), w2 = x.one().rate * x.one().rate;
    const Matrix U = matrix_of_rod(x.one());
    CHECK(difference(U, matrix(7, 7,
                               {1,
                                0,
                                -2 * a * s,
                                0,
                                0,
                                0,
                                -2 * a * c * w2,
                                0,
                                1,
                                2 * a * c,
                                0,
                                0,
                                0,
                                -2 * a * s * w2,
                                0,
                                0,
                                1,
                                0,
                                0,
                                0,
                                0,
                                m * a * s,
                                -m * a * c,
                                -2 * m * a * a / 3,
                                1,
                                -2 * a * s,
                                2 * a * c,
                                -m * a * g * c,
                                -m,
                                0,
                                m * a * s,
                                0,
                                1,
                                0,
                                m * a * c * w2,
                                0,
                                -m,
                                -m * a * c,
                                0,
                                0,
                                1,
                                m * a * s * w2 - m * g,
                                0,
                                0,
                                0,
                                0,
                                0,
                                0,
                                1})) < 1e-14);
    CHECK(difference(U * test::planar_state(x.one(), -a, {0, 0}), x.z_1O()) < 1e-11);
  });
}

TEST_CASE("Eq 38: the rearranged submatrices of a rod") {
  at_random_states([](const Example& x) {
    const double c = x.one().c(), s = x.one().s(), w2 = x.one().rate * x.one().rate;
    const Rearranged t(plane, x.first().partition(), matrix_of_rod(x.one()));
    CHECK(difference(t.T11, matrix(3, 3, {1, -2 * a * s, 2 * a * c, 0, 1, 0, 0, 0, 1})) < 1e-14);
    CHECK(difference(t.T12,
                     matrix(3, 3, {m * a * s, -m * a * c, -2 * m * a * a / 3, -m, 0, m * a * s, 0, -m, -m * a * c})) <
          1e-14);
    CHECK(difference(t.T21, Matrix::Zero(3, 3)) < 1e-14);
    CHECK(difference(t.T22, matrix(3, 3, {1, 0, -2 * a * s, 0, 1, 2 * a * c, 0, 0, 1})) < 1e-14);
    CHECK(difference(t.f_a, matrix(3, 1, {-m * a * g * c, m * a * c * w2, m * a * s * w2 - m * g})) < 1e-14);
    CHECK(difference(t.f_b, matrix(3, 1, {-2 * a * c * w2, -2 * a * s * w2, 0})) < 1e-14);
  });
}

TEST_CASE("Eqs 39 and 40: S and e after the first rod") {
  at_random_states([](const Example& x) {
    const double c = x.one().c(), s = x.one().s(), w2 = x.one().rate * x.one().rate;
    const Chain chain = x.first();
    CHECK(difference(chain.S(1),
                     matrix(3, 3, {m * a * s, -m * a * c, 4 * m * a * a / 3, -m, 0, -m * a * s, 0, -m, m * a * c})) <
          1e-14);
    CHECK(difference(chain.e(1), matrix(3, 1, {-m * a * g * c, -m * a * c * w2, -m * a * s * w2 - m * g})) < 1e-14);
  });
}

TEST_CASE("Eq 45: the rearranged submatrices of hinge 4") {
  at_random_states([](const Example& x) {
    const double c = x.five().c(), s = x.five().s();
    const Rearranged t(plane, x.second().partition(), ball_hinge(plane, matrix_of_rod(x.five())));
    CHECK(difference(t.T11, Matrix::Identity(3, 3)) < 1e-14);
    CHECK(difference(t.T12, Matrix::Zero(3, 3)) < 1e-14);
    CHECK(difference(t.T21, matrix(3, 3, {0, 0, 0, 0, 0, 0, 3 / (2 * m * a * a), -3 * s / (m * a), 3 * c / (m * a)})) <
          1e-13);
    CHECK(difference(t.T22, matrix(3, 3, {1, 0, 0, 0, 1, 0, 3 * s / (2 * a), -3 * c / (2 * a), 0})) < 1e-13);
    CHECK(difference(t.f_a, Vector::Zero(3)) < 1e-14);
    CHECK(difference(t.f_b, matrix(3, 1, {0, 0, -3 * g * c / (2 * a)})) < 1e-13);
  });
}

TEST_CASE("Eq 46: S after hinge 4, with 4ma²/3 for the misprinted 4ma² in (1,3) and s3c3s5 for s3c3c5 in (1,2)") {
  at_random_states([](const Example& x) {
    const double c3 = x.three().c(), s3 = x.three().s(), c5 = x.five().c(), s5 = x.five().s();
    const Matrix S =
        matrix(3, 3,
               {3 * m * a * (s3 * s3 * s5 + s3 * c3 * c5 - 2 * s5), -3 * m * a * (c3 * c3 * c5 + s3 * c3 * s5 - 2 * c5),
                4 * m * a * a / 3, m / 2 * (3 * s3 * s3 + 3 * s3 * s5 - 6 * c3 * c5 - 4), -1.5 * m * s3 * (c3 + 3 * c5),
                -m * a * s3, -1.5 * m * c3 * (s3 + 3 * s5), m / 2 * (3 * c3 * c3 + 3 * c3 * c5 - 6 * s3 * s5 - 4),
                m * a * c3});
    CHECK(difference(x.denominator() * x.second().S(2), S) < 1e-13);
  });
}

TEST_CASE("Eq 47: e after hinge 4") {
  at_random_states([](const Example& x) {
    const double c3 = x.three().c(), s3 = x.three().s(), c5 = x.five().c(), s5 = x.five().s();
    const double w2 = x.three().rate * x.three().rate;
    const double f = (g * (c3 + c5) + 2 * a * w2 * (s3 * c5 - c3 * s5) + 2 * g * c5) / x.denominator();
    CHECK(difference(x.second().e(2), matrix(3, 1,
                                             {2 * m * a * f - m * a * g * c3, -1.5 * m * s3 * f - m * a * w2 * c3,
                                              1.5 * m * c3 * f - m * a * w2 * s3 - m * g})) < 1e-12);
  });
}

TEST_CASE("Eqs 49 to 52: multi-input rod 7 and multi-hinge 8 carry the true states") {
  at_random_states([](const Example& x) {
    const double c = x.seven().c(), s = x.seven().s();
    // The third block row: u31 … u37, as named before Eq 52.
    const Matrix u3 = matrix(1, 10, {0, 0, m * a * a / 3, 1, -a * s, a * c, 1, a * s, -a * c, 0});
    CHECK(difference(x.multi_body().row(3), u3) < 1e-14);
    const MultiHinge hinge = x.multi_hinge();
    const double k = 3 / (m * a * a);
    CHECK(difference(hinge.main(0).row(2), matrix(1, 7, {0, 0, 0, -k, k * a * s, -k * a * c, 0})) < 1e-13);
    CHECK(difference(hinge.main(1).row(2), matrix(1, 7, {0, 0, 0, -k, -k * a * s, k * a * c, 0})) < 1e-13);
    const Vector inputs = hinge.main(0) * x.z_1O() + hinge.main(1) * x.z_5O();  // Eq 51
    CHECK(inputs[2] == Approx(x.seven().acceleration[2]).epsilon(1e-9));
    CHECK(difference(x.multi_body() * inputs, x.z_7O()) < 1e-10);                     // Eq 53
    CHECK(difference(hinge.taken() * x.z_5O(), hinge.geometry(1) * inputs) < 1e-10);  // Eq 54
  });
}

TEST_CASE("Eqs 57 and 58: the true states satisfy the overall equation") {
  at_random_states([](const Example& x) {
    Vector z(15);
    z << x.z_7O(), x.z_1O().head(3), 1, x.z_5O().head(3), 1;
    const Matrix U = x.overall().matrix();
    REQUIRE(U.rows() == 10);
    REQUIRE(U.cols() == 15);
    CHECK((U * z).cwiseAbs().maxCoeff() < 1e-10 * U.cwiseAbs().maxCoeff() * z.cwiseAbs().maxCoeff());
  });
}

TEST_CASE("Eqs 59 and 60: the reduced equation holds, but its 9 × 9 matrix has the rank 7") {
  at_random_states([](const Example& x) {
    Matrix U;
    Vector b, z(9);
    x.overall().reduced(Boundary::pinned, U, b);
    z << x.z_7O()[2], x.z_7O().segment(4, 2), x.z_1O().head(3), x.z_5O().head(3);
    REQUIRE(U.rows() == 9);
    REQUIRE(U.cols() == 9);
    CHECK(difference(U * z, b) < 1e-10);
    Eigen::ColPivHouseholderQR<Matrix> qr(U);
    qr.setThreshold(1e-10);
    CHECK(qr.rank() == 7);
  });
}

TEST_CASE("Eqs 59 and 60 with the moment conditions of the first hinges give the true states") {
  at_random_states([](const Example& x) {
    const auto solution = x.overall().solve(Boundary::pinned);
    REQUIRE(solution.has_value());
    CHECK(difference(solution->z_O, x.z_7O()) < 1e-9);
    CHECK(difference(solution->chains[0].back(), x.z_1O()) < 1e-9);
    CHECK(difference(solution->chains[1].back(), x.z_5O()) < 1e-9);
    // All states along the second subchain: tip, after rod 3, after hinge 4, after rod 5.
    CHECK(difference(solution->chains[1][0], test::planar_state(x.three(), -a, {0, 0})) < 1e-9);
    CHECK(difference(solution->chains[1][1], test::planar_state(x.three(), a, -x.pins[1].force)) < 1e-9);
    CHECK(difference(solution->chains[1][2], test::planar_state(x.five(), -a, -x.pins[1].force)) < 1e-9);
  });
}

TEST_CASE("Eq 61: forces of the first subchain's end from its accelerations") {
  at_random_states([](const Example& x) {
    const double c = x.one().c(), s = x.one().s(), w2 = x.one().rate * x.one().rate;
    const Matrix S = matrix(3, 3, {m * a * s, -m * a * c, 4 * m * a * a / 3, -m, 0, -m * a * s, 0, -m, m * a * c});
    const Matrix e = matrix(3, 1, {-m * a * g * c, -m * a * c * w2, -m * a * s * w2 - m * g});
    const Vector z_b = x.z_1O().head(3);
    CHECK(difference(S * z_b + e, x.z_1O().segment(3, 3)) < 1e-11);
    CHECK(difference((x.first().tip_matrix() * (Vector(4) << z_b, 1).finished()), x.z_1O()) < 1e-11);
  });
}

TEST_CASE("Eq 62, with the inverse of T22 where T22 itself is printed: the state of the tip from the subchain's end") {
  at_random_states([](const Example& x) {
    const double c = x.one().c(), s = x.one().s(), w2 = x.one().rate * x.one().rate;
    const Vector O = x.z_1O();
    const double x_I = O[0] + 2 * a * s * O[2] + 2 * a * c * w2, y_I = O[1] - 2 * a * c * O[2] + 2 * a * s * w2;
    const Vector found = x.first().states(O.head(3)).front();
    CHECK(difference(found.head(3), matrix(3, 1, {x_I, y_I, O[2]})) < 1e-12);
    CHECK(difference(found, test::planar_state(x.one(), -a, {0, 0})) < 1e-9);
  });
}
