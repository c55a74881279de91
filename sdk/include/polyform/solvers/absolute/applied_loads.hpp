// The loads of a model's forces on its bodies, joints and modes.
#pragma once

#include <span>
#include <vector>

#include "polyform/mechanics/force_set.hpp"
#include "polyform/solvers/absolute_equations.hpp"

namespace polyform::absolute {

/// Applied loads at the motions last evaluated, as AbsoluteSystem::set_loads takes them, and the rates of the forces'
/// states.
class AppliedLoads {
 public:
  /// The view outlives the object. origin: the point from which positions count, for the elements.
  AppliedLoads(const SystemView&, const Vec3& origin);

  /// Discrete states of all elements, as ForceSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { forces_.follow(discrete); }
  /// q, v: of all joints; x: first-order states.
  void evaluate(double t, const AbsoluteEquations& at, std::span<const double> q, std::span<const double> v,
                std::span<const double> x) noexcept;
  const ForceSet& forces() const { return forces_; }
  std::span<const Spatial> wrenches() const { return wrenches_; }  ///< about the mass centres or frame origins
  std::span<const double> efforts() const { return efforts_; }
  std::span<const double> modal_forces() const { return modal_forces_; }
  std::span<const double> state_rates() const { return xdot_; }  ///< of all first-order states; of modules: zero

 private:
  const SystemView& view_;
  ForceSet forces_;
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_, modal_forces_, xdot_;
};

}  // namespace polyform::absolute
