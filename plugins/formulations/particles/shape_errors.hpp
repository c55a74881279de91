// The errors of distances, dependent particles and joints, body by body.
//
// A body's particles change by z_l + θ × r_i1 + c_i, where the c_i restore the distances without turning the triangle.
// z = (θ, z_l) stands for (α, r̈_1), the c_i for ω × (ω × r_i1).
#pragma once

#include <vector>

#include "links.hpp"
#include "moving_bodies.hpp"

namespace polyform::particles {

class ShapeErrors {
 public:
  /// The arguments outlive the object.
  ShapeErrors(const SystemView&, const Layout&, const Links&);

  /// Finds the errors of positions, or of velocities. Returns the largest.
  double find(const PlacedBodies&, bool of_velocities) noexcept;
  // The errors that find() has found:
  bool of_velocities() const { return of_velocities_; }
  /// Changes of the particles 2 and 4 relative to 1 that restore the distances without turning the body.
  struct Shape {
    Vec3 c2, c4;
  };
  const Shape& shape(std::size_t body) const { return shapes_[body]; }
  /// Change of a dependent particle that restores Eq 2.10.
  const Vec3& dependent(std::size_t particle) const { return dependent_[particle]; }
  /// z of the body if that of its parent and the motion of the joint are zero.
  const Spatial& of_joint(std::size_t body) const { return joints_[body]; }

 private:
  Vec3 shape_of(const Link&, std::size_t shared) const noexcept;
  void find_shape(std::size_t i, const PlacedBodies&) noexcept;
  void find_joint_error(std::size_t i, const PlacedBodies&) noexcept;

  const SystemView& view_;
  const Layout& layout_;
  const Links& links_;
  bool of_velocities_ = false;
  double worst_ = 0;
  std::vector<Shape> shapes_;    ///< per body
  std::vector<Vec3> dependent_;  ///< per particle
  std::vector<Spatial> joints_;  ///< per body
};

}  // namespace polyform::particles
