#include "framework/workbench/linearization/driven.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline linearization {
namespace {

/// Rates and their rates below which functions of time rest, in SI units: rounding of a table whose rows are equal.
constexpr double not_driven = 1e-12;

bool moves_any(std::span<const double> values) {
  return std::ranges::any_of(values, [](double x) { return std::abs(x) > not_driven; });
}
bool moves_any(const Spatial& s) { return norm(s.angular) > not_driven || norm(s.linear) > not_driven; }

}  // namespace

std::vector<Driven> find_driven(const System& system, const OperatingPoint& point) {
  VariedView varied(system.view(), point.trimmed);
  varied.set(point.offsets);
  const SystemView& view = varied.view();
  std::vector<Driven> out;
  const auto add = [&](const char* kind, std::string_view name, bool moves, bool accelerates) {
    if (!moves && !accelerates) return;
    for (Driven& known : out) {
      if (known.kind != kind || known.name != name) continue;
      known.moves |= moves;
      known.accelerates |= accelerates;
      return;
    }
    out.push_back({kind, std::string(name), moves, accelerates});
  };
  CanonicalState s = point.state;
  std::fill(s.v.begin(), s.v.end(), 0.0);
  std::fill(s.etadot.begin(), s.etadot.end(), 0.0);
  set_clocks(view, point.time, s.q);
  for (const JointData& joint : view.joints) {
    if (rheonomic_kernel(joint) == nullptr) continue;
    JointMotion motion;
    joint_motion(joint, s.q.data() + joint.q_offset, s.v.data() + joint.v_offset, motion);
    add("joint", joint.name, moves_any(motion.twist), moves_any(motion.bias));
  }
  if (view.constraints.empty() && view.modules.empty()) return out;
  // With all frames at rest the rows ask for what functions of time make of them alone.
  TreeKinematics tree(view);
  tree.evaluate(s.q.data(), s.v.data(), s.eta.data(), s.etadot.data());
  std::vector<BodyMotion> frames(tree.frames().begin(), tree.frames().end());
  for (BodyMotion& frame : frames) frame.V = {};
  const auto look = [&](const ConstraintSet::Element& e, const char* kind) {
    const bool moves = moves_any(e.velocity_right), accelerates = moves_any(e.acceleration_right);
    for (const JointIndex j : e.joints) add("joint", view.joints[at(j)].name, moves, accelerates);
    if (e.joints.empty()) add(kind, e.name, moves, accelerates);
  };
  ConstraintSet constraints(view);
  constraints.follow(s.discrete);
  constraints.evaluate(point.time, frames, s.q, s.v);
  for (const ConstraintSet::Element& e : constraints.elements()) look(e, "constraint");
  ModuleSet modules(view);
  modules.follow(s.discrete);
  modules.evaluate(point.time, frames, s.q, s.v, s.x);
  for (const ModuleSet::Module& m : modules.modules()) look(m.rows, "module");
  return out;
}

}  // namespace polyform::host::linearization
