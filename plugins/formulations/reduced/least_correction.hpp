// The least correction of coordinates or velocities that meets linear constraints: c_q Δ = −c, min |Δ| (Eqs. 4, 5).
#pragma once

#include <span>
#include <vector>

#include "constraint_jacobian.hpp"
#include "polyform/solvers/multiplier_matrix.hpp"

namespace polyform::reduced {

/// Δ = −c_qᵀ (c_q c_qᵀ)⁺ c, with c_q c_qᵀ sparse: a block for each pair of loops that share a joint. Rows that depend
/// on others are left out. One object per solver; nothing allocates after construction.
class LeastCorrection {
 public:
  LeastCorrection(const SystemView& view, const ConstraintJacobian& jacobian);

  /// c_q c_qᵀ and its factors, for the Jacobian as it stands. The variables of modules are further coordinates, and A
  /// their part of c_q: of positions only those with an integral.
  void factorize(bool positions = false) noexcept;
  /// Sets the residual that the correction has to remove: row r of a loop.
  void set(std::size_t loop, std::size_t row, double c) noexcept { matrix_.right(loop)[row] = -c; }
  /// Into delta, one value per velocity coordinate of the tree joints, then per mode.
  void solve(std::span<double> delta) noexcept;
  /// After solve(): the same correction of the modules' variables, or of their integrals, among the first-order states.
  void move_modules(std::span<double> x, bool positions) const noexcept;
  /// Rows of a loop that depend on others, a bit each: known before, and those that factorize() has found.
  void leave_out(std::size_t loop, unsigned rows) noexcept { left_out_[loop] = rows; }
  unsigned left_out(std::size_t loop) const { return left_out_[loop]; }

 private:
  /// The blocks of one joint or flexible body in two loops, whose product stands at `place` in c_q c_qᵀ.
  struct Product {
    std::size_t loop_a, loop_b, block_a, block_b, place;
  };
  void form_diagonal(std::size_t loop) noexcept;
  void add_modules(bool positions) noexcept;

  const ConstraintJacobian& jacobian_;
  MultiplierMatrix matrix_;
  std::vector<Product> products_;
  std::vector<std::size_t> first_row_;  ///< per loop
  std::vector<double> lambda_;
  std::vector<unsigned> left_out_;
};

}  // namespace polyform::reduced
