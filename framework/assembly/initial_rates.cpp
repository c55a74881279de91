// Initial velocities: joint rates as drawn, projected where they do not fit, carried to the initial position.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/assembly/initial_state.hpp"

namespace polyform::host {
namespace {

constexpr double allowed_velocity_violation = 1e-9;

}  // namespace

InitialState::GivenTwist InitialState::given_twist(std::size_t body, const BodyMotion& pose) const {
  const BodyItem& b = body_item(body);
  GivenTwist given;
  given.whole = b.velocity.has_value();
  given.turn = given.whole || b.angular_velocity.has_value();
  given.twist.angular = b.angular_velocity.value_or(Vec3{});
  if (!given.whole) return given;
  const Vec3 arm = b.flexible == nullptr ? pose.R * b.center_of_mass : Vec3{};
  given.twist.linear = *b.velocity - cross(given.twist.angular, arm);
  return given;
}

/// Joint rates from given rates and from bodies' velocities, root to tip; what does not fit is projected.
void InitialState::rates_as_drawn() {
  const std::size_t n = view().bodies.size();
  std::vector<BodyMotion> bodies(n);
  wanted_.assign(n, {});
  double misfit = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double off = rate_as_drawn(i, bodies);
    if (off <= misfit) continue;
    misfit = off;
    worst = i;
  }
  const bool loops_open = loop_velocity_violation(bodies) > allowed_velocity_violation;
  // Where the loops are still to be moved, given rates hold at the moved pose; here only bodies' velocities count.
  if (misfit <= allowed_velocity_violation && (moves_loops_ || (!loops_open && !cut_rates_given()))) {
    cut_rates(bodies);
    return;
  }
  if (misfit > allowed_velocity_violation) warn_of_misfit(worst, misfit);
  for (std::size_t i = 0; i < n; ++i) bodies[i].V = wanted_[i];
  project(bodies, parts_.q, "as drawn", !moves_loops_);
}

bool InitialState::cut_rates_given() const {
  return std::any_of(locks_.begin() + static_cast<std::ptrdiff_t>(view().bodies.size()), locks_.end(),
                     [](const JointLock& l) { return l.velocity; });
}

/// Rates of the joint that carries a body, and the body's motion. Returns by how much the model's velocity of the body
/// does not fit the joint.
double InitialState::rate_as_drawn(std::size_t i, std::vector<BodyMotion>& bodies) {
  const JointData& joint = view().joints[i];
  const BodyMotion& in = motion_of(joint.inboard(), bodies);
  double* v = parts_.v.data() + joint.v_offset;
  const double* q = parts_.q.data() + joint.q_offset;
  const double still[6]{};
  JointMotion motion;
  joint_motion(joint, q, still, motion);
  outboard_motion(joint, motion, in, bodies[i]);  // the pose, and the inboard body's twist
  const GivenTwist given = given_twist(i, bodies[i]);
  if (locks_[i].velocity)
    std::copy_n(given_v_.data() + joint.v_offset, joint.nv, v);
  else if (given.turn)
    fit_rates(joint, motion, in, bodies[i], given.twist, !given.whole, v);
  joint_motion(joint, q, v, motion);
  outboard_motion(joint, motion, in, bodies[i]);
  wanted_[i] = bodies[i].V;
  if (!given.turn) return 0;
  double off = norm(given.twist.angular - bodies[i].V.angular);
  if (given.whole) off = std::max(off, norm(given.twist.linear - bodies[i].V.linear));
  if (locks_[i].velocity && off > allowed_velocity_violation) {
    complain(i, "initial.velocity",
             fmt::format("the velocity given to body `{}` differs from the one given to joint `{}` by {:.3g}: the "
                         "joint's is taken",
                         body_item(i).name, joint.name, off),
             "give the velocity once, to the body or to the joint", Severity::warning);
    return 0;
  }
  if (given.whole)
    wanted_[i] = given.twist;
  else
    wanted_[i].angular = given.twist.angular;
  return off;
}

void InitialState::warn_of_misfit(std::size_t body, double misfit) {
  parts_.report(diagnostics_, Severity::warning, body_item(body), {}, {},
                fmt::format("the initial velocities violate the joints, by {:.3g} at body `{}` and its joint `{}`: the "
                            "nearest velocities (in the inertia metric) that respect them are taken",
                            misfit, body_item(body).name, view().joints[body].name),
                "give velocities that fit the joints, or give joint rates (initial.velocity)");
}

