#include "stacked_matrices.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>

namespace polyform::thompson {

StackedMatrices::StackedMatrices(const SystemView& view, const ShownParts& parts)
    : view_(view), parts_(parts), h2_(parts.reductions.tree()) {
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    layout_.bodies.push_back(layout_.size);
    layout_.size += 6;
    layout_.modes.push_back(layout_.size);
    if (h2_.has_modes()) layout_.size += h2_.modes(i).count;
    constraints_ += 6 - view.joints[i].nv;
  }
  layout_.variables = layout_.size;
  layout_.size += h2_.size() - h2_.first_variable();
}

StackedMatrices::Vector StackedMatrices::stacked_rates(const BodyVectors& rates, const double* u) const {
  Vector all = Vector::Zero(index(layout_.size));
  for (std::size_t i = 0; i < rates.size(); ++i) {
    all.segment<6>(index(layout_.bodies[i])) = rates[i];
    if (!h2_.has_modes()) continue;
    const H2::Modes& modes = h2_.modes(i);
    for (std::size_t k = 0; k < modes.count; ++k) all[index(layout_.modes[i] + k)] = u[modes.first + k];
  }
  for (std::size_t k = h2_.first_variable(); k < h2_.size(); ++k)
    all[index(layout_.variables + k - h2_.first_variable())] = u[k];
  return all;
}

StackedMatrices::Matrix StackedMatrices::mass() const {
  const GeneralizedMass& mass = parts_.reductions.mass();
  Matrix M = Matrix::Zero(index(layout_.size), index(layout_.size));
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const Eigen::Index b = index(layout_.bodies[i]), m = index(layout_.modes[i]);
    M.block<6, 6>(b, b) = mass.of_body(i);
    if (view_.bodies[i].flexible == rigid) continue;
    const std::span<const Vector6> coupling = mass.coupling(i);
    const std::span<const double> own = mass.of_modes(i);
    for (std::size_t k = 0; k < coupling.size(); ++k) {
      M.block<6, 1>(b, m + index(k)) = coupling[k];
      M.block<1, 6>(m + index(k), b) = coupling[k].transpose();
      for (std::size_t l = 0; l < coupling.size(); ++l) M(m + index(k), m + index(l)) = own[k * coupling.size() + l];
    }
  }
  for (const GeneralizedMass::OfModule& module : mass.modules()) {
    const Eigen::Index first = index(layout_.variables + module.first - h2_.first_variable());
    for (std::size_t r = 0; r < module.count; ++r)
      for (std::size_t c = 0; c < module.count; ++c)
        M(first + index(r), first + index(c)) = module.M[r * module.count + c];
  }
  return M;
}

StackedMatrices::Vector StackedMatrices::forces() const {
  const Forces& Q = parts_.forces.Q();
  return stacked_rates(Q.bodies, Q.further.data());
}

StackedMatrices::Vector StackedMatrices::velocities() const {
  const PlacedTree& tree = parts_.tree.placed();
  std::vector<double> further(h2_.size());
  std::ranges::copy(tree.etadot(), further.begin() + static_cast<std::ptrdiff_t>(h2_.joint_coordinates()));
  const JointState::Parts parts = parts_.tree.parts();
  std::size_t k = h2_.first_variable();
  for (const ModuleSet::Module& module : tree.closing().modules().modules())
    for (std::size_t v = 0; v < module.variables; ++v) further[k++] = parts.x[module.u + v];
  return stacked_velocities(tree.kinematics(), further.data());
}

/// q̇ if all joints and modes stand still, except coordinates that functions of time give.
StackedMatrices::Vector StackedMatrices::given_velocities() const {
  const PlacedTree& tree = parts_.tree.placed();
  const std::vector<double> resting(std::max({view_.nv, view_.modes, h2_.size()}));
  TreeKinematics given(view_);
  given.evaluate(tree.q().data(), resting.data(), tree.eta().data(), resting.data());
  return stacked_velocities(given, resting.data());
}

StackedMatrices::Vector StackedMatrices::stacked_velocities(const TreeKinematics& tree, const double* u) const {
  BodyVectors rates(view_.bodies.size());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const BodyMotion& m = tree.bodies()[i];
    rates[i] = stacked(m.V.linear + cross(m.V.angular, h2_.center(i)), transpose_times(m.R, m.V.angular));
  }
  return stacked_rates(rates, u);
}

StackedMatrices::Matrix StackedMatrices::transformation() const {
  Matrix H(index(layout_.size), index(h2_.size()));
  BodyVectors column(view_.bodies.size());
  for (std::size_t k = 0; k < h2_.size(); ++k) {
    std::vector<double> unit(h2_.size());
    unit[k] = 1;
    h2_.to_bodies(unit.data(), false, column);
    H.col(index(k)) = stacked_rates(column, unit.data());
  }
  return H;
}

