#include "framework/workbench/linearization/driven.hpp"

#include <algorithm>
#include <cmath>

#include "framework/workbench/linearization/functions_of_time.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline linearization {
namespace {

/// Functions of time rest if their rates and the rates of these are below this, in SI units: rounding of constant
/// tables.
constexpr double not_driven = 1e-12;

bool moves_any(std::span<const double> values) {
  return std::ranges::any_of(values, [](double x) { return std::abs(x) > not_driven; });
}
bool moves_any(const Spatial& s) { return norm(s.angular) > not_driven || norm(s.linear) > not_driven; }

/// Finds what drives joints and elements at a time while nothing else moves.
class Drives {
 public:
  Drives(const SystemView& view, const OperatingPoint& point) : view_(view), state_(point.state) {
    std::fill(state_.v.begin(), state_.v.end(), 0.0);
    std::fill(state_.etadot.begin(), state_.etadot.end(), 0.0);
  }

  /// Notes joints and elements that move or accelerate at the point's time, or accelerate at a later time.
  void look(double time, bool later) {
    is_later_ = later;
    set_clocks(view_, time, state_.q);
    look_at_joints();
    if (!view_.constraints.empty() || !view_.modules.empty()) look_at_rows(time);
  }
  std::vector<Driven> all;

 private:
  void look_at_joints() {
    for (const JointData& joint : view_.joints) {
      if (rheonomic_kernel(joint) == nullptr) continue;
      JointMotion motion;
      joint_motion(joint, state_.q.data() + joint.q_offset, state_.v.data() + joint.v_offset, motion);
      add("joint", joint.name, moves_any(motion.twist), moves_any(motion.bias));
    }
  }

  /// If all frames are at rest, the rows ask only for rates that functions of time give.
  void look_at_rows(double time) {
    TreeKinematics tree(view_);
    tree.evaluate(state_.q.data(), state_.v.data(), state_.eta.data(), state_.etadot.data());
    std::vector<BodyMotion> frames(tree.frames().begin(), tree.frames().end());
    for (BodyMotion& frame : frames) frame.V = {};
    ConstraintSet constraints(view_);
    constraints.follow(state_.discrete);
    constraints.evaluate(time, frames, state_.q, state_.v);
    for (const ConstraintSet::Element& e : constraints.elements()) look_at(e, "constraint");
    ModuleSet modules(view_);
    modules.follow(state_.discrete);
    modules.evaluate(time, frames, state_.q, state_.v, state_.x);
    for (const ModuleSet::Module& m : modules.modules()) look_at(m.rows, "module");
  }

  void look_at(const ConstraintSet::Element& e, const char* kind) {
    const bool moves = moves_any(e.velocity_right), accelerates = moves_any(e.acceleration_right);
    for (const JointIndex j : e.joints) add("joint", view_.joints[at(j)].name, moves, accelerates);
    if (e.joints.empty()) add(kind, e.name, moves, accelerates);
  }

  void add(const char* kind, std::string_view name, bool moves, bool accelerates) {
    if (is_later_ ? !accelerates : !moves && !accelerates) return;
    const auto known = std::ranges::find_if(all, [&](const Driven& d) { return d.kind == kind && d.name == name; });
    Driven& one = known != all.end() ? *known : all.emplace_back(Driven{kind, std::string(name), false, false});
    one.moves |= moves && !is_later_;
    one.accelerates |= accelerates && !is_later_;
    one.changes |= accelerates && is_later_;
  }

  const SystemView& view_;
  CanonicalState state_;
  bool is_later_ = false;
};

}  // namespace

std::vector<Driven> find_driven(const System& system, const OperatingPoint& point) {
  VariedView varied(system.view(), point.trimmed);
  varied.set(point.offsets);
  Drives drives(varied.view(), point);
  drives.look(point.time, false);
  const double duration = system.description().simulation.duration.value_or(10);
  for (const double later : later_times(varied.view(), point.time, duration)) drives.look(point.time + later, true);
  return std::move(drives.all);
}

}  // namespace polyform::host::linearization
