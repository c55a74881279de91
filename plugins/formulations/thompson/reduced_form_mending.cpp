// Wins back digits that the reduction has lost between light and heavy bodies. It solves for the residual of Eq 15,
//
//   rest = H2ᵀ (Q − M (H2 u̇ + Ḣ2 q̇2)) − Jᵀ λ        and with closed loops   right − J u̇
//
// which is formed with twice the digits: its terms cancel to less than the rounding of a double.
#include <algorithm>

#include "reduced_form_missing.hpp"

namespace polyform::thompson {
namespace {

using Six = std::array<DoubleDouble, 6>;

/// y += A x, or Aᵀ x.
void add_product(Six& y, const Matrix6& A, const Six& x) {
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c)
      if (A(r, c) != 0) y[static_cast<std::size_t>(r)] += DoubleDouble(A(r, c)) * x[static_cast<std::size_t>(c)];
}
void add_transpose_product(Six& y, const Matrix6& A, const Six& x) {
  for (int r = 0; r < 6; ++r)
    for (int c = 0; c < 6; ++c)
      if (A(c, r) != 0) y[static_cast<std::size_t>(r)] += DoubleDouble(A(c, r)) * x[static_cast<std::size_t>(c)];
}

Vector6 narrowed(const Six& x) {
  Vector6 out;
  for (std::size_t k = 0; k < 6; ++k) out[static_cast<int>(k)] = static_cast<double>(x[k]);
  return out;
}

}  // namespace

void ReducedForm::start_mending(const double* udot) noexcept {
  std::copy_n(udot, missing_->udot.size(), missing_->udot.begin());
  std::fill(missing_->lambda.begin(), missing_->lambda.end(), DoubleDouble());
}

/// Writes Q − M q̈ of the bodies into forces, and that of modes and modules into y.
void ReducedForm::find_own_residuals(const Problem& problem) noexcept {
  Missing& m = *missing_;
  std::transform(problem.Q->further.begin(), problem.Q->further.end(), m.y.begin(),
                 [](double force) { return DoubleDouble(force); });
  for (std::size_t i = 0; i < inertias_.size(); ++i) {
    const H2::Body& body = h2_.bodies()[i];
    Six& q = m.q[i];
    for (std::size_t r = 0; r < 6; ++r) q[r] = problem.with_gamma ? body.gamma[static_cast<int>(r)] : 0.0;
    for (std::size_t k = 0; k < body.freedoms; ++k)
      for (std::size_t r = 0; r < 6; ++r)
        q[r] += m.udot[body.first + k] * DoubleDouble(body.basis(static_cast<int>(r), static_cast<int>(k)));
    if (body.inboard != H2::none) add_product(q, body.T, m.q[body.inboard]);
    if (h2_.has_modes()) m.add_modes(h2_, i, q);
    Six inertia{};
    add_product(inertia, mass_.of_body(i), q);
    for (std::size_t r = 0; r < 6; ++r)
      m.forces[i][r] = DoubleDouble(problem.Q->bodies[i][static_cast<int>(r)]) - inertia[r];
    if (!modal_.empty() && flexible_[i] != rigid) m.subtract_modal_inertia(h2_, mass_, i);
  }
  for (const GeneralizedMass::OfModule& module : mass_.modules())
    for (std::size_t k = 0; k < module.count; ++k)
      for (std::size_t l = 0; l < module.count; ++l)
        m.y[module.first + k] -= DoubleDouble(module.M[k * module.count + l]) * m.udot[module.first + l];
}

void ReducedForm::find_left(const Problem& problem, Forces& left) noexcept {
  find_own_residuals(problem);
  for (std::size_t i = 0; i < inertias_.size(); ++i) left.bodies[i] = narrowed(missing_->forces[i]);
  for (std::size_t k = h2_.joint_coordinates(); k < h2_.size(); ++k)
    left.further[k] = static_cast<double>(missing_->y[k]);
}

