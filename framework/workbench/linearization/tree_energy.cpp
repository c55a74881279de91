#include "framework/workbench/linearization/tree_energy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/solvers/newton/small_inverse.hpp"

namespace polyform::host::inline linearization {
namespace {

constexpr std::size_t most_directions = 6;
/// A diagonal entry below this part of the largest is rounding, and is no size to measure by.
constexpr double rounding_of_diagonal = 1e-14;

Six<double> transposed(const Six<double>& m) {
  Six<double> out;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j) out(i, j) = m(j, i);
  return out;
}

Six<double> mean(const Six<double>& a, const Six<double>& b) {
  Six<double> out;
  out.add(0.5, a);
  out.add(0.5, b);
  return out;
}

/// Whether Cholesky's factorization of a symmetric matrix has positive pivots alone. n², rows first.
bool has_positive_pivots(const double* A, std::size_t n) {
  double L[most_directions][most_directions]{};
  for (std::size_t k = 0; k < n; ++k) {
    double pivot = A[k * n + k];
    for (std::size_t j = 0; j < k; ++j) pivot -= L[k][j] * L[k][j];
    if (!(pivot > 0)) return false;
    L[k][k] = std::sqrt(pivot);
    for (std::size_t i = k + 1; i < n; ++i) {
      double sum = 0.5 * (A[i * n + k] + A[k * n + i]);
      for (std::size_t j = 0; j < k; ++j) sum -= L[i][j] * L[k][j];
      L[i][k] = sum / L[k][k];
    }
  }
  return true;
}

double largest_root(std::span<const double> sizes, std::span<const double> masses, double power) {
  double rate = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    if (masses[k] > 0) rate = std::max(rate, std::pow(std::abs(sizes[k]) / masses[k], power));
  return rate;
}

}  // namespace

bool TreeEnergy::covers(const SystemView& view) {
  return view.cut_joints().empty() && view.constraints.empty() && view.modules.empty() && view.modes == 0 &&
         view.states == 0 && view.nv_tree > 0 &&
         std::ranges::none_of(view.joints, [](const JointData& j) { return rheonomic_kernel(j) != nullptr; });
}

TreeEnergy::TreeEnergy(const SystemView& view) : view_(view), tree_(view, {}, nullptr) {}

bool TreeEnergy::linearize(double t, const CanonicalState& at) {
  if (!tree_.good() || !tree_.far().empty()) return false;
  const std::vector<double> still(std::max(at.v.size(), view_.nv)), none;
  tree_.follow(at.discrete);
  tree_.evaluate({.time = t,
                  .q = at.q,
                  .v = still,
                  .x = at.x,
                  .vdot = still,
                  .eta = none,
                  .etadot = none,
                  .etaddot = none,
                  .closing = nullptr,
                  .multipliers = {},
                  .cut = {}});
  K_ = G_ = M_ = {};
  for (std::size_t i = 0; i < tree_.frames(); ++i) {
    K_.frames.push_back(tree_.K(i));
    G_.frames.push_back(tree_.G(i));
    M_.frames.push_back(i < tree_.bodies().size() ? tree_.M(i) : Six<double>{});
  }
  for (const Body& b : tree_.bodies()) {
    for (std::size_t k = 0; k < b.count * b.count; ++k) {
      K_.joints.push_back(-tree_.stiffness(b)[k]);
      G_.joints.push_back(-tree_.damping(b)[k]);
    }
    if (b.coupling == LinearizedTree::none) continue;
    const std::size_t count = std::max<std::size_t>(K_.inner.size(), b.coupling + 1);
    for (Blocks* blocks : {&K_, &G_, &M_}) {
      blocks->inner.resize(count);
      blocks->outer.resize(count);
    }
    K_.inner[b.coupling] = tree_.coupling(b).inner_K;
    K_.outer[b.coupling] = tree_.coupling(b).outer_K;
    G_.inner[b.coupling] = tree_.coupling(b).inner_G;
    G_.outer[b.coupling] = tree_.coupling(b).outer_G;
  }
  M_.joints.assign(K_.joints.size(), 0.0);
  symmetric_G_ = G_;
  for (Six<double>& G : symmetric_G_.frames) G = mean(G, transposed(G));
  for (std::size_t c = 0; c < G_.inner.size(); ++c) {
    symmetric_G_.inner[c] = mean(G_.inner[c], transposed(G_.outer[c]));
    symmetric_G_.outer[c] = transposed(symmetric_G_.inner[c]);
  }
  for (const Body& b : tree_.bodies())
    for (std::size_t k = 0; k < b.count; ++k)
      for (std::size_t l = 0; l < b.count; ++l)
        symmetric_G_.joints[b.square + k * b.count + l] =
            0.5 * (G_.joints[b.square + k * b.count + l] + G_.joints[b.square + l * b.count + k]);
  diagonal_K_ = diagonal(K_, true);
  diagonal_G_ = diagonal(G_, false);
  diagonal_M_ = diagonal(M_, false);
  for (const std::vector<double>* d : {&diagonal_K_, &diagonal_G_, &diagonal_M_})
    if (!std::ranges::all_of(*d, [](double x) { return std::isfinite(x); })) return false;
  return true;
}

