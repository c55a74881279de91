// How far each of several runs of one model is from what they agree on.
#pragma once

#include <span>
#include <vector>

#include "framework/comparison/pose_record.hpp"

namespace polyform::host {

/// The largest deviation of a run from the consensus over all bodies and rows, and when it occurs.
struct Deviation {
  double position = 0, position_time = 0;  ///< m, s: distance of body frame origins
  double angle = 0, angle_time = 0;        ///< rad, s: angle between body orientations
};

/// The consensus of several poses: the mean of two, the component-wise median of three or more, so that one outlier
/// does not move it. Quaternions are brought to the sign of the first before, and normalized after.
Pose consensus(std::span<const Pose> poses);

/// One deviation per record, over the rows that all of them have. At least two records.
std::vector<Deviation> deviations(std::span<PoseRecord* const> records, std::size_t bodies);

}  // namespace polyform::host
