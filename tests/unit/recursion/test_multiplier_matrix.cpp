#include <Eigen/Dense>
#include <bit>
#include <catch2/catch.hpp>
#include <random>

#include "polyform/solvers/multiplier_matrix.hpp"

using polyform::MultiplierMatrix;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

namespace {

/// G = Σ uᵀ u over random hinges, each of which a few blocks pass, with right-hand sides in the range of G.
struct Example {
  std::vector<std::size_t> sizes, first;
  Eigen::MatrixXd G;
  Eigen::VectorXd right;
  std::size_t left_out = 0;  ///< rows found to depend on others
};

/// Fills the matrix with the hinges' shares as a sweep would and solves it; the multipliers in the order of the blocks.
Eigen::VectorXd solve(Example& e, MultiplierMatrix& matrix) {
  matrix.clear();
  const std::size_t n = e.sizes.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < e.sizes[i]; ++r) {
      const auto row = static_cast<Eigen::Index>(e.first[i] + r);
      matrix.right(i)[r] = e.right(row);
      matrix.weigh(i, r, e.G(row, row), e.G(row, row), e.G(row, row));
    }
    for (std::size_t j = 0; j < n; ++j) {
      if (matrix.position(i) > matrix.position(j)) continue;
      const auto block = e.G.block(static_cast<Eigen::Index>(e.first[i]), static_cast<Eigen::Index>(e.first[j]),
                                   static_cast<Eigen::Index>(e.sizes[i]), static_cast<Eigen::Index>(e.sizes[j]));
      if (i != j && block.isZero(0)) continue;
      double* values = matrix.values() + matrix.place(i, j);
      for (Eigen::Index r = 0; r < block.rows(); ++r)
        for (Eigen::Index c = 0; c < block.cols(); ++c) values[r * block.cols() + c] = block(r, c);
    }
  }
  e.left_out = 0;
  for (const std::size_t i : matrix.order()) {
    unsigned rows = 0;
    matrix.eliminate(i, rows);
    e.left_out += static_cast<std::size_t>(std::popcount(rows));
  }
  std::vector<double> lambda(static_cast<std::size_t>(e.G.rows()));
  for (std::size_t k = n; k-- > 0;) matrix.solve(matrix.order()[k], nullptr, lambda.data());
  return Eigen::Map<Eigen::VectorXd>(lambda.data(), e.G.rows());
}

/// dependent: how many rows repeat others.
Example make(unsigned seed, const Pairs& pairs, std::vector<std::size_t> sizes, std::size_t dependent) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Example e;
  std::size_t rows = 0;
  for (const std::size_t size : sizes) {
    e.first.push_back(rows);
    rows += size;
  }
  const auto n = static_cast<Eigen::Index>(rows);
  // One set of columns for each block alone, and one for each pair.
  Eigen::MatrixXd u(n, 0);
  const auto add = [&](std::initializer_list<std::size_t> blocks) {
    const Eigen::Index before = u.cols();
    u.conservativeResize(Eigen::NoChange, before + 6);
    u.rightCols(6).setZero();
    for (const std::size_t b : blocks)
      for (std::size_t r = 0; r < sizes[b]; ++r)
        for (Eigen::Index c = before; c < before + 6; ++c)
          u(static_cast<Eigen::Index>(e.first[b] + r), c) = normal(random);
  };
  for (std::size_t b = 0; b < sizes.size(); ++b) add({b});
  for (const auto& [i, j] : pairs) add({i, j});
  // The last row of a block repeats its first two.
  for (std::size_t b = 0; b < dependent; ++b) {
    const auto first = static_cast<Eigen::Index>(e.first[b]);
    u.row(first + static_cast<Eigen::Index>(sizes[b]) - 1) = u.row(first) - 2 * u.row(first + 1);
  }
  e.G = u * u.transpose();
  e.right = e.G * Eigen::VectorXd::LinSpaced(n, -1, 2);
  e.sizes = std::move(sizes);
  return e;
}

}  // namespace

