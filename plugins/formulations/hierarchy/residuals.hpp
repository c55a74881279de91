// What a solution leaves of the equations of motion and of the constraints.
#pragma once

#include <span>
#include <vector>

#include "polyform/solvers/double_double.hpp"
#include "recursion_failure.hpp"
#include "subsystem_models.hpp"

namespace polyform::hierarchy {

/// The residuals of the recursion are in its own unknowns and rows, as those of the particles and of thompson are in
/// theirs: each tests a formulation's own arithmetic. loads: f + φ of all blocks; accelerations: of all blocks;
/// multipliers: of all rows.
class Residuals {
 public:
  /// A residual above this, relative to its terms, is no result.
  static constexpr double largest = 1e-8;

  /// They outlive the object.
  explicit Residuals(const SubsystemModels&);

  /// M α − f − Aᵀλ of all blocks and A α − b of all rows, as of find() or refine().
  std::span<const double> of_loads() const { return load_residual_; }
  std::span<const double> of_rows() const { return right_; }
  /// Sets them to what is left of zero accelerations.
  void begin(std::span<const double> loads) noexcept;
  /// Finds the residuals and returns the largest, each relative to its terms. If inertia counts, terms are at least a
  /// small part of the largest: terms that are nearly zero then move nothing. If it does not count, a small force may
  /// move much. Rows between bodies that have inertia are compared with the largest term of all rows: compared with
  /// their own, chains of revolute joints would take a second pass for digits that no acceleration shows.
  double find(std::span<const double> loads, std::span<const double> accelerations,
              std::span<const double> multipliers) noexcept;
  /// Whether some blocks lack inertia, so that rounding of the residuals may move them.
  bool can_refine() const { return !fine_left_.empty(); }
  /// Finds the residuals again without the rounding of their sums: next to heavy bodies that rounding makes motions
  /// with next to no inertia. The data are taken as they are.
  void refine(std::span<const double> loads, std::span<const double> accelerations,
              std::span<const double> multipliers) noexcept;
  /// Refuses accelerations that leave more than rounding of the equations of motion, or of the rows that are enforced;
  /// names the block or constraint with the largest residual. Reads what find() has left. The terms of a row are at
  /// least the accelerations by rounding of forces: at rest there are no others.
  bool check(std::span<const double> loads, std::span<const double> multipliers, RecursionFailure&) noexcept;

 private:
  void find_free_sizes(std::span<const double> loads, std::span<const double> multipliers) noexcept;

  const SubsystemModels& models_;
  std::vector<double> load_residual_, load_size_;  ///< of all blocks; what is left, and the largest term of it
  std::vector<double> right_, row_size_;           ///< of all rows; the same
  double largest_force_ = 0, largest_term_ = 0;    ///< of all equations of motion, of all rows
  std::vector<DoubleDouble> fine_left_;            ///< of all blocks, where some lack inertia
};

}  // namespace polyform::hierarchy
