// Flexible bodies in Eq 15: elimination of modes, and their digits.
#include <algorithm>

#include "reduced_form_missing.hpp"

namespace polyform::thompson {
namespace {

using Six = std::array<DoubleDouble, 6>;

/// Inertia of a mode that is lost in the rounding of the terms it is made of.
constexpr double lost_of_mode = 1e-13;

DoubleDouble product(const Vector6& column, const Six& x) {
  DoubleDouble sum = 0.0;
  for (std::size_t r = 0; r < 6; ++r) sum += DoubleDouble(column[static_cast<int>(r)]) * x[r];
  return sum;
}

}  // namespace

/// What the flexible bodies have by themselves.
void ReducedForm::set_modes(const Problem& problem) noexcept {
  for (std::size_t i = 0; i < flexible_.size(); ++i) {
    if (flexible_[i] == rigid) continue;
    Modal& modal = modal_[flexible_[i]];
    const H2::Modes& its = h2_.modes(i);
    std::ranges::copy(mass_.coupling(i), modal.coupling.begin());
    std::ranges::copy(mass_.of_modes(i), modal.inertia.begin());
    for (std::size_t k = 0; k < its.count; ++k)
      modal.forces[k] = problem.Q == nullptr ? 0.0 : problem.Q->further[its.first + k];
  }
}

/// Modes of a body one after the other, those of the outboard bodies being gone: D, U, and what is left of [v ω], with
/// [v ω] at η̈ = 0 as the unknown.
bool ReducedForm::eliminate_modes(std::size_t i, bool with_gamma) noexcept {
  Modal& modal = modal_[flexible_[i]];
  const H2::Modes& its = h2_.modes(i);
  Matrix6& M = inertias_[i];
  Vector6& f = forces_.bodies[i];
  const std::size_t m = its.count;
  const std::span<const Vector6> own = h2_.own_columns(i);
  if (!own.empty()) {
    for (std::size_t k = 0; k < m; ++k) {
      const Vector6 moved = M * own[k];
      for (std::size_t l = 0; l < m; ++l)
        modal.inertia[k * m + l] += own[k].dot(modal.coupling[l]) + modal.coupling[k].dot(own[l]) + moved.dot(own[l]);
    }
    for (std::size_t k = 0; k < m; ++k) {
      modal.coupling[k].noalias() += M * own[k];
      modal.forces[k] += own[k].dot(f);
    }
  }
  if (with_gamma) {
    const Vector6& gamma = h2_.bodies()[i].gamma;
    f.noalias() -= M * gamma;
    for (std::size_t k = 0; k < m; ++k) modal.forces[k] -= modal.coupling[k].dot(gamma);
  }
  for (std::size_t k = 0; k < m; ++k) {
    Direction& direction = directions_[its.first + k];
    const double D = modal.inertia[k * m + k];
    double terms = D;
    for (std::size_t l = 0; l < k; ++l)
      terms += modal.inertia[k * m + l] * modal.inertia[k * m + l] * directions_[its.first + l].inverse;
    if (!(D > lost_of_mode * terms)) {
      failed_ = its.first + k;
      return false;
    }
    direction.U = modal.coupling[k];
    direction.inverse = 1 / D;
    direction.rate = direction.inverse * modal.forces[k];
    f -= direction.rate * direction.U;
    M.noalias() -= direction.inverse * direction.U * direction.U.transpose();
    for (std::size_t l = k + 1; l < m; ++l) {
      const double shared = modal.inertia[l * m + k];
      modal.forces[l] -= shared * direction.rate;
      modal.coupling[l] -= shared * direction.inverse * direction.U;
      for (std::size_t j = k + 1; j <= l; ++j)
        modal.inertia[l * m + j] -= shared * direction.inverse * modal.inertia[j * m + k];
    }
  }
  return true;
}

/// What a body that is carried at a node leaves for the modes of its inboard body.
void ReducedForm::pass_to_modes(std::size_t i) noexcept {
  const std::span<const Vector6> columns = h2_.inboard_columns(i);
  if (columns.empty()) return;
  const H2::Body& body = h2_.bodies()[i];
  Modal& modal = modal_[flexible_[body.inboard]];
  const std::size_t m = columns.size();
  for (std::size_t k = 0; k < m; ++k) {
    const Vector6 moved = inertias_[i] * columns[k];
    modal.coupling[k].noalias() += body.T.transpose() * moved;
    for (std::size_t l = 0; l < m; ++l) modal.inertia[k * m + l] += moved.dot(columns[l]);
    modal.forces[k] += columns[k].dot(forces_.bodies[i]);
  }
}

void ReducedForm::add_inboard_modes(std::size_t i, const double* udot, Vector6& a) const noexcept {
  if (h2_.modes(i).inboard == H2::none) return;
  const double* rates = udot + h2_.modes(h2_.bodies()[i].inboard).first;
  for (const Vector6& column : h2_.inboard_columns(i)) a += *rates++ * column;
}

/// η̈ from a, the acceleration of the body without its velocity terms and without what η̈ adds to it, which follows.
void ReducedForm::find_modal_rates(std::size_t i, double* udot, Vector6& a) const noexcept {
  const Modal& modal = modal_[flexible_[i]];
  const H2::Modes& its = h2_.modes(i);
  double* etaddot = udot + its.first;
  for (std::size_t k = its.count; k-- > 0;) {
    const Direction& direction = directions_[its.first + k];
    double taken = direction.U.dot(a);
    for (std::size_t l = k + 1; l < its.count; ++l) taken += modal.inertia[l * its.count + k] * etaddot[l];
    etaddot[k] = direction.rate - direction.inverse * taken;
  }
  for (const Vector6& column : h2_.own_columns(i)) a += *etaddot++ * column;
}

/// With the factors of eliminate_modes().
void ReducedForm::solve_missing_modes(std::size_t i) noexcept {
  Modal& modal = modal_[flexible_[i]];
  const H2::Modes& its = h2_.modes(i);
  Vector6& f = forces_.bodies[i];
  const std::span<const Vector6> own = h2_.own_columns(i);
  for (std::size_t k = 0; k < its.count; ++k)
    modal.forces[k] += missing_->of_coordinates[its.first + k] + (own.empty() ? 0.0 : own[k].dot(f));
  for (std::size_t k = 0; k < its.count; ++k) {
    Direction& direction = directions_[its.first + k];
    direction.rate = direction.inverse * modal.forces[k];
    f -= direction.rate * direction.U;
    for (std::size_t l = k + 1; l < its.count; ++l)
      modal.forces[l] -= modal.inertia[l * its.count + k] * direction.rate;
  }
}

void ReducedForm::pass_missing_to_modes(std::size_t i) noexcept {
  const std::span<const Vector6> columns = h2_.inboard_columns(i);
  if (columns.empty()) return;
  double* force = modal_[flexible_[h2_.bodies()[i].inboard]].forces.data();
  for (const Vector6& column : columns) *force++ += column.dot(forces_.bodies[i]);
}

void ReducedForm::Missing::add_modes(const H2& h2, std::size_t i, Six& to) const noexcept {
  const auto add = [&](std::span<const Vector6> columns, std::size_t first) {
    for (const Vector6& column : columns) {
      for (std::size_t r = 0; r < 6; ++r) to[r] += udot[first] * DoubleDouble(column[static_cast<int>(r)]);
      ++first;
    }
  };
  add(h2.own_columns(i), h2.modes(i).first);
  if (h2.modes(i).inboard != H2::none) add(h2.inboard_columns(i), h2.modes(h2.bodies()[i].inboard).first);
}

void ReducedForm::Missing::subtract_modal_inertia(const H2& h2, const GeneralizedMass& mass, std::size_t i) noexcept {
  const H2::Modes& its = h2.modes(i);
  const std::span<const Vector6> coupling = mass.coupling(i);
  for (std::size_t k = 0; k < its.count; ++k) {
    for (std::size_t r = 0; r < 6; ++r)
      forces[i][r] -= udot[its.first + k] * DoubleDouble(coupling[k][static_cast<int>(r)]);
    y[its.first + k] -= product(coupling[k], q[i]);
    for (std::size_t l = 0; l < its.count; ++l)
      y[its.first + k] -= DoubleDouble(mass.of_modes(i)[k * its.count + l]) * udot[its.first + l];
  }
}

void ReducedForm::Missing::add_modal_forces(const H2& h2, std::size_t i) noexcept {
  const auto add = [&](std::span<const Vector6> columns, std::size_t first) {
    for (const Vector6& column : columns) y[first++] += product(column, forces[i]);
  };
  add(h2.own_columns(i), h2.modes(i).first);
  if (h2.modes(i).inboard != H2::none) add(h2.inboard_columns(i), h2.modes(h2.bodies()[i].inboard).first);
}

}  // namespace polyform::thompson
