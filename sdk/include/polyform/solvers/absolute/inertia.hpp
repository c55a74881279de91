// M: for rigid bodies diag(J, m 1) about the mass centre, for flexible bodies full blocks about the frame origin, for
// modules their own.
#pragma once

#include <span>
#include <vector>

#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/solvers/absolute/blocks.hpp"
#include "polyform/solvers/absolute/motions.hpp"

namespace polyform::absolute {

/// The mass matrices of all blocks, of bodies at the motions last evaluated, in ground axes.
class Inertia {
 public:
  /// All arguments outlive the object.
  Inertia(const SystemView&, const Blocks&, const Motions&);

  void evaluate() noexcept;

  /// out = M x of one block.
  void multiply(std::size_t block, const double* x, double* out) const noexcept;
  /// M of a flexible body's block or a module's, rows first.
  std::span<const double> matrix(std::size_t block) const noexcept {
    return blocks_.is_module(block) ? blocks_.module(block).M
                                    : std::span<const double>(mass_[view_.bodies[block].flexible]);
  }
  bool is_rigid(std::size_t block) const { return !blocks_.is_module(block) && blocks_.flexible(block) == nullptr; }
  const Sym3& of_body(std::size_t body) const { return inertias_[body]; }  ///< about the mass centre, kg m²
  /// Mass centre from the frame origin, m; zero for a flexible body.
  const Vec3& center(std::size_t body) const { return centers_[body]; }
  const FlexibleSet& flexible() const { return flexible_; }

 private:
  const SystemView& view_;
  const Blocks& blocks_;
  const Motions& motions_;
  FlexibleSet flexible_;
  std::vector<Vec3> centers_;
  std::vector<Sym3> inertias_;
  std::vector<std::vector<double>> mass_;  ///< of flexible bodies, (6 + m)²
};

}  // namespace polyform::absolute
