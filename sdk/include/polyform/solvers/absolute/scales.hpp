// Sizes of the blocks, which make their equations comparable.
#pragma once

#include <vector>

#include "polyform/solvers/absolute/model.hpp"

namespace polyform::absolute {

/// Sizes of a body; made up if it has no mass or inertia. For a module all are 1.
struct BlockScale {
  double mass = 0, inertia = 0, length = 0;  ///< kg, kg m², m
  bool lacking = false;                      ///< the block has no mass, or no inertia for some motion of its own
  bool singular = false;  ///< it lacks mass or inertia, or is next to massless compared with those that it is tied to
};

/// The sizes of all blocks as the model is drawn; they do not change with the motion.
class Scales {
 public:
  /// Evaluates the model as it is drawn.
  explicit Scales(Model&);

  const BlockScale& operator[](std::size_t block) const { return scales_[block]; }
  bool any_lacking() const noexcept;
  // For the unknowns of a block other than those of a frame: M_kk, and √(M_kk / mass).
  const double* own_mass(std::size_t block) const { return own_mass_.data() + model_.blocks.own(block).first; }
  const double* own_length(std::size_t block) const { return own_length_.data() + model_.blocks.own(block).first; }
  /// Directions without inertia of a flexible body, 6 + m each, body axes; in the order of SystemView::flexible.
  const std::vector<double>& massless(std::size_t flexible) const { return massless_[flexible]; }

 private:
  void make_bodies();
  void spread();
  void spread_over(const Constraints::Constraint&, const std::vector<bool>& has_inertia);
  std::vector<bool> find_light() const;
  void make_flexible(std::size_t flexible);
  void make_modules(Model&);
  void scale_bodies_by_modules() noexcept;
  double reflected_mass(std::size_t constraint, std::size_t variable) const noexcept;

  const Model& model_;
  std::vector<BlockScale> scales_;
  std::vector<double> own_mass_, own_length_;
  std::vector<std::vector<double>> massless_;
};

}  // namespace polyform::absolute
