// Hinges that nothing resists before the loops that pass them are closed.
//
// A sweep takes v̇ of a hinge direction H from D = Hᵀ S H, which is zero where all that hangs on it has no inertia
// against it; rows of loops, constraint elements or modules give it some, but further in. Such a direction is given an
// inertia w of its own and a multiplier μ that takes it back, in Eqs 24, 25 of Rui et al. 2020:
//
//   (D + w) v̇ + μ = τ − Hᵀ e − Uᵀ z_b,      v̇ + μ / w = 0
//
// μ is a row of G (loop_closure.hpp) whose column starts in the hinge, and whose compliance is 1 / (D + w) − 1 / w =
// −D / (w (D + w)), with no difference formed. It goes along with the loops that pass the hinge to where the last of
// them closes, and is eliminated after them. G is then quasidefinite: whatever the order, rows of loops have positive
// pivots, and those of μ negative ones, which are as large as what the loops resist with. The motion does not depend on
// w: μ = −w v̇ leaves nothing of it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/transfer.hpp"

namespace polyform {

class LoopLayout;

/// Inertia and pivots of the directions of postponed hinges. Nothing allocates after construction.
class PostponedHinges {
 public:
  /// length: of the system, m, by which turning and sliding are compared.
  PostponedHinges(const SystemView&, const LoopLayout&, double length);
  double length() const { return length_; }

  /// w of a direction H of the hinge of a body: as heavy as the tree that the body belongs to, kg m² or kg.
  double inertia(std::size_t body, const Spatial& H) const noexcept;
  /// Makes the column of direction k of a hinge with w, by which S is condensed. scale: of S before its directions were
  /// eliminated; effort: τ.
  void prepare(std::size_t body, std::size_t k, const Transfer<double>& S, const PivotScale<double>& scale,
               double effort, Column<double>& column) noexcept {
    const Spatial& H = column.H;
    column.U = multiply(S, H);
    const double terms = dot(H.angular, H.angular) * scale.angular + dot(H.linear, H.linear) * scale.linear;
    const double D = pivot_of(dot(H, column.U), terms, 0.0), w = inertia(body, H);
    kept_[first_[body] + k] = {D, w};
    column.inverse = 1 / (D + w);
    column.free = effort - dot(H, S.e);
  }
  struct Kept {
    double D = 0, w = 1;
    /// What is left of the compliance, and what it is left of.
    double compliance() const { return -D / (w * (D + w)); }
    double size() const { return 1 / w; }
  };
  const Kept& kept(std::size_t body, std::size_t k) const { return kept_[first_[body] + k]; }

  /// The body whose hinge the loops gave no inertia in the last solution, if there is one. In a step of positions there
  /// is never one.
  std::optional<std::size_t> without_inertia() const { return without_inertia_; }
  void begin() noexcept { without_inertia_.reset(); }
  void find_without_inertia(std::size_t body) noexcept { without_inertia_ = body; }

 private:
  double length_ = 1;
  std::vector<std::size_t> first_;  ///< per body, where any hinge is postponed
  std::vector<double> mass_;        ///< likewise
  std::vector<Kept> kept_;
  std::optional<std::size_t> without_inertia_;
};

/// Bodies of a tree whose hinges have to be postponed, as drawn, in the order in which they were found: those that move
/// no inertia, and those on loops that move next to none, which would cost the loops their digits. Empty where the tree
/// moves inertia enough in every hinge, or where what is missing is given by no loop.
std::vector<std::size_t> postponed_hinges(const SystemView&);

}  // namespace polyform
