// Rows of a module that give the rates of variables without mass: one row for each of these variables.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/solvers/module_mass.hpp"

namespace polyform {

/// The rows R, for which A N is regular, and C of the other rows S (module_rows.hpp), at one state. Nothing allocates
/// after construction.
class PairedRows {
 public:
  PairedRows(std::size_t rows, std::size_t variables);

  /// Finds R for the motions N of the mass. A: rows × variables. Columns of N without a coefficient in any row are
  /// dropped: their variables take no part and stay as they are. False if a variable is held by no row; all_held says
  /// whether one without any coefficient counts.
  bool find(std::span<const double> A, ModuleMass&, bool all_held) noexcept;
  std::size_t count() const { return count_; }
  /// Whether a row is one of R.
  bool has(std::size_t row) const { return place_in_R_[row] != none; }
  std::size_t row(std::size_t k) const { return R_[k]; }
  /// (A N)_R⁻¹.
  double inverse(std::size_t j, std::size_t k) const { return inverse_[j * variables_ + k]; }
  /// C of a row of S and the k-th row of R, after find_C().
  double C(std::size_t row, std::size_t k) const { return C_[row * variables_ + k]; }
  void find_C(std::size_t row) noexcept;

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  bool drop_unfelt(ModuleMass&) noexcept;
  std::size_t best_row(std::size_t k) const noexcept;

  std::size_t rows_, variables_, count_ = 0;
  std::vector<std::size_t> R_, place_in_R_;
  std::vector<double> AN_, C_;          ///< rows × pairs
  std::vector<double> inverse_, left_;  ///< (A N)_R⁻¹; A N of the rows R, on its way to the unit matrix
};

}  // namespace polyform
