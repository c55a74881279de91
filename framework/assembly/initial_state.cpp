// The state at the start: given joint coordinates, rates from joints and bodies, loops closed in position and velocity.
//
// As drawn every joint, and so every loop, is closed by construction: only `initial` positions open loops. Velocities
// of bodies belong to the drawn pose; they become joint rates there, which are carried to the moved pose.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/assembly/parts.hpp"
#include "polyform/absolute_system.hpp"
#include "polyform/force_set.hpp"
#include "polyform/kinematics.hpp"

namespace polyform::host {
namespace {

constexpr double allowed_velocity_violation = 1e-9;
constexpr double assembly_tolerance = 1e-10;

class InitialState {
 public:
  InitialState(System::Parts& parts, Diagnostics& diagnostics)
      : parts_(parts), diagnostics_(diagnostics), locks_(parts.joints.size()), tree_(parts.view) {}

  bool build() {
    read_given();
    if (diagnostics_.failed()) return false;
    rates_as_drawn();
    if (diagnostics_.failed()) return false;
    parts_.q = given_q_;
    // As drawn all loops are closed; constraint elements need not hold there.
    const bool open = !view().constraints.empty() || (moved_ && !view().cut_joints().empty());
    if (open && !(close_loops() && close_velocities())) return false;
    flexible_and_states();
    return !diagnostics_.failed();
  }

 private:
  const SystemView& view() const { return parts_.view; }
  const JointItem& item(std::size_t joint) const { return parts_.description.joints[parts_.user_joint[joint]]; }

  void read_given() {
    parts_.q.resize(view().nq);
    parts_.v.assign(view().nv, 0.0);
    for (const JointData& joint : view().joints) joint_neutral(joint, parts_.q.data() + joint.q_offset);
    given_q_ = parts_.q;
    given_v_ = parts_.v;
    for (std::size_t i = 0; i < view().joints.size(); ++i) {
      if (parts_.user_joint[i] == System::Parts::none) continue;
      read_joint(i, item(i).initial_position, view().joints[i].q_offset, view().joints[i].nq, "position", given_q_, locks_[i].position);
      read_joint(i, item(i).initial_velocity, view().joints[i].v_offset, view().joints[i].nv, "velocity", given_v_, locks_[i].velocity);
      if (!locks_[i].position) continue;
      const double off = joint_normalize(view().joints[i], given_q_.data() + view().joints[i].q_offset);
      if (off > 1e-6)
        complain(i, "initial.position", fmt::format("the quaternion's length differs from 1 by {:.3g}", off),
                 "give a unit quaternion w x y z");
      moved_ = true;
    }
  }

  void read_joint(std::size_t joint, const std::vector<double>& given, std::size_t offset, std::size_t count,
                  std::string_view what, std::vector<double>& into, bool& locked) {
    if (given.empty()) return;
    if (given.size() != count) {
      complain(joint, fmt::format("initial.{}", what),
               fmt::format("{} value{} given, but joint `{}` has {} {} coordinate{}", given.size(), given.size() == 1 ? "" : "s",
                           view().joints[joint].name, count, what, count == 1 ? "" : "s"),
               "see the joint's coordinates in the schema (polyform schema)");
      return;
    }
    std::copy(given.begin(), given.end(), into.begin() + static_cast<std::ptrdiff_t>(offset));
    locked = count > 0;
  }

  void complain(std::size_t joint, std::string_view path, const std::string& message, std::string_view remedy,
                Severity severity = Severity::error) {
    parts_.report(diagnostics_, severity, item(joint), item(joint).initial_place, path, message, remedy);
  }

  // -- velocities as drawn ------------------------------------------------------------------------------------------

  /// Twist of the frame origin that the model gives a body, if it gives one.
  bool given_twist(std::size_t body, const BodyMotion& pose, Spatial& twist) const {
    const BodyItem& b = parts_.description.bodies[parts_.forest.order[body]];
    if (!b.velocity) return false;
    twist.angular = b.angular_velocity.value_or(Vec3{});
    const Vec3 arm = b.flexible == nullptr ? pose.R * b.center_of_mass : Vec3{};
    twist.linear = *b.velocity - cross(twist.angular, arm);
    return true;
  }

