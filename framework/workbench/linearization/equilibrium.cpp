#include "framework/workbench/linearization/equilibrium.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "framework/dense_equations.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/expressions/formula_values.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"
#include "framework/workbench/linearization/closed_states.hpp"
#include "framework/workbench/linearization/equilibrium_equations.hpp"
#include "framework/workbench/linearization/implicit_descent.hpp"
#include "framework/workbench/linearization/module_states.hpp"
#include "framework/workbench/linearization/point_model.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_iterations = 200;
/// Below this count of unknowns the dense search takes moments, and also leaves saddles.
constexpr Index least_by_solver = 40;
/// A motion whose stiffness is this part of the stiffest is hardly restored.
constexpr double hardly_restored = 1e-6;
/// Digits that second differences of accelerations have: of a stiffness, and of a force.
constexpr double digits_of_stiffness = 1e-10;
/// What stands in for a stiffness where no motion has any, as a part of what acts over a large deviation.
constexpr double no_stiffness = 1e-12;
/// Part of the trace that makes an inertia definite which rounding leaves semidefinite.
constexpr double inertia_rounding = 1e-14;
/// Levenberg's damping: where it starts, and below which the least squares are solved as they are.
constexpr double first_damping = 1e-3, no_damping = 1e-9, least_damping = 1e-10;
/// A step leads nearer if the next one is this part of it, or less.
constexpr double much_nearer = 0.5;
/// Steps below the first bring Newton's method to shrink them by the second; if they shrink less, differences of
/// derivatives become finer, down to the last (in scales).
constexpr double near_by = 1e-2, shrinks_well = 0.1, least_difference = 1e-8;
/// Differences for what rounding may leave: laws that bend at once, as a cable that becomes taut, are then looked at on
/// the side where they are.
constexpr double fine_difference = 1e-7;
/// Rounding of a place, of its scale, and the step that is none beside it.
constexpr double place_rounding = 8 * std::numeric_limits<double>::epsilon(), no_move = 1e-9;
/// Steps that shrink no more by this part, so many in a row, have come to the rounding of stiff forces, if they are
/// shorter than that.
constexpr double still_shrinks = 0.9, move_of_stiff_rounding = 1e-8;
constexpr int patience = 12;
/// In place of a size that vanishes, where it divides.
constexpr double least_size = std::numeric_limits<double>::min();
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

double step_size(const EquilibriumEquations& balance, const VectorXd& z) {
  double size = 0;
  for (Index k = 0; k < z.size(); ++k) size = std::max(size, std::abs(z[k]) / balance.scale(k));
  return size;
}

/// The sizes of the accelerations of all coordinates, and after them of the rates of all first-order states, at the
/// present state. The search may choose other independent coordinates as it goes, so no row keeps its size.
VectorXd sizes_of(const System& system, const SolverMaker& make, const EquilibriumEquations& balance,
                  const EquilibriumRequest& request) {
  OperatingPoint point;
  point.time = system.start_time();
  point.state = balance.state();
  point.trimmed = request.trimmed;
  point.offsets = balance.offsets();
  const Linearization frame = frame_of(system.view(), point.time, point.state, balance.choice());
  const PointModel model(system, make, point, frame);
  VectorXd sizes(static_cast<Index>(model.coordinates() + model.view().states));
  for (Index k = 0; k < sizes.size(); ++k) sizes[k] = model.acceleration_size(static_cast<std::size_t>(k));
  return sizes;
}

/// A step of the descent.
struct DescentStep {
  VectorXd z;            ///< of all unknowns
  bool restored = true;  ///< no motion has a negative stiffness
};

/// The step of the descent, with first-order states that follow. difference: of the derivatives, in scales.
DescentStep descent_step(EquilibriumEquations& balance, const VectorXd& sizes, double difference = difference_step) {
  const Index n = balance.moves(), x = balance.states();
  const MatrixXd J = balance.jacobian(difference);
  MatrixXd M = balance.inertia();
  M.diagonal().array() += inertia_rounding * std::max(M.trace(), least_size);
  MatrixXd G = J.topLeftCorner(n, n), follow;  // x moves by −follow z where ẋ stays 0
  VectorXd a = balance.now().head(n), rest;
  if (x > 0) {
    MatrixXd right(x, n + 1);
    right << J.block(n, 0, x, n), balance.now().tail(x);
    const MatrixXd found = least_squares(J.block(n, n, x, x), right);
    follow = found.leftCols(n);
    rest = found.col(n);
    G -= J.block(0, n, n, x) * follow;
    a -= J.block(0, n, n, x) * rest;
  }
  const VectorXd force = M * a;
  const MatrixXd K = -0.5 * (M * G + (M * G).transpose());
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd> modes(K, M);
  const VectorXd& stiffness = modes.eigenvalues();
  VectorXd size_of_move(n);
  double rate = 0;  // of what acts, squared
  for (Index k = 0; k < n; ++k) {
    size_of_move[k] = sizes[balance.size_row(k)];
    rate = std::max(rate, size_of_move[k] / balance.scale(k));
  }
  const double stiffest = stiffness.cwiseAbs().maxCoeff(),
               floor = std::max(digits_of_stiffness * stiffest, no_stiffness * rate);
  DescentStep step{.z = VectorXd::Zero(balance.unknowns())};
  VectorXd& z = step.z;
  step.restored = stiffness.minCoeff() > -floor;
  for (Index k = 0; k < n; ++k) {
    const VectorXd shape = modes.eigenvectors().col(k);
    double along = shape.dot(force);
    // For a motion that is hardly restored only a force counts that is more than rounding of the rows that it moves.
    const double rounding = digits_of_stiffness * (M * shape).cwiseProduct(size_of_move).norm();
    if (std::abs(stiffness[k]) < hardly_restored * stiffest && std::abs(along) < rounding) continue;
    along /= std::max(std::abs(stiffness[k]), floor);
    // Each is limited by itself, so that one without stiffness does not hold up the others.
    double size = 0;
    for (Index i = 0; i < n; ++i) size = std::max(size, std::abs(along * shape[i]) / balance.scale(i));
    z.head(n) += along * std::min(1.0, longest_move / std::max(size, least_size)) * shape;
  }
  if (x > 0) z.segment(n, x) = -rest - follow * z.head(n);
  return step;
}

