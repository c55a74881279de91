// Whether a solution is one: what the rows are left with, what is not finite, and motions that have no inertia.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "absolute_system_detail.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform {

using detail::largest;
using detail::load;
using detail::store;

namespace {

bool finite(const Spatial& s) {
  double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) sum += s[k];
  return std::isfinite(sum);
}

}  // namespace

bool AbsoluteSystem::check_rows(std::span<const double> given_way) noexcept {
  failure_size_ = 0;
  const std::size_t n = view_.bodies.size();
  // What is left of a row is small or large beside what acts on its bodies or could: their weights, loads and inertia
  // forces. By themselves the terms of a row may cancel, or vanish, in a rotor that turns evenly in two bearings.
  double floor = least_share * yardstick_.of_system(motions_).acceleration, module_floor = 0, error = 0;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    find_block_residual(i);
    if (i >= n) continue;
    const Vec3& w = motions_[i].V.angular;
    sizes_[i].motion += yardstick_.of_body(i, motions_[i]).acceleration + scales_[i].length * dot(w, w);
    floor = std::max(floor, least_share * sizes_[i].motion);
    module_floor = std::max(module_floor, least_share * sizes_[i].motion * std::sqrt(scales_[i].mass));
  }
  std::size_t worst = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t r = 0; r < groups_[g].rows; ++r) {
      const std::size_t row = groups_[g].row + r;
      const double missed = given_way.empty() ? 0 : given_way[row];
      double left = right_[row] - missed, size = std::abs(right_[row]) + std::abs(missed);
      for (std::size_t e = groups_[g].entry; e < groups_[g].entry + groups_[g].entries; ++e) {
        const Entry& entry = entries_[e];
        left -= share_of_row(entry, r, solution_.data());
        size += row_weight(entry, r) * std::max(sizes_[entry.block].motion, entry.block < n ? floor : module_floor);
      }
      if (!(std::abs(left) > error * size)) continue;
      error = std::abs(left) / size;
      worst = g;
    }
  if (!is_contradiction(error, least_contradiction, position_violation_, velocity_violation_) ||
      is_left_by_dependence(error, dependence_of_left(given_way)))
    return true;
  return fail(
      "The constraints contradict each other at {} `{}`: no accelerations satisfy them all (relative error {:.1e}). {}",
      kind_of_tie(worst), name_of_tie(worst), error, causes_of_contradiction(view_));
}

/// Of the rows as far as the accelerations do not meet them: the forces of multipliers that would give as much, each row by
/// itself, as a part of their terms. They cancel where rows depend on each other, up to the part by which they do not: what
/// is left by the factors, which soften each row in proportion to its compliance, are such multipliers. Uses the residual.
double AbsoluteSystem::dependence_of_left(std::span<const double> given_way) noexcept {
  std::fill(residual_.begin(), residual_.end(), 0.0);
  for (Size& size : sizes_) size.force = 0;
  for (const Group& group : groups_)
    for (std::size_t r = 0; r < group.rows; ++r) {
      const auto entries = std::span(entries_).subspan(group.entry, group.entries);
      double left = right_[group.row + r] - (given_way.empty() ? 0 : given_way[group.row + r]);
      double compliance = 0;
      for (const Entry& entry : entries) {
        left -= share_of_row(entry, r, solution_.data());
        if (entry.frame != 0) {
          const Scale& s = scales_[entry.block];
          const Spatial& a = coefficients_[entry.first + r];
          compliance += dot(a.angular, a.angular) / s.inertia + dot(a.linear, a.linear) / s.mass;
        }
        for (std::size_t k = 0; k < entry.owns; ++k) {
          const double own = own_coefficients_[entry.own + r * entry.owns + k];
          compliance += own * own / own_mass_[own_[entry.block].first + k];
        }
      }
      if (!(compliance > 0)) continue;
      left /= compliance;
      for (const Entry& entry : entries) {
        double* force = residual_.data() + offsets_[entry.block];
        if (entry.frame != 0) store(load(force) + left * coefficients_[entry.first + r], force);
        const double* own = own_coefficients_.data() + entry.own + r * entry.owns;
        for (std::size_t k = 0; k < entry.owns; ++k) force[entry.frame + k] += left * own[k];
        sizes_[entry.block].force += row_weight(entry, r) * std::abs(left);
      }
    }
  double sum = 0, terms = 0;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    const double* force = residual_.data() + offsets_[i];
    const std::size_t frame = frame_size(i);
    if (frame != 0) {
      const Spatial f = load(force);
      sum = std::max(sum, largest(f.linear) + largest(f.angular) / scales_[i].length);
    }
    for (std::size_t k = 0; k < own_[i].count; ++k)
      sum = std::max(sum, std::abs(force[frame + k]) / own_length_[own_[i].first + k]);
    terms = std::max(terms, sizes_[i].force);
  }
  return terms > 0 ? sum / terms : 1;
}

