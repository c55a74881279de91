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
  std::vector<BodyMotion> frames(view().frames());
  NodeMotions nodes(view());
  nodes.evaluate(parts_.eta.data(), parts_.etadot.data());
  wanted_.assign(n, {});
  double misfit = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double off = rate_as_drawn(i, nodes, frames);
    if (off <= misfit) continue;
    misfit = off;
    worst = i;
  }
  const bool loops_open = loop_velocity_violation(frames) > allowed_velocity_violation;
  // Where the loops are still to be moved, given rates hold at the moved pose; here only bodies' velocities count.
  if (misfit <= allowed_velocity_violation && (moves_loops_ || (!loops_open && !cut_rates_given()))) {
    cut_rates(frames);
    return;
  }
  if (misfit > allowed_velocity_violation) warn_of_misfit(worst, misfit);
  for (std::size_t i = 0; i < n; ++i) frames[i].V = wanted_[i];
  project(frames, parts_.eta, "as drawn", !moves_loops_);
}

bool InitialState::cut_rates_given() const {
  return std::any_of(locks_.begin() + static_cast<std::ptrdiff_t>(view().bodies.size()), locks_.end(),
                     [](const JointLock& l) { return l.velocity; });
}

/// Rates of the joint that carries a body, and the body's motion. Returns by how much the model's velocity of the body
/// does not fit the joint.
double InitialState::rate_as_drawn(std::size_t i, const NodeMotions& nodes, std::vector<BodyMotion>& frames) {
  const JointData& joint = view().joints[i];
  double* v = parts_.v.data() + joint.v_offset;
  const double* q = parts_.q.data() + joint.q_offset;
  const double still[6]{};
  JointMotion motion;
  joint_motion(joint, q, still, motion);
  place_body(motion, nodes, i, frames);  // the pose, and the inboard body's twist
  const GivenTwist given = given_twist(i, frames[i]);
  if (locks_[i].velocity)
    std::copy_n(given_v_.data() + joint.v_offset, joint.nv, v);
  else if (given.turn)
    fit_rates(i, motion, nodes, frames, given, v);
  joint_motion(joint, q, v, motion);
  place_body(motion, nodes, i, frames);
  wanted_[i] = frames[i].V;
  if (!given.turn) return 0;
  double off = norm(given.twist.angular - frames[i].V.angular);
  if (given.whole) off = std::max(off, norm(given.twist.linear - frames[i].V.linear));
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

/// Motions of the frames of a body from its tree joint.
void InitialState::place_body(const JointMotion& motion, const NodeMotions& nodes, std::size_t i,
                              std::vector<BodyMotion>& frames) {
  const JointData& joint = view().joints[i];
  const FrameIndex placed = joint.outboard_frame();
  outboard_motion(joint, motion, motion_of(joint.inboard_frame(), frames), frames[at(placed)]);
  if (!nodes.empty()) nodes.place_body(body_index(i), placed, frames);
}

void InitialState::warn_of_misfit(std::size_t body, double misfit) {
  parts_.report(diagnostics_, Severity::warning, body_item(body), {}, {},
                fmt::format("the initial velocities violate the joints, by {:.3g} at body `{}` and its joint `{}`: the "
                            "nearest velocities (in the inertia metric) that respect them are taken",
                            misfit, body_item(body).name, view().joints[body].name),
                "give velocities that fit the joints, or give joint rates (initial.velocity)");
}

/// Rates that bring a body's twist nearest to a given one (its angular part only, if so).
void InitialState::fit_rates(std::size_t i, const JointMotion& motion, const NodeMotions& nodes,
                             std::span<const BodyMotion> frames, const GivenTwist& given, double* v) const {
  const JointData& joint = view().joints[i];
  const bool angular_only = !given.whole;
  BodyMotion body = frames[i];
  body.V = given.twist;
  BodyMotion out = body;
  if (joint.outboard_frame() != frame_of(body_index(i)))
    node_from_body(nodes[at(joint.outboard_frame()) - view().bodies.size()], body, out);
  const BodyMotion& in = motion_of(joint.inboard_frame(), frames);
  const RelativeMotion relative = joint.reversed ? relative_motion(joint, out, in) : relative_motion(joint, in, out);
  Spatial H[6], target = relative.twist;
  for (std::size_t k = 0; k < joint.nv; ++k) {
    H[k] = motion.H[k];
    if (angular_only) H[k].linear = {};
  }
  if (angular_only) target.linear = {};
  solve_least_squares(H, joint.nv, target, v);
}

double InitialState::loop_velocity_violation(std::span<const BodyMotion> frames) {
  double worst = 0;
  JointConstraint c;
  double v[6];
  for (const JointData& joint : view().cut_joints()) {
    joint_constraint(joint, motion_of(joint.base_frame, frames), motion_of(joint.moving_frame, frames),
                     parts_.q.data() + joint.q_offset, v, c);
    for (std::size_t k = 0; k < c.rows; ++k) worst = std::max(worst, std::abs(dot(c.T[k], c.relative.twist)));
  }
  return worst;
}

/// Rates of the cut joints follow from the bodies.
void InitialState::cut_rates(std::span<const BodyMotion> frames) {
  JointConstraint c;
  for (const JointData& joint : view().cut_joints())
    joint_constraint(joint, motion_of(joint.base_frame, frames), motion_of(joint.moving_frame, frames),
                     parts_.q.data() + joint.q_offset, parts_.v.data() + joint.v_offset, c);
}

/// What may keep a joint from its given value, as the subject of a sentence with a negation: a constraint element or a
/// module on its coordinates, else the loops and constraint elements that there are.
std::string InitialState::restraint_of(std::size_t joint) const {
  const auto on_joint = [joint](const auto& group) {
    const auto found = std::ranges::find_if(group.joints, [joint](JointIndex j) { return at(j) == joint; });
    const std::size_t each = group.joints.size() / group.names.size();
    return found == group.joints.end() ? std::string_view()
                                       : group.names[std::size_t(found - group.joints.begin()) / each];
  };
  for (const ConstraintGroup& group : view().constraints)
    if (const std::string_view name = on_joint(group); !name.empty()) return fmt::format("constraint `{}` does", name);
  for (const ModuleGroup& group : view().modules)
    if (const std::string_view name = on_joint(group); !name.empty() && !group.type->rows().empty())
      return fmt::format("module `{}` does", name);
  if (view().constraints.empty()) return "the loops do";
  return view().cut_joints().empty() ? "the constraints do" : "the loops and constraints do";
}

/// Nearest velocities that respect joints and given rates; given rates that contradict a loop are freed.
bool InitialState::project(const std::vector<BodyMotion>& frames, const std::vector<double>& eta,
                           std::string_view where, bool keep_rates) {
  std::string why;
  std::vector<double> variables;
  const auto attempt = [&](std::span<const JointLock> locks, bool hold_modes) {
    std::vector<BodyMotion> trial = frames;
    double violation = 0;
    AbsoluteSystem system(view(), locks, {}, centred_.origin());
    system.set_targets(given_q_, given_v_);
    if (hold_modes) system.hold_modes();
    parts_.etadot = given_etadot_;
    std::vector<double> x = modules_count_ ? parts_.x : std::vector<double>();
    const bool done = system.project_velocities(0, trial, parts_.q, parts_.v, violation, false, eta, parts_.etadot, x);
    if (done && modules_count_) variables = std::move(x);
    why = system.failure();
    return done;
  };
  const bool any_modes = view().modes > 0;
  if (keep_rates ? !keep_what_loops_allow(&JointLock::velocity, attempt)
                 : !attempt({}, true) && !(any_modes && attempt({}, false))) {
    if (report_contradiction(parts_.q)) return false;
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
  if (modules_count_) parts_.x = variables;
  for (std::size_t i = 0; keep_rates && i < locks_.size(); ++i) {
    const JointData& joint = view().joints[i];
    for (std::size_t k = 0; locks_[i].velocity && k < joint.nv; ++k) {
      const double given = given_v_[joint.v_offset + k], now = parts_.v[joint.v_offset + k];
      if (std::abs(given - now) <= allowed_velocity_violation) continue;
      const double shown = std::abs(now) < 1e-12 ? 0 : now;
      complain(i, "initial.velocity",
               fmt::format("{} not allow the given rate {:.6g}: {:.6g} is taken", restraint_of(i), given, shown),
               "give rates to as many joints as these leave free", Severity::warning);
    }
  }
  warn_of_moved_modes(given_etadot_, parts_.etadot, "modal velocity");
  return true;
}

/// Rates at the moved pose: those found as drawn, projected onto the loops there.
bool InitialState::close_velocities() {
  for (std::size_t i = 0; i < view().bodies.size(); ++i)
    if (locks_[i].velocity)
      std::copy_n(given_v_.data() + view().joints[i].v_offset, view().joints[i].nv,
                  parts_.v.data() + view().joints[i].v_offset);
  tree_.evaluate(parts_.q.data(), parts_.v.data(), parts_.eta.data(), parts_.etadot.data());
  const std::vector<BodyMotion> frames(tree_.frames().begin(), tree_.frames().end());
  if (view().constraints.empty() && !cut_rates_given() && loop_velocity_violation(frames) <= 1e-12) {
    cut_rates(frames);
    return true;
  }
  return project(frames, parts_.eta, "at the initial position", true);
}

}  // namespace polyform::host
