// Periods that a motion may have, as its shafts and its functions of time tell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/workbench/linearization/floquet.hpp"

namespace polyform::host::inline linearization {

struct Period {
  double length;        ///< s
  std::string told_by;  ///< "a turn of joint `shaft`"
  /// The coordinate and velocity, if the period is a turn at a changing rate; its length is rough then.
  std::optional<std::size_t> q, v;
};

/// A turn of each joint that turns about an axis, by its coordinate or by the clock, periods of sines in time, and the
/// shortest time that holds whole numbers of all of these; the shorter come first. A turn is followed along the path
/// where the joint accelerates.
std::vector<Period> possible_periods(const PointModel&, const PathMaker&, const Accelerations&);
/// A turn at a changing rate, to all digits.
void refine(Period&, const PointModel&, const PathMaker&);

}  // namespace polyform::host::linearization
