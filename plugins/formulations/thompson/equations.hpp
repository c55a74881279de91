// The equations of motion in the forms of the paper, solved for q̈2 and q̈.
//
//   reduced      (H2ᵀ M H2) q̈2 = H2ᵀ Q − (H2ᵀ M Ḣ2) q̇2                                   Eq 15
//   implicit-1   [H2ᵀ M  0; 1  −H2] [q̈; q̈2] = [H2ᵀ Q; Ḣ2 q̇2]                              Eq 20
//   implicit-2   [M  1  0; 1  0  −H2; 0  H2ᵀ  0] [q̈; Φ_qᵀ λ; q̈2] = [Q; Ḣ2 q̇2; 0]          Eq 21 and H2ᵀ Φ_qᵀ λ = 0
//
// If loops are closed, H2 is H2 Z of both reductions and Ḣ2 q̇2 has the particular solution of J q̇2 = right with
// it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "block_ldlt.hpp"
#include "generalized_mass.hpp"
#include "h2.hpp"
#include "second_reduction.hpp"

namespace polyform::thompson {

/// The problem to solve, at the motions of H2 and the second reduction.
struct Problem {
  const Forces* Q = nullptr;      ///< generalized forces; the reduced form also does without
  bool with_gamma = false;        ///< accelerations, with Ḣ2 q̇2; otherwise a step or a change of velocities
  const double* right = nullptr;  ///< of J q̇2, where there is a second reduction
};

/// Eq 15. Trees: the factors of H2ᵀ M H2 are found from the tips to the roots without the matrix itself, with a cost
/// linear in the bodies,
///
///   H2ᵀ M H2 = (1 + U)ᵀ D (1 + U)      D: per coordinate the inertia that it moves while those outboard of it are free
///
/// A flexible body is passed by its modes first, then by the coordinates of its joint.
///
/// Loops, constraint elements and modules: (H2 Z)ᵀ M (H2 Z) is formed, column after column, and factorized; dense in
/// the coordinates that are left.
///
/// Trees and loops are two ways through one class because loops begin with the factors of the tree; the members are the
/// matrices of both, allocated once.
class ReducedForm {
 public:
  ReducedForm(const SystemView&, const H2&, const GeneralizedMass&, SecondReduction&);
  ~ReducedForm();
  /// u̇ (of q2) and q̈. False if a coordinate moves no inertia: failed_coordinate() tells which.
  bool solve(const Problem&, double* udot, BodyVectors& qddot) noexcept;
  std::size_t failed_coordinate() const { return failed_; }

  // What rounding has left of u̇ after solve() for a problem with forces (reduced_form_mending.cpp):
  /// u̇ is as solve() gave it, without further digits.
  void start_mending(const double* udot) noexcept;
  /// Solves for what is missing of u̇, the residual being formed with twice the digits. steps: of q̈.
  void find_missing(const Problem&, BodyVectors& steps) noexcept;
  void add_missing() noexcept;
  /// Q − M q̈ of each body and each further coordinate at u̇ with what was added.
  void find_left(const Problem&, Forces& left) noexcept;
  /// u̇ and q̈ with what was added.
  void finish_mending(double* udot, BodyVectors& qddot) noexcept;

 private:
  struct Direction {
    Vector6 U;             ///< inertia of the body and all outboard of it, times the column of N
    double inverse, rate;  ///< 1/D; u̇ at q̈ = 0
  };
  bool tips_to_roots(const Problem&) noexcept;
  void roots_to_tips(const Problem&, double* udot, BodyVectors& qddot) const noexcept;
  bool solve_dense(const Problem&, double* udot, BodyVectors& qddot) noexcept;
  void column(std::size_t coordinate) noexcept;
  bool factorize(std::size_t n, bool correction) noexcept;
  void substitute(std::size_t n) noexcept;
  void find_own_residuals(const Problem&) noexcept;
  void find_residual(const Problem&) noexcept;
  void solve_missing(BodyVectors& steps) noexcept;
  void solve_missing_dense(BodyVectors& steps) noexcept;

  void find_inertia(const double* u, double* y) noexcept;
  // Flexible bodies (reduced_form_flexible.cpp).
  void set_modes(const Problem&) noexcept;
  bool eliminate_modes(std::size_t body, bool with_gamma) noexcept;
  void pass_to_modes(std::size_t body) noexcept;
  void find_modal_rates(std::size_t body, double* udot, Vector6& a) const noexcept;
  void add_inboard_modes(std::size_t body, const double* udot, Vector6& a) const noexcept;
  void solve_missing_modes(std::size_t body) noexcept;
  void pass_missing_to_modes(std::size_t body) noexcept;

