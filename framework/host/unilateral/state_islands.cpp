#include "framework/host/unilateral/state_islands.hpp"

#include <algorithm>

#include "framework/host/evaluation/state_encoding.hpp"
#include "polyform/contract/second_order.hpp"

namespace polyform::host::inline unilateral {

StateIslands::StateIslands(const SystemView& view, const UnilateralSet& set, double t, const ConstStateView& start,
                           Solver& solver)
    : islands_(view) {
  if (set.empty()) return;
  for (std::size_t k = 0; k < set.points(); ++k) {
    const std::size_t v = set.velocity_of(k);
    of_points_.push_back(islands_.of(set.frame_of(k, 0)));
    of_points_.push_back(islands_.of(set.frame_of(k, 1)));
    of_points_.push_back(v == UnilateralPoint::none ? none : islands_.of_velocity(v));
    of_points_.push_back(islands_.count() + set.element_of(k));
  }
  states_.resize(islands_.count() + set.elements());
  std::vector<std::size_t> island = of_velocities(view, t, start, solver);
  std::vector<std::size_t> element(island.size(), none);
  set.put_elements(element);
  const auto* const second = ask<SecondOrderSystem>(solver);
  for (std::size_t i = 0; i < island.size(); ++i) {
    if (element[i] != none) island[i] = islands_.count() + element[i];
    if (island[i] != none)
      states_[island[i]].push_back(i);
    else if (second == nullptr || second->kinds()[i] != StateKind::position)
      others_.push_back(i);
  }
}

/// Per number of y its island, or none. Two encodings for each binary digit of the islands' numbers: one changes the
/// velocities of the islands that have the digit, the other those of all that have it not. A number of y that follows
/// neither of them, or both, belongs to none.
std::vector<std::size_t> StateIslands::of_velocities(const SystemView& view, double t, const ConstStateView& start,
                                                     Solver& solver) const {
  const std::size_t states = solver.state_size();
  std::vector<std::size_t> island(states, 0), unknown(states, none);
  std::vector<double> before(states), after(states);
  if (encode_at(t, solver, start, before) != Status::ok) return unknown;
  std::vector<std::size_t> of_modes(view.modes, none);
  for (const FlexibleData& flexible : view.flexible)
    for (std::size_t m = 0; m < flexible.modes; ++m)
      of_modes[flexible.mode_offset + m] = islands_.of(frame_of(flexible.body));
  std::vector<char> changed(states);
  const auto change = [&](std::size_t digit, std::size_t value) {
    // Of order one, and irregular, so that no sum of them vanishes.
    const auto raised = [&](std::span<const double> from, const auto& island_of) {
      std::vector<double> to(from.begin(), from.end());
      for (std::size_t i = 0; i < to.size(); ++i)
        if (const std::size_t own = island_of(i); own != none && ((own >> digit) & 1) == value)
          to[i] += 1 + 1 / static_cast<double>(i + 2);
      return to;
    };
    const std::vector<double> v = raised(start.v, [&](std::size_t i) { return islands_.of_velocity(i); });
    const std::vector<double> etadot = raised(start.etadot, [&](std::size_t i) { return of_modes[i]; });
    ConstStateView state = start;
    state.v = v;
    state.etadot = etadot;
    if (encode_at(t, solver, state, after) != Status::ok) return false;
    for (std::size_t i = 0; i < states; ++i) {
      if (after[i] == before[i]) continue;
      changed[i] = static_cast<char>(changed[i] + 1);
      island[i] |= value << digit;
    }
    return true;
  };
  for (std::size_t digit = 0; digit == 0 || (islands_.count() >> digit) != 0; ++digit) {
    std::ranges::fill(changed, 0);
    if (!change(digit, 0) || !change(digit, 1)) return unknown;
    for (std::size_t i = 0; i < states; ++i)
      if (changed[i] != 1) unknown[i] = 0;  // marks what no digit tells
  }
  const auto* const second = ask<SecondOrderSystem>(solver);
  for (std::size_t i = 0; i < states; ++i)
    if (unknown[i] == 0 || island[i] >= islands_.count() || second == nullptr ||
        second->kinds()[i] != StateKind::velocity)
      island[i] = none;
  return island;
}

std::vector<std::vector<std::size_t>> StateIslands::groups_of(std::span<const std::size_t> points) const {
  std::vector<std::size_t> joined(count());
  for (std::size_t i = 0; i < joined.size(); ++i) joined[i] = i;
  const auto root = [&](std::size_t island) {
    while (joined[island] != island) island = joined[island] = joined[joined[island]];
    return island;
  };
  const auto first_of = [&](std::size_t point) {  // the last part is an element, which has no velocities
    const auto moving = all_of(point).first(parts - 1);
    const auto first = std::ranges::find_if(moving, [](std::size_t island) { return island != none; });
    return first == moving.end() ? all_of(point).back() : *first;
  };
  for (const std::size_t k : points)
    for (const std::size_t island : all_of(k).first(parts - 1))
      if (island != none) joined[root(first_of(k))] = root(island);
  std::vector<std::vector<std::size_t>> groups;
  std::vector<std::size_t> number(count(), none);
  for (const std::size_t k : points) {
    std::size_t& own = number[root(first_of(k))];
    if (own == none) {
      own = groups.size();
      groups.emplace_back();
    }
    groups[own].push_back(k);
  }
  return groups;
}

}  // namespace polyform::host::inline unilateral
