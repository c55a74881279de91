#include "framework/workbench/linearization/slow_space.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "framework/dense_equations.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// X with step(X) = 0 by X ← X − step(X). Nothing where the steps do not become rounding, or shrink too slowly for
/// that.
std::optional<MatrixXd> iterated(MatrixXd X, const std::function<MatrixXd(const MatrixXd&)>& step) {
  constexpr int most_steps = 60;
  constexpr double settled = 1e-14, at_rounding = 1e-10;
  constexpr std::size_t looked_back = 8, first_look = 16;
  std::vector<double> moves;
  for (int k = 0; k < most_steps; ++k) {
    const MatrixXd change = step(X);
    X -= change;
    const double moved = change.norm(), size = X.norm(), last = moves.empty() ? moved : moves.back();
    if (!std::isfinite(moved)) return std::nullopt;
    if (moved <= settled * size || (!moves.empty() && moved >= last && moved <= at_rounding * size)) return X;
    moves.push_back(moved);
    if (moves.size() < first_look) continue;
    const double shrinks = std::pow(moved / moves[moves.size() - 1 - looked_back], 1.0 / looked_back);
    if (moved * std::pow(shrinks, most_steps - 1 - k) > at_rounding * size) return std::nullopt;
  }
  return std::nullopt;
}

/// Makes each column of V the only one that moves a state of its own, by 1: what is not coupled in A stays so.
void give_own_states(MatrixXd& V, MatrixXd& W) {
  const Index slow = V.cols();
  const std::vector<Index> order = pivoted_columns(V.transpose()).order;
  MatrixXd own(slow, slow);
  for (Index k = 0; k < slow; ++k) own.row(k) = V.row(order[static_cast<std::size_t>(k)]);
  V = (V * inverse_of(own)).eval();
  W = (W * own.transpose()).eval();
  for (Index k = 0; k < slow; ++k) V.row(order[static_cast<std::size_t>(k)]) = Eigen::RowVectorXd::Unit(slow, k);
}

}  // namespace

std::optional<SlowSpace> slow_space(const MatrixXd& A, const MatrixXd& error, const MatrixXd& U, Index slow) {
  const Index fast = A.rows() - slow;
  const MatrixXd U1 = U.leftCols(slow), U2 = U.rightCols(fast);
  const MatrixXd moved = product_of(A, U1);
  const MatrixXd A11 = U1.transpose() * moved, A21 = U2.transpose() * moved, A12 = (U1.transpose() * A).eval() * U2,
                 A22 = (U2.transpose() * A).eval() * U2, inverse = inverse_of(A22);
  if (!inverse.allFinite()) return std::nullopt;
  const std::optional<MatrixXd> P = iterated(MatrixXd::Zero(fast, slow), [&](const MatrixXd& X) -> MatrixXd {
    return inverse * (A21 + A22 * X - X * (A11 + A12 * X));
  });
  if (!P) return std::nullopt;
  const std::optional<MatrixXd> Q = iterated(MatrixXd::Zero(slow, fast), [&](const MatrixXd& X) -> MatrixXd {
    return (A12 + X * A22 - (A11 + X * A21) * X) * inverse;
  });
  if (!Q) return std::nullopt;
  const MatrixXd G = inverse_of(MatrixXd::Identity(slow, slow) + *Q * *P);
  if (!G.allFinite()) return std::nullopt;
  constexpr double roundings = 4 * std::numeric_limits<double>::epsilon();
  SlowSpace out;
  out.V = U1 + U2 * *P;
  out.W = (U1 + U2 * Q->transpose()) * G.transpose();
  give_own_states(out.V, out.W);
  out.slow = out.W.transpose() * (A * out.V);
  // An entry may have the error of any other one of its row: it is what their terms leave.
  const Eigen::VectorXd of_row = error.rowwise().maxCoeff();
  const Eigen::RowVectorXd largest = out.V.cwiseAbs().colwise().maxCoeff();
  const MatrixXd doubt = (error + roundings * A.cwiseAbs()) * out.V.cwiseAbs() + of_row * largest;
  out.error = out.W.cwiseAbs().transpose() * doubt;
  // V and W are rounded as a whole, which mixes the rows and the columns of what they make.
  const Eigen::VectorXd rows = out.slow.cwiseAbs().rowwise().maxCoeff(),
                        columns = out.slow.cwiseAbs().colwise().maxCoeff();
  out.error.colwise() += roundings * rows;
  out.error.rowwise() += roundings * columns.transpose();
  out.fast_right = U2 - U1 * *Q;
  // (1 + P Q)⁻¹ = 1 − P G Q
  const MatrixXd left = U2 - U1 * P->transpose();
  out.fast_left = left - (left * Q->transpose()) * (*P * G).transpose();
  out.fast = A22 - A21 * *Q;
  return out;
}

}  // namespace polyform::host::linearization
