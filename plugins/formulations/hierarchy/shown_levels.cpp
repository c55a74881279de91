#include "shown_levels.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <vector>

#include "polyform/mechanics/judgement.hpp"

namespace polyform::hierarchy {
namespace {

/// Singular values of rows of norm 1 below this belong to rows that depend on others, as in the recursion.
constexpr double dependent = least_independent;

Eigen::MatrixXd map_rows_first(const std::vector<double>& numbers, Eigen::Index rows, Eigen::Index columns) {
  return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(numbers.data(), rows,
                                                                                                  columns);
}

std::vector<double> rows_first(const Eigen::MatrixXd& m) {
  std::vector<double> values;
  for (Eigen::Index r = 0; r < m.rows(); ++r)
    for (Eigen::Index c = 0; c < m.cols(); ++c) values.push_back(m(r, c) + 0.0);  // no -0
  return values;
}

/// Singular values of a matrix, and how many of them count.
struct Decomposed {
  explicit Decomposed(const Eigen::MatrixXd& B, double least) : svd(B, Eigen::ComputeFullU | Eigen::ComputeFullV) {
    const Eigen::VectorXd& s = svd.singularValues();
    while (rank < s.size() && s[rank] > least) ++rank;
  }
  /// B⁺ r
  Eigen::VectorXd solve(const Eigen::VectorXd& r) const {
    const Eigen::VectorXd y = svd.matrixU().leftCols(rank).transpose() * r;
    return svd.matrixV().leftCols(rank) * y.cwiseQuotient(svd.singularValues().head(rank));
  }
  Eigen::MatrixXd inverse() const {
    return svd.matrixV().leftCols(rank) * svd.singularValues().head(rank).cwiseInverse().asDiagonal() *
           svd.matrixU().leftCols(rank).transpose();
  }
  Eigen::MatrixXd kernel() const { return svd.matrixV().rightCols(svd.matrixV().cols() - rank); }
  Eigen::JacobiSVD<Eigen::MatrixXd> svd;
  Eigen::Index rank = 0;
};

/// A {1}-inverse G of B, B G B = B, with rows of zeros but for the pivots of an elimination, as the recursion takes it
/// (oblique_projector.cpp).
Eigen::MatrixXd one_inverse(const Eigen::MatrixXd& B, Eigen::Index rank) {
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(B);
  // Row r of P B Q is row from[r] of B, and its column c is column places[c].
  const Eigen::VectorXi places = lu.permutationQ().indices();
  const Eigen::PermutationMatrix<Eigen::Dynamic> back(lu.permutationP().inverse());
  const Eigen::VectorXi from = back.indices();
  Eigen::MatrixXd pivots(rank, rank), G = Eigen::MatrixXd::Zero(B.cols(), B.rows());
  for (Eigen::Index r = 0; r < rank; ++r)
    for (Eigen::Index c = 0; c < rank; ++c) pivots(r, c) = B(from[r], places[c]);
  const Eigen::MatrixXd inverse = pivots.inverse();
  for (Eigen::Index c = 0; c < rank; ++c)
    for (Eigen::Index r = 0; r < rank; ++r) G(places[c], from[r]) = inverse(c, r);
  return G;
}

/// What each row is multiplied by to have the norm 1: the units of the rows then decide no rank.
Eigen::VectorXd scale_of_rows(const Eigen::MatrixXd& A) {
  return A.rowwise().norm().unaryExpr([](double size) { return size > 0 ? 1 / size : 1.0; });
}

/// The motion x = S ν with Sᵀ M x = Sᵀ f. Each unknown is measured by its own inertia, so kg, kg m² and H do not mix.
Eigen::VectorXd move_freely(const Eigen::MatrixXd& S, const Eigen::MatrixXd& M, const Eigen::VectorXd& f) {
  const Eigen::VectorXd unit = M.diagonal().unaryExpr([](double own) { return own > 0 ? 1 / std::sqrt(own) : 1.0; });
  const Decomposed motions(S, dependent);
  Eigen::MatrixXd Z = unit.cwiseInverse().asDiagonal() * motions.svd.matrixU().leftCols(motions.rank);
  if (Z.cols() == 0) return Eigen::VectorXd::Zero(f.size());
  Z.colwise().normalize();
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(Z);
  const Eigen::MatrixXd Q = unit.asDiagonal() * (qr.householderQ() * Eigen::MatrixXd::Identity(Z.rows(), Z.cols()));
  return Q * Decomposed(Q.transpose() * M * Q, least_independent_square).solve(Q.transpose() * f);
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

ShownLevels::ShownLevels(const SystemView& view, Equations& equations, const AbsoluteSystem& system,
                         const std::vector<std::vector<double>>& noise, Method method, std::size_t last)
    : view_(view), equations_(equations), system_(system), noise_(noise), method_(method), last_(last) {}

bool ShownLevels::fill(double t, const ConstStateView& state) {
  start();
  System system;
  if (!read(t, state, system)) return false;
  add_lists(state);
  if (is_filter(method_))
    go_by_filter(system);
  else
    go_by_bases(system);
  return true;
}

bool ShownLevels::read(double t, const ConstStateView& state, System& out) {
  std::size_t n = 0, m = 0;
  for (std::size_t i = 0; i < equations_.blocks(); ++i) n += equations_.block(i).unknowns;
  for (std::size_t i = 0; i < equations_.constraints(); ++i) m += equations_.constraint(i).rows;
  std::vector<double> M(n * n), f(n), A(m * n), b(m);
  EquationValues values{.M = M, .f = f, .A = A, .b = b};
  if (equations_.form(t, state, values) != Status::ok) return false;
  out.M = map_rows_first(M, index(n), index(n));
  out.A = map_rows_first(A, index(m), index(n));
  out.f = Eigen::Map<const Vector>(f.data(), index(n));
  out.b = Eigen::Map<const Vector>(b.data(), index(m));
  return true;
}

/// q⟨1⟩ at the state just read: for a body ω and the velocity of its mass centre, for a flexible one those of its frame
/// and η̇, for a module its variables.
ShownLevels::Vector ShownLevels::velocities(const ConstStateView& state) const {
  const AbsoluteEquations& equations = system_.equations();
  Vector out(index(equations.offset(equations.blocks())));
  const std::size_t bodies = view_.bodies.size();
  for (std::size_t i = 0; i < equations.blocks(); ++i) {
    double* of_block = out.data() + equations.offset(i);
    if (i >= bodies) {
      std::copy_n(state.x.begin() + index(system_.modules().modules()[i - bodies].u), equations.size(i), of_block);
      continue;
    }
    const Spatial& V = equations.frames()[i].V;
    const Spatial at_center{V.angular, V.linear + cross(V.angular, equations.center(i))};
    for (std::size_t k = 0; k < 6; ++k) of_block[k] = at_center[k];
    if (const std::size_t flexible = view_.bodies[i].flexible; flexible != rigid)
      std::copy_n(state.etadot.begin() + index(view_.flexible[flexible].mode_offset), equations.size(i) - 6,
                  of_block + 6);
  }
  return out;
}

void ShownLevels::add_lists(const ConstStateView& state) {
  const auto add_blocks = [&](const char* components) {
    const std::size_t list = add_list();
    for (std::size_t i = 0; i < equations_.blocks(); ++i) {
      const Equations::Block block = equations_.block(i);
      add_group(list, std::string(block.name), block.unknowns, block.unknowns >= 6 ? components : std::string());
    }
    return list;
  };
  unknowns_ = add_blocks("alx aly alz ax ay az");
  velocities_ = velocities(state);
  add_matrix("q'", "velocities at the state, of bodies angular and of the mass centre", add_blocks("wx wy wz vx vy vz"),
             one, rows_first(velocities_));
}

/// The rows of the constraints whose level counts, which become the groups of a list.
template <class Counts>
std::vector<Eigen::Index> ShownLevels::pick_rows(std::size_t list, const Counts& counts) {
  std::vector<Eigen::Index> picked;
  Eigen::Index first = 0;
  for (std::size_t i = 0; i < equations_.constraints(); ++i) {
    const Equations::Constraint constraint = equations_.constraint(i);
    if (counts(constraint.level) && constraint.rows > 0) {
      add_group(list, std::string(constraint.name), constraint.rows);
      for (Eigen::Index r = 0; r < index(constraint.rows); ++r) picked.push_back(first + r);
    }
    first += index(constraint.rows);
  }
  return picked;
}

ShownLevels::Rows ShownLevels::rows_of(const System& system, std::size_t level) {
  Rows rows{Matrix(0, system.M.cols()), {}, {}, add_list()};
  const std::vector<Eigen::Index> picked = pick_rows(rows.list, [&](std::size_t of) { return of == level; });
  std::vector<double> noise;
  for (std::size_t i = 0; i < equations_.constraints(); ++i) {
    const Equations::Constraint constraint = equations_.constraint(i);
    if (constraint.level != level) continue;
    const std::size_t before = noise.size();
    if (!noise_.empty()) noise.insert(noise.end(), noise_[i].begin(), noise_[i].end());
    noise.resize(before + constraint.rows);
  }
  rows.A = system.A(picked, Eigen::all);
  rows.b = system.b(picked);
  rows.noise = Eigen::Map<const Vector>(noise.data(), index(noise.size()));
  if (!picked.empty())
    add_matrix("w", "velocity that the level's rows give, A q' (Eq 2.1 of order one): zero without functions of time",
               rows.list, one, rows_first(rows.A * velocities_), level);
  return rows;
}

void ShownLevels::add_forces(const System& system, std::size_t level) {
  const Vector gamma = system.M * alpha_ - system.f;
  add_matrix("alpha", "accelerations of the level's model, Eq 3.4", unknowns_, one, rows_first(alpha_), level);
  add_matrix("gamma", "constraint forces M alpha - f, Eq 3.1", unknowns_, one, rows_first(gamma), level);
  const std::size_t list = add_list();
  const std::vector<Eigen::Index> picked = pick_rows(list, [&](std::size_t of) { return of <= level; });
  if (picked.empty()) return;
  const Matrix A = system.A(picked, Eigen::all);
  const Vector scale = scale_of_rows(A);
  const Decomposed decomposed((scale.asDiagonal() * A).transpose(), dependent);
  Vector lambda = scale.cwiseProduct(decomposed.solve(gamma));
  if (const Matrix kernel = scale.asDiagonal() * decomposed.kernel(); kernel.cols() > 0)
    lambda -= kernel * kernel.completeOrthogonalDecomposition().solve(lambda);
  add_matrix("lambda", "multipliers of all rows up to the level, of least norm, A^T lambda = gamma, Eqs 4.1, 4.4", list,
             one, rows_first(lambda), level);
}

/// Adds the generalized inverse G of B = Ã S_r, whose rows are scaled for it, and what S_r is multiplied by, X, Y or Z
/// of Prop. 3.1 by the method; of the unknowns `motions`, which become those of the level.
ShownLevels::Matrix ShownLevels::add_operator(const Matrix& B, const Rows& rows, std::size_t level,
                                              std::size_t& motions, Matrix& G) {
  const Vector scale = scale_of_rows(rows.A);
  const Matrix scaled = scale.asDiagonal() * B;
  const Decomposed decomposed(scaled, dependent);
  const bool oblique = method_ == Method::oblique_projector;
  G = (oblique ? one_inverse(scaled, decomposed.rank) : decomposed.inverse()) * scale.asDiagonal();
  add_matrix("G",
             oblique ? "{1}-inverse of A S: A S G A S = A S, Prop. 3.1 (ii)"
                     : "generalized inverse of A S, Corollaries 3.3, 3.4",
             motions, rows.list, rows_first(G), level);
  if (oblique) {
    const Matrix Y = Matrix::Identity(B.cols(), B.cols()) - G * B;
    add_matrix("Y", "oblique projector 1 - G A S onto ker(A S), Prop. 3.1 (ii)", motions, motions, rows_first(Y),
               level);
    return Y;
  }
  const Matrix kernel = decomposed.kernel();
  const bool projects = method_ == Method::generalized_inverse || method_ == Method::orthonormalization;
  const Matrix C = projects ? Matrix(kernel * kernel.transpose()) : kernel;
  const std::size_t before = motions;
  if (!projects) {
    motions = add_list();
    add_group(motions, "s", static_cast<std::size_t>(C.cols()));
  }
  add_matrix("C", projects ? "orthogonal projector onto ker(A S), Prop. 3.1" : "basis of ker(A S), Prop. 3.1", before,
             motions, rows_first(C), level);
  return C;
}

/// S_{r+1} = S_r C with C onto ker(Ã S_r), and α = particular + S ν with Sᵀ M α = Sᵀ f.
void ShownLevels::go_by_bases(const System& system) {
  const Eigen::Index n = system.M.rows();
  Matrix S = Matrix::Identity(n, n);
  Vector reached = Vector::Zero(n);  // meets the rows so far
  std::size_t before = unknowns_;
  for (std::size_t level = 1; level <= last_; ++level) {
    const Rows rows = rows_of(system, level);
    if (rows.A.rows() > 0) {
      Matrix G;
      const Matrix C = add_operator(rows.A * S, rows, level, before, G);
      reached += S * (G * (rows.b - rows.A * reached));
      S = S * C;
    }
    add_matrix("S", "operator onto the motions that the level's constraints allow, Theorem 3.2", unknowns_, before,
               rows_first(S), level);
    alpha_ = reached + move_freely(S, system.M, system.f - system.M * reached);
    add_forces(system, level);
  }
}

/// Eqs 4.14 to 4.18 in a = M^{1/2} α.
void ShownLevels::go_by_filter(const System& system) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(system.M);
  if (!(eigen.eigenvalues().minCoeff() > 1e-12 * eigen.eigenvalues().maxCoeff())) {
    go_by_bases(system);  // M has no inverse, and the recursion describes such bodies by motions, too
    return;
  }
  const Matrix inverse_root = eigen.operatorInverseSqrt();
  const Eigen::Index n = system.M.rows();
  Vector a = inverse_root * system.f;
  Matrix P = Matrix::Identity(n, n);
  for (std::size_t level = 1; level <= last_; ++level) {
    const Rows rows = rows_of(system, level);
    if (rows.A.rows() > 0) {
      const Matrix H = rows.A * inverse_root, PHt = P * H.transpose();
      const Matrix noise = rows.noise.asDiagonal();
      const Matrix innovation = H * PHt + noise;
      // Small singular values of H P Hᵀ are squares of those of H P.
      const Vector scale = (H * H.transpose() + noise).diagonal().cwiseSqrt().cwiseInverse();
      const Eigen::SelfAdjointEigenSolver<Matrix> scaled(scale.asDiagonal() * innovation * scale.asDiagonal());
      Vector inverse = scaled.eigenvalues();
      for (Eigen::Index i = 0; i < inverse.size(); ++i)
        inverse[i] = inverse[i] > dependent * dependent * scaled.eigenvalues().maxCoeff() ? 1 / inverse[i] : 0;
      const Matrix generalized = scale.asDiagonal() * scaled.eigenvectors() * inverse.asDiagonal() *
                                 scaled.eigenvectors().transpose() * scale.asDiagonal();
      const Matrix K = PHt * generalized;
      a += K * (rows.b - H * a);
      const Matrix left = Matrix::Identity(n, n) - K * H;
      P = left * P * left.transpose() + K * noise * K.transpose();
      add_matrix("K", "gain P H^T (H P H^T + R)^g with H = A M^-1/2, Eqs 4.14, 4.17", unknowns_, rows.list,
                 rows_first(K), level);
    }
    add_matrix("P", "covariance of a = M^1/2 alpha, a projector where R = 0, Eqs 4.16, 4.18", unknowns_, unknowns_,
               rows_first(P), level);
    alpha_ = inverse_root * a;
    add_forces(system, level);
  }
}

}  // namespace polyform::hierarchy
