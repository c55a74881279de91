// The lines that a flexible body is drawn as.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::apps {

/// A point of the undeformed body in its axes, and its shape functions Φu (3 × modes, rows first).
struct LinePoint {
  Vec3 point;
  std::vector<double> displacement;
};

struct FlexibleLines {
  std::vector<LinePoint> points;
  std::vector<std::pair<std::size_t, std::size_t>> edges;  ///< the shortest ones that hold all points together
};

/// The body tells whether a point lies in it. It is asked for its frame, for what is attached to it, for the frame's
/// mirror image in the mass centre (the far end of a uniform beam), for rows of three numbers in its fields (nodes),
/// and for points between the two farthest of those.
FlexibleLines flexible_lines(const FlexibleData&, std::span<const Vec3> attached);

}  // namespace polyform::apps
