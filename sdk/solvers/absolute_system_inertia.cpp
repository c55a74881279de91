// M: of rigid bodies diag(J, m 1) about the mass centre, of flexible bodies full blocks about the frame origin.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "absolute_system_detail.hpp"

namespace polyform {

using detail::load;
using detail::store;

namespace {

/// Relative size of what is added to M, see also Refinement::epsilon. A body without inertia for some motion gets more:
/// 1/δ must stay well below 1/ε, or the rounding of what it leaves to redundant rows hides their ε.
constexpr double delta = 1e-10, delta_of_singular = 1e-4;

/// Below this part of what the bodies give it through the rows, the own inertia of a module's variable counts as none.
constexpr double least_own_mass = 1e-6;

}  // namespace

/// Sizes of a flexible body, from the mass matrix of the undeformed body, which is about the frame origin.
void AbsoluteSystem::make_flexible_scale(std::size_t f) {
  const FlexibleData& data = view_.flexible[f];
  Scale& s = scales_[at(data.body)];
  const std::size_t n = flexible_.size(f);
  std::vector<double> M(flexible_.mass(f).begin(), flexible_.mass(f).end());
  const double half_trace = 0.5 * (M[0] + M[n + 1] + M[2 * n + 2]);
  s.length = std::max(s.length, std::sqrt(half_trace / s.mass));
  if (!(s.length > 0)) s.length = 1;
  s.inertia = std::max(half_trace, 1e-3 * s.mass * s.length * s.length);
  for (std::size_t k = 0; k < data.modes; ++k) {
    const double own = M[(6 + k) * (n + 1)];
    own_mass_[data.mode_offset + k] = own > 0 ? own : s.mass;
    own_length_[data.mode_offset + k] = std::sqrt(own_mass_[data.mode_offset + k] / s.mass);
  }
  // Directions without inertia, each unknown relative to its size alone. Only these get the larger δ: of a slender beam
  // without a hub the turn about its axis, while the motions of its frame that the modes follow have little inertia
  // left.
  const auto root = [&](std::size_t j) {
    return std::sqrt(j < 3 ? s.inertia : j < 6 ? s.mass : own_mass_[data.mode_offset + j - 6]);
  };
  Eigen::MatrixXd scaled(n, n);
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c)
      scaled(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) = M[r * n + c] / (root(r) * root(c));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> principal(scaled);
  for (Eigen::Index k = 0; k < principal.eigenvalues().size() && !(principal.eigenvalues()[k] > 1e-12); ++k)
    for (std::size_t r = 0; r < n; ++r)
      massless_[f].push_back(root(r) * principal.eigenvectors()(static_cast<Eigen::Index>(r), k));
  s.singular = s.lacking = !massless_[f].empty();
}

/// Sizes of the modules' variables, from their mass matrices as drawn, at rest. One without inertia, or with next to
/// none of its own, takes what the bodies give it through the rows.
void AbsoluteSystem::make_module_scales() {
  if (modules_.empty()) return;
  std::vector<double> q(view_.nq);
  for (const JointData& joint : view_.joints) joint_neutral(joint, q.data() + joint.q_offset);
  tree_.evaluate(q.data(), velocities_.data(), eta_.data(), etadot_.data());
  std::copy(tree_.frames().begin(), tree_.frames().end(), motions_.begin());
  modules_.initial_states(states_);
  states_given_ = true;
  set_rows(0, Level::velocity, q.data(), velocities_.data());
  const std::size_t n = view_.bodies.size();
  if (std::all_of(view_.bodies.begin(), view_.bodies.end(), [](const BodyData& b) { return b.mass == 0; }) &&
      view_.flexible.empty())
    scale_bodies_by_modules();
  for (std::size_t i = 0; i < modules_.modules().size(); ++i) {
    Scale& s = scales_.emplace_back(Scale{1, 1, 1});
    const std::size_t size = own_[n + i].count;
    const double* M = modules_.modules()[i].M.data();
    Eigen::MatrixXd scaled(size, size);
    double* own_mass = own_mass_.data() + own_[n + i].first;
    for (std::size_t k = 0; k < size; ++k) {
      const double own = M[k * (size + 1)], reflected = reflected_mass(module_ties() + i, k);
      own_mass[k] = own > least_own_mass * reflected ? own : reflected > 0 ? reflected : 1;
      own_length_[own_[n + i].first + k] = std::sqrt(own_mass[k]);
    }
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < size; ++c)
        scaled(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
            M[r * size + c] / std::sqrt(own_mass[r] * own_mass[c]);
    if (size == 0) continue;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> principal(scaled, Eigen::EigenvaluesOnly);
    s.singular = s.lacking = !(principal.eigenvalues()[0] > 1e-12);
  }
}

