// The parts of the battery of a joint.
#pragma once

#include "framework/workbench/conformance/batteries.hpp"
#include "framework/workbench/conformance/state.hpp"

namespace polyform::host::inline conformance {

/// The name of the joint under test in the models of its battery.
inline constexpr std::string_view tested = "tested";
const JointData& tested_joint(const SystemView&);

/// Checks coordinates and orientations that follow from poses. There is one instance per sample.
void check_joint_coordinates(const std::vector<Sample>&, Checklist&);
/// Checks the directions and places in the fields. There is one instance per sample.
void check_joint_drawing(const JointType&, const Bench&, const std::vector<Sample>&, Checklist&);
/// Checks the kinematics, coordinates among them. There is one instance per sample.
void check_joint_motion(const JointType&, const Bench&, const std::vector<Sample>&, Checklist&);
/// Checks the joint in the tree and as a cut joint, in all formulations.
void check_joint_in_systems(const JointType&, const Bench&, Checklist&);

}  // namespace polyform::host::conformance
