// The parts of the battery of a joint.
#pragma once

#include "framework/conformance/batteries.hpp"
#include "framework/conformance/state.hpp"

namespace polyform::host::inline conformance {

/// The name of the joint under test in the models of its battery.
inline constexpr std::string_view tested = "tested";
const JointData& tested_joint(const SystemView&);

/// The way from poses to coordinates and orientations; one instance per sample.
void check_joint_coordinates(const std::vector<Sample>&, Checklist&);
/// Directions and places of the fields; one instance per sample.
void check_joint_drawing(const JointType&, const Bench&, const std::vector<Sample>&, Checklist&);
/// Kinematics, coordinates among them; one instance per sample.
void check_joint_motion(const JointType&, const Bench&, const std::vector<Sample>&, Checklist&);
/// In the tree and as a cut joint, in all formulations.
void check_joint_in_systems(const JointType&, const Bench&, Checklist&);

}  // namespace polyform::host::conformance
