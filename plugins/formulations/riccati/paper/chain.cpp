#include "chain.hpp"

#include <algorithm>
#include <numeric>

namespace polyform::riccati::paper {
namespace {

std::vector<Index> range(Index first, Index count) {
  std::vector<Index> places(static_cast<std::size_t>(count));
  std::iota(places.begin(), places.end(), first);
  return places;
}

/// Carries the condition at the input end of an element to its output end. Its rows are kept orthonormal, because along
/// a long chain they would become too small.
Condition pass(const Condition& before, const Matrix& P, const Vector& Pq) {
  const Matrix G = before.G * P;
  const Vector g = before.g - before.G * Pq;
  const Eigen::HouseholderQR<Matrix> qr(G.transpose());  // G = Rᵀ Qᵀ
  const Matrix Q = qr.householderQ() * Matrix::Identity(G.cols(), G.rows());
  const Matrix R = qr.matrixQR().topRows(G.rows()).triangularView<Eigen::Upper>();
  return {Q.transpose(), R.transpose().triangularView<Eigen::Lower>().solve(g)};
}

}  // namespace

std::vector<Index> known_states(const Layout& s, Boundary boundary) {
  if (boundary == Boundary::free) return range(s.m(), s.half());
  if (boundary == Boundary::fixed) return range(0, s.half());
  std::vector<Index> places = range(s.r(), s.linear);
  const std::vector<Index> moments = range(s.m(), s.angular);
  places.insert(places.end(), moments.begin(), moments.end());
  return places;
}

Chain::Chain(const Layout& layout, Boundary tip, std::vector<Element> elements) : layout_(layout), tip_(tip) {
  constexpr double smallest_condition = 1e-12;  // reciprocal condition number of P: less is rounding

  partition_.a = known_states(layout, tip);
  for (Index k = 0; k < layout.one(); ++k)
    if (std::find(partition_.a.begin(), partition_.a.end(), k) == partition_.a.end()) partition_.b.push_back(k);
  S_.push_back(Matrix::Zero(layout.half(), layout.half()));  // Eq 34
  e_.push_back(Vector::Zero(layout.half()));
  for (const Element& element : elements) {
    const std::size_t i = steps_.size();
    if (element.hinge && !carried_) carried_ = moment(i);
    const Rearranged t(layout, partition_, element.U);
    auto& step = steps_.emplace_back();
    step.set(t.T11, t.T12, t.T21, t.T22, t.f_a, t.f_b, S_[i], Matrix(e_[i]));
    regular_ = regular_ && step.P.allFinite() && step.P.partialPivLu().rcond() > smallest_condition;
    S_.push_back(step.S_next);
    e_.push_back(step.e_next);
    if (carried_) carried_ = pass(*carried_, step.P, step.Pq);
  }
}

Vector Chain::state(std::size_t i, const Vector& z_b) const {
  Vector z(layout_.size());
  z(partition_.a) = S_[i] * z_b + e_[i];
  z(partition_.b) = z_b;
  z[layout_.one()] = 1;
  return z;
}

Matrix Chain::tip_matrix() const {
  Matrix U = Matrix::Zero(layout_.size(), layout_.half() + 1);
  U(partition_.a, range(0, layout_.half())) = S_.back();
  U(partition_.a, layout_.half()) = e_.back();
  U(partition_.b, range(0, layout_.half())).setIdentity();
  U(layout_.one(), layout_.half()) = 1;
  return U;
}

Condition Chain::moment(std::size_t i) const {
  Condition c{Matrix(layout_.angular, layout_.half()), Vector(layout_.angular)};
  const Vector free = state(i, Vector::Zero(layout_.half()));
  for (Index k = 0; k < layout_.half(); ++k)
    c.G.col(k) = (state(i, Vector::Unit(layout_.half(), k)) - free).segment(layout_.m(), layout_.angular);
  c.g = -free.segment(layout_.m(), layout_.angular);
  return c;
}

Condition Chain::condition() const { return carried_ ? *carried_ : moment(steps_.size()); }

std::optional<Vector> Chain::root(Boundary boundary) const {
  if (!regular_ || (carried_ && (tip_ == Boundary::fixed || boundary == Boundary::fixed))) return std::nullopt;
  const std::vector<Index> known = known_states(layout_, boundary);
  const Matrix U = tip_matrix()(known, Eigen::all);
  const Index extra = carried_ ? carried_->G.rows() : 0, half = layout_.half();
  Matrix K(half + extra, half);
  Vector k(half + extra);
  K.topRows(half) = U.leftCols(half);
  k.head(half) = -U.col(half);
  if (carried_) {
    K.bottomRows(extra) = carried_->G;
    k.tail(extra) = carried_->g;
  }
  const Eigen::ColPivHouseholderQR<Matrix> qr(K);
  if (qr.rank() < half) return std::nullopt;
  return qr.solve(k);
}

std::vector<Vector> Chain::states(const Vector& z_b) const {
  std::vector<Vector> z(steps_.size() + 1);
  Vector at = z_b;
  z.back() = state(steps_.size(), at);
  for (std::size_t i = steps_.size(); i-- > 0;) {
    at = steps_[i].P * at + steps_[i].Pq;
    z[i] = state(i, at);
  }
  return z;
}

}  // namespace polyform::riccati::paper
