#include "polyform/mechanics/module_set.hpp"

#include <algorithm>

#include "polyform/contract/initial_states.hpp"
#include "polyform/helpers/guarded.hpp"
#include "polyform/mechanics/discrete_values.hpp"

namespace polyform {

ModuleSet::ModuleSet(const SystemView& view, const Vec3& origin) : initial_(view.discrete), discrete_(initial_) {
  for (const ModuleInstances& group : view.modules) {
    ModuleBatch* batch = group.type->create(group.instances);
    if (batch == nullptr) {
      good_ = false;
      return;
    }
    const std::size_t count = group.instances.size(), rows = group.type->rows().size();
    const std::size_t u = group.type->variables().size(), x = group.type->states().size();
    Batch& b = batches_.emplace_back(Batch{batch,
                                           Attachments(view, group.instances, group.joints, origin),
                                           group.state_offset,
                                           count * u,
                                           group.state_offset + count * u,
                                           count * x,
                                           {},
                                           {},
                                           {},
                                           std::vector<double>(rows),
                                           {},
                                           group.discrete_offset,
                                           group.type->descriptor().discrete.size() * count});
    initial_discrete(*batch, std::span(initial_).subspan(b.discrete_offset, b.discrete_count));
    for (const Variable& row : group.type->rows()) b.holonomic_rows.push_back(row.holonomic ? 1 : 0);
    const std::size_t markers = b.attached.markers().size(), velocities = b.attached.velocities();
    b.spatial = guarded<Spatial>((rows + 1) * markers);
    b.out.C = between(b.spatial).first(rows * markers);
    b.out.wrenches = between(b.spatial).subspan(rows * markers);
    b.numbers = guarded<double>(count * (u * (u + 1 + rows) + 3 * rows + x) + (rows + 1) * velocities);
    double* next = between(b.numbers).data();
    const auto take = [&](std::span<double>& part, std::size_t size) {
      part = {next, size};
      next += size;
    };
    take(b.out.M, count * u * u);
    take(b.out.f, count * u);
    take(b.out.A, count * rows * u);
    take(b.out.B, rows * velocities);
    take(b.out.velocity_right, count * rows);
    take(b.out.acceleration_right, count * rows);
    take(b.out.efforts, velocities);
    take(b.out.residual, count * rows);
    take(b.out.xdot, count * x);
    add_modules(view, group, b);
  }
}

ModuleSet::~ModuleSet() {
  for (Batch& b : batches_) b.batch->destroy();
}

void ModuleSet::add_modules(const SystemView& view, const ModuleInstances& group, const Batch& b) {
  const std::size_t rows = group.type->rows().size(), u = group.type->variables().size();
  std::size_t marker = 0, joint = 0, velocity = 0;
  for (std::size_t i = 0; i < group.instances.size(); ++i) {
    const ElementInstance& instance = group.instances[i];
    Module& m = modules_.emplace_back();
    ConstraintSet::Element& r = m.rows;
    r.name = group.names[i];
    r.markers = instance.markers;
    r.joints = group.joints.subspan(joint, instance.joints.size());
    r.rows = rows;
    for (const JointIndex j : r.joints) r.velocities += view.joints[at(j)].nv;
    r.A = b.out.C.subspan(rows * marker, rows * r.markers.size());
    r.B = b.out.B.subspan(rows * velocity, rows * r.velocities);
    r.velocity_right = b.out.velocity_right.subspan(i * rows, rows);
    r.acceleration_right = b.out.acceleration_right.subspan(i * rows, rows);
    r.residual = b.out.residual.subspan(i * rows, rows);
    r.effort = b.ideal;
    r.holonomic_rows = b.holonomic_rows;
    r.motions = b.attached.motions().subspan(marker, r.markers.size());
    r.arms = b.attached.arms().subspan(marker, r.markers.size());
    m.variables = u;
    m.u = b.u + i * u;
    const Strided<const Variable> states = group.type->states();
    for (std::size_t k = 0; k < states.size(); ++k)
      if (states[k].integral_of >= 0)
        m.integrals.push_back({b.x + i * states.size() + k, static_cast<std::size_t>(states[k].integral_of)});
    m.M = b.out.M.subspan(i * u * u, u * u);
    m.f = b.out.f.subspan(i * u, u);
    m.A = b.out.A.subspan(i * rows * u, rows * u);
    m.wrenches = b.out.wrenches.subspan(marker, r.markers.size());
    m.efforts = b.out.efforts.subspan(velocity, r.velocities);
    marker += r.markers.size();
    joint += r.joints.size();
    velocity += r.velocities;
  }
}

bool ModuleSet::Module::is_integrated(std::size_t variable) const {
  return std::any_of(integrals.begin(), integrals.end(), [&](const Integral& i) { return i.variable == variable; });
}

void ModuleSet::evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                         std::span<const double> v, std::span<const double> x) noexcept {
  kinetic_energy_ = potential_energy_ = power_ = 0;
  const unsigned control = floating_point_control();
  for (Batch& b : batches_) {
    b.attached.gather(frames, q, v);
    std::ranges::fill(between(b.numbers), 0.0);
    std::ranges::fill(between(b.spatial), Spatial{});
    b.out.kinetic_energy = b.out.potential_energy = b.out.power = 0;
    const ForceInput attachments = b.attached.input(t, discrete_.subspan(b.discrete_offset, b.discrete_count));
    b.batch->evaluate({.attachments = &attachments, .u = x.subspan(b.u, b.u_count), .x = x.subspan(b.x, b.x_count)},
                      b.out);
    check_breach(control, b.batch, "module", b.numbers, b.spatial);
    kinetic_energy_ += b.out.kinetic_energy;
    potential_energy_ += b.out.potential_energy;
    power_ += b.out.power;
  }
}

void ModuleSet::put_rates(std::span<double> xdot) const noexcept {
  for (const Batch& b : batches_) std::copy(b.out.xdot.begin(), b.out.xdot.end(), xdot.data() + b.x);
}

void ModuleSet::initial_states(std::span<double> x) const noexcept {
  for (const Batch& b : batches_) b.batch->initial_state(x.subspan(b.u, b.u_count), x.subspan(b.x, b.x_count));
}

void ModuleSet::states_at_start(std::span<const BodyMotion> frames, std::span<const double> q,
                                std::span<const double> v, std::span<double> x, double t) noexcept {
  for (Batch& b : batches_) {
    auto* const states = ask<InitialStates>(*b.batch);
    if (states == nullptr) continue;
    b.attached.gather(frames, q, v);
    states->states_at_start(b.attached.input(t, discrete_.subspan(b.discrete_offset, b.discrete_count)),
                            x.subspan(b.u, b.u_count), x.subspan(b.x, b.x_count));
  }
}

}  // namespace polyform