/// Where no body has mass, the modules' variables give the made-up masses of all bodies their size through the rows.
void AbsoluteSystem::scale_bodies_by_modules() noexcept {
  double factor = 0;
  for (std::size_t i = 0; i < modules_.modules().size(); ++i) {
    const std::size_t size = own_[view_.bodies.size() + i].count;
    for (std::size_t k = 0; k < size; ++k) {
      const double reflected = reflected_mass(module_ties() + i, k);
      if (reflected > 0) factor = std::max(factor, modules_.modules()[i].M[k * (size + 1)] / reflected);
    }
  }
  if (!(factor > 0)) return;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    scales_[i].mass *= factor;
    scales_[i].inertia *= factor;
  }
}

/// A_k² / (C M⁻¹ Cᵀ) of a module's variable k, the smallest of the rows; zero where no row ties it to a body.
double AbsoluteSystem::reflected_mass(std::size_t tie, std::size_t k) const noexcept {
  double least = std::numeric_limits<double>::infinity();
  const Group& group = groups_[tie];
  for (std::size_t r = 0; r < group.rows; ++r) {
    double compliance = 0;
    for (std::size_t e = group.entry; e + 1 < group.entry + group.entries; ++e) {
      const Spatial& c = coefficients_[entries_[e].first + r];
      const Scale& s = scales_[entries_[e].block];
      compliance += dot(c.angular, c.angular) / s.inertia + dot(c.linear, c.linear) / s.mass;
    }
    const Entry& own = entries_[group.entry + group.entries - 1];
    const double a = own_coefficients_[own.own + r * own.owns + k];
    if (a != 0 && compliance > 0) least = std::min(least, a * a / compliance);
  }
  return std::isfinite(least) ? least : 0;
}

void AbsoluteSystem::set_inertia() noexcept {
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    centers_[i] = motions_[i].R * view_.bodies[i].center_of_mass;
    inertias_[i] = rotate(motions_[i].R, view_.bodies[i].inertia);
  }
  if (flexible_.empty()) return;
  flexible_.evaluate(motions_, eta_.data(), etadot_.data());
  for (std::size_t f = 0; f < mass_.size(); ++f) {
    const std::size_t b = at(view_.flexible[f].body), n = flexible_.size(f);
    const Mat3& R = motions_[b].R;
    centers_[b] = {};
    double* M = mass_[f].data();
    std::copy(flexible_.mass(f).begin(), flexible_.mass(f).end(), M);
    // From body to ground axes: the first six rows, then the first six columns.
    for (const std::size_t first : {std::size_t{0}, 3 * n})
      for (std::size_t c = 0; c < n; ++c) {
        double* x = M + first + c;
        const Vec3 turned = R * Vec3{x[0], x[n], x[2 * n]};
        for (std::size_t k = 0; k < 3; ++k) x[k * n] = turned[k];
      }
    for (std::size_t r = 0; r < n; ++r)
      for (double* x : {M + r * n, M + r * n + 3}) {
        const Vec3 turned = R * Vec3{x[0], x[1], x[2]};
        for (std::size_t k = 0; k < 3; ++k) x[k] = turned[k];
      }
  }
}

