// What gaps, speeds and accelerations of contacts are parts of.
#pragma once

#include <vector>

#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

/// The sizes of what a point's rows tell. Of a mechanism that is so many times larger they are as many times larger, so
/// that it is judged like the small one.
struct ContactSizes {
  double length = 1;        ///< m; 1 rad of a row about a turning joint
  double speed = 1;         ///< m/s or rad/s
  double acceleration = 1;  ///< m/s² or rad/s²
  /// What a unit force along a row gives where nothing else holds the two bodies, 1/kg or 1/(kg m²); 0: not known.
  double response = 0;
  double body = 1;  ///< of the smaller one of the two bodies, m; 1 rad of a row about a turning joint
};

/// Those of all points. The length is the farthest place of bodies and of joints on them at the start, up to ten times
/// the size of the largest body, and at least that size. The speed is the fastest at the start, or what gravity and
/// turning make along the length; where neither is, the length in a second.
std::vector<ContactSizes> contact_sizes(const SystemView&, const ConstStateView& start, const UnilateralSet&);

/// Failure (bad_input) if surfaces overlap in the drawing, at the state that the set was evaluated at.
void refuse_overlaps(const UnilateralSet&, const std::vector<ContactSizes>&);

}  // namespace polyform::host::inline unilateral