/// Where the valley is narrow and bends, as that of a stiff spring which turns, the force on the way leads astray:
/// after a full step the stiff motion is strained. Then Newton's next step tells how far it still is: a step counts
/// after which the next one, by the matrix there, is much shorter. Goes there, with that step in `next`, or stays.
bool goes_nearer(EquilibriumEquations& balance, const VectorXd& z, const VectorXd& sizes, double difference,
                 DescentStep& next) {
  const double size = step_size(balance, z);
  const CanonicalState here = balance.state();
  if (!balance.go(z)) return false;
  next = descent_step(balance, sizes, difference);
  if (next.restored && step_size(balance, next.z) <= much_nearer * size) return true;
  balance.go_back(here);
  return false;
}

/// Down the potential energy. True when the steps have settled.
bool descend(EquilibriumEquations& balance, const VectorXd& sizes, double difference, std::size_t& iterations) {
  double before = none_before, least = none_before;
  int idle = 0;
  std::optional<DescentStep> known;
  for (; iterations < most_iterations; ++iterations) {
    if (balance.moves() == 0) return balance.states() == 0;
    DescentStep step = known ? std::move(*known) : descent_step(balance, sizes, difference);
    known.reset();
    VectorXd there, &z = step.z;
    const double size = step_size(balance, z);
    if (!std::isfinite(size)) return false;
    if (has_settled(size, before)) {
      balance.go(z);  // so that its own residual does not stay
      return true;
    }
    idle = size < still_shrinks * least ? 0 : idle + 1;
    least = std::min(least, size);
    if (idle >= patience && least < move_of_stiff_rounding) return true;
    // Newton's steps that shrink slowly are those of a matrix whose differences reach over a bend.
    if (size < near_by && size > shrinks_well * before) difference = std::max(0.1 * difference, least_difference);
    before = size;
    if (size > longest_move) z *= longest_move / size;
    const Index n = balance.moves();
    const double push = balance.now().head(n).dot(z.head(n));
    bool gone = false;
    for (int halvings = 0; !gone; ++halvings, z *= 0.5) {
      if (halvings == 30) return false;
      if (balance.accelerations(z, there) && there.head(n).dot(z.head(n)) >= -0.7 * std::abs(push)) break;
      if (halvings > 0) continue;
      DescentStep next;
      gone = goes_nearer(balance, z, sizes, difference, next);
      if (gone) known = std::move(next);
    }
    if (!gone && !balance.go(z)) return false;
  }
  return false;
}

/// What may be left of the accelerations and rates of each row where everything that is free rests, by the sizes of
/// what acts. Where that is not met at rest, rounding of the places counts as well, which stiff elements turn into
/// forces; but only if no step leads further.
VectorXd allowed(EquilibriumEquations& balance, const VectorXd& sizes, bool at_rest) {
  VectorXd most(balance.rows());
  for (Index k = 0; k < most.size(); ++k) most[k] = balance_tolerance * sizes[balance.size_row(k)];
  if (!at_rest || balance.moves() == 0 || !balance.may_be_dense()) return most;
  if ((balance.now().cwiseAbs().array() <= most.array()).all() || !balance.now().allFinite()) return most;
  if (!(step_size(balance, descent_step(balance, sizes, fine_difference).z) < no_move)) return most;
  const MatrixXd J = balance.jacobian(fine_difference);
  for (Index k = 0; k < balance.moves(); ++k)
    for (Index j = 0; j < balance.moves(); ++j) most[k] += place_rounding * std::abs(J(k, j)) * balance.scale(j);
  return most;
}

/// Whether everything that is free rests.
bool is_balanced(EquilibriumEquations& balance, const VectorXd& sizes, bool at_rest) {
  return (balance.now().cwiseAbs().array() <= allowed(balance, sizes, at_rest).array()).all();
}

/// Down the potential energy, again as long as what acts has become less on the way: what was rounding beside the
/// forces of the start may be none beside those of the end. Then with the finest differences.
bool descend(EquilibriumEquations& balance, const System& system, const SolverMaker& make,
             const EquilibriumRequest& request, VectorXd sizes, std::size_t& iterations) {
  double difference = difference_step;
  bool settled = false;
  while (descend(balance, sizes, difference, iterations)) {
    settled = true;
    const VectorXd now = sizes_of(system, make, balance, request);
    const bool less = (now.array() < 0.1 * sizes.array()).any();
    sizes = now;
    if (balance.moves() == 0 || is_balanced(balance, sizes, true)) return true;
    if (!less && difference == least_difference) return true;
    if (!less) difference = least_difference;
  }
  return settled;
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
        H.diagonal().array() += damping * std::max(J.squaredNorm() / static_cast<double>(m), least_size);
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
