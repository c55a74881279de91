#include <Eigen/Dense>
#include <catch2/catch.hpp>
#include <random>

#include "block_ldlt.hpp"
#include "tests/support/allocations.hpp"

using polyform::BlockLdlt;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

namespace {

/// A random quasi-definite matrix with the given blocks: signs[i] is the sign of diagonal block i. Fills `sparse` and
/// returns the dense matrix.
Eigen::MatrixXd fill(BlockLdlt& sparse, const std::vector<std::size_t>& sizes, const std::vector<double>& signs,
                     const Pairs& pairs, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto rows = static_cast<Eigen::Index>(sparse.size());
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(rows, rows);
  sparse.clear();
  const auto set = [&](const BlockLdlt::Block& block, std::size_t i, std::size_t j, std::size_t r, std::size_t c,
                       double value) {
    block(r, c) = value;
    const auto row = static_cast<Eigen::Index>(sparse.offset(i) + r),
               column = static_cast<Eigen::Index>(sparse.offset(j) + c);
    dense(row, column) = dense(column, row) = value;
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto n = static_cast<Eigen::Index>(sizes[i]);
    Eigen::MatrixXd a(n, n);
    for (double& x : a.reshaped()) x = normal(random);
    const Eigen::MatrixXd d = signs[i] * (a * a.transpose() + Eigen::MatrixXd::Identity(n, n));
    for (Eigen::Index r = 0; r < n; ++r)
      for (Eigen::Index c = 0; c <= r; ++c)
        set(sparse.diagonal(i), i, i, static_cast<std::size_t>(r), static_cast<std::size_t>(c), d(r, c));
  }
  for (const auto& [i, j] : pairs) {
    // Between blocks of one sign the coupling stays small, so that their part stays definite.
    const double scale = signs[i] == signs[j] ? 0.05 : 1;
    for (std::size_t r = 0; r < sizes[i]; ++r)
      for (std::size_t c = 0; c < sizes[j]; ++c) set(sparse.block(i, j), i, j, r, c, scale * normal(random));
  }
  return dense;
}

void check_against_eigen(const std::vector<std::size_t>& sizes, const std::vector<double>& signs, const Pairs& pairs,
                         unsigned seed) {
  BlockLdlt sparse;
  sparse.analyze(sizes, pairs);
  const Eigen::MatrixXd dense = fill(sparse, sizes, signs, pairs, seed);
  REQUIRE(sparse.factorize());
  const Eigen::VectorXd b = Eigen::VectorXd::LinSpaced(dense.rows(), -1, 2);
  Eigen::VectorXd x = b;
  sparse.solve({x.data(), static_cast<std::size_t>(x.size())});
  CHECK((dense * x - b).norm() < 1e-9 * b.norm());
  CHECK((x - dense.fullPivLu().solve(b)).norm() < 1e-9 * x.norm());
}

}  // namespace

TEST_CASE("random quasi-definite block matrices are solved like dense ones", "[block_ldlt]") {
  std::mt19937 random(1);
  for (unsigned trial = 0; trial < 40; ++trial) {
    const std::size_t n = 1 + random() % 12;
    std::vector<std::size_t> sizes(n);
    std::vector<double> signs(n);
    for (std::size_t i = 0; i < n; ++i) {
      sizes[i] = 1 + random() % 9;  // beyond the sizes with kernels of their own
      signs[i] = random() % 2 == 0 ? 1 : -1;
    }
    Pairs pairs;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (random() % 3 == 0) pairs.emplace_back(random() % 2 == 0 ? std::pair(i, j) : std::pair(j, i));
    check_against_eigen(sizes, signs, pairs, trial);
  }
}

TEST_CASE("a chain of bodies and constraints has no fill", "[block_ldlt]") {
  // Bodies 0 … n−1 of 6 rows, constraints n … 2n−1 of 5, constraint n + i between bodies i − 1 and i.
  const std::size_t n = 20;
  std::vector<std::size_t> sizes(n, 6);
  sizes.resize(2 * n, 5);
  std::vector<double> signs(n, 1.0);
  signs.resize(2 * n, -1.0);
  Pairs pairs;
  for (std::size_t i = 0; i < n; ++i) {
    pairs.emplace_back(n + i, i);
    if (i > 0) pairs.emplace_back(n + i, i - 1);
  }
  check_against_eigen(sizes, signs, pairs, 7);
  BlockLdlt sparse;
  sparse.analyze(sizes, pairs);
  CHECK(sparse.stored() == n * (36 + 25) + pairs.size() * 30);
}

TEST_CASE("a tree has no fill", "[block_ldlt]") {
  const std::size_t n = 63;
  std::vector<std::size_t> sizes(n, 3);
  Pairs pairs;
  for (std::size_t i = 1; i < n; ++i) pairs.emplace_back(i, (i - 1) / 2);
  check_against_eigen(sizes, std::vector<double>(n, 1.0), pairs, 3);
  BlockLdlt sparse;
  sparse.analyze(sizes, pairs);
  CHECK(sparse.stored() == n * 9 + pairs.size() * 9);
}

TEST_CASE("a block with a zero diagonal waits for a neighbour", "[block_ldlt]") {
  // [2 1; 1 0]: the second block has no pivot of its own.
  const std::vector<std::size_t> sizes{1, 1};
  const Pairs pairs{{0, 1}};
  BlockLdlt sparse;
  sparse.analyze(sizes, pairs, {BlockLdlt::Turn::any, BlockLdlt::Turn::after_neighbour});
  sparse.diagonal(0)(0, 0) = 2;
  sparse.block(0, 1)(0, 0) = 1;
  REQUIRE(sparse.factorize());
  std::vector<double> b{3, 1};
  sparse.solve(b);
  CHECK(b[0] == Approx(1));
  CHECK(b[1] == Approx(1));
}

TEST_CASE("a zero or undefined pivot names its block", "[block_ldlt]") {
  const std::vector<std::size_t> sizes{2, 3, 1};
  const Pairs pairs{{0, 1}};
  BlockLdlt sparse;
  sparse.analyze(sizes, pairs);
  const auto reset = [&] {
    sparse.clear();
    for (std::size_t i = 0; i < sizes.size(); ++i)
      for (std::size_t k = 0; k < sizes[i]; ++k) sparse.diagonal(i)(k, k) = 1;
  };
  reset();
  CHECK(sparse.factorize());
  reset();
  sparse.diagonal(2)(0, 0) = 0;
  REQUIRE_FALSE(sparse.factorize());
  CHECK(sparse.failed_block() == 2);
  reset();
  sparse.diagonal(1)(2, 2) = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_FALSE(sparse.factorize());
  CHECK(sparse.failed_block() == 1);
}

TEST_CASE("factorization and solution do not allocate", "[block_ldlt]") {
  const std::vector<std::size_t> sizes{6, 5, 6, 8};
  const Pairs pairs{{0, 1}, {1, 2}, {2, 3}};
  BlockLdlt sparse;
  sparse.analyze(sizes, pairs);
  fill(sparse, sizes, {1, -1, 1, -1}, pairs, 5);
  std::vector<double> b(sparse.size(), 1.0);
  const std::size_t before = polyform::test::allocations();
  const bool ok = sparse.factorize();
  sparse.solve(b);
  CHECK(polyform::test::allocations() == before);
  CHECK(ok);
}

TEST_CASE("an empty matrix is no error", "[block_ldlt]") {
  BlockLdlt sparse;
  sparse.analyze({}, {});
  CHECK(sparse.factorize());
  sparse.solve({});
  CHECK(sparse.size() == 0);
}
