// M: the constant generalized mass of rigid bodies, that of flexible ones with their modes, and that of modules.
#pragma once

#include <span>
#include <vector>

#include "body_inertia.hpp"
#include "placed_tree.hpp"
#include "polyform/mechanics/flexible_set.hpp"

namespace polyform::thompson {

/// M at one state, block by block: [v ω η̇] of a flexible body has one block, the variables of a module have one.
class GeneralizedMass {
 public:
  /// The arguments outlive the object.
  GeneralizedMass(const SystemView&, const H2&, const ClosingConstraints&);
  bool good() const { return flexible_.good(); }
  /// Computes M at the motions of this tree. The modules must have been evaluated with the tree.
  void evaluate(const PlacedTree&) noexcept;

  /// The mass matrix for [v ω] of a body.
  const Matrix6& of_body(std::size_t body) const { return masses_[body]; }
  /// Parts of M for a flexible body: between [v ω] and its modes, one column each, and for its modes, rows first.
  std::span<const Vector6> coupling(std::size_t body) const { return block_of(body).coupling; }
  std::span<const double> of_modes(std::size_t body) const { return block_of(body).modes; }
  /// Forces of the flexible bodies that do not come from M: velocity terms, stiffness, damping, and their weight.
  void add_flexible_forces(const PlacedTree&, Forces&) const noexcept;
  const FlexibleSet& flexible() const { return flexible_; }

  /// The part of M that a module has: the place of its first variable in q̇2, their number, M (rows first).
  struct OfModule {
    std::size_t first, count;
    std::span<const double> M;
  };
  std::span<const OfModule> modules() const { return modules_; }

  /// Writes M x into f. x consists of rates of the bodies and, at the further coordinates, of u. Of f.further, the
  /// other numbers are left alone.
  void multiply(const BodyVectors& rates, const double* u, Forces& f) const noexcept;

 private:
  struct Block {
    std::vector<Vector6> coupling;
    std::vector<double> modes;
  };
  const Block& block_of(std::size_t body) const { return blocks_[view_.bodies[body].flexible]; }

  const SystemView& view_;
  const H2& h2_;
  FlexibleSet flexible_;
  std::vector<Matrix6> masses_;
  std::vector<Block> blocks_;  ///< in the order of SystemView::flexible
  std::vector<OfModule> modules_;
};

}  // namespace polyform::thompson
