// The response of a solver to impulses on many points, for any formulation: Delassus' matrix with its empty places left
// out.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "framework/host/unilateral/free_bodies.hpp"
#include "framework/host/unilateral/inertia_islands.hpp"
#include "framework/host/unilateral/island_colours.hpp"
#include "framework/host/unilateral/island_points.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"
#include "polyform/contract/second_order.hpp"

namespace polyform::host::inline unilateral {

/// Bodies that nothing holds answer by their own mass and inertia (free_bodies.hpp), without an evaluation.
///
/// Of all others, points of which no two touch the same island have no part in each other, and a force on each of them
/// at once takes one evaluation of the derivative. So points get colours, and an evaluation gives one row of all points
/// of a colour: some tens of evaluations for a heap of thousands of bodies.
/// Its members are the arrays of this colouring and of the matrix; they keep their room from one step to the next.
class SparseResponse {
 public:
  /// All arguments outlive the object.
  SparseResponse(const SystemView&, UnilateralSet&, Solver&);

  /// Finds the blocks of the points, numbers in the set, at the state that the set has evaluated. False if the solver
  /// fails. The blocks are those of UnilateralSystem::find_response. free: per point, what a unit force moves where
  /// nothing else holds the bodies; 0: not known. Rows that no force moves have no response at all: what there is of
  /// it is rounding.
  bool find(double t, std::span<const double> y, std::span<const std::size_t> points, std::span<const double> free);
  /// Per row of the points that were found last: whether no force moves it.
  std::span<const char> held() const { return held_; }
  std::span<const std::size_t> starts() const { return starts_; }
  std::span<const std::size_t> columns() const { return columns_; }
  std::span<const double> blocks() const { return blocks_; }
  /// How often the derivative was evaluated in all.
  std::size_t evaluations() const { return evaluations_; }

 private:
  static constexpr std::size_t three = UnilateralSet::rows_per_point, none = InertiaIslands::none;
  /// A place of the matrix that a colour fills: part `part` of the rates of `point` is due to `column`.
  struct Place {
    std::size_t point, part, column, block;
  };
  std::size_t island_of(std::size_t point, std::size_t part) const;
  bool has_row(std::size_t point, std::size_t row) const;
  double probe_of(std::size_t point, double free) const;
  bool answers_alone(std::size_t point, std::size_t part) const;
  void colour(std::span<const std::size_t> points);
  void find_places(std::span<const std::size_t> points);
  void add_free(std::span<const std::size_t> points);
  bool find_columns(double t, std::span<const double> y, std::span<const std::size_t> points);
  bool find_column(double t, std::span<const double> y, std::span<const std::size_t> points, std::size_t colour,
                   std::size_t row);
  void put_velocities(std::span<const double> y);
  void leave_out_held(std::span<const std::size_t> points, std::span<const double> free);

  const SystemView& view_;
  UnilateralSet& set_;
  Solver& solver_;
  std::optional<InertiaIslands> islands_;  ///< of a set that is not empty
  std::optional<FreeBodies> free_;         ///< likewise
  std::vector<StateKind> kinds_;
  IslandColours colouring_;           ///< of the islands that are no free bodies
  std::vector<std::size_t> colours_;  ///< per point; none of a point between free bodies
  IslandPoints islands_of_points_;
  std::vector<std::vector<Place>> places_;  ///< per colour
  std::vector<FreeBodies::Side> sides_;     ///< of free bodies, two per point
  std::vector<double> y_, base_, with_, forces_, parts_, rest_, probes_;
  std::vector<char> held_;
  std::vector<std::size_t> starts_, columns_;
  std::vector<double> blocks_;
  std::size_t evaluations_ = 0;
};

}  // namespace polyform::host::inline unilateral
