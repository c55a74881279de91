#include "framework/workbench/linearization/equilibrium.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "framework/dense_equations.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/expressions/formula_values.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"
#include "framework/workbench/linearization/closed_states.hpp"
#include "framework/workbench/linearization/dense_descent.hpp"
#include "framework/workbench/linearization/implicit_descent.hpp"
#include "framework/workbench/linearization/known_digits.hpp"
#include "framework/workbench/linearization/module_states.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Levenberg's damping: where it starts, and below which the least squares are solved as they are.
constexpr double first_damping = 1e-3, no_damping = 1e-9, least_damping = 1e-10;
/// More than what any state leaves.
constexpr double none_before = std::numeric_limits<double>::max();

/// Where the search starts.
CanonicalState start_of(const System& system, const EquilibriumRequest& request) {
  const CanonicalState initial(system.initial_state());
  if (request.near == nullptr || !request.held.empty()) return initial;
  const CanonicalState& near = *request.near;
  if (near.q.size() != initial.q.size() || near.eta.size() != initial.eta.size() || near.x.size() != initial.x.size())
    return initial;
  CanonicalState start = initial, closed;
  start.q = near.q;
  start.eta = near.eta;
  start.x = near.x;
  try {
    const MinimalCoordinates choice = choose_coordinates(system.view(), system.start_time(), start);
    ClosedStates states(system.view(), system.start_time(), choice, start);
    return states.place(std::vector<double>(states.size()), closed) ? closed : initial;
  } catch (const Failure&) {  // constraints that are singular there
    return initial;
  }
}

/// Down the potential energy by the solver's own Newton matrix, for systems of which dense matrices are large. Makes
/// the search that from the state found. False where that is no equilibrium; then the search is as it was.
bool descend_by_solver(std::optional<EquilibriumEquations>& search, const System& system, const SolverMaker& make,
                       const EquilibriumRequest& request, const CanonicalState& start, std::size_t& iterations) {
  if (search->unknowns() < least_by_solver) return false;
  const SolverPointer solver = make(system.view());
  const std::optional<Descended> end =
      descend_implicitly(system.view(), system.start_time(), *solver, search->state(), search->coordinates());
  if (!end) return false;
  iterations += end->steps;
  EquilibriumEquations& found = search.emplace(system, make, request, end->state.constant());
  if (is_balanced(found, sizes_of(system, make, found, request), true)) return true;
  if (!found.may_be_dense())
    throw Failure(Exit::simulation_failed,
                  fmt::format("the search for an equilibrium ended after {} steps downhill without one", end->steps),
                  "Start nearer to it (initial positions of joints); see that everything is held by something.");
  search.emplace(system, make, request, start.constant());
  return false;
}

/// Least squares of the accelerations over all unknowns, in scales.
void fit(EquilibriumEquations& balance, std::size_t& iterations) {
  double damping = first_damping, before = none_before;
  const auto row_scales = [&] {
    VectorXd s(balance.rows());
    for (Index k = 0; k < s.size(); ++k)
      s[k] = 1 / (k < balance.equations() ? balance.scale(k) : balance.turning(k).scale);
    return s;
  };
  for (; iterations < most_iterations; ++iterations) {
    const Index m = balance.unknowns();
    if (m == 0 || balance.equations() == 0) return;
    VectorXd columns(m);
    for (Index k = 0; k < m; ++k) columns[k] = balance.scale(k);
    const VectorXd rows = row_scales(), r = rows.cwiseProduct(balance.now());
    const MatrixXd J = rows.asDiagonal() * balance.jacobian() * columns.asDiagonal();
    VectorXd z, there;
    for (int tries = 0;; ++tries) {
      if (tries == 40) return;
      if (damping < no_damping) {
        z = least_squares(J, -r, digits_of_stiffness);
      } else {
        MatrixXd H = J.transpose() * J;
        H.diagonal().array() += damping * std::max(J.squaredNorm() / static_cast<double>(m), least_divisor);
        z = H.ldlt().solve(-J.transpose() * r);
      }
      const double move = balance.moves() > 0 ? z.head(balance.moves()).cwiseAbs().maxCoeff() : 0;
      if (move > longest_move) z *= longest_move / move;
      z = columns.cwiseProduct(z);
      if (balance.accelerations(z, there) && rows.cwiseProduct(there).norm() < r.norm()) break;
      if (step_size(balance, z) < settled_move) return;
      damping = std::max(damping, least_damping) * 10;
    }
    const double size = step_size(balance, z);
    if (!balance.go(z) || has_settled(size, before)) return;
    before = size;
    damping *= 0.1;
  }
}

