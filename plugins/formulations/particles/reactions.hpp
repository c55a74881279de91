// Results that follow from the accelerations of the particles: those of the bodies, and the reactions of the joints.
#pragma once

#include <span>
#include <vector>

#include "equations.hpp"

namespace polyform::particles {

class Reactions {
 public:
  /// The view and the layout outlive the object.
  Reactions(const SystemView&, const Layout&);

  /// The accelerations of the frame origins, from those of the particles.
  std::span<const Spatial> body_accelerations(const PlacedBodies&, std::span<const Vec3> accelerations) noexcept;
  /// The wrench that each joint transmits to its moving body at the origin of M, ground axes (Eq 2.17 and its kin): for
  /// a tree joint from the momenta of the bodies outboard, for a cut joint from its multipliers. After
  /// Equations::find_accelerations() with the same loads, at a state with all joints.
  void find(const Equations&, const Applied&, std::span<const Vec3> accelerations, std::span<Spatial> out) noexcept;

 private:
  Spatial momentum_rate(const PlacedBodies&, std::size_t body, std::span<const Vec3> accelerations) const noexcept;

  const SystemView& view_;
  const Layout& layout_;
  std::vector<Spatial> accelerations_;  ///< of the frame origins
  std::vector<Spatial> needed_;         ///< wrench that a body needs from its inboard joint, about its frame origin
  std::vector<double> efforts_;         ///< on the joints, those of constraint elements included
};

}  // namespace polyform::particles
