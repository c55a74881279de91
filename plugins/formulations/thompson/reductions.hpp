// The two reductions of Thompson's method. The first one, H2, expresses the velocities of all bodies by the velocities
// of the joints of the tree. The second one, Z, expresses these by the independent ones that closed loops and
// constraint elements leave.
#pragma once

#include "closing_rows.hpp"
#include "generalized_mass.hpp"
#include "h2.hpp"
#include "placed_tree.hpp"
#include "polyform/helpers/failure.hpp"
#include "second_reduction.hpp"

namespace polyform::thompson {

/// q̇ = H2 q̇2 and J q̇2 = right of one placed tree.
class Reductions {
 public:
  Reductions(const SystemView& view, Construction construction, const ClosingConstraints& closing)
      : view_(view), h2_(view, construction), mass_(view, h2_, closing), rows_(view, h2_, closing, loops_) {}

  const H2& tree() const { return h2_; }
  /// The mass matrix of the tree that construct() was last called for.
  const GeneralizedMass& mass() const { return mass_; }
  SecondReduction& loops() { return loops_; }
  const SecondReduction& loops() const { return loops_; }
  const ClosingRows& rows() const { return rows_; }
  /// The right-hand sides of J q̇2, or nothing if nothing closes the tree.
  const double* right() const { return loops_.empty() ? nullptr : rows_.right(); }

  /// H2 and M of this tree, with H1 for the constraint vector. False if a joint's axes have become dependent.
  bool construct(const PlacedTree&, bool with_H1, Failure&) noexcept;
  /// Makes J of the tree whose H2 was constructed, and eliminates it. gamma: see ClosingRows::set. anew: find dependent
  /// rows, see SecondReduction::eliminate.
  void reduce(Level level, const PlacedTree& tree, std::span<const Vector6> gamma, bool anew) noexcept {
    rows_.set(level, tree, gamma);
    loops_.eliminate(anew);
  }
  /// Looks at all rows anew and finds those that depend on others. It does nothing where the loops stand so far open
  /// that dependence cannot be recognized.
  void find_dependent_rows(const PlacedTree& tree) noexcept {
    if (tree.closing().shows_dependence()) reduce(Level::velocity, tree, {}, true);
  }

 private:
  const SystemView& view_;
  H2 h2_;
  GeneralizedMass mass_;
  SecondReduction loops_;
  ClosingRows rows_;
};

}  // namespace polyform::thompson
