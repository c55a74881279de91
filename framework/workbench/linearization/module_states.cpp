#include "framework/workbench/linearization/module_states.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <new>

#include "framework/dense_equations.hpp"
#include "framework/host/columns/element_outputs.hpp"
#include "polyform/contract/held_states.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;

}  // namespace

std::vector<Channel> first_order_states(const SystemView& view) {
  std::vector<Channel> out(view.states);
  for (const ForceInstances& group : view.forces)
    for (std::size_t i = 0, k = group.state_offset; i < group.instances.size(); ++i)
      for (std::size_t s = 0; s < group.type->state_count(); ++s, ++k)
        out[k] = {column_name(element_name(group, group.names[i]), group.type->descriptor().states[s].name),
                  std::string(group.type->descriptor().states[s].unit)};
  for (const ModuleInstances& group : view.modules) {
    std::size_t k = group.state_offset;
    for (const auto& own : {group.type->variables(), group.type->states()})
      for (std::size_t i = 0; i < group.instances.size(); ++i)
        for (const Variable& variable : own)
          out[k++] = {column_name(element_name(group, group.names[i]), variable.name), std::string(variable.unit)};
  }
  return out;
}

ModuleStates::ModuleStates(const SystemView& view) : view_(view), modules_(view) {
  if (!modules_.good()) throw std::bad_alloc();
}

/// Rows by complete pivoting over the columns of all variables, or of those with integrals: then the holonomic rows.
void ModuleStates::pivot(const ModuleSet::Module& m, bool integrals, Part& out) {
  std::vector<std::size_t> rows, variables, states;
  for (std::size_t r = 0; r < m.rows.rows; ++r)
    if (!integrals || m.rows.is_holonomic(r)) rows.push_back(r);
  for (std::size_t k = 0; k < m.variables && !integrals; ++k) {
    variables.push_back(k);
    states.push_back(m.u + k);
  }
  for (std::size_t i = 0; i < m.integrals.size() && integrals; ++i) {
    variables.push_back(m.integrals[i].variable);
    states.push_back(m.integrals[i].state);
  }
  if (rows.empty() || variables.empty()) return;
  Eigen::MatrixXd A(static_cast<Index>(rows.size()), static_cast<Index>(variables.size()));
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t k = 0; k < variables.size(); ++k)
      A(static_cast<Index>(r), static_cast<Index>(k)) = m.A[rows[r] * m.variables + variables[k]];
  const Eigen::FullPivLU<Eigen::MatrixXd> lu(A);
  const auto order = lu.permutationP().inverse().eval();
  for (Index r = 0; r < lu.rank(); ++r) {
    out.rows.push_back(rows[static_cast<std::size_t>(order.indices()[r])]);
    out.dependent.push_back(states[static_cast<std::size_t>(lu.permutationQ().indices()[r])]);
  }
}

Elimination ModuleStates::choose(double t, std::span<const BodyMotion> frames, const CanonicalState& state) {
  modules_.follow(state.discrete);
  modules_.evaluate(t, frames, state.q, state.v, state.x);
  Elimination out;
  std::vector<char> dependent(view_.states);
  std::size_t first_row = 0;
  for (const ModuleSet::Module& m : modules_.modules()) {
    Part part;
    for (const bool integrals : {false, true}) pivot(m, integrals, part);
    for (std::size_t k = 0; k < part.rows.size(); ++k) {
      out.rows.push_back(first_row + part.rows[k]);
      out.dependent.push_back(part.dependent[k]);
      dependent[part.dependent[k]] = true;
    }
    first_row += m.rows.rows;
  }
  // What changes at events only is a constant here.
  for (const ForceInstances& group : view_.forces) {
    const auto* const held = ask<HeldStates>(*group.type);
    const std::size_t own = group.type->state_count();
    for (std::size_t k = 0; held != nullptr && k < own * group.instances.size(); ++k)
      if (held->is_held(k % own)) dependent[group.state_offset + k] = true;
  }
  for (std::size_t k = 0; k < dependent.size(); ++k)
    if (!dependent[k]) out.independent.push_back(k);
  return out;
}