TEST_CASE("multipliers of coupled loops solve G λ = g, in whatever stages the loops close") {
  const Pairs pairs{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {2, 5}};
  const std::vector<std::size_t> sizes{5, 3, 6, 5, 1, 2};
  for (const std::vector<std::size_t>& stages :
       {std::vector<std::size_t>{0, 0, 0, 0, 0, 0}, {3, 1, 2, 0, 1, 3}, {0, 1, 2, 3, 4, 5}}) {
    MultiplierMatrix matrix;
    matrix.analyze(sizes, stages, pairs);
    for (std::size_t k = 1; k < sizes.size(); ++k) CHECK(stages[matrix.order()[k - 1]] <= stages[matrix.order()[k]]);
    Example e = make(7, pairs, sizes, 0);
    const Eigen::VectorXd lambda = solve(e, matrix);
    CHECK(e.left_out == 0);
    CHECK((e.G * lambda - e.right).norm() < 1e-11 * e.right.norm());
  }
}

TEST_CASE("rows that depend on others are left out, and all rows are still satisfied") {
  const Pairs pairs{{0, 1}, {1, 2}, {0, 2}};
  const std::vector<std::size_t> sizes{5, 4, 6}, stages{1, 0, 1};
  MultiplierMatrix matrix;
  matrix.analyze(sizes, stages, pairs);
  for (unsigned seed = 1; seed < 30; ++seed) {
    Example e = make(seed, pairs, sizes, 1 + seed % 3);
    const Eigen::VectorXd lambda = solve(e, matrix);
    CHECK(e.left_out == 1 + seed % 3);
    CHECK((e.G * lambda - e.right).norm() < 1e-9 * e.right.norm());
  }
}

TEST_CASE("a row without any compliance is left out") {
  MultiplierMatrix matrix;
  const std::vector<std::size_t> sizes{2}, stages{0};
  matrix.analyze(sizes, stages, {});
  matrix.clear();
  matrix.values()[0] = 4;
  matrix.values()[3] = 1e-33;  // rounding of terms of size one
  matrix.weigh(0, 0, 4, 4, 4);
  matrix.weigh(0, 1, 1e-33, 1, 1);
  matrix.right(0)[0] = 2;
  matrix.right(0)[1] = 1e-17;
  unsigned left_out = 0;
  matrix.eliminate(0, left_out);
  double lambda[2];
  matrix.solve(0, nullptr, lambda);
  CHECK(left_out == 2u);
  CHECK(lambda[0] == 0.5);
  CHECK(lambda[1] == 0);
}

TEST_CASE("a dependent row is found however nearly dependent the others are, and in whatever order") {
  // Rows 0 and 1 are nearly parallel, row 2 is their sum: the rank is two.
  for (const double eps : {1e-1, 1e-3, 1e-4}) {
    INFO(eps);
    Eigen::Matrix<double, 3, 4> u;
    u.row(0) << 1, 0.3, -0.2, 0.7;
    u.row(1) = u.row(0) + eps * Eigen::RowVector4d(0.1, -1, 0.4, 0.2);
    u.row(2) = u.row(0) + u.row(1);
    Example e;
    e.sizes = {3};
    e.first = {0};
    e.G = u * u.transpose();
    e.right = u * Eigen::Vector4d(1, 2, -1, 0.5);
    MultiplierMatrix matrix;
    matrix.analyze(e.sizes, std::vector<std::size_t>{0}, {});
    const Eigen::VectorXd lambda = solve(e, matrix);
    CHECK(e.left_out == 1);
    // This is the purpose of the constraints: the motion that they leave.
    const Eigen::Vector4d motion = u.transpose() * lambda;
    CHECK((u * motion - e.right).norm() < 1e-14 / eps);
  }
}

