// Closed loops on top of a recursion over the spanning tree: the multipliers of the cut joints and of constraint
// elements.
//
// A recursion from tips to roots passes S and e (transfer.hpp): z_a = S z_b + e. A cut joint puts the unknown wrench T
// λ on its moving body and the opposite on its base. Both travel the same way as columns E (loop_columns.hpp),
//
//   z_a = S z_b + e + E λ,        E: wrench per multiplier at the hinge point of the body
//
// along the two paths from the cut joint to the common ancestor of its bodies, and each hinge that they pass adds to
// the compliance G of the loops. At the ancestor a loop is complete: with z_b there, λ obeys
//
//   G λ = g + Eᵀ z_b              the constraint of the cut joint, Tᵀ (A_FM − Ḣ v) = 0
//
// and is condensed into S and e of the ancestor (and into the loops that share hinges with this one and close further
// in). No part of a closed loop travels on, so the cost is linear in the bodies as long as loops are local, for any
// number of them, and linear in the length of one long loop. A loop costs with the cube of the number of loops that
// pass one of its hinges at the same time.
//
// A row of a constraint element is one more such row: its wrenches act on all its frames (element_rows.hpp), and it is
// complete at their common ancestor, or in ground if it asks for a motion against ground.
//
// For rows that depend on others and are left out see dependent_rows.hpp.
#pragma once

#include <cstddef>
#include <span>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/transfer.hpp"
#include "polyform/solvers/closing_constraints.hpp"
#include "polyform/solvers/dependent_rows.hpp"
#include "polyform/solvers/flexible_links.hpp"
#include "polyform/solvers/loop_columns.hpp"
#include "polyform/solvers/loop_layout.hpp"
#include "polyform/solvers/loop_right_sides.hpp"
#include "polyform/solvers/multiplier_matrix.hpp"
#include "polyform/solvers/multipliers.hpp"

namespace polyform {

/// One object per thread; nothing allocates after construction. All vectors in ground axes.
///
/// The order of calls in an evaluation: ClosingConstraints::evaluate, begin, then the inward sweep (gather each body
/// that carries columns, pass its hinge), then close_ground, then the outward sweep (rate of each direction of a hinge,
/// close).
///
/// It has more functions than other classes because it hands each call of a sweep on to the part that has the state for
/// it.
class LoopClosure {
 public:
  using Level = LoopRightSides::Level;

  /// origin: what positions of frames count from. The view and the flexible bodies outlive the object.
  /// postponed: bodies whose hinges have no inertia before loops close (postponed_hinges.hpp).
  LoopClosure(const SystemView& view, FlexibleLinks& flexible, const Vec3& origin = {},
              std::span<const std::size_t> postponed = {});
  LoopClosure(const LoopClosure&) = delete;

  /// From now on rows that tie one rigid body to ground resist as inertia of that body too, in trees on ground with a
  /// joint whose own body does not resist it in every state (tree_regularity.hpp).
  void hold_ground_rows() { columns_.hold_ground_rows(view_); }
  /// Whether rows give hinges their inertia: those, or loops that pass a hinge that is postponed.
  bool completes_inertia() const { return columns_.holds_ground_rows() || layout().postpones(); }

  // Its parts. constraints(): as of the last evaluation; they are evaluated before begin().
  ClosingConstraints& constraints() { return constraints_; }
  const ClosingConstraints& constraints() const { return constraints_; }
  const LoopLayout& layout() const { return constraints_.layout(); }
  bool empty() const { return constraints_.empty(); }
  FlexibleLinks& flexible() const { return flexible_; }
  PostponedHinges& postponed() { return postponed_; }
  LoopRightSides& right_sides() { return right_sides_; }
  const LoopRightSides& right_sides() const { return right_sides_; }
  const MultiplierMatrix& matrix() const { return matrix_; }
  DependentRows& rows() { return rows_; }
  const DependentRows& rows() const { return rows_; }
  Multipliers& multipliers() { return multipliers_; }
  const Multipliers& multipliers() const { return multipliers_; }