/// Sums the residual into of_coordinates and rows. It shares no code with the residuals of other formulations
/// (hierarchy::Residuals says why): no other is in joint coordinates with twice the digits.
void ReducedForm::find_residual(const Problem& problem) noexcept {
  Missing& m = *missing_;
  find_own_residuals(problem);
  for (std::size_t i = inertias_.size(); i-- > 0;) {
    const H2::Body& body = h2_.bodies()[i];
    for (std::size_t k = 0; k < body.freedoms; ++k) {
      DoubleDouble& y = m.y[body.first + k];
      y = 0.0;
      for (std::size_t r = 0; r < 6; ++r)
        y += DoubleDouble(body.basis(static_cast<int>(r), static_cast<int>(k))) * m.forces[i][r];
    }
    if (body.inboard != H2::none) add_transpose_product(m.forces[body.inboard], body.T, m.forces[i]);
    if (h2_.has_modes()) m.add_modal_forces(h2_, i);
  }
  for (std::size_t g = 0; g < second_.groups(); ++g)
    for (std::size_t r = 0; r < second_.rows_of(g); ++r) {
      const std::size_t row = second_.first_row(g) + r;
      const double* J = second_.row(g, r);
      DoubleDouble rest = problem.right[row];
      for (const std::size_t c : second_.columns(g)) {
        rest -= DoubleDouble(*J) * m.udot[c];
        m.y[c] -= DoubleDouble(*J++) * m.lambda[row];
      }
      m.rows[row] = static_cast<double>(rest);
    }
  std::transform(m.y.begin(), m.y.end(), m.of_coordinates.begin(),
                 [](const DoubleDouble& y) { return static_cast<double>(y); });
}

void ReducedForm::find_missing(const Problem& problem, BodyVectors& steps) noexcept {
  find_residual(problem);
  if (second_.empty())
    solve_missing(steps);
  else
    solve_missing_dense(steps);
}

/// Solves with the factors of tips_to_roots().
void ReducedForm::solve_missing(BodyVectors& steps) noexcept {
  Missing& m = *missing_;
  BodyVectors& forces = forces_.bodies;
  for (Vector6& f : forces) f.setZero();
  for (Modal& modal : modal_) std::fill(modal.forces.begin(), modal.forces.end(), 0.0);
  for (std::size_t i = inertias_.size(); i-- > 0;) {
    const H2::Body& body = h2_.bodies()[i];
    Vector6& f = forces[i];
    if (!modal_.empty() && flexible_[i] != rigid) solve_missing_modes(i);
    for (std::size_t k = 0; k < body.freedoms; ++k) {
      Direction& direction = directions_[body.first + k];
      direction.rate =
          direction.inverse * (m.of_coordinates[body.first + k] + body.basis.col(static_cast<int>(k)).dot(f));
      f -= direction.rate * direction.U;
    }
    if (body.inboard == H2::none) continue;
    if (!modal_.empty()) pass_missing_to_modes(i);
    forces[body.inboard].noalias() += body.T.transpose() * f;
  }
  roots_to_tips({}, m.step.data(), steps);
}

/// Solves with the factors of solve_dense() and the second reduction: first for the effect of the step on the loops,
/// then for the coordinates that the loops leave free, then for the multipliers.
void ReducedForm::solve_missing_dense(BodyVectors& steps) noexcept {
  Missing& m = *missing_;
  const auto independent = second_.independent();
  const auto take_inertia = [&](const double* udot) {
    find_inertia(udot, m.spent.data());
    for (std::size_t k = 0; k < m.spent.size(); ++k) m.of_coordinates[k] -= m.spent[k];
  };
  second_.particular(m.rows.data(), m.step.data());
  take_inertia(m.step.data());
  std::copy(m.of_coordinates.begin(), m.of_coordinates.end(), column_.begin());
  second_.fold(column_.data());
  for (std::size_t a = 0; a < independent.size(); ++a) right_[a] = column_[independent[a]];
  substitute(independent.size());
  std::fill(column_.begin(), column_.end(), 0.0);
  for (std::size_t a = 0; a < independent.size(); ++a) column_[independent[a]] = right_[a];
  second_.extend(column_.data());
  for (std::size_t k = 0; k < column_.size(); ++k) m.step[k] += column_[k];
  take_inertia(column_.data());
  second_.multipliers(m.of_coordinates.data(), m.lambda_step.data());
  h2_.to_bodies(m.step.data(), false, steps);
}

void ReducedForm::add_missing() noexcept {
  Missing& m = *missing_;
  for (std::size_t k = 0; k < m.udot.size(); ++k) m.udot[k] += m.step[k];
  for (std::size_t r = 0; r < m.lambda.size(); ++r) m.lambda[r] += m.lambda_step[r];
}

void ReducedForm::finish_mending(double* udot, BodyVectors& qddot) noexcept {
  Missing& m = *missing_;
  for (std::size_t k = 0; k < m.udot.size(); ++k) udot[k] = static_cast<double>(m.udot[k]);
  for (std::size_t i = 0; i < m.q.size(); ++i) qddot[i] = narrowed(m.q[i]);
}

}  // namespace polyform::thompson
