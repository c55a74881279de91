#include "polyform/mechanics/force_set.hpp"

#include <algorithm>

#include "polyform/contract/initial_states.hpp"
#include "polyform/helpers/guarded.hpp"
#include "polyform/mechanics/discrete_values.hpp"

namespace polyform {

namespace {

/// As at a marker that an element only reads.
bool is_zero(const Spatial& w) {
  return w.linear.x == 0 && w.linear.y == 0 && w.linear.z == 0 && w.angular.x == 0 && w.angular.y == 0 &&
         w.angular.z == 0;
}

}  // namespace

ForceSet::ForceSet(const SystemView& view, const Vec3& origin) : initial_(view.discrete), discrete_(initial_) {
  const std::size_t n = view.bodies.size();
  std::vector<bool> is_loaded(view.frames());
  groups_.reserve(view.forces.size());
  for (const ForceInstances& from : view.forces) {
    ForceBatch* batch = from.type->create(from.instances);
    if (batch == nullptr) {
      good_ = false;
      continue;
    }
    Group& g = groups_.emplace_back(Group{batch,
                                          from.type->name(),
                                          from.state_offset,
                                          from.type->state_count() * from.instances.size(),
                                          Attachments(view, from.instances, from.joints, origin),
                                          {},
                                          {},
                                          from.discrete_offset,
                                          from.type->descriptor().discrete.size() * from.instances.size()});
    initial_discrete(*batch, std::span(initial_).subspan(g.discrete_offset, g.discrete_count));
    loads_joints_ = loads_joints_ || !from.joints.empty();
    for (const Marker& m : g.attached.markers())
      if (!is_ground(m.body)) is_loaded[at(m.body)] = is_loaded[at(m.frame)] = true;
    g.wrenches = guarded<Spatial>(g.attached.markers().size());
    g.efforts = guarded<double>(g.attached.velocities());
  }
  for (std::size_t f = 0; f < is_loaded.size(); ++f) {
    if (!is_loaded[f]) continue;
    if (f < n)
      loaded_.push_back(body_index(f));
    else
      loaded_nodes_.push_back(frame_index(f));
  }
}

ForceSet::~ForceSet() {
  for (Group& g : groups_) g.batch->destroy();
}

void ForceSet::initial_states(std::span<double> x) const noexcept {
  for (const Group& g : groups_) g.batch->initial_states(x.subspan(g.state_offset, g.state_count));
}

void ForceSet::states_at_start(std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v,
                               std::span<double> x, double t) noexcept {
  for (Group& g : groups_) {
    auto* const states = ask<InitialStates>(*g.batch);
    if (states == nullptr) continue;
    g.attached.gather(frames, q, v);
    states->states_at_start(g.attached.input(t, discrete_.subspan(g.discrete_offset, g.discrete_count)), {},
                            x.subspan(g.state_offset, g.state_count));
  }
}

void ForceSet::evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                        std::span<const double> v, std::span<const double> x, std::span<Spatial> wrenches,
                        std::span<double> efforts, std::span<double> xdot) noexcept {
  potential_energy_ = power_ = 0;
  for (const BodyIndex b : loaded_) wrenches[at(b)] = {};
  for (const FrameIndex f : loaded_nodes_) wrenches[at(f)] = {};
  std::fill(efforts.begin(), efforts.end(), 0.0);
  const unsigned control = floating_point_control();
  for (Group& g : groups_) {
    g.attached.gather(frames, q, v);
    const std::span<Spatial> given = between(g.wrenches);
    std::fill(given.begin(), given.end(), Spatial{});
    std::ranges::fill(between(g.efforts), 0.0);
    ForceOutput out{
        .wrenches = given, .efforts = between(g.efforts), .state_rates = xdot.subspan(g.state_offset, g.state_count)};
    g.batch->evaluate(g.attached.input(t, discrete_.subspan(g.discrete_offset, g.discrete_count),
                                       x.subspan(g.state_offset, g.state_count)),
                      out);
    check_breach(control, g.batch, "force", g.wrenches, g.efforts);
    potential_energy_ += out.potential_energy;
    power_ += out.power;
    for (std::size_t i = 0; i < given.size(); ++i) {
      const FrameIndex f = g.attached.markers()[i].frame;
      if (is_ground(f) || is_zero(given[i])) continue;
      wrenches[at(f)] += wrench_about(given[i], g.attached.arms()[i]);
    }
    g.attached.add_efforts(between(g.efforts), efforts);
  }
}

}  // namespace polyform
