// What ReducedForm knows of a solution beyond the digits of its doubles.
#pragma once

#include <array>
#include <vector>

#include "equations.hpp"
#include "polyform/solvers/double_double.hpp"

namespace polyform::thompson {

struct ReducedForm::Missing {
  using Six = std::array<DoubleDouble, 6>;

  Missing(std::size_t bodies, std::size_t coordinates, std::size_t of_rows)
      : udot(coordinates),
        y(coordinates),
        lambda(of_rows),
        q(bodies),
        forces(bodies),
        of_coordinates(coordinates),
        step(coordinates),
        spent(coordinates),
        rows(of_rows),
        lambda_step(of_rows) {}

  // What modes do, with twice the digits (reduced_form_flexible.cpp).
  /// q += Σ columns η̈, of the own and the inboard body's modes.
  void add_modes(const H2&, std::size_t body, Six& q) const noexcept;
  /// For a flexible body: subtracts its modes' share of the forces on [v ω], and M's share of those along its modes.
  void subtract_modal_inertia(const H2&, const GeneralizedMass&, std::size_t body) noexcept;
  /// The forces that a body has been left with, along the modes that move it.
  void add_modal_forces(const H2&, std::size_t body) noexcept;

  std::vector<DoubleDouble> udot, y, lambda;  ///< y: the forces along the coordinates that nothing balances
  std::vector<Six> q, forces;                 ///< q̈; Q − M q̈ with all that is outboard
  std::vector<double> of_coordinates, step, spent;
  std::vector<double> rows, lambda_step;  ///< what is missing of J u̇ = right
};

}  // namespace polyform::thompson
