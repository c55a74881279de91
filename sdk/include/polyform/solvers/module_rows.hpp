// The variables of modules as coordinates in addition to those of a recursion: M α = f + Aᵀ λ.
//
// With the multipliers λ of its rows known, a module gives its own rates, α = M⁻¹ (f + Aᵀ λ), and adds A M⁻¹ Aᵀ to the
// compliance of these rows. If M is singular (a rotor without inertia), M⁻ is a generalized inverse and N holds the
// variables that move no mass, and
//
//   α = M⁻ (f + Aᵀ λ) + N β,      Nᵀ f + (A N)ᵀ λ = 0
//
// As many rows R as N has columns, for which A N is regular, give β. From the others, S, C = (A N)_S (A N)_R⁻¹ times
// the rows R is subtracted, so that β does not enter them. The multipliers of R follow from those of S: λ_R = λ_0 − Cᵀ
// λ_S, λ_0 = −(A N)_R⁻ᵀ Nᵀ f, where λ_0 acts like an applied force.
//
// For a variable with next to no mass, f + Aᵀ λ is a small difference, so its rows tell its rate better. If the rows
// miss more than their rounding, α gets the least change in the metric of M that meets them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/module_set.hpp"
#include "polyform/solvers/module_mass.hpp"
#include "polyform/solvers/paired_rows.hpp"

namespace polyform {

/// One module at a state. Nothing allocates after construction.
class ModuleRows {
 public:
  /// Takes over the module's matrices and rows.
  explicit ModuleRows(const ModuleSet::Module&);

  const ModuleSet::Module& module() const { return *module_; }
  std::size_t rows() const { return module_->rows.rows; }
  std::size_t variables() const { return module_->variables; }

  /// Takes M, f and A as the set evaluated them. for_positions: a step of the positions, in which variables without an
  /// integral and f take no part. False if a variable moves no mass and no row holds it.
  bool prepare(bool for_positions, bool with_forces) noexcept;
  /// The rows R, and C of the rows S.
  const PairedRows& pairs() const { return pairs_; }
  /// A of a row; for a row of S without its part in β.
  std::span<const double> A(std::size_t row) const { return std::span(A_).subspan(row * variables(), variables()); }
  double compliance(std::size_t r, std::size_t s) const { return W_[r * rows() + s]; }
  /// Σ |A| |M⁻| |A| of a row; the terms may cancel in its compliance.
  double compliance_terms(std::size_t row) const { return terms_[row]; }
  /// A M⁻ (f + Aᵀ λ_0) of a row: the motion of the variables without multipliers.
  double own(std::size_t row) const { return own_[row]; }
  double given(std::size_t row) const { return given_[row]; }  ///< λ_0; zero of rows of S

  /// Computes the multipliers of R from those of S, into their places; λ_0 is not in them.
  void complete(double* multipliers) const noexcept;
  /// α from complete multipliers. missing: per row, what its right-hand side leaves to A α; rounding: the rounding of
  /// that.
  void find_rates(const double* multipliers, const double* missing, const double* rounding) noexcept;
  std::span<const double> rates() const { return rates_; }

 private:
  void take_pairs() noexcept;
  bool find_off(const double* missing, const double* rounding) noexcept;
  void meet_rows() noexcept;

  const ModuleSet::Module* module_;
  ModuleMass mass_;
  PairedRows pairs_;
  std::vector<double> A_, f_;
  std::vector<double> W_, terms_, own_, given_, rates_, room_;
  std::vector<double> off_, factors_;  ///< of rows; W on its way to factors
};

}  // namespace polyform
