#include "framework/workbench/conformance/state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/solvers/absolute_system.hpp"

namespace polyform::host::inline conformance {

namespace {

constexpr double nearby = 0.1;      ///< how far from the drawn configuration loops are closed, rad or m
constexpr double short_way = 0.01;  ///< rad or m
constexpr double some_way = 1.2;    ///< how far from it a joint of a tree is taken, rad or m

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
  // Rows that are nonlinear in velocities take several steps.
  constexpr int most_steps = 20;
  constexpr double met = 1e-12;
  double violation = 1;  // before the step
  for (int step = 0; step < most_steps && violation > met; ++step)
    if (!system.project_velocities(0, bodies, s.q, s.v, violation, false, s.eta, s.etadot, s.x)) return false;
  return violation <= 1e-9;
}

/// The longest of the times dt, dt/4, dt/16 … in which the rates change little along themselves.
template <class Rates>
double calm_time(const std::vector<double>& x, double dt, Rates rates_at) {
  constexpr double much = 0.2, shortest = 1e-12;
  const std::vector<double> now = rates_at(x);
  const auto calm = [&] {
    std::vector<double> ahead = x;
    for (std::size_t i = 0; i < x.size(); ++i) ahead[i] += dt * now[i];
    const std::vector<double> then = rates_at(ahead);
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!(std::abs(then[i] - now[i]) <= much * std::abs(now[i])) && then[i] != now[i]) return false;
    return true;
  };
  while (dt > shortest && !calm()) dt /= 4;
  return dt;
}

std::vector<double> random_parts(std::size_t count, Random& random) { return random.numbers(count, 1); }

/// First-order states of which the types tell how large they are get such values.
void spread_states(const System& system, State& s, Random& random) {
  const SystemView& view = system.view();
  const auto spread = [&](const auto& type, ValueRanges::Kind kind, std::size_t count, const ElementInstance& instance,
                          std::size_t offset) {
    const std::vector<ValueRange> ranges = ranges_of(type, kind, count, instance.fields);
    for (std::size_t k = 0; k < count; ++k)
      if (ranges[k].typical > 0) s.x[offset + k] = in_range(ranges[k], random.uniform(-1, 1), 0, s.x[offset + k]);
  };
  for (const ForceInstances& g : view.forces)
    for (std::size_t i = 0; i < g.instances.size(); ++i)
      spread(*g.type, ValueRanges::Kind::state, g.type->state_count(), g.instances[i],
             g.state_offset + i * g.type->state_count());
  for (const ModuleInstances& g : view.modules) {
    const std::size_t variables = g.type->variables().size(), states = g.type->states().size();
    const std::size_t first = g.state_offset + g.instances.size() * variables;
    for (std::size_t i = 0; i < g.instances.size(); ++i)
      spread(*g.type, ValueRanges::Kind::state, states, g.instances[i], first + i * states);
  }
}

/// Modules mostly start at rest, which tells nothing: their variables get other values, their states move a little.
void stir_modules(const SystemView& view, State& s, Random& random) {
  ModuleSet modules(view);
  if (!modules.good()) throw Failure(Exit::simulation_failed, "create() gives no batch of a module in the model");
  for (const ModuleInstances& g : view.modules) {
    const std::size_t variables = g.type->variables().size();
    for (std::size_t i = 0; i < g.instances.size(); ++i) {
      const std::vector<ValueRange> ranges =
          ranges_of(*g.type, ValueRanges::Kind::variable, variables, g.instances[i].fields);
      for (std::size_t k = 0; k < variables; ++k) {
        double& u = s.x[g.state_offset + i * variables + k];
        u = in_range(ranges[k], random.uniform(-1, 1), 1, u);
      }
    }
  }
  TreeKinematics tree(view);
  sweep(tree, s);
  const auto rates_at = [&](const std::vector<double>& x) {
    modules.evaluate(0, tree.frames(), s.q, s.v, x);
    std::vector<double> rates(x.size());
    modules.put_rates(rates);
    return rates;
  };
  const std::vector<double> rates = rates_at(s.x);
  const double time = calm_time(s.x, 0.05, rates_at);
  for (std::size_t i = 0; i < rates.size(); ++i) s.x[i] += time * rates[i];
}

/// One way along q̇ = N(q) v in so many Runge–Kutta steps. True when all slopes were the same, so that it is exact.
bool carry(const JointData& joint, std::span<double> q, std::span<const double> v0, std::span<const double> vdot,
           double time, int steps) {
  const double h = time / steps;
  bool even = true;
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
    even = even && k1 == k2 && k2 == k3 && k3 == k4;
    for (std::size_t i = 0; i < joint.nq; ++i) q[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return even;
}

}  // namespace