  const H2& h2_;
  const GeneralizedMass& mass_;
  SecondReduction& second_;
  bool has_massless_ = false;
  /// A flexible body with all that hangs on it: between its [v ω] and its modes, of the modes (after the elimination of
  /// the modes before), and forces along them.
  struct Modal {
    std::vector<Vector6> coupling;
    std::vector<double> inertia, forces;
  };
  std::vector<Modal> modal_;           ///< in the order of SystemView::flexible
  std::vector<std::size_t> flexible_;  ///< per body: which of these; empty if all are rigid
  std::vector<Matrix6> inertias_;      ///< of each body with all that hangs on it
  std::vector<Matrix6> unyielding_;    ///< the same while u of all that hangs on it is zero: where mass is missing
  BodyVectors rates_;
  Forces forces_;
  std::vector<Direction> directions_;  ///< per coordinate
  // With loops.
  std::unique_ptr<double[]> matrix_;  ///< lower triangle, rows first; set aside for P², of which q3 uses what it has
  std::vector<double> column_, right_;
  struct Missing;
  std::unique_ptr<Missing> missing_;
  std::size_t failed_ = 0;
};

/// Eqs 20 and 21 as sparse symmetric systems: the rows of q̈ times M in the first, the rows of q̈ − H2 q̈2 times 1 − T
/// in the second, which turns H2 into N and lets the cost stay linear in the bodies. The first holds H2 itself, a block
/// for each body and each joint inboard of it. With loops, or where M is singular, both are one dense block. M is
/// constant: no body is flexible, and there are no modules.
///
/// The factors divide by M, which Eqs 20 and 21 do not. So where M is singular a positive W stands with it,
///
///   Eq 20    [M + W  −(M + W) H2; −H2ᵀ (M + W)  H2ᵀ W H2] [q̈; q̈2] = [(M + W) Ḣ2 q̇2; −H2ᵀ Q − H2ᵀ W Ḣ2 q̇2]
///
/// and in Eq 21 in the same way: its second row, times W and −H2ᵀ W, is added to the first and the third. These are
/// sums of the paper's rows; any W gives the same accelerations, and they are determined as long as H2ᵀ M H2 is
/// regular.
class ImplicitForm {
 public:
  ImplicitForm(const SystemView&, const H2&, const GeneralizedMass&, SecondReduction&, bool second);
  bool solve(const Problem&, double* udot, BodyVectors& qddot) noexcept;
  std::size_t failed_coordinate() const { return failed_; }
  /// Whether the factors alone do not tell that H2ᵀ M H2 is regular.
  bool has_singular_mass() const { return !added_.empty(); }
  /// Unknowns of the dense block that loops, and bodies with singular inertia, need.
  static std::size_t unknowns(const SystemView&, bool second);
  static constexpr std::size_t most_unknowns = 1500;
  /// Blocks of H2: pairs of a body and a joint on its way to ground. They bound the first form, which fills in between.
  static std::size_t blocks(const SystemView&);
  static constexpr std::size_t most_blocks = 50000;

 private:
  void analyze();
  void fill_first(const Problem&) noexcept;
  void fill_second(const Problem&) noexcept;
  void fill_dense(const Problem&) noexcept;
  void find_added(const SystemView&);
  bool is_dense() const { return !reduction_.empty() || has_singular_mass(); }
  std::span<const std::size_t> left() const { return reduction_.empty() ? all_ : reduction_.independent(); }
  void fill_bodies(const Problem&) noexcept;
  void fill_column(std::size_t a) noexcept;
  void put(BlockLdlt::Block, std::size_t row, std::size_t column, const Matrix6&, std::size_t columns) noexcept;

  const H2& h2_;
  const GeneralizedMass& mass_;
  SecondReduction& reduction_;
  bool second_;
  BlockLdlt matrix_;
  std::vector<double> right_, x_, column_;
  BodyVectors forces_, rates_;
  BodyVectors added_;                    ///< W per body, its diagonal; empty if M is regular
  std::vector<std::size_t> all_;         ///< coordinates
  std::vector<BodyVectors> of_columns_;  ///< W H2 per coordinate, where there is a W
  std::size_t failed_ = 0;
};

}  // namespace polyform::thompson
