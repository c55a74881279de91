// Differences and eigenvalues by themselves.
#include <catch2/catch.hpp>
#include <cmath>

#include <numbers>

#include "framework/dense_equations.hpp"
#include "framework/dense_library.hpp"
#include "framework/workbench/linearization/differences.hpp"
#include "framework/workbench/linearization/modes.hpp"

using namespace polyform::host;

namespace {

Modes modes_of(const Eigen::MatrixXd& A) {
  return find_modes(A, Eigen::MatrixXd::Zero(A.rows(), A.cols()),
                    std::vector<double>(static_cast<std::size_t>(A.rows()), 1.0));
}

}  // namespace

TEST_CASE("extrapolated differences reach 12 digits, and their error estimate covers the error") {
  const Derivative d = differentiate(3, 0.25, [](double h, std::span<double> out) {
    out[0] = std::sin(1 + h);
    out[1] = std::exp(10 * h);
    out[2] = 1 / (1 + 25 * (h - 0.1) * (h - 0.1));
    return true;
  });
  REQUIRE(d.found);
  const double exact[] = {std::cos(1.0), 10, 5 / (1.25 * 1.25)};
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(d.value[k] == Approx(exact[k]).epsilon(1e-12));
    CHECK(std::abs(d.value[k] - exact[k]) <= 10 * d.error[k]);
    CHECK(d.error[k] < 1e-10 * std::abs(exact[k]));
  }
}

TEST_CASE("a function that ends nearby is differentiated with shorter steps") {
  const Derivative d = differentiate(1, 1, [](double h, std::span<double> out) {
    out[0] = std::sqrt(0.01 + h);
    return 0.01 + h > 0;
  });
  REQUIRE(d.found);
  CHECK(d.value[0] == Approx(5).epsilon(1e-11));
}

TEST_CASE("a kinked function has a large error") {
  const Derivative d = differentiate(1, 1, [](double h, std::span<double> out) {
    out[0] = std::copysign(1.0, h);
    return true;
  });
  CHECK(d.error[0] > 0.1);
}

TEST_CASE("the double zero of a free mass is one rigid, defective mode beside stiff ones") {
  Eigen::MatrixXd A(4, 4);
  // two masses on a spring of 1e8: x1, x2, v1, v2
  A << 0, 0, 1, 0, 0, 0, 0, 1, -1e8, 1e8, 0, 0, 1e8, -1e8, 0, 0;
  const Modes modes = modes_of(A);
  CHECK(modes.zero_eigenvalues == 2);
  REQUIRE(modes.all.size() == 2);
  CHECK(modes.all[0].kind == Mode::Kind::rigid);
  CHECK(modes.all[0].defective);
  CHECK(std::abs(modes.all[0].shape[0] - modes.all[0].shape[1]) < 1e-12);
  CHECK(modes.all[1].natural_frequency() == Approx(std::sqrt(2e8)).epsilon(1e-13));
  CHECK(modes.all[1].trend == Mode::Trend::neutral);
}

TEST_CASE("a critically damped oscillator is repeated and defective") {
  Eigen::MatrixXd A(2, 2);
  A << 0, 1, -4, -4;
  const Modes modes = modes_of(A);
  for (const Mode& mode : modes.all) {
    CHECK(mode.repeated);
    CHECK(mode.defective);
    CHECK(std::abs(mode.eigenvalue + 2.0) < 1e-6);
    CHECK(mode.trend == Mode::Trend::decaying);
  }
}

TEST_CASE("shapes are eigenvectors of the matrix, next to zero eigenvalues too") {
  Eigen::MatrixXd A(5, 5);
  A << 0, 1, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, -9, -0.3, 0.5, 0, 0, 0, 0.25, -2;
  const Modes modes = modes_of(A);
  CHECK(modes.zero_eigenvalues == 2);
  for (const Mode& mode : modes.all) {
    const Eigen::VectorXcd left = A.cast<std::complex<double>>() * mode.shape - mode.eigenvalue * mode.shape;
    CHECK(left.norm() < 1e-12 * mode.shape.norm());
  }
}

TEST_CASE("rounding that ties free motions to others neither hides nor makes zero eigenvalues") {
  // x' = v, a spinning wheel q' = w, an oscillator; the ties of 1e-17 and less are rounding
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(6, 6);
  A(0, 1) = A(2, 3) = A(4, 5) = 1;
  A(5, 4) = -1e6;
  A(1, 4) = 3e-13, A(1, 2) = 1e-25, A(3, 0) = 2e-32, A(3, 4) = -4e-12, A(5, 0) = 2e-17;
  Eigen::MatrixXd error = Eigen::MatrixXd::Constant(6, 6, 1e-11);
  for (const int row : {0, 2, 4}) error.row(row).setZero();
  const Modes modes = find_modes(A, error, std::vector<double>(6, 1.0));
  CHECK(modes.zero_eigenvalues == 4);
  REQUIRE(modes.all.size() == 3);
  for (const Mode& mode : modes.all) {
    const Eigen::VectorXcd left = A.cast<std::complex<double>>() * mode.shape - mode.eigenvalue * mode.shape;
    CHECK(left.norm() < 1e-10 * mode.shape.norm());
    if (mode.kind != Mode::Kind::rigid) continue;
    CHECK(mode.defective);
    CHECK(std::abs(mode.shape[1]) + std::abs(mode.shape[3]) < 1e-12);
  }
}

