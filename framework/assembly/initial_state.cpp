#include "framework/assembly/initial_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "polyform/force_set.hpp"

namespace polyform::host {

InitialState::InitialState(System::Parts& parts, Diagnostics& diagnostics)
    : parts_(parts), diagnostics_(diagnostics), locks_(parts.joints.size()), tree_(parts.view) {}

bool InitialState::build() {
  read_given();
  if (diagnostics_.failed()) return false;
  // As drawn all loops are closed; constraint elements need not hold there.
  moves_loops_ = !view().constraints.empty() || (moved_ && !view().cut_joints().empty());
  rates_as_drawn();
  if (diagnostics_.failed()) return false;
  parts_.q = given_q_;
  if (moves_loops_ && !(close_loops() && close_velocities())) return false;
  flexible_and_states();
  return !diagnostics_.failed();
}

void InitialState::read_given() {
  parts_.q.resize(view().nq);
  parts_.v.assign(view().nv, 0.0);
  for (const JointData& joint : view().joints) joint_neutral(joint, parts_.q.data() + joint.q_offset);
  given_q_ = parts_.q;
  given_v_ = parts_.v;
  for (std::size_t i = 0; i < view().joints.size(); ++i) {
    if (parts_.user_joint[i] == System::Parts::none) continue;
    read_joint(i, item(i).initial_position, view().joints[i].q_offset, view().joints[i].nq, "position", given_q_,
               locks_[i].position);
    read_joint(i, item(i).initial_velocity, view().joints[i].v_offset, view().joints[i].nv, "velocity", given_v_,
               locks_[i].velocity);
    if (!locks_[i].position) continue;
    const double off = joint_normalize(view().joints[i], given_q_.data() + view().joints[i].q_offset);
    if (off > 1e-6)
      complain(i, "initial.position", fmt::format("the quaternion's length differs from 1 by {:.3g}", off),
               "give a unit quaternion w x y z");
    moved_ = true;
  }
}

void InitialState::read_joint(std::size_t joint, const std::vector<double>& given, std::size_t offset,
                              std::size_t count, std::string_view what, std::vector<double>& into, bool& locked) {
  if (given.empty()) return;
  if (given.size() != count) {
    complain(joint, fmt::format("initial.{}", what),
             fmt::format("{} value{} given, but joint `{}` has {} {} coordinate{}", given.size(),
                         given.size() == 1 ? "" : "s", view().joints[joint].name, count, what, count == 1 ? "" : "s"),
             "see the joint's coordinates in the schema (polyform schema)");
    return;
  }
  std::copy(given.begin(), given.end(), into.begin() + static_cast<std::ptrdiff_t>(offset));
  locked = count > 0;
}

void InitialState::complain(std::size_t joint, std::string_view path, const std::string& message,
                            std::string_view remedy, Severity severity) {
  parts_.report(diagnostics_, severity, item(joint), item(joint).initial_place, path, message, remedy);
}

void InitialState::flexible_and_states() {
  parts_.eta.assign(view().modes, 0.0);
  parts_.etadot.assign(view().modes, 0.0);
  for (const FlexibleData& f : view().flexible)
    f.type->initial_state(f.instance, {parts_.eta.data() + f.mode_offset, f.modes},
                          {parts_.etadot.data() + f.mode_offset, f.modes});
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
    const std::size_t u = group.type->variables() * group.instances.size(),
                      x = group.type->states() * group.instances.size();
    batch->initial_state({parts_.x.data() + group.state_offset, u}, {parts_.x.data() + group.state_offset + u, x});
    batch->destroy();
  }
}

bool build_initial_state(System::Parts& parts, Diagnostics& diagnostics) {
  return InitialState(parts, diagnostics).build();
}

}  // namespace polyform::host