  /// Joint rates from given rates and from bodies' velocities, root to tip. Largest misfit with what bodies are given.
  void rates_as_drawn() {
    const std::size_t n = view().bodies.size();
    std::vector<BodyMotion> bodies(n);
    JointMotion motion;
    double misfit = 0;
    std::size_t worst = 0;
    bool joint_wins = false;
    wanted_.assign(n, {});
    for (std::size_t i = 0; i < n; ++i) {
      const JointData& joint = view().joints[i];
      const BodyMotion& in = motion_of(joint.inboard(), bodies);
      double* v = parts_.v.data() + joint.v_offset;
      const double* q = parts_.q.data() + joint.q_offset;
      const double still[6]{};
      joint_motion(joint, q, still, motion);
      outboard_motion(joint, motion, in, bodies[i]);   // the pose, and the inboard body's twist
      const BodyItem& body = parts_.description.bodies[parts_.forest.order[i]];
      Spatial wanted;
      const bool twist_given = given_twist(i, bodies[i], wanted);
      const bool turn_given = twist_given || body.angular_velocity.has_value();
      if (!twist_given && turn_given) wanted.angular = *body.angular_velocity;
      if (locks_[i].velocity)
        std::copy_n(given_v_.data() + joint.v_offset, joint.nv, v);
      else if (turn_given)
        fit_rates(joint, motion, in, bodies[i], wanted, !twist_given, v);
      joint_motion(joint, q, v, motion);
      outboard_motion(joint, motion, in, bodies[i]);
      wanted_[i] = bodies[i].V;
      if (!turn_given) continue;
      double off = norm(wanted.angular - bodies[i].V.angular);
      if (twist_given) off = std::max(off, norm(wanted.linear - bodies[i].V.linear));
      if (locks_[i].velocity && off > allowed_velocity_violation) {
        if (!joint_wins) complain(i, "initial.velocity",
                 fmt::format("the velocity given to body `{}` differs from the one given to joint `{}` by {:.3g}: the joint's is taken",
                             body.name, joint.name, off),
                 "give the velocity once, to the body or to the joint", Severity::warning);
        joint_wins = true;
        continue;
      }
      if (twist_given) wanted_[i] = wanted; else wanted_[i].angular = wanted.angular;
      if (off > misfit) {
        misfit = off;
        worst = i;
      }
    }
    std::copy(bodies.begin(), bodies.end(), std::back_inserter(drawn_));
    const bool loops_open = loop_velocity_violation(bodies) > allowed_velocity_violation;
    const bool cut_given = std::any_of(locks_.begin() + static_cast<std::ptrdiff_t>(n), locks_.end(), [](const JointLock& l) { return l.velocity; });
    if (misfit <= allowed_velocity_violation && !loops_open && !cut_given) {
      cut_rates(bodies);
      return;
    }
    if (misfit > allowed_velocity_violation) {
      const BodyItem& body = parts_.description.bodies[parts_.forest.order[worst]];
      parts_.report(diagnostics_, Severity::warning, body, {}, {},
                    fmt::format("the initial velocities violate the joints, by {:.3g} at body `{}` and its joint `{}`: the "
                                "nearest velocities (in the inertia metric) that respect them are taken",
                                misfit, body.name, view().joints[worst].name),
                    "give velocities that fit the joints, or give joint rates (initial.velocity)");
    }
    for (std::size_t i = 0; i < n; ++i) drawn_[i].V = wanted_[i];
    project(drawn_, parts_.q, "as drawn");
  }

