// The solver: the recursion over the spanning tree, and how it returns to the loops.
#pragma once

#include "constraint_jacobian.hpp"
#include "least_correction.hpp"
#include "polyform/solvers/joint_coordinate_solver.hpp"
#include "polyform/solvers/loop_projection.hpp"

namespace polyform::reduced {

struct Choice {
  enum class Correction { direct, baumgarte, none } correction = Correction::direct;
  bool by_differentiation = false;  ///< Algorithm 2 instead of 1
  bool inertia_metric = false;
  double tolerance = 1e-10;    ///< largest residual that is left: m, rad, m/s, rad/s
  double alpha = 0, beta = 0;  ///< of Baumgarte's stabilization, 1/s
};

/// Accelerations by decoupled hinge equations; the direct correction of Fig. 10.
class ReducedSolver final : public JointCoordinateSolver {
 public:
  ReducedSolver(const SystemView& view, const Choice& choice);

 protected:
  bool return_to_loops(double t, std::span<double> y, Correction& out) noexcept override;

 private:
  void assemble(std::span<const BodyMotion> motions) noexcept;
  void find_position_step() noexcept;
  void find_velocity_step() noexcept;
  void factorize(LoopClosure::Level) noexcept;

  Choice choice_;
  ConstraintJacobian jacobian_;
  LeastCorrection least_;
  bool differ_ = false;  ///< c_q of positions from that of velocities: nonholonomic rows, variables of modules
  std::vector<double> delta_q_, delta_v_;
};

}  // namespace polyform::reduced
