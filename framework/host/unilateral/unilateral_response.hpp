// The response of a solver to the forces of rows that hold at times: Delassus' matrix, for any formulation.
#pragma once

#include <Eigen/Core>
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/integration/ode.hpp"
#include "framework/host/unilateral/island_colours.hpp"
#include "framework/host/unilateral/state_islands.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

/// Accelerations are linear in applied forces, in every formulation and with all constraints: ẏ = ẏ₀ + Σ λ_c Δẏ_c. So
/// Δẏ_c is found as the difference of two derivatives. The change of the rates of rows is found by adding Δẏ_c to the
/// velocities in y. With an impulse in place of the force, Δẏ_c is the jump of y.
///
/// Columns of which no two touch the same island have no part in each other, and take one derivative together. So
/// columns get colours: a heap of bodies takes some more evaluations than the body that touches most has rows. Where y
/// has numbers that answer to forces and belong to no island, each column takes an evaluation of its own.
class UnilateralResponse {
 public:
  /// The forces of a column: along the rows of one point.
  using Forces = std::array<double, UnilateralSet::rows_per_point>;

  /// All arguments outlive the object but the start, which the solver can encode, at time t. The ode is that of the
  /// solver, with the integrals.
  UnilateralResponse(const SystemView&, UnilateralSet&, double t, const ConstStateView& start, Solver&, Ode&);

  /// Finds ẏ₀ and the accelerations of the rows, under given forces of the rows, at the state that the set has
  /// evaluated. False if the solver fails.
  bool find_base(double t, std::span<const double> y, std::span<const double> forces);
  /// What the solver observes under given forces of the rows; nullptr if it fails.
  const Observation* observe(double t, std::span<const double> y, std::span<const double> forces);
  std::span<const double> base() const { return base_; }
  std::span<const double> accelerations() const { return accelerations_; }  ///< per row
  void begin_columns() { columns_.clear(); }
  /// Lists a column. Those of one point come one after the other.
  void add_column(std::size_t point, const Forces& forces) { columns_.push_back({point, 0, forces}); }
  /// Finds the responses to the listed columns. False if the solver fails.
  bool find_columns(double t, std::span<const double> y);
  /// What a column changes the rate of a row by. The row is one of a point that has a column.
  double rate(std::size_t column, std::size_t row) const;
  /// Calls see(i, Δẏᵢ) for all numbers of ẏ that a column changes. The integrals are among them where the column took
  /// an evaluation of its own.
  template <class See>
  void each_change(std::size_t column, const See& see) const;
  /// Whether integrals are left out of the changes of any column.
  bool shares_evaluations() const { return shares_; }
  /// Of a set that is not empty.
  const StateIslands& islands() const { return *islands_; }
  /// What shares of all columns together change the rates of the integrals by. False if the solver fails.
  bool find_integrals(double t, std::span<const double> y, std::span<const double> shares, std::span<double> change);
  /// Adds a share of a column to the velocities in y, as an impulse does.
  void jump(std::size_t column, double share, std::span<double> y) const;

 private:
  static constexpr std::size_t three = UnilateralSet::rows_per_point, none = StateIslands::none;
  struct Column {
    std::size_t point;
    std::size_t colour;  ///< of the evaluation
    Forces forces;
  };
  /// What was found with the forces of all columns of a colour. parts: the parts of rates of all points with columns.
  struct Colour {
    std::vector<std::size_t> columns;
    std::vector<double> change, parts;
  };

  void colour();
  bool find_colour(double t, std::span<const double> y, Colour&);
  bool is_of(std::size_t island, const Column&) const;
  template <class See>
  void each_state(const Column&, const See& see) const;

  UnilateralSet& set_;
  Solver& solver_;
  Ode& ode_;
  std::optional<ObservationStore> store_;  ///< of a set that is not empty, as are the islands
  std::optional<StateIslands> islands_;
  std::vector<StateKind> kinds_;
  std::vector<char> is_own_;  ///< states of the elements with such rows, which no impulse changes
  std::vector<double> y_, base_, with_, accelerations_, all_, forces_, rest_;
  std::vector<Column> columns_;
  std::vector<Colour> colours_;
  std::size_t count_ = 0;            ///< of colours
  std::vector<std::size_t> points_;  ///< that have columns
  std::vector<std::size_t> places_;  ///< of all points, among these
  IslandColours colouring_;
  bool is_apart_ = true;  ///< islands tell all that answers to forces
  bool shares_ = false;   ///< an evaluation has several columns
};

template <class See>
void UnilateralResponse::each_state(const Column& column, const See& see) const {
  if (colours_[column.colour].columns.size() == 1) {
    for (std::size_t i = 0; i < base_.size(); ++i) see(i);
    return;
  }
  for (std::size_t part = 0; part < StateIslands::parts; ++part) {
    const std::size_t island = islands_->of(column.point, part);
    bool seen = island == none;
    for (std::size_t before = 0; before < part; ++before) seen = seen || islands_->of(column.point, before) == island;
    if (seen) continue;
    for (const std::size_t i : islands_->states_of(island)) see(i);
  }
}

template <class See>
void UnilateralResponse::each_change(std::size_t column, const See& see) const {
  const std::vector<double>& change = colours_[columns_[column].colour].change;
  each_state(columns_[column], [&](std::size_t i) { see(i, change[i]); });
}

}  // namespace polyform::host::inline unilateral