  /// Rates that bring the outboard body's twist nearest to a wanted one (its angular part only, if so).
  static void fit_rates(const JointData& joint, const JointMotion& motion, const BodyMotion& in, const BodyMotion& out,
                        const Spatial& wanted, bool angular_only, double* v) {
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

  double loop_velocity_violation(std::span<const BodyMotion> bodies) {
    double worst = 0;
    JointConstraint c;
    double v[6];
    for (const JointData& joint : view().cut_joints()) {
      joint_constraint(joint, motion_of(joint.base, bodies), motion_of(joint.moving, bodies), parts_.q.data() + joint.q_offset, v, c);
      for (std::size_t k = 0; k < c.rows; ++k) worst = std::max(worst, std::abs(dot(c.T[k], c.relative.twist)));
    }
    return worst;
  }

  /// Rates of the cut joints follow from the bodies.
  void cut_rates(std::span<const BodyMotion> bodies) {
    JointConstraint c;
    for (const JointData& joint : view().cut_joints())
      joint_constraint(joint, motion_of(joint.base, bodies), motion_of(joint.moving, bodies),
                       parts_.q.data() + joint.q_offset, parts_.v.data() + joint.v_offset, c);
  }

  /// Nearest velocities that respect joints and given rates; given rates that contradict a loop are freed.
  bool project(std::vector<BodyMotion>& bodies, std::vector<double>& q, std::string_view where) {
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
    if (!keep_what_loops_allow(&JointLock::velocity, attempt)) {
      const std::string message = fmt::format("no velocities respect all joints {}: {}", where, why);
      diagnostics_.report({Severity::error, message, "check the bodies' masses and the joints around the one named", {},
                           parts_.description.file, 0, 0});
      return false;
    }
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      const JointData& joint = view().joints[i];
      for (std::size_t k = 0; locks_[i].velocity && k < joint.nv; ++k) {
        const double given = given_v_[joint.v_offset + k], now = parts_.v[joint.v_offset + k];
        if (std::abs(given - now) <= allowed_velocity_violation) continue;
        complain(i, "initial.velocity", fmt::format("the loops do not allow the given rate {:.6g}: {:.6g} is taken", given, now),
                 "give rates to as many joints as the loops leave free", Severity::warning);
      }
    }
    return true;
  }

  /// Tries with every given value kept; failing that, keeps them one by one in the order of the tree as long as the
  /// loops allow it. The last attempt is the successful one.
  template <class Attempt>
  bool keep_what_loops_allow(bool JointLock::*what, Attempt attempt) {
    std::vector<JointLock> locks(locks_.size());
    for (std::size_t i = 0; i < locks.size(); ++i) locks[i].*what = locks_[i].*what;
    if (attempt(std::span<const JointLock>(locks))) return true;
    std::vector<JointLock> kept(locks_.size());
    if (!attempt(std::span<const JointLock>(kept))) return false;
    bool last_succeeded = true;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      if (!(locks[i].*what)) continue;
      kept[i].*what = true;
      last_succeeded = attempt(std::span<const JointLock>(kept));
      kept[i].*what = last_succeeded;
    }
    return last_succeeded || attempt(std::span<const JointLock>(kept));
  }

  // -- positions ----------------------------------------------------------------------------------------------------

  bool close_loops() {
    const std::vector<double> given = parts_.q;
    std::string why;
    double residual = 0;
    if (!keep_what_loops_allow(&JointLock::position,
                               [&](std::span<const JointLock> locks) { return try_close(locks, given, why, residual); })) {
      report_open_loop(given, why, residual);
      return false;
    }
    for (std::size_t i = 0; i < locks_.size(); ++i) {
      const JointData& joint = view().joints[i];
      double off = 0;
      for (std::size_t k = 0; locks_[i].position && k < joint.nq; ++k)
        off = std::max(off, std::abs(given[joint.q_offset + k] - parts_.q[joint.q_offset + k]));
      if (off <= 1e-9) continue;
      complain(i, "initial.position",
               fmt::format("the loops do not allow the given position of joint `{}`: it was moved by {:.3g} to close them", joint.name, off),
               "give positions to as many joints as the loops leave free", Severity::warning);
    }
    return true;
  }

  bool try_close(std::span<const JointLock> locks, const std::vector<double>& start, std::string& why, double& residual) {
    parts_.q = start;
    const std::vector<double> still(view().nv);
    tree_.evaluate(parts_.q.data(), still.data());
    std::vector<Quat> orientations(view().bodies.size());
    tree_.orientations(parts_.q.data(), orientations);
    std::vector<Pose> poses(orientations.size());
    for (std::size_t i = 0; i < poses.size(); ++i) poses[i] = {orientations[i], tree_.bodies()[i].p};
    AbsoluteSystem system(view(), locks);
    system.set_targets(given_q_, given_v_);
    PositionCorrection correction;
    const bool closed = system.correct_positions(0, poses, parts_.q, assembly_tolerance, correction);
    why = system.failure();
    residual = correction.residual;
    return closed;
  }

