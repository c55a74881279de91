// Rates that respect loops, constraint elements and modules, as near as can be to those that are wanted.
//
// There are two independent steps. RowFactors decides in joint rates alone, without masses, whether rows can be met,
// which of them are independent and what is left in the end. Among the rates that meet them, the nearest is found in
// the metric of the bodies' inertia:
//
//   min ½ Σ (V_i − V*_i)ᵀ M_i (V_i − V*_i)   subject to   V_out = V_in + S w  (tree joints),   J w = c
//
// as one sparse system for w, V, η̇ and the multipliers, with the independent rows only: linear in the bodies for
// chains, trees and ladders of loops.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/inertia_metric.hpp"
#include "framework/host/assembly/row_factors.hpp"

namespace polyform::host::inline assembly {

class NearestRates {
 public:
  /// The Jacobian is evaluated, with w of the start; both outlive the object. Columns: tree joints' rates, then modes'.
  /// dependence: the largest part by which rows that count as dependent are independent of others, nothing being kept.
  NearestRates(const SystemView&, const ConstraintJacobian&, double dependence = 0);

  /// On which rows rates may rest. wide: on rows that are independent by more than closing leaves of positions.
  /// dependent: on rows that count as independent; each other row is met up to the part by which it is independent.
  /// none: on every row that is more than rounding.
  enum class Margin { wide, dependent, none };
  /// Whether all rows can be met by changing the columns that are not kept; the rates of those are as in w.
  bool can_meet(std::span<const double> w, const std::vector<char>& kept, Margin);
  /// After can_meet: the rates that meet the rows, and per column whether these and what is kept settle it.
  std::span<const double> met_rates() const { return trial_; }
  std::vector<char> settled_columns() const { return factors_->settled(); }
  /// The largest scaled rate from which changes began.
  double fastest_wanted() const { return fastest_wanted_; }
  /// Up to which part of a row rates meet it, where some rows were left out that are independent up to a part.
  double met_part() const;
  /// What can_meet could not: the row that was left, and by how much.
  struct Missed {
    std::size_t row = 0;
    double left = 0, relative = 0;  ///< relative to what the joints around it do
  };
  const Missed& worst() const { return worst_; }

  /// After can_meet: w becomes the nearest to what is wanted. excess: per body, wanted twist less that of w (frame
  /// origin, ground axes); empty if w is what is wanted.
  void take(std::span<double> w, const std::vector<char>& kept, InertiaMetric&, std::span<const Spatial> excess);
  Missed missed(std::span<const double> w) const;
  /// Per column, whether the rows settle it where these columns are kept.
  std::vector<char> settled(const std::vector<char>& kept) const;

 private:
  std::vector<double> left(std::span<const double> w) const;
  double fastest(std::span<const double> w) const;
  Missed meet(std::span<double> w) const;

  const SystemView& view_;
  const ConstraintJacobian& jacobian_;
  RowScales scales_;
  std::unique_ptr<RowFactors> factors_;
  double dependence_;
  double fastest_wanted_ = 0;  ///< scaled, of all rates from which changes began
  std::vector<double> trial_;
  Missed worst_;
};

/// Relative error of a row up to which rates meet it.
constexpr double met = 1e-9;

}  // namespace polyform::host::assembly
