// Events of elements along a motion. A contact or a stop changes the motion at one instant, which no matrix of a
// linearization contains.
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

/// The first time, in s after the operating point and at most `length`, at which a function of time in the model jumps
/// or bends; infinite if there is none. The inner rows of cubic tables do not count: only the third derivative jumps
/// there.
double first_knot_along(const PointModel&, double length);

}  // namespace polyform::host::linearization
