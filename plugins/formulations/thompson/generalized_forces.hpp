// Q of Eq 7: what acts on the bodies, as generalized forces.
#pragma once

#include <span>
#include <vector>

#include "placed_tree.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "reductions.hpp"

namespace polyform::thompson {

class GeneralizedForces {
 public:
  /// origin: what positions count from. The view and H2 outlive the object.
  GeneralizedForces(const SystemView&, const Reductions&, const Vec3& origin);
  bool good() const { return forces_.good(); }
  const ForceSet& forces() const { return forces_; }
  /// Discrete states of all elements, as ForceSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { forces_.follow(discrete); }

  /// Weight and gyroscopic torques, forces and torques on the bodies, efforts of the joints as pairs of wrenches, at a
  /// tree for which H2 stands. x, xdot: first-order states and their rates.
  Forces& find(double t, const PlacedTree&, std::span<const double> x, std::span<double> xdot) noexcept;
  /// As found, with what has been added since.
  const Forces& Q() const { return Q_; }
  /// As found: those of the joints alone, on the velocity coordinates of all, from forces and modules.
  std::span<const double> efforts() const { return efforts_; }

 private:
  void add_wrench(const PlacedTree&, FrameIndex, const Spatial& about_origin) noexcept;
  void add_modules(const PlacedTree&) noexcept;
  void add_effort(const PlacedTree&, const JointData&, const JointMotion&, const double* effort) noexcept;

  const SystemView& view_;
  const H2& h2_;
  const GeneralizedMass& mass_;
  ForceSet forces_;
  bool loads_joints_;
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_;
  Forces Q_;
};

}  // namespace polyform::thompson
