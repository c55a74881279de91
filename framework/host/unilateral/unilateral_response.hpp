// The response of a solver to the forces of rows that hold at times: Delassus' matrix, for any formulation.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/integration/ode.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

/// Accelerations are linear in applied forces, in every formulation and with all constraints: ẏ = ẏ₀ + Σ λ_c Δẏ_c. So
/// Δẏ_c is found as the difference of two derivatives. The change of the rates of rows is found by adding Δẏ_c to the
/// velocities in y. With an impulse in place of the force, Δẏ_c is the jump of y.
class UnilateralResponse {
 public:
  /// All arguments outlive the object. The ode is that of the solver, with the integrals.
  UnilateralResponse(const SystemView&, UnilateralSet&, Solver&, Ode&);

  /// Finds ẏ₀ and the accelerations of the rows, under given forces of the rows. False if the solver fails.
  bool find_base(double t, std::span<const double> y, std::span<const double> forces);
  /// What the solver observes under given forces of the rows; nullptr if it fails.
  const Observation* observe(double t, std::span<const double> y, std::span<const double> forces);
  std::span<const double> base() const { return base_; }
  std::span<const double> accelerations() const { return accelerations_; }  ///< per row
  void begin_columns() { columns_ = 0; }
  /// Adds the response to further forces. False if the solver fails.
  bool add_column(double t, std::span<const double> y, std::span<const double> forces);
  std::size_t columns() const { return columns_; }
  std::span<const double> change(std::size_t column) const { return changes_[column]; }  ///< Δẏ
  /// Adds a share of a column to the velocities in y, as an impulse does.
  void jump(std::size_t column, double share, std::span<double> y) const;
  std::span<const double> rates(std::size_t column) const { return row_rates_[column]; }  ///< of the rows, per row

 private:
  UnilateralSet& set_;
  Solver& solver_;
  Ode& ode_;
  std::optional<ObservationStore> store_;  ///< of a set that is not empty
  std::vector<StateKind> kinds_;
  std::vector<char> is_own_;  ///< states of the elements with such rows, which no impulse changes
  std::vector<double> y_, base_, with_, accelerations_, rates_, all_;
  std::vector<std::vector<double>> changes_, row_rates_;
  std::size_t columns_ = 0;
};

}  // namespace polyform::host::inline unilateral