TEST_CASE("a row that has all but lost its usual effect is done without, for once") {
  for (const double usual : {1.0, 1e9, 1e11}) {
    MultiplierMatrix matrix;
    matrix.analyze(std::vector<std::size_t>{1}, std::vector<std::size_t>{0}, {});
    matrix.clear();
    matrix.values()[matrix.place(0, 0)] = 1;
    matrix.weigh(0, 0, 1, 1, usual);
    matrix.right(0)[0] = 2;
    unsigned left_out = 0;
    matrix.eliminate(0, left_out);
    double lambda = 0;
    matrix.solve(0, nullptr, &lambda);
    CHECK(left_out == 0u);
    CHECK(lambda == (usual > 1e10 ? 0.0 : 2.0));
    CHECK(matrix.smallest_pivot() == Approx(1 / usual));
  }
}

TEST_CASE("another right-hand side is eliminated with the same factors") {
  MultiplierMatrix matrix;
  matrix.analyze(std::vector<std::size_t>{2, 1}, std::vector<std::size_t>{0, 0}, Pairs{{0, 1}});
  matrix.clear();
  const Eigen::Matrix3d G = (Eigen::Matrix3d() << 1, 0.5, 0.2, 0.5, 9, -0.3, 0.2, -0.3, 2).finished();
  const bool forwards = matrix.position(0) < matrix.position(1);
  for (std::size_t r = 0; r < 2; ++r)
    for (std::size_t c = 0; c < 2; ++c) matrix.values()[matrix.place(0, 0) + 2 * r + c] = G(long(r), long(c));
  matrix.values()[matrix.place(1, 1)] = G(2, 2);
  double* X = matrix.values() + (forwards ? matrix.place(0, 1) : matrix.place(1, 0));
  for (std::size_t r = 0; r < 2; ++r) X[r] = G(long(r), 2);
  for (std::size_t r = 0; r < 3; ++r)
    matrix.weigh(r / 2, r % 2, G(long(r), long(r)), G(long(r), long(r)), G(long(r), long(r)));
  unsigned left_out = 0;
  for (const std::size_t block : matrix.order()) matrix.eliminate(block, left_out);
  for (const Eigen::Vector3d& right : {Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(-4, 0.5, 7)}) {
    for (std::size_t r = 0; r < 3; ++r) matrix.right(r / 2)[r % 2] = right[long(r)];
    for (const std::size_t block : matrix.order()) matrix.eliminate_right(block);
    Eigen::Vector3d lambda;
    for (std::size_t k = 2; k-- > 0;) matrix.solve(matrix.order()[k], nullptr, lambda.data());
    CHECK((G * lambda - right).norm() < 1e-14);
  }
}

TEST_CASE("rows that are told to be left out stay so") {
  const Pairs none;
  Example e = make(3, none, {4}, 0);
  MultiplierMatrix matrix;
  matrix.analyze(e.sizes, std::vector<std::size_t>{0}, none);
  solve(e, matrix);
  // The same matrix again, without row 2.
  matrix.clear();
  for (std::size_t r = 0; r < 4; ++r) {
    const auto row = static_cast<Eigen::Index>(r);
    matrix.right(0)[r] = e.right(row);
    matrix.weigh(0, r, e.G(row, row), e.G(row, row), e.G(row, row));
    for (std::size_t c = 0; c < 4; ++c) matrix.values()[4 * r + c] = e.G(row, static_cast<Eigen::Index>(c));
  }
  unsigned left_out = 4u;
  matrix.eliminate(0, left_out);
  CHECK(left_out == 4u);
  double lambda[4];
  matrix.solve(0, nullptr, lambda);
  CHECK(lambda[2] == 0);
  const Eigen::VectorXd left = e.G * Eigen::Map<Eigen::Vector4d>(lambda) - e.right;
  CHECK(std::abs(left[0]) + std::abs(left[1]) + std::abs(left[3]) < 1e-10 * e.right.norm());
}
