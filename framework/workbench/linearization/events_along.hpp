// Events of elements along a motion. A contact or a stop acts at one instant, and no matrix contains its effect on a
// disturbance.
#pragma once

#include <optional>
#include <string>

#include "framework/workbench/linearization/motion_path.hpp"

namespace polyform::host::inline linearization {

struct EventAlong {
  std::string name;  ///< of element and event
  double time = 0;   ///< after the operating point, s
};

/// The first time at which an event function changes its sign within `length` s of a path from the operating point,
/// if there is one. Failure (simulation_failed) if the motion cannot be followed.
std::optional<EventAlong> first_event_along(const PointModel&, MotionPath&, double length);

/// When something of the model next jumps or bends by the clock within `length` s of the operating point, s after it;
/// inner rows of cubic tables do not count, where only the third derivative jumps. Infinite if nothing does.
double first_knot_along(const PointModel&, double length);

}  // namespace polyform::host::linearization
