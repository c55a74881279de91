#pragma once

#include <vector>

#include "polyform/solvers/absolute_solver.hpp"
#include "recursion.hpp"
#include "shown_levels.hpp"

namespace polyform::hierarchy {

struct Options {
  Method method = Method::udwadia_kalaba;
  bool project = true;       ///< correct positions and velocities after each step
  double tolerance = 1e-10;  ///< of the position projection, m and rad
};

/// The hierarchy of a model, cut off at a level: what is found before any state is known.
struct Plan {
  std::vector<LevelConstraint> constraints;
  MergeTree tree;
  std::size_t level = 0;  ///< the last one that counts
  std::vector<BlockInertia> inertia;
  /// R (4.17) per constraint, of each of its rows; empty if rows hold exactly.
  std::vector<std::vector<double>> noise;
};

/// The recursion over the hierarchy, at the model of one level: constraints of higher levels are absent from
/// accelerations, reactions and corrections.
class HierarchySolver final : public AbsoluteSolver {
 public:
  HierarchySolver(const SystemView&, Plan, const Options&);
  bool good() const { return made(); }
  void destroy() noexcept override { delete this; }

  void* query(std::string_view asked) noexcept override {
    return asked == EquationMatrices::interface_name ? static_cast<EquationMatrices*>(&levels_)
                                                     : AbsoluteSolver::query(asked);
  }
  void describe_constraint(std::size_t, Constraint& out) const noexcept override;
  std::size_t levels() const noexcept override { return plan_.tree.levels; }
  std::size_t module_of(std::size_t block, std::size_t level) const noexcept override;

 private:
  ~HierarchySolver() = default;
  const AbsoluteAccelerations* solve(std::span<const Spatial> wrenches, std::span<const double> efforts,
                                     std::span<const double> modal_forces, Accelerations) noexcept override;
  bool check_rows() noexcept override;
  bool fail_solve() noexcept;
  bool check_regular() noexcept override;

  Plan plan_;
  std::vector<std::vector<std::size_t>> subsystems_;  ///< per level from 1, per block
  Recursion recursion_;
  ShownLevels levels_;
};

}  // namespace polyform::hierarchy
