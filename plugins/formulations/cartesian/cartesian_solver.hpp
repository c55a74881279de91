#pragma once

#include "polyform/solvers/absolute_solver.hpp"

namespace polyform::cartesian {

/// The equations of motion of all bodies and constraints as one sparse system (AbsoluteSystem).
class CartesianSolver final : public AbsoluteSolver {
 public:
  /// project: correct positions and velocities after each step; tolerance: of the position projection, m and rad.
  CartesianSolver(const SystemView& view, bool project, double tolerance) : AbsoluteSolver(view, project, tolerance) {}
  bool good() const { return made(); }
  void destroy() noexcept override { delete this; }

 private:
  ~CartesianSolver() = default;
  const AbsoluteAccelerations* solve(std::span<const Spatial> wrenches, std::span<const double> efforts,
                                     std::span<const double> modal_forces, Accelerations use) noexcept override {
    const AbsoluteAccelerations* found = system().accelerations(wrenches, efforts, modal_forces, use);
    if (found == nullptr) fail(system().failure());
    return found;
  }
  bool check_rows() noexcept override { return system().check_rows() || fail(system().failure()); }
  bool check_regular() noexcept override { return system().check_regular() || fail(system().failure()); }
};

}  // namespace polyform::cartesian
