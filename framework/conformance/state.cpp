#include "framework/conformance/state.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "polyform/absolute_system.hpp"
#include "polyform/constraint.hpp"
#include "polyform/module_set.hpp"

namespace polyform::host {

namespace {

constexpr double nearby = 0.1;  ///< how far from the drawn configuration loops are closed, rad or m

std::span<double> part(std::vector<double>& all, std::size_t offset, std::size_t count) {
  return std::span(all).subspan(offset, count);
}

void sweep(TreeKinematics& tree, const State& s) {
  tree.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
}

/// Poses of the bodies in a motion.
std::vector<Pose> poses_of(std::span<const BodyMotion> bodies) {
  std::vector<Pose> poses;
  for (const BodyMotion& b : bodies) poses.push_back({quaternion_of(b.R), b.p});
  return poses;
}

/// Moves a state onto the loops, constraint elements and rows of modules. False when that fails.
bool close(const SystemView& view, State& s) {
  AbsoluteSystem system(view);
  system.hold_modes();
  TreeKinematics tree(view);
  sweep(tree, s);
  std::vector<Pose> poses = poses_of(tree.bodies());
  PositionCorrection correction;
  if (!system.correct_positions(0, poses, s.q, 1e-12, correction, s.eta, s.x)) return false;
  std::vector<BodyMotion> bodies(tree.bodies().begin(), tree.bodies().end());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].R = rotation_matrix(poses[i].orientation);
    bodies[i].p = poses[i].position;
  }
  double violation = 0;
  return system.project_velocities(0, bodies, s.q, s.v, violation, false, s.eta, s.etadot, s.x);
}

/// Modules mostly start at rest, which tells nothing: their variables get other values, their states move a little.
void stir_modules(const SystemView& view, State& s, Random& random) {
  ModuleSet modules(view);
  if (!modules.good()) throw Failure(Exit::simulation_failed, "create() gives no batch of a module in the model");
  for (const ModuleSet::Module& m : modules.modules())
    for (double& u : part(s.x, m.u, m.variables)) u += random.uniform(-1, 1);
  TreeKinematics tree(view);
  sweep(tree, s);
  modules.evaluate(0, tree.frames(), s.q, s.v, s.x);
  std::vector<double> rates(s.x.size());
  modules.put_rates(rates);
  for (std::size_t i = 0; i < rates.size(); ++i) s.x[i] += 0.05 * rates[i];
}

}  // namespace

