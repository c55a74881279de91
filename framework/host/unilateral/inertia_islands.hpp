// Which bodies feel an impulse together: those that joints, constraints and modules connect.
#pragma once

#include <cstddef>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline unilateral {

/// Islands of a system: an impulse on a body changes the velocities of its own island alone. Ground belongs to none, so
/// that two pendulums are two islands. Forces do not connect, whatever they act on.
class InertiaIslands {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  explicit InertiaIslands(const SystemView&);
  std::size_t count() const { return count_; }
  std::size_t of(FrameIndex frame) const { return is_ground(frame) ? none : of_body_[at(frame)]; }  ///< of a rigid body
  std::size_t of_velocity(std::size_t v) const {
    return of_velocity_[v];
  }  ///< of the system; none between ground and ground

 private:
  std::size_t root(std::size_t body);
  void join(BodyIndex a, BodyIndex b);

  std::vector<std::size_t> of_body_, of_velocity_;
  std::size_t count_ = 0;
};

}  // namespace polyform::host::inline unilateral