// x'' = 5.9e-14 x, known to 4.4e-15, is x'' = 0 with an error that may be that of other terms, or of an estimate: its
// eigenvalues ±2.4e-7 1/s are not known. x'' = x/100 is a saddle.
TEST_CASE("a growing and a decaying mode that rounding makes of a double zero are not counted") {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3, 3), error = Eigen::MatrixXd::Zero(3, 3);
  A(0, 1) = 1;
  A(2, 2) = -20;
  error(1, 0) = 4.4e-15;
  for (const double stiffness : {5.9e-14, 0.01}) {
    INFO(stiffness);
    A(1, 0) = stiffness;
    const Modes modes = find_modes(A, error, std::vector<double>(3, 1.0));
    CHECK(modes.any(Mode::Trend::growing) == (stiffness > 1e-3));
  }
}

// A mass on a slide and another on it by a stiff spring with a damper; an effort of 0.01 N/m drives the second. It
// stands beside 2e10 and the damper's 2e12 in its row. The two masses go together, by sqrt(0.01/2).
TEST_CASE("a small entry without an error drives slow motions through stiff ones") {
  for (const double stiffness : {1e8, 1e10})
    for (const double effort : {0.01, -0.01, 1e-4}) {
      INFO(stiffness << " " << effort);
      const double damping = 1e-3 * stiffness;
      Eigen::MatrixXd A = Eigen::MatrixXd::Zero(4, 4);
      A(0, 2) = A(1, 3) = 1;
      A.row(2) << 0, stiffness, 0, damping;
      A.row(3) << effort, effort - 2 * stiffness, 0, -2 * damping;
      const double rate = std::sqrt(2 * stiffness);
      const Modes modes = find_modes(A, Eigen::MatrixXd::Zero(4, 4), {1, 1, rate, rate});
      const double slow = std::sqrt(std::abs(effort) / 2);
      CHECK(modes.zero_eigenvalues == 0);
      CHECK(modes.any(Mode::Trend::growing) == (effort > 0));
      CHECK(std::abs(modes.all.front().eigenvalue) == Approx(slow).epsilon(1e-4));
    }
}

// Masses of 1 kg in a row between two walls, with springs of 1 N/m and dampers of 0.1 s of them:
// λ² + 0.1 w² λ + w² = 0 with w = 2 sin(k π / (2 (n + 1))). As many states as large matrices have, which may be
// multiplied, inverted and brought to their eigenvalues by another library than small ones.
TEST_CASE("a row of 150 masses has the vibrations of its formula") {
  constexpr Eigen::Index n = 150;
  constexpr double damping = 0.1;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * n, 2 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    A(i, n + i) = 1;
    for (Eigen::Index j = std::max<Eigen::Index>(i - 1, 0); j < std::min(i + 2, n); ++j) {
      A(n + i, j) = i == j ? -2 : 1;
      A(n + i, n + j) = damping * A(n + i, j);
    }
  }
  const Modes modes = modes_of(A);
  REQUIRE(modes.all.size() == n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double w = 2 * std::sin(static_cast<double>(k + 1) * std::numbers::pi / (2 * (n + 1)));
    const Mode& mode = modes.all[static_cast<std::size_t>(k)];
    INFO("mode " << k);
    CHECK(mode.natural_frequency() == Approx(w).epsilon(1e-11));
    CHECK(mode.damping_ratio() == Approx(0.5 * damping * w).epsilon(1e-10));
    const Eigen::VectorXcd& x = mode.shape;
    CHECK((A * x - mode.eigenvalue * x).norm() < 1e-12 * x.norm());
  }
  const Eigen::MatrixXd inverse = inverse_of(A);
  CHECK((product_of(A, inverse) - Eigen::MatrixXd::Identity(2 * n, 2 * n)).norm() < 1e-10);
  CHECK((product_of(A, inverse) - A * inverse).norm() < 1e-12 * A.norm() * inverse.norm());
  const Eigensystem all = eigensystem_of(A);
  CHECK((all.left * all.right - Eigen::MatrixXcd::Identity(2 * n, 2 * n)).norm() < 1e-10);
  CHECK((all.right * all.values.asDiagonal() * all.left - A).norm() < 1e-10 * A.norm());
  // Where it is told, it is so: the least singular value is that of the slowest vibration or more.
  CHECK_FALSE(is_surely_regular(A, 1));
  Eigen::MatrixXd singular = A;
  singular.col(n) = singular.col(n + 1);
  CHECK_FALSE(is_surely_regular(singular, 1e-12));
  const PivotedColumns pivots = pivoted_columns(singular, 1e-10);
  REQUIRE(pivots.Q.cols() == 2 * n);
  CHECK((pivots.Q.transpose() * pivots.Q).isIdentity(1e-12));
  CHECK(pivots.sizes[2 * n - 1] < 1e-12);
  CHECK(pivots.sizes[2 * n - 2] > 1e-6);
  Eigen::MatrixXd upper(2 * n, 2 * n);
  for (Eigen::Index k = 0; k < 2 * n; ++k)
    upper.col(k) = pivots.Q.transpose() * singular.col(pivots.order[static_cast<std::size_t>(k)]);
  CHECK(upper.triangularView<Eigen::StrictlyLower>().toDenseMatrix().norm() < 1e-12);
  CHECK((upper.diagonal().cwiseAbs() - pivots.sizes).norm() < 1e-12);
  CHECK(pivoted_columns(A, 1e-10).Q.size() == 0);
}

TEST_CASE("large matrices leave the number of threads that others have given OpenBLAS") {
  const DenseLibrary* const library = dense_library();
  if (library == nullptr) return;
  const int before = library->threads();
  library->use_threads(2);
  const Eigen::MatrixXd A = Eigen::VectorXd::LinSpaced(300, 1, 300).asDiagonal();
  CHECK((inverse_of(A) * A).isIdentity(1e-12));
  CHECK(eigensystem_of(product_of(A, A)).values.real().maxCoeff() == Approx(90000));
  CHECK(library->threads() == 2);
  library->use_threads(before);
}