/// The diagonal of a matrix in joint coordinates, by the blocks of all that a joint carries. turns: with the loads that
/// turn with the bodies.
std::vector<double> TreeEnergy::diagonal(const Blocks& of, bool turns) const {
  std::vector<double> out(view_.nv_tree);
  std::vector<Six<double>> carried = of.frames;
  for (std::size_t i = tree_.bodies().size(); i-- > 0;) {
    const Body& b = tree_.bodies()[i];
    const Spatial* H = tree_.H(b);
    for (std::size_t k = 0; k < b.count; ++k) {
      out[b.v + k] = dot_with(H[k], multiply(carried[i], H[k])) + of.joints[b.square + k * b.count + k];
      if (turns && b.reversed) out[b.v + k] += dot(tree_.turning(b)[k], H[k].angular);
    }
    if (b.parent < 0) continue;
    Six<double>& up = carried[static_cast<std::size_t>(b.parent)];
    Six<double> W = carried[i];
    shift_columns(W, b.r);
    if (b.coupling != LinearizedTree::none) {
      W += of.inner[b.coupling];
      Six<double> outer = of.outer[b.coupling];
      shift_columns(outer, b.r);
      up += outer;
    }
    shift_rows(W, b.r);
    if (turns) W.add(0, 0, skew(b.force) * skew(b.r));
    up += W;
  }
  return out;
}

std::vector<double> TreeEnergy::product(const Blocks& of, bool turns, std::span<const double> steps) const {
  const std::span<const Body> bodies = tree_.bodies();
  std::vector<Spatial> moved(of.frames.size()), loads(of.frames.size());
  const auto base = [&](const Body& b) { return b.parent < 0 ? Spatial{} : moved[static_cast<std::size_t>(b.parent)]; };
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body& b = bodies[i];
    moved[i] = base(b);
    moved[i].linear -= cross(b.r, moved[i].angular);
    for (std::size_t k = 0; k < b.count; ++k) moved[i] += steps[b.v + k] * tree_.H(b)[k];
  }
  std::vector<double> out(steps.size());
  for (std::size_t i = bodies.size(); i-- > 0;) {
    const Body& b = bodies[i];
    const Spatial below = base(b);
    Spatial& w = loads[i];
    w += multiply(of.frames[i], moved[i]);
    if (b.coupling != LinearizedTree::none) w += multiply(of.inner[b.coupling], below);
    Vec3 along;
    for (std::size_t k = 0; k < b.count; ++k) {
      along += steps[b.v + k] * tree_.H(b)[k].linear;
      out[b.v + k] = dot_with(tree_.H(b)[k], w);
      for (std::size_t l = 0; l < b.count; ++l) out[b.v + k] += of.joints[b.square + k * b.count + l] * steps[b.v + l];
      if (turns) out[b.v + k] += dot(tree_.turning(b)[k], b.reversed ? moved[i].angular : below.angular);
    }
    if (b.parent < 0) continue;
    Spatial& up = loads[static_cast<std::size_t>(b.parent)];
    up.linear += w.linear;
    up.angular += w.angular + cross(b.r, w.linear);
    if (turns) up.angular += cross(cross(below.angular, b.r) + along, b.force);
    if (b.coupling != LinearizedTree::none) up += multiply(of.outer[b.coupling], moved[i]);
  }
  return out;
}

double TreeEnergy::asymmetry(const Blocks& of, bool turns, std::span<const double> diagonal) const {
  const std::size_t n = diagonal.size();
  const double largest = std::abs(*std::ranges::max_element(diagonal, {}, [](double d) { return std::abs(d); }));
  // Numbers in no order, no two of the same size: entries (i, j) and (j, i) that differ show as their difference times
  // x_i y_j - x_j y_i, which signs alone would make zero for half of all places.
  const auto vector_of = [&](double phase) {
    std::vector<double> out(n);
    for (std::size_t k = 0; k < n; ++k) {
      const double size = largest > 0 ? std::max(std::abs(diagonal[k]), rounding_of_diagonal * largest) : 1;
      out[k] = irregular(phase, k) / std::sqrt(size);
    }
    return out;
  };
  double worst = 0;
  // Each pair of phases finds all but what it is blind to by chance.
  for (std::size_t pair = 0; pair + 1 < std::size(phases); pair += 2) {
    const std::vector<double> x = vector_of(phases[pair]), y = vector_of(phases[pair + 1]);
    const std::vector<double> Ax = product(of, turns, x), Ay = product(of, turns, y);
    double difference = 0;
    for (std::size_t k = 0; k < n; ++k) difference += x[k] * Ay[k] - y[k] * Ax[k];
    worst = std::max(worst, std::abs(difference));
  }
  if (largest == 0) return worst == 0 ? 0 : std::numeric_limits<double>::infinity();
  return worst / std::sqrt(static_cast<double>(n));
}