  /// Starts columns and right-hand sides. frames: as evaluated; to_P: for the tied frames of rigid bodies, from the
  /// origin to the point about which the recursion holds wrenches. ground: acceleration given to ground (minus gravity,
  /// or zero). If rows have to be judged first, hinges(pass) calls pass(body, hinge, r) for each body that carries
  /// columns, from tips to roots; hinge: its directions, r: of P from the parent's hinge point.
  template <class Hinges>
  void begin(Level level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P, const Vec3& ground,
             const Hinges& hinges) noexcept {
    if (rows_.is_uneven() && level != Level::rest) {
      begin_judging(level, frames, to_P);
      hinges([&](std::size_t body, std::span<const Column<double>> hinge, const Vec3& r) {
        columns_.pass_evenly(body, hinge, r);
      });
      rows_.judge(matrix_);
    }
    begin_columns(level, frames, to_P, ground);
  }

  // Inward, for bodies that carry columns.
  /// Passes the modes of a flexible body, after FlexibleLinks::condense, before gather.
  void pass_modes(std::size_t body, std::size_t element) noexcept { columns_.pass_modes(body, element); }
  /// Condenses the loops that close in this body. s: of the body with all its children.
  void gather(std::size_t body, Transfer<double>& s) noexcept;
  /// Passes the hinge with its eliminated directions (beta: its acceleration at v̇ = 0) and goes on to the parent's
  /// hinge point, from which P lies at r; gamma = ω̃ω̃ r of the parent. attachment: the frame of a flexible parent at
  /// whose origin that point is, or none.
  void pass(std::size_t body, std::span<const Column<double>> hinge, const Spatial& beta, const Vec3& r,
            const Vec3& gamma, std::size_t attachment) noexcept {
    columns_.pass(body, hinge, beta);
    columns_.step(body, r, gamma, attachment);
  }

  // Outward.
  /// Multipliers of the loops that close in ground.
  void close_ground() noexcept;
  /// By how much the multipliers lower the rate of direction k of the hinge, or of the modes of a flexible body.
  double rate(std::size_t body, std::size_t k) const noexcept { return columns_.rate(body, k, multipliers_.all()); }
  double mode_rate(std::size_t body, std::size_t k) const noexcept {
    return columns_.mode_rate(body, k, multipliers_.all());
  }
  /// Multipliers of the loops that close in the body, whose accelerations at its hinge point are z.
  void close(std::size_t body, const Spatial& z) noexcept;

  // After the outward sweep:
  /// With modules: finds the rates of their variables, or a step of them. accelerations: of the origins of all frames,
  /// or their step.
  void complete_modules(std::span<const Spatial> accelerations) noexcept {
    constraints_.elements().complete(constraints_.of_elements(multipliers_.all_of(0)), accelerations);
  }
  /// Whether the system is near a singular position: the effect of a residual is many times its size there.
  bool is_nearly_singular() const { return rows_.smallest_pivot(matrix_) < 1e-3; }
  /// Part of the multipliers in the wrench of a tree hinge on its outboard body, at the hinge point: E λ.
  Spatial hinge_wrench(std::size_t body) const noexcept { return columns_.wrench(body, multipliers_.all()); }
  /// Constraint force of the i-th cut joint on its moving body at the origin of M: T λ. base: motion of its base body.
  Spatial reaction(std::size_t i, const BodyMotion& base) const noexcept;

 private:
  void begin_judging(Level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P) noexcept;
  void begin_columns(Level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P,
                     const Vec3& ground) noexcept;
  void pass_over(Level) noexcept;
  void eliminate(std::size_t i) noexcept;

  const SystemView& view_;
  FlexibleLinks& flexible_;
  MultiplierMatrix matrix_;
  ClosingConstraints constraints_;
  LoopRightSides right_sides_;
  DependentRows rows_;
  PostponedHinges postponed_;
  LoopColumns columns_;
  Multipliers multipliers_;
  Level level_ = Level::acceleration;  ///< of the last begin()
};

}  // namespace polyform
