#include "framework/host/assembly/free_rows.hpp"

#include <Eigen/QR>
#include <limits>

#include "framework/dense_equations.hpp"

namespace polyform::host::inline assembly {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A basis of zᵀ A = 0.
Eigen::MatrixXd left_null_space(const Eigen::MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return Eigen::MatrixXd::Identity(A.rows(), A.rows());
  const Eigen::FullPivHouseholderQR<Eigen::MatrixXd> qr(A);
  const Eigen::MatrixXd Q = qr.matrixQ();
  return Q.rightCols(A.rows() - qr.rank());
}

}  // namespace

FreeRows free_rows_of_motions(const ModuleSet::Module& m) {
  const auto rows = static_cast<Eigen::Index>(m.rows.rows), size = static_cast<Eigen::Index>(m.variables);
  const Eigen::MatrixXd A = Eigen::Map<const Matrix>(m.A.data(), rows, size), all = left_null_space(A);
  std::vector<Eigen::Index> hold;
  for (Eigen::Index r = 0; r < rows; ++r)
    if (m.rows.is_holonomic(static_cast<std::size_t>(r))) hold.push_back(r);
  Eigen::MatrixXd part(static_cast<Eigen::Index>(hold.size()), size);
  for (std::size_t i = 0; i < hold.size(); ++i) part.row(static_cast<Eigen::Index>(i)) = A.row(hold[i]);
  const Eigen::MatrixXd own = left_null_space(part);
  FreeRows out{{}, Eigen::MatrixXd::Zero(rows, all.cols()), own.cols()};
  for (std::size_t r = 0; r < m.rows.rows; ++r) out.used.push_back(r);
  for (std::size_t i = 0; i < hold.size(); ++i)
    out.combinations.row(hold[i]).head(own.cols()) = own.row(static_cast<Eigen::Index>(i));
  if (own.cols() < all.cols()) {
    const auto first = out.combinations.leftCols(own.cols());
    const Eigen::MatrixXd rest = all - first * (first.transpose() * all);
    out.combinations.rightCols(all.cols() - own.cols()) =
        pivoted_columns(rest, std::numeric_limits<double>::infinity()).Q.leftCols(all.cols() - own.cols());
  }
  return out;
}

FreeRows free_rows_of_positions(const ModuleSet::Module& m) {
  FreeRows out;
  for (std::size_t r = 0; r < m.rows.rows; ++r)
    if (m.rows.is_holonomic(r)) out.used.push_back(r);
  if (out.used.empty()) return out;
  const auto size = static_cast<Eigen::Index>(m.variables);
  const Eigen::Map<const Matrix> whole(m.A.data(), static_cast<Eigen::Index>(m.rows.rows), size);
  Eigen::MatrixXd A(static_cast<Eigen::Index>(out.used.size()), size);
  for (std::size_t i = 0; i < out.used.size(); ++i)
    A.row(static_cast<Eigen::Index>(i)) = whole.row(static_cast<Eigen::Index>(out.used[i]));
  for (Eigen::Index k = 0; k < size; ++k)
    if (!m.is_integrated(static_cast<std::size_t>(k))) A.col(k).setZero();
  out.combinations = left_null_space(A);
  out.holonomic = out.combinations.cols();
  return out;
}

}  // namespace polyform::host::assembly
