// The columns E on their way from the rows that close the tree to the bodies where the loops close.
//
// A unit multiplier of a cut joint puts a wrench on its moving body and the opposite on its base; that of a row of an
// element puts one on each of its frames. They travel like e of the transfer z_a = S z_b + e: a shift passes a body,
// and each direction H of a hinge, with U = S H and D = Hᵀ U, takes
//
//   gain = D⁻¹ Hᵀ E,      E ← E − U gain,      G ← G + gainᵀ D gain,      g ← g + gainᵀ (τ − Hᵀ e)
//
// so that the hinge adds its compliance to the matrix G of the loops (multiplier_matrix.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/transfer.hpp"
#include "polyform/solvers/closing_constraints.hpp"
#include "polyform/solvers/dependent_rows.hpp"
#include "polyform/solvers/loop_layout.hpp"
#include "polyform/solvers/postponed_hinges.hpp"

namespace polyform {

/// The columns of one evaluation; clear() begins it. Nothing allocates after construction. All vectors in ground axes.
class LoopColumns {
 public:
  /// They outlive the object; columns add to the values, weights and right-hand sides of the matrix.
  LoopColumns(const LoopLayout&, FlexibleLinks&, MultiplierMatrix&, const PostponedHinges&);

  /// From now on rows that tie one rigid body to ground, and nothing else, resist as inertia of that body too. This
  /// holds in trees on ground with a joint whose own body does not resist it in every state. At accelerations that obey
  /// the rows this inertia puts no force on the body.
  void hold_ground_rows(const SystemView&);
  bool holds_ground_rows() const { return !held_.empty(); }

  /// Begins an evaluation. ground: acceleration given to ground (minus gravity, or zero).
  void clear(const Vec3& ground) noexcept;
  /// Makes the columns of all rows of a loop, at all of its ends. to_P: of the tied frames of rigid bodies, from the
  /// origin to the point about which the recursion holds wrenches.
  void start(std::size_t loop, const ClosingConstraints& constraints, std::span<const BodyMotion> frames,
             std::span<const Vec3> to_P) noexcept {
    if (constraints.is_cut(loop))
      start_cut(loop, constraints, frames, to_P);
    else
      start_element(loop, constraints, to_P);
  }

  // Inward.
  /// Adds S += E w Eᵀ, e += E w g for the rows that hold the body, before anything that they share with other rows.
  /// Rows that are left out do not count: nothing makes sure that they are met. Nonholonomic rows count in corrections
  /// of positions, too: the step is one of those that meet them.
  void hold(std::size_t body, const DependentRows&, Transfer<double>& s) const noexcept;
  /// Passes the modes of a flexible body, after FlexibleLinks::condense.
  void pass_modes(std::size_t body, std::size_t element) noexcept;
  /// Eliminates a loop that closes in a body from the matrix: S += E G⁺ Eᵀ, e += E G⁺ g, and E_j −= E G⁺ G_ij for the
  /// loops that it shares hinges with.
  void condense(const LoopLayout::Passage& closing, std::size_t body, Transfer<double>& s) noexcept;
  /// Through the hinge of a body with its eliminated directions; beta: its acceleration at v̇ = 0. The rows of a
  /// postponed hinge begin there, unless all hinges give way alike: evenly.
  void pass(std::size_t body, std::span<const Column<double>> hinge, const Spatial& beta, bool evenly = false) noexcept;
  /// The same, and step(), through a hinge that gives way by 1 rad, or by the length of the system, for a unit load.
  void pass_evenly(std::size_t body, std::span<const Column<double>> hinge, const Vec3& r) noexcept;
  /// After pass(): from the hinge point to the parent's, from which it lies at r; gamma = ω̃ω̃ r of the parent.
  /// attachment: the frame of a flexible parent at whose origin that point is, or none.
  void step(std::size_t body, const Vec3& r, const Vec3& gamma, std::size_t attachment) noexcept;

  // Outward, with the multipliers of all rows.
  /// By how much they lower the rate of direction k of the hinge, or of the modes of a flexible body.
  double rate(std::size_t body, std::size_t k, std::span<const double> lambda) const noexcept;
  double mode_rate(std::size_t body, std::size_t k, std::span<const double> lambda) const noexcept;
  /// L⁻¹ Eᵀ z of a loop that closes in a body with the accelerations z, one per row.
  void meet(const LoopLayout::Passage& closing, const Spatial& z, double* y) const noexcept;
  /// E λ of all loops that pass the hinge of a body.
  Spatial wrench(std::size_t body, std::span<const double> lambda) const noexcept;

 private:
  /// A column, the sizes of its terms (which may cancel), and its moment if its force were across the last arm: the
  /// column itself, or its size in another position.
  struct LoopColumn {
    Spatial E;
    double angular = 0, linear = 0, reach = 0;

    void add(const Spatial& e, double of_angular, double of_linear) {
      E += e;
      angular += of_angular;
      linear += of_linear;
    }
  };
  /// A loop whose rows hold a body to ground, with the mass of the tree to which the body belongs.
  struct Held {
    std::size_t body = 0, loop = 0, passage = 0;
    double mass = 0;
  };
  void start_cut(std::size_t loop, const ClosingConstraints&, std::span<const BodyMotion> frames,
                 std::span<const Vec3> to_P) noexcept;
  void start_element(std::size_t loop, const ClosingConstraints&, std::span<const Vec3> to_P) noexcept;
  void start_column(std::size_t loop, std::size_t row, const LoopLayout::End&, const FrameRows::Share&,
                    double size_of_system, std::span<const Vec3> to_P) noexcept;
  void to_flexible(const LoopLayout::Passage&, std::size_t row, std::size_t attachment,
                   const LoopColumn& at_frame) noexcept;
  void take_back(std::size_t body, std::span<const LoopLayout::Passage>, const std::size_t* pair,
                 std::size_t direction) noexcept;
  void add_compliance(std::span<const LoopLayout::Passage>, const std::size_t* pair, std::size_t direction, double D,
                      bool modal) noexcept;

  const LoopLayout& layout_;
  FlexibleLinks& flexible_;
  MultiplierMatrix& matrix_;
  const PostponedHinges& postponed_;
  std::vector<LoopColumn> columns_;  ///< E of the passages; of closing ones L⁻¹ Eᵀ after condense()
  std::vector<LoopColumn> through_;  ///< columns of one body on the way through its hinge
  std::vector<double> gains_;        ///< D⁻¹ Hᵀ E
  std::vector<double> modal_;        ///< modal forces of unit multipliers, then D⁻¹ of them
  std::vector<double> modal_terms_;  ///< sizes of the terms of the modal forces, which may cancel
  Vec3 ground_;
  std::vector<Held> held_;  ///< in the order of the bodies
};

}  // namespace polyform
