#include "framework/workbench/linearization/closed_states.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/mechanics/judgement.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"
#include "framework/dense_equations.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;

/// Steps of Newton's method in large amounts of the coordinates: at rounding; where rounding may begin, and by how much
/// a step shrinks that is not rounding yet; too long to end nearby; and as long as one may be.
constexpr double closing_at_rounding = 1e-15, closing_near_rounding = 1e-11, closing_contracts = 0.3,
                 closing_astray = 1e3, longest_closing_step = 0.5;
/// Largest residual of rows that follow from others, m or rad: beyond it they do not follow.
constexpr double redundancy_tolerance = 1e-8;

/// A row or column number of the whole matrix to that of a part, −1 if it is not in it.
std::vector<Index> places(const std::vector<std::size_t>& part, std::size_t count) {
  std::vector<Index> place(count, -1);
  for (std::size_t k = 0; k < part.size(); ++k) place[part[k]] = static_cast<Index>(k);
  return place;
}

Eigen::MatrixXd part_of(const ConstraintJacobian& jacobian, const std::vector<std::size_t>& rows,
                        const std::vector<std::size_t>& columns, std::size_t count) {
  const std::vector<Index> row = places(rows, jacobian.rows().size()), column = places(columns, count);
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (const ConstraintJacobian::Entry& e : jacobian.entries())
    if (row[e.row] >= 0 && column[e.column] >= 0) out(row[e.row], column[e.column]) += e.value;
  return out;
}

double& velocity(const SystemView& view, CanonicalState& s, std::size_t coordinate) {
  return coordinate < view.nv_tree ? s.v[coordinate] : s.etadot[coordinate - view.nv_tree];
}

}  // namespace

ClosedStates::ClosedStates(const SystemView& view, double t, const MinimalCoordinates& choice, CanonicalState nominal)
    : view_(view),
      t_(t),
      choice_(choice),
      nominal_(std::move(nominal)),
      jacobian_(view, ConstraintJacobian::Of::all),
      modules_(view),
      delta_(view.nv_tree + view.modes) {
  set_clocks(view, t, nominal_.q);
}

bool ClosedStates::place(std::span<const double> deviation, CanonicalState& out) {
  const std::size_t np = choice_.positions(), nv = choice_.velocities();
  out = nominal_;
  std::fill(delta_.begin(), delta_.end(), 0.0);
  for (std::size_t k = 0; k < np; ++k) delta_[choice_.position.independent[k]] = deviation[k];
  for (std::size_t k = 0; k < choice_.states(); ++k) out.x[choice_.state.independent[k]] += deviation[np + nv + k];
  if (all_independent()) {
    displace(view_, nominal_, delta_, out);
    for (std::size_t k = 0; k < nv; ++k) velocity(view_, out, choice_.velocity.independent[k]) += deviation[np + k];
    return true;
  }
  if (!close_positions(out) || !close_velocities(deviation.subspan(np, nv), out)) return false;
  return modules_.close(t_, jacobian_.tree().frames(), choice_.state, out) ||
         fail("variables of a module are not determined there");
}

std::span<const BodyMotion> ClosedStates::frames(CanonicalState& placed) {
  jacobian_.evaluate(t_, placed.view());
  return jacobian_.tree().frames();
}

bool ClosedStates::all_independent() const {
  return choice_.position.rows.empty() && choice_.velocity.rows.empty() && choice_.state.rows.empty() &&
         view_.joints.size() == view_.tree_joints().size();
}

bool ClosedStates::close_positions(CanonicalState& out) {
  const std::vector<std::size_t>&rows = choice_.position.rows, &dependent = choice_.position.dependent;
  double last_step = 1;
  ClosingSteps steps(std::numeric_limits<double>::max());  // the residual of the start is not known yet
  for (;;) {
    displace(view_, nominal_, delta_, out);
    jacobian_.evaluate(t_, out.view());
    if (rows.empty()) return true;
    if (scales_.empty())  // not before they are needed: modes of flexible bodies have them by integrals
      for (const Coordinate& c : coordinates_of(view_)) scales_.push_back(c.scale);
    Eigen::VectorXd residual(static_cast<Index>(rows.size()));
    for (std::size_t k = 0; k < rows.size(); ++k) residual[static_cast<Index>(k)] = jacobian_.rows()[rows[k]].residual;
    const Eigen::VectorXd step = -solve_regular(part_of(jacobian_, rows, dependent, delta_.size()), residual);
    double size = 0;
    for (std::size_t k = 0; k < dependent.size(); ++k)
      size = std::max(size, std::abs(step[static_cast<Index>(k)]) / scales_[dependent[k]]);
    // At round-off the steps stop shrinking.
    if (size < closing_at_rounding || (size < closing_near_rounding && size > closing_contracts * last_step)) break;
    if (!(size < closing_astray) || !steps.go_on())
      return fail(fmt::format("the constraints of `{}` cannot be closed nearby", jacobian_.rows()[rows[0]].name));
    last_step = size;
    steps.made(residual.cwiseAbs().maxCoeff());
    const double part = std::min(1.0, longest_closing_step / size);
    for (std::size_t k = 0; k < dependent.size(); ++k) delta_[dependent[k]] += part * step[static_cast<Index>(k)];
  }
  for (const ConstraintJacobian::Row& row : jacobian_.rows())
    if (std::abs(row.residual) > redundancy_tolerance)
      return fail(
          fmt::format("the constraints are singular there: those of `{}` follow from others in this position, "
                      "but no longer in one nearby",
                      row.name));
  return true;
}

bool ClosedStates::close_velocities(std::span<const double> independent, CanonicalState& out) {
  const Elimination& choice = choice_.velocity;
  for (std::size_t k = 0; k < choice.independent.size(); ++k)
    velocity(view_, out, choice.independent[k]) += independent[k];
  if (!choice.rows.empty() && !solve_velocities(out)) return fail("the constraints on velocities are singular there");
  jacobian_.evaluate(t_, out.view());  // velocities of all frames and of the cut joints
  return true;
}

/// Dependent velocities from the independent ones.
bool ClosedStates::solve_velocities(CanonicalState& out) const {
  const Elimination& choice = choice_.velocity;
  Eigen::VectorXd right(static_cast<Index>(choice.rows.size())), known(static_cast<Index>(choice.independent.size()));
  for (std::size_t k = 0; k < choice.rows.size(); ++k)
    right[static_cast<Index>(k)] = jacobian_.rows()[choice.rows[k]].velocity_right;
  for (std::size_t k = 0; k < choice.independent.size(); ++k)
    known[static_cast<Index>(k)] = velocity(view_, out, choice.independent[k]);
  const Eigen::MatrixXd D = part_of(jacobian_, choice.rows, choice.dependent, delta_.size());
  right -= part_of(jacobian_, choice.rows, choice.independent, delta_.size()) * known;
  const Eigen::VectorXd found = solve_regular(D, right);
  if (!found.allFinite()) return false;
  for (std::size_t k = 0; k < choice.dependent.size(); ++k)
    velocity(view_, out, choice.dependent[k]) = found[static_cast<Index>(k)];
  return true;
}

}  // namespace polyform::host::linearization
