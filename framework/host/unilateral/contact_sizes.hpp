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

  double rest() const { return 3e-12 * speed; }  ///< what is slower rests
};

/// Part of the response of free bodies: a smaller one is rounding. Other things hold the row, such as a prescribed
/// motion.
inline constexpr double held_share = 1e-12;

/// What is slower than this rests. terms: the sum of the sizes of a rate's terms, of which a part is rounding.
double resting_speed(double terms, const ContactSizes&);

/// Those of all points. The length is the farthest place of bodies and of joints on them at the start, up to ten times
/// the size of the largest body, and at least that size. The speed is the fastest at the start, or what gravity and
/// turning make along the length; where neither is, the length in a second.
std::vector<ContactSizes> contact_sizes(const SystemView&, const ConstStateView& start, const UnilateralSet&);

/// The same for a point between bodies, without a search for all points: of the system, and what a unit force between
/// two bodies moves, 1/kg.
ContactSizes sizes_of_system(const SystemView&, const ConstStateView& start);
double free_response(const SystemView&, FrameIndex, FrameIndex);

/// Failure (simulation_failed): a point closes at t, s, and no force along its row moves what closes it.
[[noreturn]] void refuse_driven(const UnilateralSet&, std::size_t point, double t);

/// Failure (bad_input) if surfaces overlap in the drawing, at the state that the set was evaluated at.
void refuse_overlaps(const UnilateralSet&, const std::vector<ContactSizes>&);

}  // namespace polyform::host::inline unilateral
