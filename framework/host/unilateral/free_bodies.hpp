// Rigid bodies that nothing holds: how they answer to impulses follows from their own mass and inertia alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/host/unilateral/unilateral_set.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline unilateral {

/// A body is free if its joint to ground has all six freedoms by three displacements and a ball, which are independent
/// everywhere, and no other joint, constraint or module touches it. Its velocities change by M⁻¹ times an impulse.
class FreeBodies {
 public:
  /// Bodies that a point of the set drives along a velocity of their joint do not count.
  FreeBodies(const SystemView&, const UnilateralSet&);

  bool is_free(FrameIndex frame) const {
    return !is_ground(frame) && at(frame) < free_.size() && free_[at(frame)] != 0;
  }
  /// What unit impulses on the rows of a point do to one of its bodies.
  struct Side {
    double inverse_mass;  ///< 1/kg
    Vec3 linear[3];       ///< the impulse, ground axes
    Vec3 angular[3];      ///< its moment about the centre of mass, m
    Vec3 turned[3];       ///< the change of the angular velocity, 1/(kg m)
  };
  /// Of a free body at the state that the set has evaluated.
  void find(const UnilateralSet&, std::size_t point, std::size_t side, Side& out) const;
  /// The change of the rate of a row of `one` by a unit impulse on a row of `other`, of the same body.
  static double response(const Side& one, std::size_t row, const Side& other, std::size_t column) {
    return one.inverse_mass * dot(one.linear[row], other.linear[column]) + dot(one.turned[row], other.angular[column]);
  }

 private:
  void leave_out(BodyIndex body) {
    if (!is_ground(body)) free_[at(body)] = 0;
  }

  const SystemView& view_;
  std::vector<char> free_;
  std::vector<Sym3> inverse_inertia_;  ///< about the centre of mass, body axes
};

}  // namespace polyform::host::inline unilateral