bool AbsoluteSystem::check_finite() noexcept {
  // In the order of the tree: the first that is not finite makes those beyond it so.
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const BodyMotion& m = motions_[i];
    const double sum = m.R(0, 0) + m.R(1, 1) + m.R(2, 2) + m.p.x + m.p.y + m.p.z;
    if (!std::isfinite(sum) || !finite(m.V))
      return fail(
          "The motion of body `{}` is not finite: the state or the step has gone astray, or the type of joint `{}` "
          "gives "
          "no finite number there",
          view_.bodies[i].name, view_.joints[i].name);
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    bool all = true;
    for (std::size_t r = 0; r < group.rows; ++r) {
      all = all && std::isfinite(right_[group.row + r]);
      for (std::size_t e = group.entry; e < group.entry + group.entries; ++e) {
        const double* own = own_coefficients_.data() + entries_[e].own + r * entries_[e].owns;
        all = all && (entries_[e].frame == 0 || finite(coefficients_[entries_[e].first + r])) &&
              std::isfinite(std::accumulate(own, own + entries_[e].owns, 0.0));
      }
    }
    if (!all)
      return fail("The equations of {} `{}` are not finite: its type gives no finite number in this position",
                  kind_of_tie(g), name_of_tie(g));
  }
  return true;
}

/// The block on which what is left does the most work, if the factors, which lend it inertia, have their way.
bool AbsoluteSystem::find_free(Refinement& r, std::size_t& block) noexcept {
  if (!find_refinement(r)) return false;
  block = r.worst_body;
  double most = 0;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    double work = 0;
    for (std::size_t k = offsets_[i]; k < offsets_[i + 1]; ++k) work += residual_[k] * step_[k];
    if (!(work > most)) continue;
    most = work;
    block = i;
  }
  return true;
}

bool AbsoluteSystem::fail_free(const Refinement& r, std::size_t block) noexcept {
  const char* kind = is_module(block) ? "Module" : "Body";
  if (lacks_inertia(block))
    return fail(
        "{} `{}` has no mass or inertia for a motion that the joints leave free: give it some, or a joint that holds "
        "it",
        kind, name_of_block(block));
  return fail(
      "The equations of motion are not met at {} `{}` (relative error {:.1e}): rounding has taken the digits. It has "
      "very little mass or inertia beside others: give it more, or use a solver in joint coordinates",
      is_module(block) ? "module" : "body", name_of_block(block), r.body_error);
}

bool AbsoluteSystem::check_regular() noexcept {
  failure_size_ = 0;
  if (fine_) look_finely();
  const bool any = std::any_of(scales_.begin(), scales_.end(), [](const Scale& s) { return s.lacking; });
  if (!any) return true;
  // A load without regular pattern moves whatever can move: where nothing resists, no solution balances it. One of
  // three that is not nearly across a free motion is found there.
  for (const double frequency : {1.7, 2.9, 4.3}) {
    factorized_ = false;
    std::fill(data_.begin(), data_.end(), 0.0);
    std::fill(solution_.begin(), solution_.end(), 0.0);
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      for (std::size_t k = 0; k < offsets_[i + 1] - offsets_[i]; ++k) {
        const double pattern = std::sin(frequency * static_cast<double>(offsets_[i] + k) + 0.3);
        const double length = k < 3 ? scales_[i].length : k < 6 ? 1 : own_length_[own_[i].first + k - 6];
        data_[offsets_[i] + k] = pattern * scales_[i].mass * length;
      }
    }
    Refinement r{10, 1e-9, Follow::inertia};
    if (!solve(r)) return false;
    if (r.body_error < 1e-3) continue;
    std::size_t block = 0;
    if (!find_free(r, block)) return false;
    // With inertia, however little, motions are determined: whether they can be found shows with the accelerations.
    if (lacks_inertia(block)) return fail_free(r, block);
  }
  return true;
}

}  // namespace polyform
