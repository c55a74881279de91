// Which numbers of a solver's y answer to a force along a row: for any formulation.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/host/unilateral/inertia_islands.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

/// A force along a row of a point changes the rates of the velocities of the islands of its bodies, and of the states
/// of its element. So islands are numbered on: those of the bodies, then one for each element.
///
/// Which velocities of y belong to an island is found by encoding: those that change where the velocities of its
/// joints do.
class StateIslands {
 public:
  static constexpr std::size_t none = InertiaIslands::none;
  /// What a point is about: its two sides, its joint velocity and its element.
  static constexpr std::size_t parts = 4;

  /// start: a state that the solver can encode, at time t.
  StateIslands(const SystemView&, const UnilateralSet&, double t, const ConstStateView& start, Solver&);

  std::size_t count() const { return states_.size(); }
  std::size_t of(std::size_t point, std::size_t part) const { return of_points_[parts * point + part]; }
  /// Those of all parts of a point.
  std::span<const std::size_t> all_of(std::size_t point) const {
    return std::span(of_points_).subspan(parts * point, parts);
  }
  /// Points in groups of which no two have an island in common: what acts on one group does not move the others. In the
  /// order of their first points.
  std::vector<std::vector<std::size_t>> groups_of(std::span<const std::size_t> points) const;
  /// Numbers of y.
  std::span<const std::size_t> states_of(std::size_t island) const { return states_[island]; }
  /// Those that belong to no island and are no positions.
  std::span<const std::size_t> others() const { return others_; }

 private:
  std::vector<std::size_t> of_velocities(const SystemView&, double t, const ConstStateView& start, Solver&) const;

  InertiaIslands islands_;
  std::vector<std::size_t> of_points_;
  std::vector<std::vector<std::size_t>> states_;
  std::vector<std::size_t> others_;
};

}  // namespace polyform::host::inline unilateral
