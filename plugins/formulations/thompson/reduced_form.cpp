// Eq 15.
#include <algorithm>
#include <limits>

#include "body_inertia.hpp"
#include "reduced_form_missing.hpp"

namespace polyform::thompson {
namespace {

/// Inertia against a coordinate that is lost in the rounding of the terms it is made of.
constexpr double lost = 1e-13;

/// The first elements of a row.
Eigen::Map<const Eigen::VectorXd> row(const double* first, std::size_t count) {
  return {first, static_cast<Eigen::Index>(count)};
}

}  // namespace

ReducedForm::ReducedForm(const SystemView& view, const H2& h2, const GeneralizedMass& mass, SecondReduction& second)
    : h2_(h2),
      mass_(mass),
      second_(second),
      inertias_(view.bodies.size()),
      rates_(view.bodies.size()),
      forces_{BodyVectors(view.bodies.size()), std::vector<double>(h2.size())},
      directions_(h2.size()),
      column_(h2.size()),
      right_(h2.size()) {
  for (const BodyData& body : view.bodies) {
    has_massless_ = has_massless_ || is_singular(body);
    if (!view.flexible.empty()) flexible_.push_back(body.flexible);
  }
  for (const FlexibleData& f : view.flexible)
    modal_.push_back(
        {std::vector<Vector6>(f.modes), std::vector<double>(f.modes * f.modes), std::vector<double>(f.modes)});
  if (has_massless_) unyielding_.resize(view.bodies.size());
  missing_ = std::make_unique<Missing>(view.bodies.size(), h2.size(), second.rows());
  if (!second.empty()) matrix_.reset(new double[h2.size() * h2.size()]);
}

ReducedForm::~ReducedForm() = default;

bool ReducedForm::solve(const Problem& problem, double* udot, BodyVectors& qddot) noexcept {
  if (!second_.empty()) return solve_dense(problem, udot, qddot);
  if (!tips_to_roots(problem)) return false;
  roots_to_tips(problem, udot, qddot);
  return true;
}

/// Elimination of u̇ from the tips: D, U, and what is left of forces and inertia for the body inboard.
bool ReducedForm::tips_to_roots(const Problem& problem) noexcept {
  BodyVectors& forces = forces_.bodies;
  for (std::size_t i = 0; i < inertias_.size(); ++i) {
    inertias_[i] = mass_.of_body(i);
    if (problem.Q != nullptr)
      forces[i] = problem.Q->bodies[i];
    else
      forces[i].setZero();
  }
  if (!modal_.empty()) set_modes(problem);
  if (has_massless_) unyielding_ = inertias_;
  for (std::size_t i = inertias_.size(); i-- > 0;) {
    const H2::Body& body = h2_.bodies()[i];
    Matrix6& M = inertias_[i];
    M.triangularView<Eigen::StrictlyUpper>() = M.transpose();  // what is not symmetric would grow along chains
    Vector6& f = forces[i];
    if (!modal_.empty() && flexible_[i] != rigid) {
      if (!eliminate_modes(i, problem.with_gamma)) return false;
    } else if (problem.with_gamma) {
      f.noalias() -= M * body.gamma;
    }
    for (std::size_t k = 0; k < body.freedoms; ++k) {
      const auto N = body.basis.col(static_cast<int>(k));
      Direction& direction = directions_[body.first + k];
      direction.U.noalias() = M * N;
      const double D = N.dot(direction.U);
      double terms = has_massless_ ? N.dot(unyielding_[i] * N) : D;  // that D is what is left of
      for (std::size_t j = 0; j < k; ++j) {
        const Direction& before = directions_[body.first + j];
        const double coupling = N.dot(before.U);
        terms += before.inverse * coupling * coupling;
      }
      if (!(D > lost * terms)) {
        failed_ = body.first + k;
        return false;
      }
      direction.inverse = 1 / D;
      direction.rate = direction.inverse * N.dot(f);
      f -= direction.rate * direction.U;
      const Vector6 scaled = direction.inverse * direction.U;
      for (int c = 0; c < 6; ++c) M.col(c) -= direction.U[c] * scaled;
    }
    if (body.inboard == H2::none) continue;
    if (!modal_.empty()) pass_to_modes(i);
    transfer_inertia(body.T, h2_.is_relative(), M, inertias_[body.inboard]);
    if (has_massless_) transfer_inertia(body.T, h2_.is_relative(), unyielding_[i], unyielding_[body.inboard]);
    forces[body.inboard].noalias() += body.T.transpose() * f;
  }
  return true;
}

void ReducedForm::roots_to_tips(const Problem& problem, double* udot, BodyVectors& qddot) const noexcept {
  for (std::size_t i = 0; i < inertias_.size(); ++i) {
    const H2::Body& body = h2_.bodies()[i];
    Vector6 a = Vector6::Zero();
    if (body.inboard != H2::none) a.noalias() += body.T * qddot[body.inboard];
    if (!modal_.empty()) add_inboard_modes(i, udot, a);
    for (std::size_t k = body.freedoms; k-- > 0;) {
      const Direction& direction = directions_[body.first + k];
      const double rate = direction.rate - direction.inverse * direction.U.dot(a);
      udot[body.first + k] = rate;
      a += rate * body.basis.col(static_cast<int>(k));
    }
    if (!modal_.empty() && flexible_[i] != rigid) find_modal_rates(i, udot, a);
    if (problem.with_gamma) a += body.gamma;
    qddot[i] = a;
  }
}

/// M̂22 = (H2 Z)ᵀ M (H2 Z) and its factors L D Lᵀ, rows of the lower triangle. The second round takes away what
/// rounding in the matrix has left, which for one long loop is far more than in the sweeps.
bool ReducedForm::solve_dense(const Problem& problem, double* udot, BodyVectors& qddot) noexcept {
  const auto independent = second_.independent();
  const std::size_t n = independent.size();
  for (std::size_t a = 0; a < n; ++a) {
    column(independent[a]);
    for (std::size_t b = 0; b <= a; ++b) matrix_[a * n + b] = column_[independent[b]];
  }
  if (!factorize(n, problem.Q == nullptr)) return false;
  second_.particular(problem.right, udot);
  for (int round = 0; round < 2; ++round) {
    h2_.to_bodies(udot, problem.with_gamma, qddot);
    mass_.multiply(qddot, udot, forces_);
    for (std::size_t i = 0; i < inertias_.size(); ++i) {
      forces_.bodies[i] = -forces_.bodies[i];
      if (problem.Q != nullptr) forces_.bodies[i] += problem.Q->bodies[i];
    }
    for (std::size_t k = h2_.joint_coordinates(); k < h2_.size(); ++k)
      column_[k] = (problem.Q != nullptr ? problem.Q->further[k] : 0.0) - forces_.further[k];
    h2_.to_joints(forces_.bodies, column_.data());
    second_.fold(column_.data());
    for (std::size_t a = 0; a < n; ++a) right_[a] = column_[independent[a]];
    substitute(n);
    std::fill(column_.begin(), column_.end(), 0.0);
    for (std::size_t a = 0; a < n; ++a) column_[independent[a]] = right_[a];
    second_.extend(column_.data());
    for (std::size_t k = 0; k < column_.size(); ++k) udot[k] += column_[k];
  }
  h2_.to_bodies(udot, problem.with_gamma, qddot);
  return true;
}

/// y = H2ᵀ M H2 u; they may be the same.
void ReducedForm::find_inertia(const double* u, double* y) noexcept {
  h2_.to_bodies(u, false, rates_);
  mass_.multiply(rates_, u, forces_);
  for (std::size_t k = h2_.joint_coordinates(); k < h2_.size(); ++k) y[k] = forces_.further[k];
  h2_.to_joints(forces_.bodies, y);
}

/// Into column_: Zᵀ H2ᵀ M H2 Z times a unit vector.
void ReducedForm::column(std::size_t coordinate) noexcept {
  std::fill(column_.begin(), column_.end(), 0.0);
  column_[coordinate] = 1;
  second_.extend(column_.data());
  find_inertia(column_.data(), column_.data());
  second_.fold(column_.data());
}

/// L D Lᵀ in place. In a correction a variable without inertia that no row moves stays as it is.
bool ReducedForm::factorize(std::size_t n, bool correction) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    double* L = matrix_.get() + i * n;
    const double own = L[i];
    // L D first, then L.
    for (std::size_t j = 1; j < i; ++j) L[j] -= row(L, j).dot(row(matrix_.get() + j * n, j));
    for (std::size_t j = 0; j < i; ++j) {
      const double scaled = L[j] / matrix_[j * n + j];
      L[i] -= L[j] * scaled;
      L[j] = scaled;
    }
    if (correction && own == 0 && second_.independent()[i] >= h2_.first_variable())
      L[i] = std::numeric_limits<double>::infinity();
    if (!(L[i] > lost * own)) {
      failed_ = second_.independent()[i];
      return false;
    }
  }
  return true;
}

/// right_ solved with the factors.
void ReducedForm::substitute(std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) right_[i] -= row(matrix_.get() + i * n, i).dot(row(right_.data(), i));
  for (std::size_t i = n; i-- > 0;) {
    right_[i] /= matrix_[i * n + i];
    for (std::size_t j = i + 1; j < n; ++j) right_[i] -= matrix_[j * n + i] * right_[j];
  }
}

}  // namespace polyform::thompson
