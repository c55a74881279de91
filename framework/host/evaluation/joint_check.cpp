#include "framework/host/evaluation/joint_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/balance_check.hpp"
#include "polyform/contract/equations.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline evaluation {

namespace {

/// No stabilization pulls a joint back faster than in a millisecond, 1/s: the accelerations that it adds are no lost
/// digits.
constexpr double pull = 1e3;

constexpr const char* joint_remedy =
    "Likely causes: masses or moments of inertia that differ by many orders of magnitude side by side, a mechanism "
    "next to a singular position, or an option of the solver that loses digits with every body of a long chain. "
    "Another "
    "solver, or the solver without its options, may keep its digits";

const Spatial& of_frame(FrameIndex f, std::span<const Spatial> all) {
  static constexpr Spatial resting{};
  return is_ground(f) ? resting : all[at(f)];
}

/// A deviation as a part of a size; zero if both are zero.
double share(double deviation, double size) { return size > 0 ? deviation / size : 0; }

}  // namespace

JointCheck::JointCheck(const SystemView& view, Solver& solver, const Balance& balance)
    : view_(view), balance_(balance), asked_(view.joints.size(), true), held_(view.bodies.size()) {
  const auto* equations = ask<Equations>(solver);
  for (std::size_t j = 0; equations != nullptr && j < std::min(asked_.size(), equations->constraints()); ++j) {
    const Equations::Constraint constraint = equations->constraint(j);
    asked_[j] = (constraint.rows > 0 || view.joints[j].nv == 6) && constraint.covariance == 0;
  }
}

void JointCheck::place(const Observation& now) noexcept {
  double linear = norm(view_.gravity), angular = 0;
  for (const Spatial& a : balance_.accelerations()) {
    linear = std::max(linear, norm(a.linear));
    angular = std::max(angular, norm(a.angular));
  }
  find_held(now);
  const Scale acting = balance_.scales().of_system(balance_.frames(), held_);
  const double reach = balance_.scales().largest_reach();
  linear = std::max({linear, acting.acceleration, of_efforts_, angular * reach});
  angular = std::max(angular, acting.angular_acceleration);
  acceleration_ = least_share * linear;
  angular_acceleration_ = least_share * (reach > 0 ? std::max(angular, linear / reach) : angular);
}

/// What the joints of a body hold of it in sum: a body that stands still under a load has accelerations of rounding,
/// and the one that the load would give it alone tells how large that is. What goes through a body from joint to joint
/// cancels in the sum, and does not count. Nor do efforts of joints: those that others hold, as the press of a toggle
/// that stands straight, count by what they would give the whole system.
void JointCheck::find_held(const Observation& now) noexcept {
  const std::span<const BodyMotion> frames = balance_.frames();
  std::ranges::fill(held_, Spatial{});
  const auto add = [&](BodyIndex b, const Vec3& point, const Spatial& wrench) {
    if (is_ground(b)) return;
    const Vec3 arm = point - frames[at(b)].p;
    held_[at(b)] -= Spatial{wrench.angular + cross(arm, wrench.linear), wrench.linear};
  };
  double force = 0, moment = 0, mass = 0;
  for (std::size_t b = 0; b < view_.bodies.size(); ++b) mass += balance_.scales().mass(b);
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const BodyMotion& moving = motion_of(joint.moving_frame, frames);
    const Vec3 point = moving.p + moving.R * joint.p_moving;
    add(joint.moving, point, now.reactions[j]);
    add(joint.base, point, -1.0 * now.reactions[j]);
    const Mat3 to_F = transpose(motion_of(joint.base_frame, frames).R);
    const Spatial in_F{to_F * now.reactions[j].angular, to_F * now.reactions[j].linear};
    double efforts[6];
    for (std::size_t k = 0; k < joint.nv; ++k) efforts[k] = dot(balance_.joints()[j].H[k], in_F);
    const Spatial along = effort_wrench(balance_.joints()[j], joint.nv, efforts);
    force = std::max(force, norm(along.linear));
    moment = std::max(moment, norm(along.angular));
  }
  const double reach = balance_.scales().largest_reach();
  of_efforts_ = share(force, mass) + share(moment, mass * reach);
}

double JointCheck::part(std::size_t j, const Observation& now) const noexcept {
  const JointData& joint = view_.joints[j];
  const JointMotion& motion = balance_.joints()[j];
  const std::span<const BodyMotion> frames = balance_.frames();
  BodyMotion base = motion_of(joint.base_frame, frames), moving = motion_of(joint.moving_frame, frames);
  // Places count from F, and follow from the joint's own coordinates: observed places have the rounding of their
  // distance from the ground origin.
  base.p = -(base.R * joint.p_base);
  moving.p = base.R * motion.p_FM - moving.R * joint.p_moving;
  const Spatial &of_base = of_frame(joint.base_frame, balance_.accelerations()),
                &of_moving = of_frame(joint.moving_frame, balance_.accelerations());
  Spatial rest = relative_acceleration(joint, base, of_base, moving, of_moving) - motion.bias;
  double linear = acceleration_ + norm(of_base.linear) + norm(of_moving.linear) + norm(motion.bias.linear);
  double angular = angular_acceleration_ + norm(of_base.angular) + norm(of_moving.angular) + norm(motion.bias.angular);
  for (std::size_t k = 0; k < joint.nv; ++k) {
    const double rate = now.acceleration[joint.v_offset + k];
    rest = rest - rate * motion.H[k];
    linear += std::abs(rate) * norm(motion.H[k].linear);
    angular += std::abs(rate) * norm(motion.H[k].angular);
  }
  // The accelerations that turning makes over the arms of the joint and the sizes of the bodies.
  double arm = norm(joint.p_moving) + norm(motion.p_FM) + (is_ground(joint.base_frame) ? 0 : norm(joint.p_base));
  for (const BodyIndex b : {joint.base, joint.moving})
    if (!is_ground(b)) arm = std::max(arm, balance_.scales().reach(at(b)));
  const double turning = std::max(norm(base.V.angular), norm(moving.V.angular));
  linear += arm * (angular + turning * turning) + turning * norm(moving.V.linear - base.V.linear);
  angular += turning * turning;
  const double pulled = pull * (now.velocity_violation + pull * now.position_violation);
  return std::max(share(std::max(0.0, norm(rest.linear) - pulled), linear),
                  share(std::max(0.0, norm(rest.angular) - pulled), angular));
}

void JointCheck::check(double time, const Observation& now) {
  place(now);
  for (std::size_t j = 0; j < asked_.size(); ++j) {
    if (!asked_[j]) continue;
    const double here = part(j, now);
    if (!(here > worst_)) continue;
    worst_ = here;
    where_ = j;
    time_ = time;
  }
  if (worst_ > failed_imbalance)
    throw Failure(Exit::simulation_failed, sentence() + "; none is left", fmt::format("{}.", joint_remedy));
}

std::string JointCheck::sentence() const {
  return fmt::format(
      "the solver's accelerations do not keep the bodies together at t = {:.6g} s: at joint `{}` they differ by {:.1e} "
      "of "
      "their size from a motion that the joint allows. Digits are lost in rounding",
      time_, view_.joints[where_].name, worst_);
}

std::string JointCheck::warning() const {
  return worst_ > warned_imbalance ? fmt::format("{}. {}", sentence(), joint_remedy) : std::string();
}

}  // namespace polyform::host::evaluation
