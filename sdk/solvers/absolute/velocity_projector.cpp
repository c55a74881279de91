#include "velocity_projector.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/solvers/contradiction.hpp"
#include "position_corrector.hpp"
#include "six.hpp"

namespace polyform::absolute {

bool VelocityProjector::project(double t, std::span<BodyMotion> bodies, std::span<double> q, std::span<double> v,
                                double& violation, bool after_positions, std::span<const double> eta,
                                std::span<double> etadot, std::span<double> states) noexcept {
  Motions& motions = model_.motions;
  motions.set(bodies, eta, etadot, states);
  model_.evaluate(t, Level::velocity, q.data(), v.data());
  violation = model_.rows.violation().velocity;
  if (!after_positions || model_.constraints.some_of_velocity()) solver_.forget_factors();
  start(bodies, etadot);
  Refinement r{10, 0, Follow::nothing};  // motions with little inertia must not move more
  if (after_positions) r.neighbour.loop_epsilon = loop_epsilon_;
  if (!solver_.solve(r) || !check_rows(r.left)) return false;
  take(bodies, etadot, states);
  motions.nodes.evaluate(eta.data(), etadot.data());
  motions.nodes.place(motions.frames);
  find_joint_velocities(v);
  return true;
}

/// Begins with the given velocities, so that the solver finds only the change that removes what they violate.
void VelocityProjector::start(std::span<const BodyMotion> bodies, std::span<const double> etadot) noexcept {
  for (std::size_t i = 0; i < model_.blocks.count(); ++i) {
    double* x = problem_.solution.data() + model_.blocks.offset(i);
    if (model_.blocks.is_module(i)) {
      const ModuleSet::Module& m = model_.blocks.module(i);
      std::copy_n(model_.motions.states.data() + m.u, m.variables, x);
    } else {
      const Spatial& V = bodies[i].V;
      store({V.angular, V.linear + cross(V.angular, model_.inertia.center(i))}, x);
      if (const FlexibleData* flexible = model_.blocks.flexible(i); flexible != nullptr)
        std::copy_n(etadot.data() + flexible->mode_offset, flexible->modes, x + 6);
    }
    model_.inertia.multiply(i, x, problem_.data.data() + model_.blocks.offset(i));
  }
  std::fill(problem_.solution.begin() + static_cast<std::ptrdiff_t>(model_.blocks.row_at(0)), problem_.solution.end(),
            0.0);
  problem_.set_rows(model_.rows.right());
}

bool VelocityProjector::check_rows(const Remainder& left) noexcept {
  if (!(left.row_error > velocities_meet)) return true;
  const double worst = std::abs(solver_.residual().values()[model_.blocks.row_at(left.worst_row)]);
  if (!(worst > velocities_meet)) return true;
  const std::size_t constraint = model_.constraints.of_row(left.worst_row);
  return say_no_velocities(failure_, model_.constraints.kind(constraint), model_.constraints.name(constraint), worst);
}

/// Copies the solution into the motions and to the caller.
void VelocityProjector::take(std::span<BodyMotion> bodies, std::span<double> etadot,
                             std::span<double> states) noexcept {
  for (std::size_t i = 0; i < model_.blocks.count(); ++i) {
    const double* x = problem_.solution.data() + model_.blocks.offset(i);
    if (model_.blocks.is_module(i)) {
      const ModuleSet::Module& m = model_.blocks.module(i);
      if (model_.motions.states_given) std::copy_n(x, m.variables, states.data() + m.u);
      continue;
    }
    const Spatial V = load(x);
    model_.motions.frames[i].V = bodies[i].V = {V.angular, V.linear - cross(V.angular, model_.inertia.center(i))};
    if (const FlexibleData* flexible = model_.blocks.flexible(i); flexible != nullptr)
      std::copy_n(x + 6, flexible->modes, etadot.data() + flexible->mode_offset);
  }
}

void VelocityProjector::find_joint_velocities(std::span<double> v) noexcept {
  const std::span<const BodyMotion> frames = model_.motions.frames;
  for (std::size_t j = 0; j < model_.view.joints.size(); ++j) {
    const JointData& joint = model_.view.joints[j];
    const Spatial twist =
        relative_motion(joint, motion_of(joint.base_frame, frames), motion_of(joint.moving_frame, frames)).twist;
    const JointConstraint& c = model_.rows.joint(j);
    solve_least_squares(c.motion.H, joint.nv, twist - c.drift, v.data() + joint.v_offset);
  }
}

}  // namespace polyform::absolute
