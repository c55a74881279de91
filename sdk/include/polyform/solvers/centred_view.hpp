// A view of a system from a place of its own.
#pragma once

#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform {

/// A view of a system. If the system is far from the ground origin compared with its size, positions count from a place
/// of its own in this view; otherwise they are as given. A solver works in it: far from the ground origin the rounding
/// of positions would be no small error, least of all in a loop next to a singular position, and an integrator's
/// relative tolerance times that distance no tolerance. Elements and observers get positions from the ground origin all
/// the same (Attachments).
class CentredView {
 public:
  explicit CentredView(const SystemView&);
  CentredView(const CentredView&) = delete;
  CentredView& operator=(const CentredView&) = delete;

  const SystemView& view() const { return view_; }
  /// The point from which positions of view() count, ground axes, m.
  const Vec3& origin() const { return origin_; }
  /// The potential energy of the weights with all mass at the origin, which gravity_potential() in view() lacks.
  double potential_at_origin() const { return potential_; }

 private:
  Vec3 origin_;
  double potential_ = 0;
  std::vector<JointData> joints_;  ///< moved along, in use when the origin is not zero
  SystemView view_;
};

}  // namespace polyform