/// Where a rate does not depend on its own state, as under integral action, the motion has to make that rate vanish,
/// and a descent whose states follow the motion ends beside the equilibrium. Then all unknowns are found together: from
/// the end of the descent, or else from the start. The search stays where it was if neither leads to an equilibrium.
void fit_with_states(std::optional<EquilibriumEquations>& search, const System& system, const SolverMaker& make,
                     const EquilibriumRequest& request, const CanonicalState& start, std::size_t& iterations) {
  const CanonicalState descended = search->state();
  for (const CanonicalState* from : {&descended, &start}) {
    EquilibriumEquations& found = search.emplace(system, make, request, from->constant());
    std::size_t steps = 0;
    fit(found, steps);
    iterations += steps;
    if (is_balanced(found, sizes_of(system, make, found, request), true)) return;
  }
  search.emplace(system, make, request, descended.constant());
}

void name_unbalanced(EquilibriumEquations& balance, const SystemView& view, const VectorXd& most, Equilibrium& out) {
  const Index n = balance.moves();
  const bool balanced = (balance.now().cwiseAbs().array() <= most.array()).all();
  const VectorXd force = n > 0 && !balanced ? VectorXd(balance.inertia() * balance.now().head(n)) : VectorXd();
  for (Index k = 0; k < balance.rows(); ++k) {
    const double a = balance.now()[k];
    out.residual = std::max(out.residual, std::abs(a));
    if (std::abs(a) <= most[k]) continue;
    if (k >= balance.equations()) {
      out.unbalanced.push_back({balance.turning(k).velocity, of_no_symmetry, a, a});
      continue;
    }
    if (k >= n) {
      out.unbalanced.push_back({first_order_states(view)[balance.state(k - n)].name, "1/s", a, a});
      continue;
    }
    const Coordinate& c = balance.coordinate(k);
    const std::string_view unit = c.position_unit == "m" ? "N" : c.position_unit == "rad" ? "N m" : "";
    out.unbalanced.push_back({c.velocity, unit, force[k], a});
  }
  out.balanced = out.unbalanced.empty();
  std::stable_sort(out.unbalanced.begin(), out.unbalanced.end(),
                   [](const Unbalanced& a, const Unbalanced& b) { return std::abs(a.force) > std::abs(b.force); });
}

}  // namespace

Equilibrium find_equilibrium(const System& system, const SolverMaker& make, const EquilibriumRequest& request) {
  refuse_unilateral_rows(system.view(), "the search for an equilibrium");
  const SamplersFollow each_holds_its_input;
  const CanonicalState start = start_of(system, request);
  std::optional<EquilibriumEquations> search(std::in_place, system, make, request, start.constant());
  Equilibrium out;
  const VectorXd sizes = sizes_of(system, make, *search, request);
  const bool at_rest = !request.steady && request.trimmed.empty() && !search->anything_held();
  std::size_t descended = 0;
  if (!at_rest || !descend_by_solver(search, system, make, request, start, descended)) {
    search->require_dense();
    std::size_t dense = 0;
    if (!at_rest || !descend(*search, system, make, request, sizes, dense)) {
      // From the start: a descent that does not end may have gone far.
      if (at_rest) search.emplace(system, make, request, start.constant());
      fit(*search, out.iterations);
    } else if (search->states() > 0 && !is_balanced(*search, sizes_of(system, make, *search, request), true)) {
      fit_with_states(search, system, make, request, start, out.iterations);
    }
    descended += dense;
  }
  out.iterations += descended;
  EquilibriumEquations& balance = *search;
  out.warning = balance.check();
  name_unbalanced(balance, system.view(), allowed(balance, sizes_of(system, make, balance, request), at_rest), out);
  out.point.time = system.start_time();
  out.point.state = balance.state();
  for (Index k = 0; request.steady && k < balance.moves(); ++k)
    if (const double speed = balance.speed(k); speed != 0)
      out.kept.push_back({balance.coordinate(k).velocity, balance.coordinate(k).velocity_unit, speed});
  out.point.trimmed = request.trimmed;
  out.point.offsets = balance.offsets();
  out.linear_states = balance.choice().positions() + balance.choice().velocities() + balance.choice().states();
  out.driven = find_driven(system, out.point);
  if (out.balanced) out.lasting = find_lasting(system, make, out.point, balance.choice());
  out.point.momentary = !out.lasting.lasts;
  out.evaluations = balance.evaluations();
  return out;
}

}  // namespace polyform::host::linearization
