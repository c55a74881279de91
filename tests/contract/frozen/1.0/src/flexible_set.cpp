#include "polyform/mechanics/flexible_set.hpp"

#include <algorithm>

#include "polyform/helpers/guarded.hpp"

namespace polyform {

FlexibleSet::FlexibleSet(const SystemView& view) : view_(view) {
  std::size_t numbers = 0;
  std::vector<const FlexibleBodyType*> types;
  for (std::size_t i = 0; i < view.flexible.size(); ++i) {
    const FlexibleData& data = view.flexible[i];
    auto type = std::find(types.begin(), types.end(), data.type);
    const auto batch = static_cast<std::size_t>(type - types.begin());
    if (type == types.end()) {
      types.push_back(data.type);
      batches_.push_back({});
    }
    bodies_.push_back({data.modes, batch, batches_[batch].members.size()});
    batches_[batch].members.push_back(i);
    numbers += (6 + data.modes) * (7 + data.modes);
  }
  numbers_ = guarded<double>(numbers);
  double* next = between(numbers_).data();
  for (std::size_t b = 0; b < batches_.size(); ++b) {
    Batch& batch = batches_[b];
    std::vector<FlexibleInstance> instances;
    for (const std::size_t i : batch.members) {
      const std::size_t n = size(i);
      FlexibleOutput out;
      out.mass = {next, n * n};
      out.force = {next + n * n, n};
      next += n * (n + 1);
      batch.outputs.push_back(out);
      instances.push_back(complete(*view.flexible[i].instance));
    }
    batch.inputs.resize(batch.members.size());
    batch.batch = types[b]->create(instances);
    good_ = good_ && batch.batch != nullptr;
  }
}

FlexibleSet::~FlexibleSet() {
  for (Batch& b : batches_)
    if (b.batch != nullptr) b.batch->destroy();
}

void FlexibleSet::evaluate(std::span<const BodyMotion> bodies, const double* eta, const double* etadot) noexcept {
  strain_energy_ = damping_power_ = 0;
  const unsigned control = floating_point_control();
  for (Batch& b : batches_) {
    for (std::size_t k = 0; k < b.members.size(); ++k) {
      const FlexibleData& data = view_.flexible[b.members[k]];
      const BodyMotion& m = bodies[at(data.body)];
      FlexibleInput& input = b.inputs[k];
      input.angular_velocity = transpose_times(m.R, m.V.angular);
      input.eta = {eta + data.mode_offset, data.modes};
      input.etadot = {etadot + data.mode_offset, data.modes};
    }
    b.batch->evaluate(b.inputs, b.outputs);
    check_breach(control, b.batch, "flexible body", numbers_);
    for (std::size_t k = 0; k < b.members.size(); ++k) {
      strain_energy_ += b.outputs[k].strain_energy;
      damping_power_ += b.outputs[k].damping_power;
      add_hub(view_.bodies[at(view_.flexible[b.members[k]].body)], b.inputs[k], b.outputs[k]);
    }
  }
}

/// The hub is a rigid body about the frame origin: m (a + α×c + Ω×(Ω×c)), and the same for moments.
void FlexibleSet::add_hub(const BodyData& hub, const FlexibleInput& in, FlexibleOutput& out) const noexcept {
  const Vec3& c = hub.center_of_mass;
  const Vec3& w = in.angular_velocity;
  Sym3 J = unit_mass_inertia(c);
  for (double* e : {&J.xx, &J.yy, &J.zz, &J.xy, &J.xz, &J.yz}) *e *= hub.mass;
  J += hub.inertia;
  const Mat3 inertia = J.full(), first = skew(hub.mass * c);
  const std::size_t n = out.force.size();
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t s = 0; s < 3; ++s) {
      out.mass[r * n + s] += inertia(r, s);
      out.mass[r * n + 3 + s] += first(r, s);
      out.mass[(3 + r) * n + s] -= first(r, s);
    }
    out.mass[(3 + r) * n + 3 + r] += hub.mass;
  }
  const Vec3 moment = -cross(w, J * w), force = -hub.mass * cross(w, cross(w, c));
  for (std::size_t r = 0; r < 3; ++r) {
    out.force[r] += moment[r];
    out.force[3 + r] += force[r];
  }
}

}  // namespace polyform