bool TreeEnergy::has_no_damping() const {
  const auto is_zero = [](const std::vector<Six<double>>& all) {
    return std::ranges::all_of(
        all, [](const Six<double>& b) { return std::ranges::all_of(b.m, [](double x) { return x == 0; }); });
  };
  return is_zero(G_.frames) && is_zero(G_.inner) && is_zero(G_.outer) &&
         std::ranges::all_of(G_.joints, [](double x) { return x == 0; });
}

double TreeEnergy::fastest() const { return largest_root(diagonal_K_, diagonal_M_, 0.5); }
double TreeEnergy::most_damping() const { return largest_root(diagonal_G_, diagonal_M_, 1); }

void TreeEnergy::add(const Blocks& of, double factor) {
  if (factor == 0) return;
  for (std::size_t i = 0; i < of.frames.size(); ++i) sum_.frames[i].add(factor, of.frames[i]);
  for (std::size_t i = 0; i < of.inner.size(); ++i) {
    sum_.inner[i].add(factor, of.inner[i]);
    sum_.outer[i].add(factor, of.outer[i]);
  }
  for (std::size_t i = 0; i < of.joints.size(); ++i) sum_.joints[i] += factor * of.joints[i];
}

bool TreeEnergy::is_positive(const MatrixSum& sum, double part) {
  sum_.frames.assign(K_.frames.size(), {});
  sum_.inner.assign(K_.inner.size(), {});
  sum_.outer.assign(K_.outer.size(), {});
  sum_.joints.assign(K_.joints.size(), 0.0);
  add(K_, sum.of_K);
  add(symmetric_G_, sum.of_G);
  add(M_, sum.of_M);
  for (std::size_t i = tree_.bodies().size(); i-- > 0;)
    if (!eliminate(tree_.bodies()[i], i, sum, part)) return false;
  return true;
}

/// Condenses what a joint carries to the frame that carries the joint, as newton_sweep.cpp does. False where its block
/// is not positive definite.
bool TreeEnergy::eliminate(const Body& b, std::size_t i, const MatrixSum& sum, double part) {
  const std::size_t n = b.count;
  const Six<double>& S = sum_.frames[i];
  const Spatial* H = tree_.H(b);
  const Vec3* turning = tree_.turning(b);
  Six<double> W = S;
  shift_columns(W, b.r);
  if (b.coupling != LinearizedTree::none) W += sum_.inner[b.coupling];
  double* A = sum_.joints.data() + b.square;
  Spatial U[most_directions];
  for (std::size_t k = 0; k < n; ++k) U[k] = multiply(S, H[k]);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t l = 0; l < n; ++l) {
      A[k * n + l] += dot_with(H[k], U[l]);
      if (b.reversed) A[k * n + l] += sum.of_K * dot(turning[k], H[l].angular);
    }
    A[k * n + k] -= part * (std::abs(sum.of_K * diagonal_K_[b.v + k]) + std::abs(sum.of_G * diagonal_G_[b.v + k]));
  }
  std::size_t pivots[most_directions];
  if (!has_positive_pivots(A, n) || !invert(A, n, pivots)) return false;
  if (b.parent < 0) return true;
  Spatial rows[most_directions];  // of the joint's loads by displacements of the parent
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < 6; ++j) {
      for (std::size_t m = 0; m < 6; ++m) rows[k][j] += H[k][m] * W(m, j);
      if (j < 3) rows[k][j] += sum.of_K * turning[k][j];
    }
  Six<double>& up = sum_.frames[static_cast<std::size_t>(b.parent)];
  Spatial passed[most_directions];
  if (b.coupling != LinearizedTree::none) {
    Six<double> outer = sum_.outer[b.coupling];
    for (std::size_t k = 0; k < n; ++k) passed[k] = multiply(outer, H[k]);
    shift_columns(outer, b.r);
    up += outer;
  }
  shift_rows(W, b.r);
  W.add(0, 0, skew(b.force) * skew(b.r), sum.of_K);
  for (std::size_t k = 0; k < n; ++k) {
    passed[k].linear += U[k].linear;
    passed[k].angular += U[k].angular + cross(b.r, U[k].linear) + sum.of_K * cross(H[k].linear, b.force);
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t c = 0; c < 6; ++c) W(r, c) -= passed[k][r] * A[k * n + l] * rows[l][c];
  up += W;
  return true;
}

}  // namespace polyform::host::linearization
