// Eqs 20 and 21. They are symmetric, and in the order q̈ (Φ_qᵀ λ) q̈2 all leading minors are regular: no pivoting.
#include <algorithm>
#include <numeric>

#include "body_inertia.hpp"
#include "equations.hpp"

namespace polyform::thompson {
namespace {

Eigen::Map<Vector6> vector_at(double* x) { return Eigen::Map<Vector6>(x); }

}  // namespace

std::size_t ImplicitForm::unknowns(const SystemView& view, bool second) {
  return (second ? 12 : 6) * view.bodies.size() + view.nv_tree;
}

std::size_t ImplicitForm::blocks(const SystemView& view) {
  std::vector<std::size_t> depth(view.bodies.size());
  std::size_t sum = 0;
  for (std::size_t i = 0; i < depth.size(); ++i) {
    const BodyIndex inboard = view.joints[i].inboard();
    depth[i] = 1 + (is_ground(inboard) ? 0 : depth[at(inboard)]);
    sum += depth[i];
  }
  return sum;
}

ImplicitForm::ImplicitForm(const SystemView& view, const H2& h2, const GeneralizedMass& mass,
                           SecondReduction& reduction, bool second)
    : h2_(h2),
      mass_(mass),
      reduction_(reduction),
      second_(second),
      x_(h2.size()),
      column_(h2.size()),
      forces_(view.bodies.size()),
      rates_(view.bodies.size()) {
  right_.resize(unknowns(view, second));
  all_.resize(h2.size());
  std::iota(all_.begin(), all_.end(), std::size_t{0});
  find_added(view);
  analyze();
}

/// Finds W, of the size of the system's own inertia, for bodies without inertia.
void ImplicitForm::find_added(const SystemView& view) {
  double mass = 0, moment = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    const BodyData& body = view.bodies[i];
    const JointData& joint = view.joints[i];
    const Vec3 arm = body.center_of_mass - (joint.reversed ? joint.p_base : joint.p_moving);
    mass = std::max(mass, body.mass);
    moment = std::max({moment, body.inertia.xx + body.inertia.yy + body.inertia.zz, body.mass * dot(arm, arm)});
  }
  if (std::none_of(view.bodies.begin(), view.bodies.end(), [](const BodyData& body) { return is_singular(body); }))
    return;
  if (!(mass > 0)) mass = 1;
  if (!(moment > 0)) moment = 1;
  for (const BodyData& body : view.bodies) {
    const double turn = is_singular(body) ? moment : 0;
    added_.push_back(body.mass > 0 ? stacked({}, {turn, turn, turn}) : stacked({mass, mass, mass}, {turn, turn, turn}));
  }
  of_columns_.assign(h2_.size(), BodyVectors(view.bodies.size()));
}

void ImplicitForm::analyze() {
  if (is_dense()) {
    const std::size_t all[] = {right_.size()};
    matrix_.analyze(all, {});
    return;
  }
  std::vector<std::size_t> sizes;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    sizes.push_back((second_ ? 12 : 6) + h2_.bodies()[i].freedoms);
    for (std::size_t k = h2_.bodies()[i].inboard; k != H2::none; k = second_ ? H2::none : h2_.bodies()[k].inboard)
      pairs.emplace_back(i, k);
  }
  matrix_.analyze(sizes, pairs);
}

bool ImplicitForm::solve(const Problem& problem, double* udot, BodyVectors& qddot) noexcept {
  matrix_.clear();
  std::fill(right_.begin(), right_.end(), 0.0);
  const bool dense = is_dense();
  if (dense)
    fill_dense(problem);
  else if (second_)
    fill_second(problem);
  else
    fill_first(problem);
  if (!matrix_.factorize()) {
    failed_ = dense ? 0 : h2_.bodies()[matrix_.failed_block()].first;
    return false;
  }
  matrix_.solve(right_);
  if (!dense) {
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      const double* x = right_.data() + matrix_.offset(i);
      qddot[i] = Eigen::Map<const Vector6>(x);
      std::copy_n(x + (second_ ? 12 : 6), h2_.bodies()[i].freedoms, udot + h2_.bodies()[i].first);
    }
    return true;
  }
  const std::span<const std::size_t> independent = left();
  const double* q3 = right_.data() + right_.size() - h2_.size();
  std::fill(column_.begin(), column_.end(), 0.0);
  for (std::size_t a = 0; a < independent.size(); ++a) column_[independent[a]] = q3[a];
  if (!reduction_.empty()) reduction_.extend(column_.data());
  for (std::size_t k = 0; k < x_.size(); ++k) udot[k] = x_[k] + column_[k];
  for (std::size_t i = 0; i < rates_.size(); ++i) qddot[i] = Eigen::Map<const Vector6>(right_.data() + 6 * i);
  return true;
}

/// Columns of a 6 × 6 matrix from (row, column) on.
void ImplicitForm::put(BlockLdlt::Block block, std::size_t row, std::size_t column, const Matrix6& m,
                       std::size_t columns) noexcept {
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 0; c < columns; ++c) block(row + r, column + c) = m(static_cast<int>(r), static_cast<int>(c));
}