  void report_open_loop(const std::vector<double>& start, const std::string& why, double residual) {
    if (view().cut_joints().empty()) {
      const std::string message = fmt::format("the constraints cannot be met from the given initial positions: a residual of {:.3g} remains ({})",
                                              residual, why);
      diagnostics_.report({Severity::error, message, "give initial positions nearer to what the constraints ask for", {},
                           parts_.description.file, 0, 0});
      return;
    }
    // The loop that was most open at the given coordinates is the one to name.
    const std::vector<double> still(view().nv);
    tree_.evaluate(start.data(), still.data());
    std::size_t worst = 0;
    double most = -1;
    for (std::size_t k = 0; k < view().cut_joints().size(); ++k) {
      const JointData& joint = view().cut_joints()[k];
      JointConstraint c;
      double v[6];
      std::vector<double> q(start.begin() + static_cast<std::ptrdiff_t>(joint.q_offset),
                            start.begin() + static_cast<std::ptrdiff_t>(joint.q_offset + joint.nq));
      joint_constraint(joint, motion_of(joint.base, tree_.bodies()), motion_of(joint.moving, tree_.bodies()), q.data(), v, c);
      for (std::size_t r = 0; r < c.rows; ++r) {
        if (std::abs(c.residual[r]) <= most) continue;
        most = std::abs(c.residual[r]);
        worst = k;
      }
    }
    const Loop& loop = parts_.forest.loops[worst];
    std::string names = parts_.description.joints[loop.cut_edge].name;
    for (const std::size_t edge : loop.base_path) names += fmt::format(", {}", parts_.description.joints[edge].name);
    for (const std::size_t edge : loop.moving_path) names += fmt::format(", {}", parts_.description.joints[edge].name);
    parts_.report(diagnostics_, Severity::error, parts_.description.joints[loop.cut_edge], {}, {},
                  fmt::format("the loop through the joints {} cannot be closed from the given initial positions: a residual of "
                              "{:.3g} remains ({})", names, residual, why),
                  "give initial positions nearer to a closed loop, or fewer of them");
  }

  /// Rates at the moved pose: those found as drawn, projected onto the loops there.
  bool close_velocities() {
    tree_.evaluate(parts_.q.data(), parts_.v.data());
    std::vector<BodyMotion> bodies(tree_.bodies().begin(), tree_.bodies().end());
    if (view().constraints.empty() && loop_velocity_violation(bodies) <= 1e-12) {
      cut_rates(bodies);
      return true;
    }
    return project(bodies, parts_.q, "at the initial position");
  }

  void flexible_and_states() {
    parts_.eta.assign(view().modes, 0.0);
    parts_.etadot.assign(view().modes, 0.0);
    for (const FlexibleData& f : view().flexible)
      f.type->initial_state(f.instance, {parts_.eta.data() + f.mode_offset, f.modes}, {parts_.etadot.data() + f.mode_offset, f.modes});
    parts_.x.assign(view().states, 0.0);
    const ForceSet forces(view());
    if (forces.good())
      forces.initial_states(parts_.x);
    else
      diagnostics_.error("memory ran out while the force elements were made");
    for (const ModuleGroup& group : view().modules) {
      ModuleBatch* batch = group.type->create(group.instances);
      if (batch == nullptr) {
        diagnostics_.error("memory ran out while the modules were made");
        continue;
      }
      const std::size_t u = group.type->variables() * group.instances.size(), x = group.type->states() * group.instances.size();
      batch->initial_state({parts_.x.data() + group.state_offset, u}, {parts_.x.data() + group.state_offset + u, x});
      batch->destroy();
    }
  }

  System::Parts& parts_;
  Diagnostics& diagnostics_;
  std::vector<JointLock> locks_;
  TreeKinematics tree_;
  std::vector<double> given_q_, given_v_;
  std::vector<Spatial> wanted_;
  std::vector<BodyMotion> drawn_;
  bool moved_ = false;
};

}  // namespace

bool build_initial_state(System::Parts& parts, Diagnostics& diagnostics) { return InitialState(parts, diagnostics).build(); }

}  // namespace polyform::host
