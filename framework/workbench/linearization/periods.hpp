// Periods that a motion may have, according to its shafts and its functions of time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/workbench/linearization/floquet.hpp"

namespace polyform::host::inline linearization {

struct Period {
  double length;        ///< s
  std::string told_by;  ///< "a turn of joint `shaft`"
  /// The numbers of coordinate and velocity, if the period is a turn at a changing rate; its length is then only rough.
  std::optional<std::size_t> q, v;
};

/// Finds, the shorter ones first: a turn of each joint that turns about an axis, by its coordinate or by the clock; the
/// periods of sines in time; the shortest time that holds whole numbers of all of these. If the joint accelerates, the
/// turn is followed along the path.
std::vector<Period> possible_periods(const PointModel&, const PathMaker&, const Accelerations&);
/// Finds the length of a turn at a changing rate to all digits.
void refine(Period&, const PointModel&, const PathMaker&);

}  // namespace polyform::host::linearization
