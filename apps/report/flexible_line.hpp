// The line that a flexible body is drawn as.
#pragma once

#include <span>
#include <vector>

#include "polyform/system_view.hpp"

namespace polyform::apps {

/// A point of the undeformed body in its axes, and its shape functions Φu (3 × modes, rows first).
struct LinePoint {
  Vec3 point;
  std::vector<double> displacement;
};

/// Points from one end of the body to the other. The ends are the two farthest of the places known to lie in the body:
/// its frame, what is attached to it, and the frame's mirror image in the mass centre (the far end of a uniform beam).
/// Between them the body is asked for more; where it has nothing there, the known places alone make the line.
std::vector<LinePoint> flexible_line(const FlexibleData&, std::span<const Vec3> attached);

}  // namespace polyform::apps
