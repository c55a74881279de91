// The least solution of redundant equations, against the singular value decomposition.
#include "framework/host/unilateral/least_solution.hpp"

#include <Eigen/Dense>
#include <Eigen/SVD>
#include <catch2/catch.hpp>

using namespace polyform::host;

namespace {

/// A symmetric or general matrix of a rank.
Eigen::MatrixXd matrix_of(Eigen::Index size, Eigen::Index rank, bool symmetric) {
  const Eigen::MatrixXd left = Eigen::MatrixXd::Random(size, rank), right = Eigen::MatrixXd::Random(rank, size);
  return symmetric ? Eigen::MatrixXd(left * left.transpose()) : Eigen::MatrixXd(left * right);
}

void check_against_singular_values(const Eigen::MatrixXd& G, Eigen::Index rank, LeastSolution& least) {
  const Eigen::Index n = G.cols();
  least.factor(G);
  CHECK(least.is_unique() == (rank == n));
  const Eigen::VectorXd r = Eigen::VectorXd::Random(n);
  Eigen::VectorXd x, expected = Eigen::VectorXd::Zero(n);
  least.solve(r, x);
  if (rank > 0) {
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(G, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(1e-9);
    REQUIRE(svd.rank() == rank);
    expected = svd.solve(r);
  }
  CHECK((x - expected).norm() <= 1e-8 * (1 + expected.norm()));
  Eigen::MatrixXd null;
  least.put_null_space(null);
  REQUIRE(null.cols() == n - rank);
  CHECK((null.transpose() * null - Eigen::MatrixXd::Identity(n - rank, n - rank)).norm() < 1e-12);
  CHECK((G * null).norm() <= 1e-10 * G.norm());
  CHECK((null.transpose() * x).norm() <= 1e-8 * (1 + x.norm()));
}

}  // namespace

TEST_CASE("the least solution of any rank is that of the singular values, and its null space is orthonormal") {
  std::srand(7);
  LeastSolution least;
  for (const Eigen::Index size : {1, 2, 5, 12})
    for (Eigen::Index rank = 0; rank <= size; ++rank)
      for (const bool symmetric : {true, false}) {
        INFO(size << " rows, rank " << rank << (symmetric ? ", symmetric" : ""));
        check_against_singular_values(matrix_of(size, rank, symmetric), rank, least);
      }
}

// Two rows that are one carry halves of its load, and a third one its own.
TEST_CASE("rows that are the same share their load evenly") {
  Eigen::MatrixXd G(3, 3);
  G << 2, 2, 0, 2, 2, 0, 0, 0, 4;
  LeastSolution least;
  least.factor(G);
  Eigen::VectorXd x;
  least.solve(Eigen::Vector3d(6, 6, 8), x);
  CHECK((x - Eigen::Vector3d(1.5, 1.5, 2)).norm() < 1e-14);
  // Loads of which no forces can come are met in the mean.
  least.solve(Eigen::Vector3d(5, 7, 8), x);
  CHECK((x - Eigen::Vector3d(1.5, 1.5, 2)).norm() < 1e-14);
}