/// Per body the inverse of [N P], one above the other: uᵀ first, then Φ_i of the body itself.
StackedMatrices::Matrix StackedMatrices::own_bases() const {
  Matrix all(6 * index(view_.bodies.size()), 6);
  for (std::size_t i = 0; i < view_.bodies.size(); ++i)
    all.middleRows<6>(6 * index(i)) = h2_.bodies()[i].basis.inverse();
  return all;
}

/// Φ_i of q̇_i − T q̇_k less what modes do, which N leaves free.
StackedMatrices::Matrix StackedMatrices::jacobian() const {
  const Matrix bases = own_bases();
  Matrix Phi = Matrix::Zero(index(constraints_), index(layout_.size));
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const H2::Body& body = h2_.bodies()[i];
    const Eigen::Index rows = 6 - index(body.freedoms);
    const Matrix C = bases.middleRows(6 * index(i) + index(body.freedoms), rows);
    Phi.block(row, index(layout_.bodies[i]), rows, 6) += C;
    const auto take = [&](std::span<const Vector6> columns, std::size_t of) {
      for (std::size_t k = 0; k < columns.size(); ++k)
        Phi.block(row, index(layout_.modes[of] + k), rows, 1) -= C * columns[k];
    };
    if (h2_.has_modes()) take(h2_.own_columns(i), i);
    if (body.inboard != H2::none) {
      Phi.block(row, index(layout_.bodies[body.inboard]), rows, 6) -= C * body.T;
      if (h2_.has_modes()) take(h2_.inboard_columns(i), body.inboard);
    }
    row += rows;
  }
  return Phi;
}

/// H1: what the other bodies do when one constraint of one joint is moved.
StackedMatrices::Matrix StackedMatrices::constraint_columns() const {
  Matrix H1 = Matrix::Zero(index(layout_.size), index(constraints_));
  Eigen::Index column = 0;
  BodyVectors rates(view_.bodies.size());
  for (std::size_t j = 0; j < view_.bodies.size(); ++j)
    for (std::size_t k = h2_.bodies()[j].freedoms; k < 6; ++k, ++column)
      for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
        const H2::Body& body = h2_.bodies()[i];
        rates[i] = i == j ? Vector6(body.basis.col(static_cast<int>(k))) : Vector6(Vector6::Zero());
        if (body.inboard != H2::none) rates[i] += body.T * rates[body.inboard];
        H1.block<6, 1>(index(layout_.bodies[i]), column) = rates[i];
      }
  return H1;
}

/// J of all groups.
StackedMatrices::Matrix StackedMatrices::loop_rows() const {
  const SecondReduction& loops = parts_.reductions.loops();
  Matrix J = Matrix::Zero(index(loops.rows()), index(h2_.size()));
  for (std::size_t g = 0; g < loops.groups(); ++g) {
    const std::span<const std::size_t> columns = loops.columns(g);
    for (std::size_t r = 0; r < loops.rows_of(g); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c)
        J(index(loops.first_row(g) + r), index(columns[c])) += loops.row(g, r)[c];
  }
  return J;
}

/// Φ_c, a row at a time from the forces of a unit multiplier.
StackedMatrices::Matrix StackedMatrices::closing_jacobian() const {
  const std::size_t rows = parts_.reductions.loops().rows();
  Matrix Phi(index(rows), index(layout_.size));
  std::vector<double> unit(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    Forces force{BodyVectors(view_.bodies.size(), Vector6(Vector6::Zero())), std::vector<double>(h2_.size())};
    unit[r] = 1;
    parts_.reductions.rows().add_forces(unit.data(), force);
    unit[r] = 0;
    Phi.row(index(r)) = stacked_rates(force.bodies, force.further.data());
  }
  return Phi;
}

/// λ with Jᵀ λ = y, zero in rows that depend on others.
StackedMatrices::Vector StackedMatrices::closing_multipliers(const Vector& y) const {
  const SecondReduction& loops = parts_.reductions.loops();
  std::vector<Eigen::Index> kept;
  for (std::size_t g = 0; g < loops.groups(); ++g)
    for (std::size_t r = 0; r < loops.rows_of(g); ++r)
      if ((loops.left_out(g) >> r & 1) == 0) kept.push_back(index(loops.first_row(g) + r));
  const Matrix J = loop_rows();
  const Matrix independent = J(kept, Eigen::all).transpose();
  const Vector found = independent.colPivHouseholderQr().solve(y);
  Vector all = Vector::Zero(J.rows());
  for (std::size_t k = 0; k < kept.size(); ++k) all[kept[k]] = found[index(k)];
  return all;
}

}  // namespace polyform::thompson