/// The block of a body, M + δ.
void AbsoluteSystem::enter_inertia(std::size_t i, const Neighbour& neighbour) noexcept {
  const BlockLdlt::Block D = diagonals_[i];
  if (i >= view_.bodies.size()) {
    const std::span<const double> M = mass_matrix(i);
    for (std::size_t r = 0; r < own_[i].count; ++r) {
      for (std::size_t c = 0; c <= r; ++c) D(r, c) = M[r * own_[i].count + c];
      D(r, r) += (scales_[i].singular ? delta_of_singular : delta) * own_mass_[own_[i].first + r];
    }
    return;
  }
  const double added = scales_[i].singular && flexible_data(i) == nullptr ? delta_of_singular : delta;
  const double added_inertia = added * scales_[i].inertia + scales_[i].mass * neighbour.gyration * neighbour.gyration;
  const double added_mass = added * scales_[i].mass;
  if (const FlexibleData* flexible = flexible_data(i); flexible != nullptr) {
    const double* M = mass_[view_.bodies[i].flexible].data();
    const std::size_t size = 6 + flexible->modes;
    for (std::size_t r = 0; r < size; ++r) {
      for (std::size_t c = 0; c <= r; ++c) D(r, c) = M[r * size + c];
      D(r, r) += r < 3 ? added_inertia : r < 6 ? added_mass : added * own_mass_[flexible->mode_offset + r - 6];
    }
    enter_massless(i, D);
    return;
  }
  const Mat3 J = inertias_[i].full();
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c <= r; ++c) D(r, c) = J(r, c);
  for (std::size_t r = 0; r < 3; ++r) {
    D(r, r) += added_inertia;
    D(3 + r, 3 + r) = view_.bodies[i].mass + added_mass;
  }
}

/// The larger δ of a flexible body in the directions in which it has no inertia.
void AbsoluteSystem::enter_massless(std::size_t i, const BlockLdlt::Block& D) noexcept {
  const std::vector<double>& directions = massless_[view_.bodies[i].flexible];
  const std::size_t size = 6 + flexible_data(i)->modes;
  for (std::size_t first = 0; first < directions.size(); first += size) {
    const double* x = directions.data() + first;
    const Spatial turned{motions_[i].R * Vec3{x[0], x[1], x[2]}, motions_[i].R * Vec3{x[3], x[4], x[5]}};
    const auto at = [&](std::size_t r) { return r < 6 ? turned[r] : x[r]; };
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c <= r; ++c) D(r, c) += delta_of_singular * at(r) * at(c);
  }
}

std::span<const double> AbsoluteSystem::mass_matrix(std::size_t block) const noexcept {
  const std::size_t n = view_.bodies.size();
  return block < n ? std::span<const double>(mass_[view_.bodies[block].flexible]) : modules_.modules()[block - n].M;
}

void AbsoluteSystem::multiply_inertia(std::size_t i, const double* x, double* out) const noexcept {
  if (i >= view_.bodies.size() || flexible_data(i) != nullptr) {
    const std::span<const double> M = mass_matrix(i);
    const std::size_t size = frame_size(i) + own_[i].count;
    for (std::size_t r = 0; r < size; ++r) {
      out[r] = 0;
      for (std::size_t c = 0; c < size; ++c) out[r] += M[r * size + c] * x[c];
    }
    return;
  }
  const Spatial s = load(x);
  store({inertias_[i] * s.angular, view_.bodies[i].mass * s.linear}, out);
}

/// Velocity terms, elastic forces and weight of the flexible bodies, and the applied modal forces.
void AbsoluteSystem::apply_flexible_forces(std::span<const double> modal_forces) noexcept {
  for (std::size_t f = 0; f < view_.flexible.size(); ++f) {
    const FlexibleData& data = view_.flexible[f];
    const std::size_t size = flexible_.size(f);
    const double *M = mass_[f].data(), *own = flexible_.force(f).data();
    double* load_on_body = data_.data() + offsets_[at(data.body)];
    const Mat3& R = motions_[at(data.body)].R;
    const Spatial in_body = load(own);
    store(load(load_on_body) + Spatial{R * in_body.angular, R * in_body.linear}, load_on_body);
    for (std::size_t k = 0; k < data.modes; ++k) load_on_body[6 + k] = modal_forces[data.mode_offset + k] + own[6 + k];
    for (std::size_t r = 0; r < size; ++r)
      for (std::size_t c = 0; c < 3; ++c) load_on_body[r] += M[r * size + 3 + c] * view_.gravity[c];
  }
}

}  // namespace polyform
