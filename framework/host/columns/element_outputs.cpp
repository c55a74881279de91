#include "framework/host/columns/element_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/joint_units.hpp"
#include "framework/host/evaluation/own_batch.hpp"
#include "framework/host/expressions/formula_force.hpp"
#include "polyform/helpers/guarded.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline columns {

/// What is observed of all frames: bodies, then nodes.
struct ElementOutputs::Frames {
  explicit Frames(const SystemView& view) : nodes(view), motions(view.frames()), accelerations(view.frames()) {}
  void observe(const Observation& now) {
    observed_motions(now, nodes, motions);
    observed_accelerations(now, nodes, motions, accelerations);
  }
  NodeMotions nodes;
  std::vector<BodyMotion> motions;
  std::vector<Spatial> accelerations;
};

ElementOutputs::ElementOutputs(const SystemView& view) : view_(view), frames_(std::make_unique<Frames>(view)) {
  for (const ForceInstances& group : view.forces) add(group, "force");
  for (const ConstraintInstances& group : view.constraints) add(group, "constraint");
  for (const ModuleInstances& group : view.modules) add(group, "module");
  values_.resize(names_.size());
}

ElementOutputs::~ElementOutputs() = default;

template <class Group>
void ElementOutputs::add(const Group& group, const char* kind) {
  const Strided<const Variable> outputs = group.type->descriptor().outputs;
  const std::size_t instances = group.instances.size();
  Slice multipliers{module_row_, 0};
  if constexpr (std::is_same_v<Group, ModuleInstances>) {
    multipliers.count = instances * group.type->rows().size();
    module_row_ += multipliers.count;
  }
  if (outputs.empty()) return;
  auto [batch, object] = make_own_batch(group);
  auto* source = ask<OutputSource>(*batch);
  if (source == nullptr)
    throw Failure(Exit::simulation_failed,
                  fmt::format("the {} type {} declares outputs, but its batches have no {}", kind, group.type->name(),
                              OutputSource::interface_name),
                  "This is a mistake in the plugin: tell its author.");
  Batch& b = batches_.emplace_back(Batch{std::move(object),
                                         source,
                                         kind,
                                         Attachments(view_, group.instances, group.joints),
                                         {group.joints.begin(), group.joints.end()},
                                         {},
                                         {},
                                         {},
                                         multipliers,
                                         {},
                                         {},
                                         {},
                                         {},
                                         {},
                                         {}});
  if constexpr (std::is_same_v<Group, ForceInstances>) {
    b.states = {group.state_offset, group.type->state_count() * instances};
  } else if constexpr (std::is_same_v<Group, ModuleInstances>) {
    b.u = {group.state_offset, group.type->variables().size() * instances};
    b.x = {b.u.first + b.u.count, group.type->states().size() * instances};
  }
  b.values = {names_.size(), outputs.size() * instances};
  if (const void* formulas = group.type->query(FormulaForce::given_values))
    b.signals = static_cast<const FormulaForce*>(formulas)->programs().outputs.roots();
  b.discrete = {group.discrete_offset, group.type->descriptor().discrete.size() * instances};
  b.accelerations.resize(b.attached.markers().size());
  b.reactions.resize(b.joints.size());
  b.joint_accelerations.resize(b.attached.velocities());
  b.written = guarded<double>(b.values.count);
  const std::vector<const JointData*> joints = joint_of_each(view_, group);
  for (std::size_t i = 0; i < instances; ++i)
    for (const Variable& output : outputs) {
      Name& name = names_.emplace_back();
      name.element = element_name(group, group.names[i]);
      name.output = output;
      name.output.unit = unit_at_joint(output.unit, joints[i], 0);
    }
}

void ElementOutputs::gather(Batch& b, const Observation& now) {
  b.attached.gather(frames_->motions, now.q, now.v);
  for (std::size_t k = 0; k < b.accelerations.size(); ++k) {
    const FrameIndex f = b.attached.markers()[k].frame;
    if (is_ground(f)) continue;
    const Vec3& w = frames_->motions[at(f)].V.angular;
    const Vec3& arm = b.attached.arms()[k];
    const Spatial& a = frames_->accelerations[at(f)];
    b.accelerations[k] = {a.angular, a.linear + cross(a.angular, arm) + cross(w, cross(w, arm))};
  }
  double* vdot = b.joint_accelerations.data();
  for (std::size_t k = 0; k < b.joints.size(); ++k) {
    const JointData& joint = view_.joints[at(b.joints[k])];
    vdot = std::copy_n(now.acceleration.data() + joint.v_offset, joint.nv, vdot);
    b.reactions[k] = now.reactions[at(b.joints[k])];
  }
}

std::span<const double> ElementOutputs::evaluate(double t, const Observation& now) {
  frames_->observe(now);
  const std::span<double> x = now.x, rates = now.state_rates;
  for (Batch& b : batches_) {
    gather(b, now);
    const ForceInput attachments = b.attached.input(t, b.discrete.of(now.discrete), b.states.of(x));
    const OutputInput in{.attachments = &attachments,
                         .u = b.u.of(x),
                         .x = b.x.of(x),
                         .udot = b.u.of(rates),
                         .xdot = b.states.count > 0 ? b.states.of(rates) : b.x.of(rates),
                         .multipliers = b.multipliers.of(now.module_multipliers),
                         .accelerations = b.accelerations,
                         .joint_accelerations = b.joint_accelerations,
                         .reactions = b.reactions};
    const std::span<double> values = between(b.written);
    std::ranges::fill(values, std::numeric_limits<double>::quiet_NaN());
    const unsigned control = floating_point_control();
    b.outputs->evaluate_outputs(in, values);
    check_breach(control, b.outputs, b.kind, b.written);
    for (std::size_t k = 0; k < b.signals; ++k)
      if (!std::isfinite(values[k]))
        throw Failure(Exit::simulation_failed,
                      fmt::format("{} has no value at t = {:.9g} s", names_[b.values.first + k].output.name, t),
                      "Keep the arguments of its formula where it has one.");
    std::ranges::copy(values, values_.begin() + static_cast<std::ptrdiff_t>(b.values.first));
  }
  return values_;
}

bool has_outputs(const SystemView& view) {
  const auto any = [](const auto& groups) {
    return std::ranges::any_of(groups, [](const auto& g) { return !g.type->descriptor().outputs.empty(); });
  };
  return any(view.forces) || any(view.constraints) || any(view.modules);
}

}  // namespace polyform::host::columns