/// What was chosen of a module: its variables, or its integrals.
ModuleStates::Part ModuleStates::part_of(const ModuleSet::Module& m, std::size_t first_row, bool integrals,
                                         const Elimination& choice) const {
  Part out;
  for (std::size_t k = 0; k < choice.rows.size(); ++k) {
    const bool own = choice.rows[k] >= first_row && choice.rows[k] < first_row + m.rows.rows;
    const bool variable = choice.dependent[k] >= m.u && choice.dependent[k] < m.u + m.variables;
    if (!own || variable == integrals) continue;
    out.rows.push_back(choice.rows[k] - first_row);
    out.dependent.push_back(choice.dependent[k]);
  }
  return out;
}

bool ModuleStates::close(double t, std::span<const BodyMotion> frames, const Elimination& choice,
                         CanonicalState& state) {
  if (choice.rows.empty()) return true;
  if (!close_integrals(t, frames, choice, state)) return false;
  modules_.follow(state.discrete);
  modules_.evaluate(t, frames, state.q, state.v, state.x);
  std::size_t first_row = 0;
  for (const ModuleSet::Module& m : modules_.modules()) {
    const auto [rows, dependent] = part_of(m, first_row, false, choice);
    first_row += m.rows.rows;
    if (rows.empty()) continue;
    const Index size = static_cast<Index>(rows.size());
    Eigen::MatrixXd A(size, size);
    Eigen::VectorXd right(size);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t r = rows[i];
      double rest = m.rows.velocity_right[r] - velocity_of_row(view_, m.rows, r, state.v);
      for (std::size_t k = 0; k < m.variables; ++k)
        if (std::find(dependent.begin(), dependent.end(), m.u + k) == dependent.end())
          rest -= m.A[r * m.variables + k] * state.x[m.u + k];
      for (std::size_t k = 0; k < rows.size(); ++k)
        A(static_cast<Index>(i), static_cast<Index>(k)) = m.A[r * m.variables + dependent[k] - m.u];
      right[static_cast<Index>(i)] = rest;
    }
    const Eigen::VectorXd found = solve_regular(A, right);
    if (!found.allFinite()) return false;
    for (std::size_t k = 0; k < rows.size(); ++k) state.x[dependent[k]] = found[static_cast<Index>(k)];
  }
  return true;
}

/// By Newton's method: the residual of a holonomic row changes with the integral of a variable as its rate does with
/// the variable.
bool ModuleStates::close_integrals(double t, std::span<const BodyMotion> frames, const Elimination& choice,
                                   CanonicalState& state) {
  constexpr int most_iterations = 20;
  constexpr double step_of_rounding = 1e-13;  // of the integral, or of 1
  for (int i = 0;; ++i) {
    modules_.follow(state.discrete);
    modules_.evaluate(t, frames, state.q, state.v, state.x);
    double largest = 0;
    std::size_t first_row = 0;
    for (const ModuleSet::Module& m : modules_.modules()) {
      const Part part = part_of(m, first_row, true, choice);
      const auto& rows = part.rows;
      const auto& dependent = part.dependent;
      first_row += m.rows.rows;
      if (rows.empty()) continue;
      const Index size = static_cast<Index>(rows.size());
      Eigen::MatrixXd A(size, size);
      Eigen::VectorXd residual(size);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const auto integral = std::find_if(m.integrals.begin(), m.integrals.end(),
                                           [&](const auto& one) { return one.state == dependent[k]; });
        for (std::size_t r = 0; r < rows.size(); ++r)
          A(static_cast<Index>(r), static_cast<Index>(k)) = m.A[rows[r] * m.variables + integral->variable];
        residual[static_cast<Index>(k)] = m.rows.residual[rows[k]];
      }
      const Eigen::VectorXd step = -solve_regular(A, residual);
      if (!step.allFinite()) return false;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        double& x = state.x[dependent[k]];
        x += step[static_cast<Index>(k)];
        largest = std::max(largest, std::abs(step[static_cast<Index>(k)]) / std::max(1.0, std::abs(x)));
      }
    }
    if (largest < step_of_rounding) return true;
    if (i == most_iterations) return false;
  }
}

double ModuleStates::kinetic_energy(double t, std::span<const BodyMotion> frames, const CanonicalState& state) {
  modules_.follow(state.discrete);
  modules_.evaluate(t, frames, state.q, state.v, state.x);
  return modules_.kinetic_energy();
}

}  // namespace polyform::host::linearization
