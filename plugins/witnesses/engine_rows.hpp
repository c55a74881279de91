// Constraint elements and modules, such as the rotor of a geared drive, beside another engine.
//
// Their rows J ask for velocities of bodies and of the modules' own variables. No engine has them, but the
// accelerations of an engine are linear in what acts. So its answer Y to each row as a load, at rest, tells what a
// multiplier does:
//
//   J (a + Y λ) + A α = acceleration,      M α − Aᵀ λ = f
//
// with the accelerations a that the engine finds without the rows. The unknowns are those of the elements alone.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "dense_solution.hpp"
#include "engine.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/closing_errors.hpp"
#include "polyform/solvers/element_rows.hpp"

namespace polyform::witnesses {

/// Nothing allocates after construction. Ground axes.
class EngineRows {
 public:
  using Level = LoopRightSides::Level;

  /// origin: the point from which positions count. The view outlives the object.
  EngineRows(const SystemView&, const Vec3& origin);
  bool good() const { return elements_.good(); }
  bool empty() const { return elements_.empty(); }
  const ElementRows& elements() const { return elements_; }
  /// Bodies that rows and modules load.
  std::span<const BodyIndex> bodies() const { return bodies_; }

  /// Evaluates the elements at a state. Multipliers and rates are zero then.
  void evaluate(double t, std::span<const BodyMotion> bodies, std::span<const double> q, std::span<const double> v,
                std::span<const double> x) noexcept;
  /// How far the state is from the rows.
  const ClosingErrors& errors() const { return errors_; }
  /// Asks the engine for its answers at q, and makes the equations of a level ready. loaded: all bodies that anything
  /// loads. False if the engine fails.
  bool prepare(Level, Engine&, const double* q, std::span<const BodyIndex> loaded) noexcept;

  /// Adds to multipliers and rates what the accelerations of all bodies under the present ones miss of the rows.
  void meet_accelerations(std::span<const Spatial> accelerations) noexcept;
  /// What positions or velocities miss: a step per velocity coordinate, and the move of the first-order states.
  void find_step(Level, std::span<double> step, std::span<double> x) noexcept;

  /// Adds the loads of rows and modules under the present multipliers.
  void add_loads(std::span<const BodyMotion> bodies, std::span<Spatial> wrenches) const noexcept;
  /// What accelerations of all bodies leave of the rows, relative to the terms of the row, and the element of it.
  struct Missed {
    double part = 0;
    std::string_view element;
  };
  Missed missed_by(std::span<const Spatial> accelerations) const noexcept;
  /// λ without the given efforts, per row of all groups.
  std::span<const double> multipliers() const { return multipliers_; }
  /// Writes the rates of the modules' states to their places.
  void put_rates(std::span<double> xdot) const noexcept;

 private:
  using Group = ElementRows::Group;

  bool find_columns(Engine&, const double* q, std::span<const BodyIndex> loaded) noexcept;
  void fill(Level) noexcept;
  void set_forces() noexcept;
  void solve() noexcept;
  /// J a of a row.
  double at_row(const Group&, std::size_t row, std::span<const Spatial> accelerations) const noexcept;
  /// A α of a row.
  double of_variables(const Group&, std::size_t row) const noexcept;
  std::size_t place_of_row(const Group& g, std::size_t row) const { return rates_.size() + g.row + row; }
  const ModuleSet::Module& module(const Group& g) const { return elements_.modules().modules()[g.module]; }
  std::span<double> column(std::size_t row) { return std::span(columns_).subspan(row * view_.nv, view_.nv); }

  const SystemView& view_;
  ElementRows elements_;
  ClosingErrors errors_;
  TreeKinematics rest_;  ///< at the same positions, without velocities
  std::vector<BodyIndex> bodies_;
  std::vector<std::size_t> first_variable_;     ///< per module, among rates_
  double unit_;                                 ///< of a multiplier, so large that weights hardly show beside it
  std::vector<double> multipliers_, rates_;     ///< λ, α
  DenseSolution system_;                        ///< unknowns: α, λ
  std::vector<double> columns_, still_, none_;  ///< Y; accelerations under weights alone; zeros
  std::vector<double> compliance_;              ///< J Y
  std::vector<Spatial> wrenches_, accelerations_;
};

}  // namespace polyform::witnesses
