// The residual that accelerations and multipliers leave of the constraints of cut joints.
#pragma once

#include "polyform/solvers/double_double.hpp"
#include "polyform/solvers/loop_closure.hpp"

namespace polyform {

/// Sets the residual of each row (LoopRightSides::set_rest) at the accelerations z of the bodies, and subtracts the
/// forces of the multipliers from `force`. frames, to_P, ground: as of LoopClosure::begin(Level::acceleration); bodies
/// are rigid.
template <class T>
void find_rest_of_loops(LoopClosure& loops, std::span<const BodyMotion> frames, std::span<const Vec3> to_P,
                        const Vec3& ground, const SpatialVector<T>* z, SpatialVector<T>* force) noexcept {
  const ClosingConstraints& constraints = loops.constraints();
  const ModuleVariables& variables = constraints.elements().variables();
  const std::span<const double> multipliers = loops.multipliers().all();
  const std::span<const double> of_elements = constraints.of_elements(multipliers);
  for (std::size_t i = 0; i < loops.layout().count(); ++i) {
    const std::size_t first = loops.layout().loop(i).first_row;
    for (std::size_t r = 0; r < constraints.rows(i); ++r) {
      const double multiplier = multipliers[first + r];
      T missing = loops.right_sides().asked(first + r);
      if (!constraints.is_cut(i)) missing -= T(variables.share(constraints.element(i), r, of_elements));
      constraints.each_share(i, r, frames, [&](FrameIndex frame, const Spatial& about_origin) {
        const std::size_t b = at(frame);
        SpatialVector<T> row = widened<T>(about_origin);
        row.angular -= cross(widened<T>(to_P[b]), row.linear);
        const SpatialVector<T> a{z[b].angular, z[b].linear - widened<T>(ground)};
        missing -= dot(row, a);
        force[b] -= T(multiplier) * row;
      });
      loops.right_sides().set_rest(first + r, static_cast<double>(missing));
    }
  }
}

}  // namespace polyform
