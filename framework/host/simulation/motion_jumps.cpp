#include "framework/host/simulation/motion_jumps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/solver_failure.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline simulation {

namespace {

// A change is a jump if it is more than this share of the quantity that changes: less is rounding, or the change
// between the two times.
constexpr double jump_share = 1e-9;

/// What the rows of an element ask for at one instant.
struct Demand {
  const ConstraintSet::Element* element;
  std::vector<double> position, velocity, acceleration;  ///< shortly before a knot
  std::size_t jumps = 0;
  double first = 0, largest = 0;
  bool of_position = false;
};

}  // namespace

struct MotionJumps::Parts {
  explicit Parts(const SystemView& view_of)
      : view(view_of),
        q(view.nq),
        v(view.nv),
        eta(view.modes),
        etadot(view.modes),
        x(view.states),
        discrete(view.discrete),
        tree(view),
        constraints(view),
        modules(view),
        rheonomic(view) {
    const auto take = [&](const ConstraintSet::Element& e) {
      const std::vector<double> none(e.rows);
      demands.push_back({&e, none, none, none});
    };
    for (const ConstraintSet::Element& e : constraints.elements()) take(e);
    for (const ModuleSet::Module& m : modules.modules())
      if (m.rows.rows > 0) take(m.rows);
    constraints.follow(discrete);
    modules.follow(discrete);
  }
  void evaluate(double t) {
    constraints.evaluate(t, tree.frames(), q, v);
    modules.evaluate(t, tree.frames(), q, v, x);
  }
  const SystemView& view;
  std::vector<double> q, v, eta, etadot, x;
  std::vector<std::int32_t> discrete;
  TreeKinematics tree;
  ConstraintSet constraints;
  ModuleSet modules;
  RheonomicJoints rheonomic;
  std::vector<Demand> demands;
  std::optional<ObservationStore> observed;  ///< where something has jumped
};

namespace {

/// Whether a drift or a pose that is `from` shortly before a knot jumps there.
bool jumps(const Vec3& from, const Vec3& to, double size, double change) {
  return norm(to - from) > jump_share * size + change;
}

/// Failure where the motion of a joint jumps by the clock at a knot: its coordinates cannot take up an impulse.
void refuse_jump(const JointData& joint, std::span<double> q, double before, double at) {
  JointMotion from, to;
  const double still[6]{};
  q[joint.nq - 1] = before;
  joint_motion(joint, q.data(), still, from);
  q[joint.nq - 1] = at;
  joint_motion(joint, q.data(), still, to);
  const double turning = std::max(norm(from.twist.angular), norm(to.twist.angular)),
               going = std::max(norm(from.twist.linear), norm(to.twist.linear)),
               bending = std::max(norm(from.bias.linear), norm(to.bias.linear)),
               spinning = std::max(norm(from.bias.angular), norm(to.bias.angular)), part = 2 * (at - before);
  const Vec3 turned = rotation_vector(quaternion_of(times_transpose(to.R_FM, from.R_FM)));
  const char* what = nullptr;
  if (jumps(from.p_FM, to.p_FM, norm(from.p_FM) + norm(to.p_FM), part * going) || jumps({}, turned, 1, part * turning))
    what = "place";
  else if (jumps(from.twist.linear, to.twist.linear, going, part * bending) ||
           jumps(from.twist.angular, to.twist.angular, turning, part * spinning))
    what = "velocity";
  if (what == nullptr) return;
  throw Failure(Exit::simulation_failed,
                fmt::format("the {} that the clock gives to joint `{}` jumps at t = {:.6g} s: that takes an impulse, "
                            "which bodies with coordinates on it cannot take up",
                            what, joint.name, at),
                "Round the corner: a cubic table in place of a linear one or a ramp, or a start from rest. Where the "
                "impulse is meant, drive an ordinary joint by a constraint that prescribes its motion.");
}

}  // namespace

MotionJumps::MotionJumps(const SystemView& view, Solver& solver) : solver_(solver) {
  if (view.constraints.empty() && view.modules.empty() && RheonomicJoints(view).empty()) return;
  parts_ = std::make_unique<Parts>(view);
  if (!parts_->constraints.good() || !parts_->modules.good())
    throw Failure(Exit::simulation_failed, "the constraints and modules could not be made", "Perhaps memory ran out.");
  if (parts_->demands.empty() && parts_->rheonomic.empty()) parts_.reset();
}

