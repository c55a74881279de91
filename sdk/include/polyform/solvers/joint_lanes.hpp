// What others may do with a solver in joint coordinates by the Recursion: evaluate many worlds at once, write its
// source, run its world on a device.
#pragma once

#include <memory>

#include "polyform/solvers/general_program.hpp"
#include "polyform/solvers/joint_coordinate_source.hpp"
#include "polyform/solvers/joint_dynamics.hpp"
#include "polyform/solvers/lane_evaluation.hpp"
#include "polyform/solvers/loop_projection.hpp"

namespace polyform {

/// The world of one solver. The lanes are made when they are first asked for.
class JointLanes {
 public:
  /// solver: of these dynamics, whose sweep is a Recursion; both outlive the object. correction: of the solver.
  JointLanes(JointDynamics&, Solver& solver, const LoopCorrection& correction);

  LaneWorld* world() noexcept { return &world_; }
  /// nullptr where LaneEvaluation does not carry the system, or memory runs out.
  BatchEvaluation* batch() noexcept;
  JointCoordinateSource* source() noexcept { return &source_; }
  GeneralProgram* program() noexcept { return &program_; }
  CodeDisagreement* disagreement() noexcept { return &disagreement_; }

 private:
  CodeDisagreement disagreement_;
  LaneWorld world_;
  std::unique_ptr<LaneEvaluation> lanes_;
  JointCoordinateSource source_;
  GeneralProgram program_;
};

}  // namespace polyform
