// The recursion of section 4 is the Kalman filter of a static process whose measurements are the constraints.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <catch2/catch.hpp>

#include "enforcement/innovation.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/solvers/absolute_system.hpp"
#include "recursion.hpp"
#include "tests/hierarchy/solver_with.hpp"
#include "tests/support/random_model.hpp"

using namespace polyform;
using namespace polyform::hierarchy;
using namespace polyform::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The measurement update as in textbooks: z = H x + noise of covariance R.
struct TextbookFilter {
  VectorXd x;
  MatrixXd P;

  void update(const MatrixXd& H, const VectorXd& z, const MatrixXd& R) {
    const MatrixXd S = H * P * H.transpose() + R;
    const MatrixXd K = P * H.transpose() * S.inverse();
    x = x + K * (z - H * x);
    P = (MatrixXd::Identity(x.size(), x.size()) - K * H) * P;
  }
};

MatrixXd random_matrix(Index rows, Index cols, unsigned seed) {
  std::srand(seed);
  return MatrixXd::Random(rows, cols);
}

/// One enforcement by the code under test, with the whole state as interface.
void enforce(VectorXd& a, MatrixXd& P, MatrixXd H, VectorXd b, double noise, bool square_root_free_form) {
  const Index n = a.size(), m = H.rows();
  Arena arena;
  MatrixXd PHt = P * H.transpose(), S = H * PHt + noise * MatrixXd::Identity(m, m), first(n, m), second(n, m);
  VectorXd residual = b - H * a, weights = VectorXd::Ones(m), vector(m);
  SemidefiniteFactor factor(arena, static_cast<std::size_t>(m));
  factor.factorize({S.data(), m, m}, weights.data(), 1e-12);
  const Innovation in{{PHt.data(), n, m}, {S.data(), m, m}, {residual.data(), m}, factor};
  const InnovationScratch scratch{first.data(), second.data(), vector.data()};
  const auto form = square_root_free_form ? square_root_free : udwadia_kalaba;
  form(in, scratch, {a.data(), n}, {P.data(), n, n});
}

}  // namespace

TEST_CASE("every enforcement gives the numbers of a textbook Kalman update") {
  const Index n = 18;
  for (const bool square_root_free_form : {false, true})
    for (const double noise : {0.0, 1e-3, 10.0}) {
      INFO("noise " << noise << ", square-root-free " << square_root_free_form);
      TextbookFilter filter{random_matrix(n, 1, 7), MatrixXd::Identity(n, n)};
      VectorXd a = filter.x;
      MatrixXd P = filter.P;
      for (unsigned level = 0; level < 4; ++level) {
        const Index m = 1 + level;
        const MatrixXd H = random_matrix(m, n, 20 + level), b = random_matrix(m, 1, 40 + level);
        filter.update(H, b, noise * MatrixXd::Identity(m, m));
        enforce(a, P, H, b, noise, square_root_free_form);
        CHECK((a - filter.x).norm() < 1e-12 * filter.x.norm());
        CHECK((P - filter.P).norm() < 1e-12);
        if (noise == 0) CHECK((P * P - P).norm() < 1e-12);  // Eq 4.15: an orthogonal projector
      }
    }
}

TEST_CASE("measurements that repeat what is known change nothing") {
  const Index n = 12;
  VectorXd a = random_matrix(n, 1, 3);
  MatrixXd P = MatrixXd::Identity(n, n);
  const MatrixXd H = random_matrix(4, n, 5), mix = random_matrix(6, 4, 6);
  const VectorXd b = random_matrix(4, 1, 8);
  enforce(a, P, H, b, 0, false);
  VectorXd again = a;
  MatrixXd P_again = P;
  enforce(again, P_again, mix * H, mix * b, 0, false);
  CHECK((again - a).norm() < 1e-12);
  CHECK((P_again - P).norm() < 1e-12);
  // The six rows at once, four of them independent: a {1,4}-inverse gives the same.
  VectorXd at_once = random_matrix(n, 1, 3);
  MatrixXd P_at_once = MatrixXd::Identity(n, n);
  enforce(at_once, P_at_once, mix * H, mix * b, 0, false);
  CHECK((at_once - a).norm() < 1e-10);
  CHECK((P_at_once - P).norm() < 1e-10);
}

TEST_CASE("the accelerations of a mechanism are the estimate of a textbook filter that measures joint after joint") {
  for (const int loops : {0, 1}) {
    const auto system = system_from_text(random_model({.seed = 11, .bodies = 6, .loops = loops, .forces = false}));
    const SystemView& view = system->view();
    const auto solver = solver_with(*system, {{"method", "udwadia-kalaba"}});
    const auto store = observe(*system, *solver);

    // A and b of all joints at the initial state, by the constraint rows that the formulation takes.
    TreeKinematics tree(view);
    std::vector<double> q(system->initial_state().q.begin(), system->initial_state().q.end());
    std::vector<double> v(system->initial_state().v.begin(), system->initial_state().v.end());
    tree.evaluate(q.data(), v.data());
    AbsoluteSystem absolute(view);
    const AbsoluteEquations& rows = absolute.evaluate(0, tree.bodies(), q, v);

    const Index n = static_cast<Index>(6 * view.bodies.size());
    MatrixXd root_inverse = MatrixXd::Zero(n, n);  // M^{-1/2}
    VectorXd f(n);
    for (std::size_t i = 0; i < view.bodies.size(); ++i) {
      const Sym3& J = rows.inertia(i);
      Eigen::Matrix3d tensor;
      tensor << J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz;
      const Index k = static_cast<Index>(6 * i);
      const double mass = view.bodies[i].mass;
      root_inverse.block<3, 3>(k, k) = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(tensor).operatorInverseSqrt();
      root_inverse.block<3, 3>(k + 3, k + 3) = Eigen::Matrix3d::Identity() / std::sqrt(mass);
      const Vec3 w = rows.frames()[i].V.angular, moment = -cross(w, J * w), force = mass * view.gravity;
      f.segment<6>(k) << moment.x, moment.y, moment.z, force.x, force.y, force.z;
    }
    TextbookFilter filter{root_inverse * f, MatrixXd::Identity(n, n)};
    for (std::size_t t = 0; t < rows.constraints(); ++t) {
      const Index m = static_cast<Index>(rows.rows(t));
      if (m == 0) continue;
      MatrixXd A = MatrixXd::Zero(m, n);
      VectorXd b(m);
      for (Index r = 0; r < m; ++r) {
        b[r] = rows.right()[rows.first_row(t) + static_cast<std::size_t>(r)];
        for (std::size_t i = 0; i < rows.constrained_blocks(t); ++i) {
          const AbsoluteEquations::Coefficients of_body = rows.coefficients(t, i);
          for (std::size_t c = 0; c < 6; ++c)
            A(r, static_cast<Index>(6 * of_body.block + c)) = of_body.frame[static_cast<std::size_t>(r)][c];
        }
      }
      filter.update(A * root_inverse, b, MatrixXd::Zero(m, m));
    }
    const VectorXd alpha = root_inverse * filter.x;
    double worst = 0, scale = 1;
    for (std::size_t i = 0; i < view.bodies.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        const double found = store->now().bodies[i].angular_acceleration[c],
                     expected = alpha[static_cast<Index>(6 * i + c)];
        worst = std::max(worst, std::abs(found - expected));
        scale = std::max(scale, std::abs(expected));
      }
    INFO("loops " << loops);
    CHECK(worst < 1e-9 * scale);
  }
}
