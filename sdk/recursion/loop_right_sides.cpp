#include "polyform/solvers/loop_right_sides.hpp"

#include "polyform/solvers/closing_constraints.hpp"

namespace polyform {

/// The right-hand side of the row `place` among all. residual: of the positions; rate: what the velocities miss;
/// acceleration: what the row asks of the accelerations.
double LoopRightSides::find(Level level, double residual, double rate, double acceleration,
                            std::size_t place) noexcept {
  switch (level) {
    case Level::position: return -residual;
    case Level::velocity: return -rate;
    case Level::rest: return rest_[place];
    case Level::acceleration: break;
  }
  return asked_[place] = acceleration - 2 * alpha_ * rate - beta_ * beta_ * residual;
}

void LoopRightSides::set(Level level, std::size_t loop, const ClosingConstraints& constraints,
                         const FlexibleLinks& flexible, std::span<const BodyMotion> frames, std::span<const Vec3> to_P,
                         double* right) noexcept {
  if (constraints.is_cut(loop))
    set_cut(level, loop, constraints, flexible, frames, to_P, right);
  else
    set_element(level, loop, constraints, flexible, frames, to_P, right);
}

void LoopRightSides::set_cut(Level level, std::size_t i, const ClosingConstraints& constraints,
                             const FlexibleLinks& flexible, std::span<const BodyMotion> frames,
                             std::span<const Vec3> to_P, double* right) noexcept {
  const JointData& cut = constraints.cut(i);
  const BodyMotion& base = motion_of(cut.base_frame, frames);
  const BodyMotion& moving = motion_of(cut.moving_frame, frames);
  const JointConstraint& c = constraints.joint(i);
  Spatial bias;
  if (level == Level::acceleration) {
    // The acceleration of the frame origin if P and the body have none; the columns of a flexible body add its share.
    const auto of_origin = [&](FrameIndex f, const BodyMotion& m) -> Spatial {
      if (is_ground(f) || flexible.attachment_of(f) != FlexibleLinks::none) return {};
      return {{}, -cross(m.V.angular, cross(m.V.angular, to_P[at(f)]))};
    };
    bias = c.motion.bias - relative_acceleration(cut, base, of_origin(cut.base_frame, base), moving,
                                                 of_origin(cut.moving_frame, moving));
  }
  const std::size_t first = constraints.layout().loop(i).first_row;
  for (std::size_t r = 0; r < c.rows; ++r)
    right[r] = find(level, c.residual[r], dot(c.T[r], c.relative.twist), dot(c.T[r], bias), first + r);
}

void LoopRightSides::set_element(Level level, std::size_t i, const ClosingConstraints& constraints,
                                 const FlexibleLinks& flexible, std::span<const BodyMotion> frames,
                                 std::span<const Vec3> to_P, double* right) noexcept {
  const ElementRows& elements = constraints.elements();
  const ElementRows::Group& group = constraints.element(i);
  const std::span<const FrameIndex> tied = elements.frames(group);
  const std::size_t first = constraints.layout().loop(i).first_row;
  for (std::size_t r = 0; r < group.rows; ++r) {
    const FrameRows::Row& row = elements.solved().row(group, r);
    double asked = row.acceleration;
    for (std::size_t f = 0; f < tied.size(); ++f) {
      if (flexible.attachment_of(tied[f]) != FlexibleLinks::none) continue;
      const Vec3& omega = frames[at(tied[f])].V.angular;
      asked += dot(elements.solved().share(group, r, f).row.linear, cross(omega, cross(omega, to_P[at(tied[f])])));
    }
    if (group.module != ElementRows::none) asked -= elements.variables().of(group.module).own(group.first + r);
    right[r] = find(level, row.residual, row.rate, asked, first + r);
  }
}

}  // namespace polyform
