// The variables of all modules in one solution: their part in the rows, and their rates.
//
// A row of a module reads Σ share · V̇ + A α = acceleration with the rates α of its variables. The multipliers of the
// rows give α (module_rows.hpp), except for variables that move no mass. For each of these the module gives up one row,
// which gives the variable's rate and is subtracted from the other rows, so that the variable does not enter them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/solvers/frame_rows.hpp"
#include "polyform/solvers/loop_right_sides.hpp"
#include "polyform/solvers/module_rows.hpp"

namespace polyform {

/// After prepare(level) all results are those for the unknown of that level. Nothing allocates after construction.
class ModuleVariables {
 public:
  using Group = ElementGroups::Group;
  using Level = LoopRightSides::Level;

  /// The arguments outlive the object.
  ModuleVariables(const ModuleSet&, const ElementGroups&);

  /// Takes the modules as the set evaluated them. asked: the rows as the elements have them; solved: becomes these
  /// without the rows that are given up.
  void prepare(Level, const FrameRows& asked, FrameRows& solved) noexcept;
  Level level() const { return level_; }  ///< of the last prepare()
  /// A module whose variables no mass and no row holds; none if all are held.
  std::string_view unheld() const { return unheld_; }
  const ModuleRows& of(std::size_t module) const { return modules_[module]; }

  /// Rows of a group that are not solved for, a bit each: they give the rates of variables without mass.
  unsigned given_up(const Group&) const;
  /// λ_0 of a row of a module.
  double given(const Group& g, std::size_t row) const { return modules_[g.module].given(g.first + row); }
  /// A u of a row at the first-order states x of the system.
  double rate(const Group&, std::size_t row, std::span<const double> x) const noexcept;
  /// The part of a row that the variables take by the multipliers of all groups; zero for constraint elements.
  double share(const Group&, std::size_t row, std::span<const double> multipliers) const noexcept;

  /// Sets the multipliers of rows that are given up, and finds the rates of the variables, from the accelerations of
  /// all frames' origins or from a step of them.
  void complete(const FrameRows& asked, std::span<double> multipliers, std::span<const Spatial> accelerations) noexcept;
  /// After complete(): A α of a row.
  double acceleration(const Group&, std::size_t row) const noexcept;
  /// The largest term of rows that tie only variables to each other, so that no body determines their size; else zero.
  double largest_term(const Group&) const noexcept;
  /// Writes the rates of the variables and of the further states of all modules to their places among the first-order
  /// states.
  void put_rates(std::span<double> xdot) const noexcept;
  /// Moves the states that are integrals of a variable (positions), or the variables, by the step.
  void move(std::span<double> x, bool positions) const noexcept;

 private:
  void take_from_rows(std::size_t module, const FrameRows& asked, FrameRows& solved) const noexcept;

  const ModuleSet& set_;
  const ElementGroups& groups_;
  std::vector<ModuleRows> modules_;
  std::vector<double> missing_, rounding_;  ///< of the rows of one module
  Level level_ = Level::acceleration;
  std::string_view unheld_;
};

}  // namespace polyform
