#include "polyform/solvers/joint_lanes.hpp"

#include <new>

#include "polyform/solvers/recursion.hpp"

namespace polyform {

JointLanes::JointLanes(JointDynamics& dynamics, Solver& solver, const LoopCorrection& correction)
    : world_{lane_library(),    &dynamics.view(),  &dynamics.sweep().recursion()->tree(),
             &dynamics.loads(), &dynamics.loops(), &dynamics.left_out(),
             &solver,           correction.on,     correction.tolerance,
             &disagreement_} {
  source_.show(world_);
  program_.show(world_);
}

BatchEvaluation* JointLanes::batch() noexcept {
  if (lanes_) return lanes_.get();
  try {
    lanes_ = LaneEvaluation::make(world_);
    return lanes_.get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace polyform
