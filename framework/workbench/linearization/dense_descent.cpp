#include "framework/workbench/linearization/dense_descent.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "framework/dense_equations.hpp"
#include "framework/workbench/linearization/known_digits.hpp"
#include "framework/workbench/linearization/point_model.hpp"

namespace polyform::host::inline linearization {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// A motion whose stiffness is this part of the stiffest is hardly restored. At rest no step along such a motion is
/// longer, in scales: rounding of what is stiff would hide what acts along it.
constexpr double hardly_restored = 1e-6, rests_along = 1e-6;
/// What stands in for a stiffness where no motion has any, as a part of what acts over a large deviation.
constexpr double no_stiffness = 1e-12;
/// Part of the trace that makes an inertia definite which rounding leaves semidefinite.
constexpr double inertia_rounding = 1e-14;
/// A stiffness that is this part of the stiffest has few digits. After so many direct steps in a row that led astray
/// there are no more of them.
constexpr double soft = 1e-8;
constexpr int most_refused = 2;
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
}  // namespace

double step_size(const EquilibriumEquations& balance, const VectorXd& z) {
  double size = 0;
  for (Index k = 0; k < z.size(); ++k) size = std::max(size, std::abs(z[k]) / balance.scale(k));
  return size;
}

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

namespace {

/// A step of the descent.
struct DescentStep {
  VectorXd z;            ///< of all unknowns
  bool restored = true;  ///< no motion has a negative stiffness
  VectorXd loose;        ///< its part along motions that are hardly restored
  /// Newton's own step, where a force acts along a motion whose stiffness has few digits beside the stiffest; or empty.
  VectorXd direct;
};

/// The smallest solution of G z = −a by equations of like size in unknowns of like size: each motion has the digits of
/// the rows that hold it, however soft it is beside others. What nothing holds stays: entries that may be rounding of
/// what acts on their row are none. difference: of the derivatives, in scales.
VectorXd direct_step(const EquilibriumEquations& balance, const MatrixXd& G, const VectorXd& a,
                     const VectorXd& size_of_move, double difference) {
  constexpr double roundings = 30 * std::numeric_limits<double>::epsilon(), rank = 1e-13;
  VectorXd columns(G.cols()), rows(G.rows());
  for (Index k = 0; k < columns.size(); ++k) columns[k] = balance.scale(k);
  MatrixXd scaled = G * columns.asDiagonal();
  for (Index i = 0; i < scaled.rows(); ++i) {
    const double noise = roundings * size_of_move[i] / difference;
    scaled.row(i) = (scaled.row(i).array().abs() > noise).select(scaled.row(i).array(), 0.0).matrix();
    const double largest = scaled.row(i).cwiseAbs().maxCoeff();
    rows[i] = largest > 0 ? largest : 1;
  }
  scaled = (rows.cwiseInverse().asDiagonal() * scaled).eval();
  return columns.cwiseProduct(least_squares(scaled, -a.cwiseQuotient(rows), rank));
}

/// A step along a shape, no longer than the longest one.
VectorXd limited(const EquilibriumEquations& balance, double along, const VectorXd& shape) {
  double size = 0;
  for (Index i = 0; i < shape.size(); ++i) size = std::max(size, std::abs(along * shape[i]) / balance.scale(i));
  return along * std::min(1.0, longest_move / std::max(size, least_divisor)) * shape;
}

/// The step of the descent, with first-order states that follow. difference: of the derivatives, in scales.
DescentStep descent_step(EquilibriumEquations& balance, const VectorXd& sizes, double difference = difference_step) {
  const Index n = balance.moves(), x = balance.states();
  const MatrixXd J = balance.jacobian(difference);
  MatrixXd M = balance.inertia();
  M.diagonal().array() += inertia_rounding * std::max(M.trace(), least_divisor);
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
  DescentStep step{.z = VectorXd::Zero(balance.unknowns()), .loose = VectorXd::Zero(n), .direct = {}};
  VectorXd& z = step.z;
  std::vector<std::pair<Index, double>> soft_motions;  // and the steps along them
  step.restored = stiffness.minCoeff() > -floor;
  for (Index k = 0; k < n; ++k) {
    const VectorXd shape = modes.eigenvectors().col(k);
    double along = shape.dot(force);
    // For a motion that is hardly restored only a force counts that is more than rounding of the rows that it moves.
    const double rounding = digits_of_stiffness * (M * shape).cwiseProduct(size_of_move).norm();
    const bool is_loose = std::abs(stiffness[k]) < hardly_restored * stiffest;
    if (is_loose && std::abs(along) < rounding) continue;
    along /= std::max(std::abs(stiffness[k]), floor);
    if (std::abs(stiffness[k]) < soft * stiffest) soft_motions.emplace_back(k, along);
    // Each is limited by itself, so that one without stiffness does not hold up the others.
    const VectorXd part = limited(balance, along, shape);
    z.head(n) += part;
    if (is_loose) step.loose += part;
  }
  const auto follows = [&](VectorXd& of) {
    if (x > 0) of.segment(n, x) = -rest - follow * of.head(n);
  };
  follows(z);
  if (soft_motions.empty() || !step.restored) return step;
  step.direct = VectorXd::Zero(balance.unknowns());
  step.direct.head(n) = direct_step(balance, G, a, size_of_move, difference);
  follows(step.direct);
  if (!step.direct.allFinite()) {
    step.direct.resize(0);
    return step;
  }
  // Where it goes against a force, the energy of position has a saddle or a maximum: as far, but down.
  const VectorXd momentum = M * step.direct.head(n);
  bool goes_up = false;
  for (const auto& [k, along] : soft_motions) {
    const VectorXd shape = modes.eigenvectors().col(k);
    const double way = shape.dot(momentum);
    if (along * way >= 0) continue;
    goes_up = true;
    if (std::abs(way) > std::abs(along)) z.head(n) += limited(balance, -way - along, shape);
  }
  if (goes_up) {
    step.direct.resize(0);
    follows(z);
  }
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

/// The same for the direct step, or its beginning where it is longer than `reach`: what the next one leaves must be the
/// rest of it. Along a motion that nothing restores both are noise, and differ. Where it is just that, as forces are
/// linear, the next one may be longer.
bool goes_directly(EquilibriumEquations& balance, const VectorXd& direct, const VectorXd& sizes, double difference,
                   double& reach, DescentStep& next) {
  constexpr double as_foretold = 1e-3, growth = 2;
  const double length = step_size(balance, direct), part = std::min(1.0, reach / length), moved = part * length;
  const CanonicalState here = balance.state();
  if (balance.go(part * direct)) {
    next = descent_step(balance, sizes, difference);
    const VectorXd& then = next.direct.size() > 0 ? next.direct : next.z;
    const double misfit = then.size() == direct.size() ? step_size(balance, then - (1 - part) * direct) : length;
    if (misfit < as_foretold * moved) reach *= growth;
    if (next.restored && misfit <= much_nearer * moved) return true;
    balance.go_back(here);
  }
  reach = longest_move;
  return false;
}

/// Down the potential energy. True when the steps have settled.
bool descend(EquilibriumEquations& balance, const VectorXd& sizes, double difference, std::size_t& iterations) {
  double before = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::max();
  double reach = longest_move;
  int idle = 0, refused = 0;
  std::optional<DescentStep> known;
  for (; iterations < most_iterations; ++iterations) {
    if (balance.moves() == 0) return balance.states() == 0;
    DescentStep step = known ? std::move(*known) : descent_step(balance, sizes, difference);
    known.reset();
    if (const double length = step.direct.size() > 0 ? step_size(balance, step.direct) : 0;
        length > settled_move && refused < most_refused) {
      DescentStep next;
      const bool gone = goes_directly(balance, step.direct, sizes, difference, reach, next);
      refused = gone ? 0 : refused + 1;
      if (gone) known = std::move(next);
      if (gone) continue;
    }
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

}  // namespace

VectorXd allowed(EquilibriumEquations& balance, const VectorXd& sizes, bool at_rest) {
  VectorXd most(balance.rows());
  for (Index k = 0; k < most.size(); ++k) most[k] = balance_tolerance * sizes[balance.size_row(k)];
  if (!at_rest || balance.moves() == 0 || !balance.may_be_dense() || !balance.now().allFinite()) return most;
  if ((balance.now().cwiseAbs().array() > most.array()).any()) {
    if (!(step_size(balance, descent_step(balance, sizes, fine_difference).z) < no_move)) return most;
    const MatrixXd J = balance.jacobian(fine_difference);
    for (Index k = 0; k < balance.moves(); ++k)
      for (Index j = 0; j < balance.moves(); ++j) most[k] += place_rounding * std::abs(J(k, j)) * balance.scale(j);
  }
  if (balance.unknowns() >= least_by_solver) return most;
  const VectorXd loose = descent_step(balance, sizes).loose;
  for (Index k = 0; k < balance.moves(); ++k)
    if (std::abs(loose[k]) > rests_along * balance.scale(k)) most[k] = 0;
  return most;
}

bool is_balanced(EquilibriumEquations& balance, const VectorXd& sizes, bool at_rest) {
  return (balance.now().cwiseAbs().array() <= allowed(balance, sizes, at_rest).array()).all();
}

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

}  // namespace polyform::host::linearization