/// Rates that bring the outboard body's twist nearest to a wanted one (its angular part only, if so).
void InitialState::fit_rates(const JointData& joint, const JointMotion& motion, const BodyMotion& in,
                             const BodyMotion& out, const Spatial& wanted, bool angular_only, double* v) {
  BodyMotion with = out;
  with.V = wanted;
  const RelativeMotion relative = joint.reversed ? relative_motion(joint, with, in) : relative_motion(joint, in, with);
  Spatial H[6], target = relative.twist;
  for (std::size_t k = 0; k < joint.nv; ++k) {
    H[k] = motion.H[k];
    if (angular_only) H[k].linear = {};
  }
  if (angular_only) target.linear = {};
  solve_least_squares(H, joint.nv, target, v);
}

double InitialState::loop_velocity_violation(std::span<const BodyMotion> bodies) {
  double worst = 0;
  JointConstraint c;
  double v[6];
  for (const JointData& joint : view().cut_joints()) {
    joint_constraint(joint, motion_of(joint.base, bodies), motion_of(joint.moving, bodies),
                     parts_.q.data() + joint.q_offset, v, c);
    for (std::size_t k = 0; k < c.rows; ++k) worst = std::max(worst, std::abs(dot(c.T[k], c.relative.twist)));
  }
  return worst;
}

/// Rates of the cut joints follow from the bodies.
void InitialState::cut_rates(std::span<const BodyMotion> bodies) {
  JointConstraint c;
  for (const JointData& joint : view().cut_joints())
    joint_constraint(joint, motion_of(joint.base, bodies), motion_of(joint.moving, bodies),
                     parts_.q.data() + joint.q_offset, parts_.v.data() + joint.v_offset, c);
}

/// Nearest velocities that respect joints and given rates; given rates that contradict a loop are freed.
bool InitialState::project(std::vector<BodyMotion>& bodies, std::vector<double>& q, std::string_view where,
                           bool keep_rates) {
  std::string why;
  const auto attempt = [&](std::span<const JointLock> locks) {
    std::vector<BodyMotion> trial = bodies;
    double violation = 0;
    AbsoluteSystem system(view(), locks);
    system.set_targets(given_q_, given_v_);
    const bool done = system.project_velocities(0, trial, q, parts_.v, violation);
    why = system.failure();
    return done;
  };
  if (keep_rates ? !keep_what_loops_allow(&JointLock::velocity, attempt) : !attempt({})) {
    const std::string message = fmt::format("no velocities respect all joints {}: {}", where, why);
    diagnostics_.report({Severity::error,
                         message,
                         "check the bodies' masses and the joints around the one named",
                         {},
                         parts_.description.file,
                         0,
                         0});
    return false;
  }
  for (std::size_t i = 0; keep_rates && i < locks_.size(); ++i) {
    const JointData& joint = view().joints[i];
    for (std::size_t k = 0; locks_[i].velocity && k < joint.nv; ++k) {
      const double given = given_v_[joint.v_offset + k], now = parts_.v[joint.v_offset + k];
      if (std::abs(given - now) <= allowed_velocity_violation) continue;
      const double shown = std::abs(now) < 1e-12 ? 0 : now;
      complain(i, "initial.velocity",
               fmt::format("the loops do not allow the given rate {:.6g}: {:.6g} is taken", given, shown),
               "give rates to as many joints as the loops leave free", Severity::warning);
    }
  }
  return true;
}

/// Rates at the moved pose: those found as drawn, projected onto the loops there.
bool InitialState::close_velocities() {
  for (std::size_t i = 0; i < view().bodies.size(); ++i)
    if (locks_[i].velocity)
      std::copy_n(given_v_.data() + view().joints[i].v_offset, view().joints[i].nv,
                  parts_.v.data() + view().joints[i].v_offset);
  tree_.evaluate(parts_.q.data(), parts_.v.data());
  std::vector<BodyMotion> bodies(tree_.bodies().begin(), tree_.bodies().end());
  if (view().constraints.empty() && !cut_rates_given() && loop_velocity_violation(bodies) <= 1e-12) {
    cut_rates(bodies);
    return true;
  }
  return project(bodies, parts_.q, "at the initial position", true);
}

}  // namespace polyform::host