void flow(const JointData& joint, std::span<double> q, std::span<const double> v0, std::span<const double> vdot,
          double time) {
  if (joint.nq == 0) return;
  double fastest = 0;
  for (std::size_t k = 0; k < joint.nv; ++k) fastest = std::max(fastest, std::abs(v0[k]) + std::abs(vdot[k] * time));
  const int steps = 1 + static_cast<int>(200 * std::abs(time) * fastest);
  const double h = time / steps;
  std::vector<double> v(joint.nv), k1(joint.nq), k2(joint.nq), k3(joint.nq), k4(joint.nq), at(joint.nq);
  const auto slope = [&](double t, const std::vector<double>* k, double ahead, std::vector<double>& out) {
    for (std::size_t i = 0; i < joint.nv; ++i) v[i] = v0[i] + vdot[i] * (t + ahead);
    for (std::size_t i = 0; i < joint.nq; ++i) at[i] = q[i] + (k != nullptr ? ahead * (*k)[i] : 0);
    joint_position_rates(joint, at.data(), v.data(), out.data());
  };
  for (int step = 0; step < steps; ++step) {
    const double t = step * h;
    slope(t, nullptr, 0, k1);
    slope(t, &k1, h / 2, k2);
    slope(t, &k2, h / 2, k3);
    slope(t, &k3, h, k4);
    for (std::size_t i = 0; i < joint.nq; ++i) q[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
}

std::vector<double> random_coordinates(const JointData& joint, Random& random) {
  std::vector<double> q(joint.nq), rest(joint.nv);
  joint_neutral(joint, q.data());
  flow(joint, q, random.numbers(joint.nv, 1.2), rest, 1);
  joint_normalize(joint, q.data());
  return q;
}

void read_joints(const SystemView& view, std::span<const BodyMotion> frames, std::vector<double>& q,
                 std::vector<double>& v) {
  for (const JointData& joint : view.joints) {
    JointConstraint constraint;
    joint_constraint(joint, motion_of(joint.base_frame, frames), motion_of(joint.moving_frame, frames),
                     q.data() + joint.q_offset, v.data() + joint.v_offset, constraint);
  }
}

State random_state(const System& system, Random& random) {
  const SystemView& view = system.view();
  const State drawn(system.initial_state());
  State s = drawn;
  s.v = random.numbers(view.nv, 1.5);
  for (double& x : s.eta) x += random.uniform(-0.02, 0.02);
  s.etadot = random.numbers(view.modes, 0.1);
  const bool closed = !view.cut_joints().empty() || !view.constraints.empty();
  for (const JointData& joint : view.tree_joints()) {
    const std::span<double> q = part(s.q, joint.q_offset, joint.nq);
    if (closed) {
      const std::vector<double> rest(joint.nv);
      flow(joint, q, random.numbers(joint.nv, nearby), rest, 1);
      joint_normalize(joint, q.data());
    } else {
      std::ranges::copy(random_coordinates(joint, random), q.begin());
    }
  }
  if (!closed && view.modules.empty()) return s;
  stir_modules(view, s, random);
  if (close(view, s)) return s;
  // Where the loops cannot be closed near by, the configuration is the drawn one.
  s.q = drawn.q;
  if (close(view, s)) return s;
  return drawn;
}

void add_turns(const SystemView& view, State& s, Random& random) {
  for (const JointData& joint : view.joints) {
    double* q = s.q.data() + joint.q_offset;
    for (const Primitive& primitive : joint.primitives) {
      if (primitive.kind == Primitive::Kind::rotation) *q += 2 * std::numbers::pi * random.integer(-3, 3);
      q += position_count(primitive.kind);
    }
  }
}

Path::Path(const SystemView& view, const State& start, Random& random)
    : view_(view),
      start_(start),
      now_(start),
      vdot_(random.numbers(view.nv, 2)),
      etaddot_(random.numbers(view.modes, 0.1)),
      tree_(view),
      forces_(view),
      wrenches_(view.frames()),
      efforts_(view.nv) {
  // First-order states that start at rest tell nothing: they are let run for a while at the start.
  if (!start_.x.empty()) {
    std::vector<double> rates(start_.x.size());
    for (int step = 0; step < 100; ++step) {
      place(0);
      forces_.evaluate(clock(0), tree_.frames(), now_.q, now_.v, start_.x, wrenches_, efforts_, rates);
      for (std::size_t i = 0; i < rates.size(); ++i) start_.x[i] += 1e-4 * rates[i];
    }
  }
  go(0);
}

void Path::place(double t) {
  now_.q = start_.q;
  for (const JointData& joint : view_.joints)
    flow(joint, part(now_.q, joint.q_offset, joint.nq), std::span(start_.v).subspan(joint.v_offset, joint.nv),
         std::span(vdot_).subspan(joint.v_offset, joint.nv), t);
  for (std::size_t i = 0; i < now_.v.size(); ++i) now_.v[i] = start_.v[i] + t * vdot_[i];
  for (std::size_t i = 0; i < now_.eta.size(); ++i) {
    now_.eta[i] = start_.eta[i] + t * start_.etadot[i] + 0.5 * t * t * etaddot_[i];
    now_.etadot[i] = start_.etadot[i] + t * etaddot_[i];
  }
  sweep(tree_, now_);
}

/// Runge–Kutta steps of ẋ along the motion.
void Path::follow_states(double t) {
  constexpr int steps = 4;
  const double h = t / steps;
  const std::size_t n = start_.x.size();
  std::vector<double> x = start_.x, at(n), k[4];
  for (auto& slope : k) slope.resize(n);
  for (int step = 0; step < steps; ++step) {
    constexpr double ahead[] = {0, 0.5, 0.5, 1};
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t i = 0; i < n; ++i) at[i] = x[i] + (s > 0 ? ahead[s] * h * k[s - 1][i] : 0);
      const double then = (step + ahead[s]) * h;
      place(then);
      forces_.evaluate(clock(then), tree_.frames(), now_.q, now_.v, at, wrenches_, efforts_, k[s]);
    }
    for (std::size_t i = 0; i < n; ++i) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
  now_.x = x;
}

void Path::go(double t) {
  if (!start_.x.empty()) follow_states(t);
  place(t);
}

std::vector<Spatial> Path::accelerations() {
  std::vector<Spatial> out(view_.frames());
  go(0);
  tree_.accelerations(vdot_.data(), out, etaddot_.data());
  return out;
}

}  // namespace polyform::host