MotionJumps::~MotionJumps() = default;

bool MotionJumps::look(double before, double at, std::span<const double> y) {
  if (!parts_) return false;
  Parts& p = *parts_;
  const StateView state{.q = p.q, .v = p.v, .eta = p.eta, .etadot = p.etadot, .x = p.x, .discrete = p.discrete};
  if (solver_.decode(y, state) != Status::ok) return false;  // the next step says why
  for (const JointData& joint : p.view.joints)
    if (rheonomic_kernel(joint) != nullptr)
      refuse_jump(joint, std::span(p.q).subspan(joint.q_offset, joint.nq), before, at);
  p.tree.evaluate(p.q.data(), p.v.data(), p.eta.data(), p.etadot.data());
  double reach = 0;
  for (const double q : p.q) reach = std::max(reach, std::abs(q));
  for (const BodyMotion& frame : p.tree.frames()) reach = std::max(reach, norm(frame.p));
  p.evaluate(before);
  for (Demand& d : p.demands) {
    std::ranges::copy(d.element->residual, d.position.begin());
    std::ranges::copy(d.element->velocity_right, d.velocity.begin());
    std::ranges::copy(d.element->acceleration_right, d.acceleration.begin());
  }
  p.evaluate(at);
  bool any = false;
  for (Demand& d : p.demands) {
    const std::size_t jumps = d.jumps;
    const auto see = [&](double from, double to, double least, bool of_position) {
      const double jump = std::abs(to - from);
      if (!(jump > least + std::numeric_limits<double>::min())) return;
      if (d.jumps == jumps) d.first = d.jumps++ == 0 ? at : d.first;
      d.largest = of_position == d.of_position ? std::max(d.largest, jump) : of_position ? jump : d.largest;
      d.of_position = d.of_position || of_position;
      any = true;
    };
    for (std::size_t r = 0; r < d.element->rows; ++r) {
      const double from = d.velocity[r], to = d.element->velocity_right[r];
      // A velocity that bends at zero is as small as the acceleration times the time between.
      const double bending = std::max(std::abs(d.acceleration[r]), std::abs(d.element->acceleration_right[r]));
      see(from, to, jump_share * std::max(std::abs(from), std::abs(to)) + 2 * bending * (at - before), false);
      if (d.element->holonomic)
        see(d.position[r], d.element->residual[r],
            jump_share * reach + std::max(std::abs(from), std::abs(to)) * (at - before), true);
    }
  }
  return any;
}

bool MotionJumps::any() const {
  return parts_ && std::ranges::any_of(parts_->demands, [](const Demand& d) { return d.jumps > 0; });
}

double MotionJumps::energy(double t, std::span<const double> y) {
  if (!parts_->observed) parts_->observed.emplace(parts_->view);
  Observation& now = parts_->observed->now();
  if (solver_.observe(t, y, now) != Status::ok) fail_solver(t, solver_.failure());
  return now.kinetic_energy + now.potential_energy;
}

std::vector<std::string> MotionJumps::warnings() const {
  std::vector<std::string> all;
  if (!parts_) return all;
  const auto more = [](std::size_t n) {
    return n == 0 ? std::string() : n == 1 ? " and once more" : fmt::format(" and {} more times", n);
  };
  for (const Demand& d : parts_->demands) {
    if (d.jumps == 0) continue;
    std::vector<std::string_view> joints;
    for (const JointIndex j : d.element->joints) joints.push_back(parts_->view.joints[at(j)].name);
    all.push_back(fmt::format(
        "what `{}` prescribes{} jumps at t = {:.6g} s{}, in its {} by up to {:.3g} (SI units): that takes an impulse, "
        "which no reaction shows, and how the rest of the system takes it up is not unique. Round the corners: a "
        "cubic table in place of a linear one, or a start from rest",
        d.element->name, joints.empty() ? "" : fmt::format(" in {}", fmt::join(joints, ", ")), d.first,
        more(d.jumps - 1), d.of_position ? "position" : "velocity", d.largest));
  }
  return all;
}

}  // namespace polyform::host::simulation