/// Fills [M  −M H2; −H2ᵀ M  0] [q̈; q̈2] = [M Ḣ2 q̇2; −H2ᵀ Q], for each body q̈ and the q̈2 of its joint.
void ImplicitForm::fill_first(const Problem& problem) noexcept {
  std::fill(x_.begin(), x_.end(), 0.0);
  h2_.to_bodies(x_.data(), problem.with_gamma, rates_);
  forces_ = problem.Q->bodies;
  h2_.to_joints(forces_, column_.data());
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const H2::Body& body = h2_.bodies()[i];
    double* right = right_.data() + matrix_.offset(i);
    vector_at(right).noalias() = mass_.of_body(i) * rates_[i];
    for (std::size_t k = 0; k < body.freedoms; ++k) right[6 + k] = -column_[body.first + k];
    const BlockLdlt::Block own = matrix_.diagonal(i);
    put(own, 0, 0, mass_.of_body(i), 6);
    Matrix6 H = mass_.of_body(i);  // M times the way from body j to i
    for (std::size_t j = i; j != H2::none; j = h2_.bodies()[j].inboard) {
      const H2::Body& at_j = h2_.bodies()[j];
      const Matrix6 MH = -(H * at_j.basis);
      if (j == i)
        put({own.data, own.column_stride, own.row_stride}, 0, 6, MH, at_j.freedoms);
      else
        put(matrix_.block(i, j), 0, 6, MH, at_j.freedoms);
      H = (H * at_j.T).eval();
    }
  }
}

/// Fills the rows of q̈ and, times 1 − T, of q̈ − H2 q̈2. The second unknown, (1 − T)⁻ᵀ Φ_qᵀ λ, is the wrench in each
/// joint.
void ImplicitForm::fill_second(const Problem& problem) noexcept {
  const Matrix6 one = Matrix6::Identity();
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const H2::Body& body = h2_.bodies()[i];
    double* right = right_.data() + matrix_.offset(i);
    vector_at(right) = problem.Q->bodies[i];
    if (problem.with_gamma) vector_at(right + 6) = body.gamma;
    const BlockLdlt::Block own = matrix_.diagonal(i);
    put(own, 0, 0, mass_.of_body(i), 6);
    put(own, 6, 0, one, 6);
    put({own.data, own.column_stride, own.row_stride}, 6, 12, -body.basis, body.freedoms);
    if (body.inboard != H2::none) put(matrix_.block(i, body.inboard), 6, 0, -body.T, 6);
  }
}

/// Fills one block, with H2 Z in place of H2; coordinates that depend on others stand last, without coupling to the
/// rest.
void ImplicitForm::fill_dense(const Problem& problem) noexcept {
  std::fill(x_.begin(), x_.end(), 0.0);
  if (!reduction_.empty()) reduction_.particular(problem.right, x_.data());
  h2_.to_bodies(x_.data(), problem.with_gamma, rates_);
  fill_bodies(problem);
  const std::size_t velocities = (second_ ? 12 : 6) * rates_.size();
  const BlockLdlt::Block all = matrix_.diagonal(0);
  for (std::size_t a = left().size(); a < h2_.size(); ++a) all(velocities + a, velocities + a) = -1;
  for (std::size_t a = 0; a < left().size(); ++a) fill_column(a);
}

/// Fills the rows of q̈ (and Φ_qᵀ λ), and the right-hand sides for q̈2. rates_: Ḣ2 q̇2.
void ImplicitForm::fill_bodies(const Problem& problem) noexcept {
  const std::size_t n = rates_.size(), velocities = (second_ ? 12 : 6) * n;
  const BlockLdlt::Block all = matrix_.diagonal(0);
  const Matrix6 one = Matrix6::Identity();
  for (std::size_t i = 0; i < n; ++i) {
    Matrix6 M = mass_.of_body(i);
    if (has_singular_mass()) M.diagonal() += added_[i];
    put(all, 6 * i, 6 * i, M, 6);
    Vector6 load = problem.Q->bodies[i];
    if (has_singular_mass()) load += added_[i].cwiseProduct(rates_[i]);
    if (second_) {
      put(all, 6 * (n + i), 6 * i, one, 6);
      vector_at(right_.data() + 6 * i) = load;
      vector_at(right_.data() + 6 * (n + i)) = rates_[i];
      if (has_singular_mass()) forces_[i] = added_[i].cwiseProduct(rates_[i]);
    } else {
      vector_at(right_.data() + 6 * i).noalias() = M * rates_[i];
      forces_[i] = load;
    }
  }
  if (second_ && !has_singular_mass()) return;
  h2_.to_joints(forces_, column_.data());
  if (!reduction_.empty()) reduction_.fold(column_.data());
  for (std::size_t a = 0; a < left().size(); ++a) right_[velocities + a] = -column_[left()[a]];
}

/// Fills the column of H2 Z, and with singular inertia its products with the columns before it.
void ImplicitForm::fill_column(std::size_t a) noexcept {
  const std::size_t n = rates_.size(), row = (second_ ? 12 : 6) * n + a;
  const BlockLdlt::Block all = matrix_.diagonal(0);
  std::fill(column_.begin(), column_.end(), 0.0);
  column_[left()[a]] = 1;
  if (!reduction_.empty()) reduction_.extend(column_.data());
  h2_.to_bodies(column_.data(), false, rates_);
  for (std::size_t i = 0; i < n; ++i) {
    const Vector6 column = second_ ? rates_[i] : Vector6(mass_.of_body(i) * rates_[i]);
    for (int r = 0; r < 6; ++r) all(row, 6 * (second_ ? n + i : i) + static_cast<std::size_t>(r)) = -column[r];
    if (!has_singular_mass()) continue;
    Vector6& own = of_columns_[a][i] = added_[i].cwiseProduct(rates_[i]);
    for (int r = 0; r < 6; ++r) all(row, 6 * i + static_cast<std::size_t>(r)) -= own[r];
    for (std::size_t b = 0; b <= a; ++b) all(row, row - a + b) += of_columns_[b][i].dot(rates_[i]);
  }
}

}  // namespace polyform::thompson
