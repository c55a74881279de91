// Constraint vectors λ = H1ᵀ (Q − M q̈), Eq 19: first of what closes the tree, then of its joints, with the former as
// forces.
#pragma once

#include <span>
#include <vector>

#include "accelerations.hpp"
#include "reductions.hpp"

namespace polyform::thompson {

class Reactions {
 public:
  /// The reductions outlive the object.
  Reactions(const SystemView&, Reductions&);

  /// Multipliers of what closes the tree, from Q and the accelerations found for it.
  void find_multipliers(const PlacedTree&, const Forces& Q, Accelerations&) noexcept;
  /// The power of elements that ask for a velocity, with these multipliers, W.
  double driving_power(const PlacedTree& tree) const noexcept { return tree.closing().driving_power(whole_.data()); }
  /// λ + effort of the rows of the constraint elements.
  std::span<const double> element_multipliers(const PlacedTree& tree) const noexcept {
    return tree.closing().of_elements(whole_);
  }
  /// Multipliers of the rows of all modules, after find_multipliers().
  void find_module_multipliers(const PlacedTree&, std::span<double> out) const noexcept;
  /// What each joint transmits to its moving body at the origin of M, ground axes; after find_multipliers(), with
  /// H1. efforts: of the forces, on all joints.
  void find(const PlacedTree&, std::span<const double> efforts, std::span<Spatial> out) noexcept;

 private:
  const SystemView& view_;
  Reductions& reductions_;
  std::vector<double> forces_, whole_;  ///< multipliers of all closing rows, without and with what is given
  std::vector<double> carried_;         ///< per q̇2
  std::vector<double> efforts_;         ///< on all joints, those of constraint elements included
  Forces left_, swept_;                 ///< Q − M q̈, and what each joint carries of it
};

}  // namespace polyform::thompson
