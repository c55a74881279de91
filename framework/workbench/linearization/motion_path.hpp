// States of a motion at later times.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "framework/host/integration/integration.hpp"
#include "framework/workbench/linearization/motion_fields.hpp"
#include "framework/workbench/linearization/point_model.hpp"

namespace polyform::host::inline linearization {

/// Tells where a motion is, t seconds after the operating point. Times are asked for in rising order.
class MotionPath {
 public:
  virtual ~MotionPath() = default;
  /// Failure (simulation_failed) if the motion cannot be followed.
  virtual CanonicalState at(double t) = 0;
};

/// Along a field of constant coefficients, exactly.
std::unique_ptr<MotionPath> carried_path(const PointModel&, const MotionFields&, std::vector<double> rates);
/// By integration of the solver's equations with a relative tolerance.
std::unique_ptr<MotionPath> integrated_path(const PointModel&, const IntegratorChoice&, double tolerance);

/// Paths from the operating point on, each from its beginning, with a relative tolerance where they are integrated.
using PathMaker = std::function<std::unique_ptr<MotionPath>(double tolerance)>;
/// Tolerances to see whether a motion may repeat, and to judge it.
inline constexpr double rough = 1e-6, fine = 1e-12;

}  // namespace polyform::host::linearization
