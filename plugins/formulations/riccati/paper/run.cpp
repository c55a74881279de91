#include "run.hpp"

#include <algorithm>
#include <limits>

namespace polyform::riccati::paper {
namespace {

/// Factors D = Cᵀ S H of a hinge (Eq 24 with a motion subspace). False when some direction moves no inertia.
bool factor_inertia(const HingeMotion& hinge, const Matrix6& S, Eigen::LLT<Small>& factors) {
  /// A pivot below this part of the inertia it is formed from is rounding.
  constexpr double smallest_pivot = 1e-14;
  const double rotation = S.topRightCorner<3, 3>().trace(), translation = -S.bottomLeftCorner<3, 3>().trace();
  const Small D = hinge.condition().transpose() * S * hinge.H;
  factors.compute(D);
  if (factors.info() != Eigen::Success) return false;
  for (Index k = 0; k < D.cols(); ++k) {
    const auto H = hinge.H.col(k);
    const double size = H.tail<3>().squaredNorm() * rotation + H.head<3>().squaredNorm() * translation;
    const double pivot = factors.matrixLLT()(k, k);
    if (!(pivot * pivot > smallest_pivot * size)) return false;
  }
  return true;
}

/// S is that of a symmetric inertia, up to the paper's signs. Rounding that grows along a long chain breaks it.
void symmetrize(Matrix6& S) {
  auto m_r = S.topLeftCorner<3, 3>(), m_omega = S.topRightCorner<3, 3>();
  auto q_r = S.bottomLeftCorner<3, 3>(), q_omega = S.bottomRightCorner<3, 3>();
  m_omega = (0.5 * (m_omega + m_omega.transpose())).eval();
  q_r = (0.5 * (q_r + q_r.transpose())).eval();
  m_r = (0.5 * (m_r - q_omega.transpose())).eval();
  q_omega = -m_r.transpose();
}

/// The states that the product leads to grow all alike with the length of the chain, until rounding is all that tells
/// one from another. The part that rounding has in them; columns count by their directions.
double rounding_in(const Matrix6& W, const Matrix6& inverse) {
  double condition = 0;
  for (Index k = 0; k < 6; ++k) condition += W.col(k).norm() * inverse.row(k).norm();
  return condition * std::numeric_limits<double>::epsilon();
}
/// From here on no digit is left.
constexpr double all_lost = 0.1;

}  // namespace

Run::Run(const Links& links, std::size_t first, std::size_t last, Index columns) : first_(first), last_(last) {
  const Index n = links.hinge(last).H.cols(), possible = 6 - links.hinge(first).H.cols();
  for (std::size_t i = first; i != last; i = links.parent(i))
    stages_.push_back({links.parent(i), {}, Matrix13::Identity()});
  start_.F = end_.F = p_ = rest_ = Matrix6X::Zero(6, columns);
  gain_ = Rows6::Zero(n, 6);
  free_ = Matrix::Zero(n, columns);
  if (!stages_.empty()) Z_first_ = Z_last_ = Matrix::Zero(13, possible + columns);
}

bool Run::condense(const Links& links) noexcept {
  return stages_.empty() ? pass_hinge(links.hinge(first_)) : multiply(links);
}

/// The Riccati step of a hinge with any motion subspace: its condition Cᵀ z_a = τ gives v̇, so that with
/// z_b,I = z_b,O + H v̇ + bias the step has the form of Eq 25.
bool Run::pass_hinge(const HingeMotion& hinge) noexcept {
  const Relation& s = start_;
  P_.setIdentity();
  p_.setZero();
  p_.col(0) = hinge.bias;
  if (hinge.H.cols() > 0) {
    Eigen::LLT<Small> factors;
    if (!factor_inertia(hinge, s.S, factors)) {
      failed_ = first_;
      return false;
    }
    const Columns C = hinge.condition();
    gain_ = -(C.transpose() * s.S);
    free_ = -C.transpose().lazyProduct(s.F);
    free_.col(0) += gain_ * hinge.bias + hinge.effort;
    factors.solveInPlace(gain_);
    factors.solveInPlace(free_);
    P_ += hinge.H * gain_;
    p_ += hinge.H.lazyProduct(free_);
  }
  end_.S = s.S * P_;
  symmetrize(end_.S);
  end_.F = s.F;
  end_.F += s.S.lazyProduct(p_);
  return true;
}

/// Eqs 18, 19: the states possible at the first output end, multiplied through the run, meet the last hinge.
bool Run::multiply(const Links& links) noexcept {
  failed_ = first_;
  const HingeMotion &first = links.hinge(first_), &last = links.hinge(last_);
  const Index turns = first.H.cols(), possible = 6 - turns, m = columns();
  // z_b = N x + H w with the condition of the first hinge met by w: states for any x.
  Columns N(6, possible), H = first.H;
  {
    const Eigen::HouseholderQR<Columns> qr(H);
    const Matrix6 Q = qr.householderQ();
    N = Q.rightCols(possible);
  }
  Z_first_.setZero();
  auto x_b = Z_first_.topLeftCorner(6, possible), y_b = Z_first_.topRightCorner(6, m);
  x_b = N;
  if (turns > 0) {
    Eigen::LLT<Small> factors;
    if (!factor_inertia(first, start_.S, factors)) return false;
    const Columns C = first.condition();
    Small w = -(C.transpose() * start_.S * N);
    factors.solveInPlace(w);
    x_b += H * w;
    Effort tau(turns);
    for (Index k = 0; k < m; ++k) {
      tau = -(C.transpose() * start_.F.col(k));
      if (k == 0) tau += first.effort;
      factors.solveInPlace(tau);
      y_b.col(k) = H * tau;
    }
  }
  Z_first_.middleRows<6>(6) = start_.S.lazyProduct(Z_first_.topRows<6>());
  Z_first_.block(6, possible, 6, m) += start_.F;
  Z_first_(12, possible) = 1;

  Matrix13 product = Matrix13::Identity(), passed;
  std::size_t before = first_;
  for (Stage& stage : stages_) {
    stage.U = links.element(before);
    if (!stage.hinge.set(links.hinge(before), stage.U, links.hinge(stage.body))) {
      failed_ = before;
      return false;
    }
    passed.noalias() = stage.hinge.U * product;
    product.noalias() = stage.U * passed;
    before = stage.body;
  }
  Z_last_ = product.lazyProduct(Z_first_);

  // z_end = z_b − H v̇ − bias = W [x; v̇] + rest y.
  Matrix6 W;
  W.leftCols(possible) = Z_last_.topLeftCorner(6, possible);
  W.rightCols(last.H.cols()) = -last.H;
  rest_ = Z_last_.topRightCorner(6, m);
  rest_.col(0) -= last.bias;
  const Matrix6 inverse = W.partialPivLu().inverse();
  const double rounding = rounding_in(W, inverse);
  if (!(rounding < all_lost)) return false;
  const Rows6 to_x = inverse.topRows(possible);
  gain_ = inverse.bottomRows(last.H.cols());
  free_ = -gain_.lazyProduct(rest_);
  end_.S = Z_last_.block(6, 0, 6, possible).lazyProduct(to_x);
  end_.F = Z_last_.block(6, possible, 6, m);
  end_.F -= end_.S.lazyProduct(rest_);
  P_ = Z_first_.topLeftCorner(6, possible).lazyProduct(to_x);
  p_ = Z_first_.topRightCorner(6, m);
  p_ -= P_.lazyProduct(rest_);
  // The first state is a small difference of what the product has made large, and its rounding grows as the product
  // does when the states are multiplied anew on the way back.
  double growth = 0;
  for (Index k = 0; k < possible; ++k)
    growth = std::max(growth, Z_last_.col(k).head<6>().norm() / Z_first_.col(k).head<6>().norm());
  const double difference = p_.col(0).norm(), terms = (P_.cwiseAbs() * rest_.col(0).cwiseAbs()).norm();
  const double cancelled = difference > 0 ? std::max(1.0, terms / difference) : 1.0;
  lost_ = std::max(rounding, std::numeric_limits<double>::epsilon() * growth * cancelled);
  return end_.S.allFinite() && end_.F.allFinite();
}

void Run::back(const Links& links, const Vector6& z_end, const VectorRef& y, std::span<Vector6> z_b,
               std::span<Vector6> z_a, double* vdot) const noexcept {
  Eigen::Matrix<double, 13, 1> z;
  z.head<6>() = P_ * z_end + p_.lazyProduct(y);
  z.segment<6>(6) = start_.S * z.head<6>() + start_.F.lazyProduct(y);
  z[12] = 1;
  z_b[first_] = z.head<6>();
  z_a[first_] = z.segment<6>(6);
  std::size_t before = first_;
  for (const Stage& stage : stages_) {
    Eigen::Map<Vector>(vdot + links.velocity(before), stage.hinge.rates.rows()) = stage.hinge.rates.lazyProduct(z);
    const Eigen::Matrix<double, 13, 1> moved = stage.hinge.U.lazyProduct(z);
    z = stage.U.lazyProduct(moved);
    z_b[stage.body] = z.head<6>();
    z_a[stage.body] = z.segment<6>(6);
    before = stage.body;
  }
  Eigen::Map<Vector>(vdot + links.velocity(last_), gain_.rows()) = gain_.lazyProduct(z_end) + free_.lazyProduct(y);
}

double alignment(const Links& links, std::size_t child) noexcept {
  const HingeMotion &hinge = links.hinge(child), &next = links.hinge(links.parent(child));
  if (hinge.H.cols() != next.H.cols()) return 0;
  if (hinge.H.cols() == 0) return 1;
  const Matrix13 U = links.element(child);
  const Matrix6 at_output = links.own_element(links.parent(child)).block<6, 6>(6, 0);
  // The body's inertia at the child's hinge point: it is symmetric, so carry that of the output end there.
  const Matrix6 X = links.X(child);
  HingeMotion moved = hinge;
  moved.H = X.inverse() * hinge.H;
  Eigen::LLT<Small> here, there;
  if (!factor_inertia(moved, at_output, here) || !factor_inertia(next, at_output, there)) return 0;
  Small coupling = next.condition().transpose() * U.block<6, 6>(6, 0) * hinge.H;
  there.matrixL().solveInPlace(coupling);
  coupling.transposeInPlace();
  here.matrixL().solveInPlace(coupling);
  const Small inverse = coupling.partialPivLu().inverse();
  const double size = inverse.norm();
  return std::isfinite(size) ? std::sqrt(static_cast<double>(inverse.cols())) / size : 0;
}

}  // namespace polyform::riccati::paper
