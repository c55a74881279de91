#include "framework/linearization/module_states.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <new>

#include "framework/diagnostics.hpp"

namespace polyform::host {
namespace {

using Eigen::Index;

}  // namespace

std::vector<Channel> first_order_states(const SystemView& view) {
  std::vector<Channel> out(view.states);
  for (const ForceGroup& group : view.forces)
    for (std::size_t i = 0, k = group.state_offset; i < group.instances.size(); ++i)
      for (std::size_t s = 0; s < group.type->state_count(); ++s, ++k)
        out[k] = {fmt::format("{}.state[{}]", group.names[i], s), ""};
  for (const ModuleGroup& group : view.modules) {
    std::size_t k = group.state_offset;
    for (const auto& own : {group.type->variables(), group.type->states()})
      for (std::size_t i = 0; i < group.instances.size(); ++i)
        for (const ModuleVariable& variable : own)
          out[k++] = {fmt::format("{}.{}", group.names[i], variable.name), std::string(variable.unit)};
  }
  return out;
}

ModuleStates::ModuleStates(const SystemView& view) : view_(view), modules_(view) {
  if (!modules_.good()) throw std::bad_alloc();
}

Elimination ModuleStates::choose(double t, std::span<const BodyMotion> frames, const CanonicalState& state) {
  modules_.evaluate(t, frames, state.q, state.v, state.x);
  Elimination out;
  std::vector<char> dependent(view_.states);
  std::size_t first_row = 0;
  for (const ModuleSet::Module& m : modules_.modules()) {
    if (m.rows.rows == 0) continue;
    const Index rows = static_cast<Index>(m.rows.rows), columns = static_cast<Index>(m.variables);
    using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(Eigen::Map<const Rows>(m.A.data(), rows, columns));
    if (lu.rank() < rows)
      throw Failure(Exit::bad_input,
                    fmt::format("the rows of module `{}` tie what it is attached to without determining variables of "
                                "its own; minimal coordinates of such a system are not found",
                                m.rows.name),
                    "Give the module a variable for each of its rows, or write the rows as a constraint.");
    for (Index r = 0; r < rows; ++r) {
      out.rows.push_back(first_row + static_cast<std::size_t>(r));
      out.dependent.push_back(m.u + static_cast<std::size_t>(lu.permutationQ().indices()[r]));
      dependent[out.dependent.back()] = true;
    }
    first_row += m.rows.rows;
  }
  for (std::size_t k = 0; k < dependent.size(); ++k)
    if (!dependent[k]) out.independent.push_back(k);
  return out;
}

bool ModuleStates::close(double t, std::span<const BodyMotion> frames, const Elimination& choice,
                         CanonicalState& state) {
  if (choice.rows.empty()) return true;
  modules_.evaluate(t, frames, state.q, state.v, state.x);
  std::size_t done = 0;
  for (const ModuleSet::Module& m : modules_.modules()) {
    const std::size_t rows = m.rows.rows;
    if (rows == 0) continue;
    Eigen::MatrixXd A(static_cast<Index>(rows), static_cast<Index>(rows));
    Eigen::VectorXd right(static_cast<Index>(rows));
    const std::span<const std::size_t> dependent = std::span(choice.dependent).subspan(done, rows);
    for (std::size_t r = 0; r < rows; ++r) {
      double rest = m.rows.velocity_right[r] - velocity_of_row(view_, m.rows, r, state.v);
      for (std::size_t k = 0; k < m.variables; ++k)
        if (std::find(dependent.begin(), dependent.end(), m.u + k) == dependent.end())
          rest -= m.A[r * m.variables + k] * state.x[m.u + k];
      for (std::size_t k = 0; k < rows; ++k)
        A(static_cast<Index>(r), static_cast<Index>(k)) = m.A[r * m.variables + dependent[k] - m.u];
      right[static_cast<Index>(r)] = rest;
    }
    const Eigen::VectorXd found = A.partialPivLu().solve(right);
    if (!found.allFinite()) return false;
    for (std::size_t k = 0; k < rows; ++k) state.x[dependent[k]] = found[static_cast<Index>(k)];
    done += rows;
  }
  return true;
}

double ModuleStates::kinetic_energy(double t, std::span<const BodyMotion> frames, const CanonicalState& state) {
  modules_.evaluate(t, frames, state.q, state.v, state.x);
  return modules_.kinetic_energy();
}

}  // namespace polyform::host