void flow(const JointData& joint, std::span<double> q, std::span<const double> v0, std::span<const double> vdot,
          double time) {
  if (joint.nq == 0) return;
  double fastest = 0;
  for (std::size_t k = 0; k < joint.nv; ++k) fastest = std::max(fastest, std::abs(v0[k]) + std::abs(vdot[k] * time));
  int steps = 1 + static_cast<int>(std::min(200 * std::abs(time) * fastest, 1e5));
  const std::vector<double> from(q.begin(), q.end());
  const bool even = carry(joint, q, v0, vdot, time, steps);
  if (even || joint.kernel == nullptr || std::abs(time) * fastest > short_way) return;
  // N of a code-defined joint may turn arbitrarily fast: the steps are doubled until that changes nothing, or until the
  // change shrinks no more. The last digit of a long way's end does not matter.
  constexpr int most_steps = 1 << 17;
  constexpr double enough = 1e-13;
  for (double last = std::numeric_limits<double>::infinity(); steps < most_steps;) {
    steps *= 2;
    std::vector<double> finer = from;
    carry(joint, finer, v0, vdot, time, steps);
    double change = 0, size = 1;
    for (std::size_t i = 0; i < joint.nq; ++i) {
      change = std::max(change, std::abs(finer[i] - q[i]));
      size = std::max(size, std::abs(finer[i]));
    }
    std::ranges::copy(finer, q.begin());
    if (!(change > enough * size) || (change > last / 2 && change < 1e-9 * size)) return;
    last = change;
  }
}

std::vector<double> random_coordinates(const JointData& joint, const JointSizes& sizes, Random& random) {
  std::vector<double> q(joint.nq), along = random_parts(joint.nv, random), rest(joint.nv);
  joint_neutral(joint, q.data());
  const bool told = std::ranges::any_of(sizes.q, [](const ValueRange& r) { return r.typical > 0; }) || sizes.bounded();
  if (told && own_positions(joint) == joint.nv) {
    if (joint.nq > joint.nv) q[joint.nv] = random.uniform(0, 1);
    for (std::size_t k = 0; k < joint.nv; ++k) q[k] = in_range(sizes.q[k], along[k], some_way, q[k]);
    return q;
  }
  for (double& x : along) x *= some_way;
  flow(joint, q, along, rest, 1);
  joint_normalize(joint, q.data());
  return q;
}

std::vector<double> random_velocities(const JointData& joint, const JointSizes& sizes, double size, Random& random) {
  std::vector<double> v = random_parts(joint.nv, random);
  for (std::size_t k = 0; k < joint.nv; ++k) v[k] = in_range(sizes.v[k], v[k], size);
  return v;
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
  std::vector<JointSizes> sizes;
  for (const JointData& joint : view.joints) {
    sizes.push_back(sizes_of(system, joint));
    std::ranges::copy(random_velocities(joint, sizes.back(), 1.5, random),
                      s.v.begin() + static_cast<std::ptrdiff_t>(joint.v_offset));
  }
  for (const FlexibleData& body : view.flexible) {
    const std::vector<ValueRange> modes =
        ranges_of(*body.type, ValueRanges::Kind::mode, body.modes, body.instance->fields);
    for (std::size_t k = 0; k < body.modes; ++k) {
      double& eta = s.eta[body.mode_offset + k];
      eta = in_range(modes[k], random.uniform(-1, 1), 0.02, eta);
    }
    keep_modes_valid(body, part(s.eta, body.mode_offset, body.modes));
  }
  s.etadot = random.numbers(view.modes, 0.1);
  spread_states(system, s, random);
  const bool closed = !view.cut_joints().empty() || !view.constraints.empty();
  for (std::size_t j = 0; j < view.bodies.size(); ++j) {
    const JointData& joint = view.joints[j];
    const std::span<double> q = part(s.q, joint.q_offset, joint.nq);
    if (closed) {
      const std::vector<double> rest(joint.nv);
      std::vector<double> along = random.numbers(joint.nv, nearby);
      for (std::size_t k = 0; k < joint.nv && joint.nq == joint.nv; ++k)
        if (sizes[j].q[k].typical > 0) along[k] *= sizes[j].q[k].typical;
      flow(joint, q, along, rest, 1);
      joint_normalize(joint, q.data());
    } else {
      std::ranges::copy(random_coordinates(joint, sizes[j], random), q.begin());
    }
  }
  set_clocks(view, 0, s.q);
  if (!closed && view.modules.empty()) return s;
  stir_modules(view, s, random);
  if (close(view, s)) return s;
  // If the loops cannot be closed near by, the configuration is the drawn one.
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
    place(0);
    const auto rates_at = [&](const std::vector<double>& x) {
      std::vector<double> rates(x.size());
      forces_.evaluate(clock(0), tree_.frames(), now_.q, now_.v, x, wrenches_, efforts_, rates);
      return rates;
    };
    const double step = calm_time(start_.x, 1e-4, rates_at);
    for (int i = 0; i < 100; ++i) {
      const std::vector<double> rates = rates_at(start_.x);
      for (std::size_t k = 0; k < rates.size(); ++k) start_.x[k] += step * rates[k];
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
  if (!start_.x.empty()) follow_states(std::abs(t) < longest_follow ? t : 0);
  place(t);
}

std::vector<Spatial> Path::accelerations() {
  std::vector<Spatial> out(view_.frames());
  go(0);
  tree_.accelerations(vdot_.data(), out, etaddot_.data());
  return out;
}

}  // namespace polyform::host::conformance
