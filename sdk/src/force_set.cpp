#include "polyform/force_set.hpp"

#include <algorithm>

namespace polyform {

ForceSet::ForceSet(const SystemView& view) {
  const std::size_t n = view.bodies.size();
  std::vector<bool> is_loaded(view.frames());
  groups_.reserve(view.forces.size());
  for (const ForceGroup& from : view.forces) {
    Group g{};
    g.batch = from.type->create(from.instances);
    if (g.batch == nullptr) {
      good_ = false;
      continue;
    }
    g.state_offset = from.state_offset;
    g.state_count = from.type->state_count() * from.instances.size();
    std::size_t nq = 0, nv = 0;
    for (const ElementInstance& instance : from.instances)
      g.markers.insert(g.markers.end(), instance.markers.begin(), instance.markers.end());
    for (const JointIndex j : from.joints) {
      const JointData& joint = view.joints[at(j)];
      g.joints.push_back({joint.q_offset, joint.nq, joint.v_offset, joint.nv});
      nq += joint.nq;
      nv += joint.nv;
      loads_joints_ = true;
    }
    for (const Marker& m : g.markers)
      if (!is_ground(m.body)) is_loaded[at(m.body)] = is_loaded[at(m.frame)] = true;
    g.motions.resize(g.markers.size());
    g.wrenches.resize(g.markers.size());
    g.q.resize(nq);
    g.v.resize(nv);
    g.efforts.resize(nv);
    groups_.push_back(std::move(g));
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

void ForceSet::evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                        std::span<const double> v, std::span<const double> x, std::span<Spatial> wrenches,
                        std::span<double> efforts, std::span<double> xdot) noexcept {
  potential_energy_ = power_ = 0;
  for (const BodyIndex b : loaded_) wrenches[at(b)] = {};
  for (const FrameIndex f : loaded_nodes_) wrenches[at(f)] = {};
  std::fill(efforts.begin(), efforts.end(), 0.0);
  for (Group& g : groups_) {
    for (std::size_t i = 0; i < g.markers.size(); ++i) {
      const Marker& m = g.markers[i];
      const BodyMotion& frame = motion_of(m.frame, frames);
      const Vec3 arm = frame.R * m.point;
      g.motions[i] = {frame.R, frame.p + arm, frame.V.linear + cross(frame.V.angular, arm), frame.V.angular};
      g.wrenches[i] = {};
    }
    std::size_t at_q = 0, at_v = 0;
    for (const JointSlice& j : g.joints) {
      std::copy_n(q.data() + j.q, j.nq, g.q.data() + at_q);
      std::copy_n(v.data() + j.v, j.nv, g.v.data() + at_v);
      at_q += j.nq;
      at_v += j.nv;
    }
    std::fill(g.efforts.begin(), g.efforts.end(), 0.0);
    ForceOutput out{g.wrenches, g.efforts, xdot.subspan(g.state_offset, g.state_count), 0, 0};
    g.batch->evaluate({t, g.motions, g.q, g.v, x.subspan(g.state_offset, g.state_count)}, out);
    potential_energy_ += out.potential_energy;
    power_ += out.power;
    for (std::size_t i = 0; i < g.markers.size(); ++i) {
      const FrameIndex f = g.markers[i].frame;
      if (is_ground(f)) continue;
      const Vec3 arm = g.motions[i].position - frames[at(f)].p;
      wrenches[at(f)] += Spatial{g.wrenches[i].angular + cross(arm, g.wrenches[i].linear), g.wrenches[i].linear};
    }
    at_v = 0;
    for (const JointSlice& j : g.joints)
      for (std::size_t i = 0; i < j.nv; ++i) efforts[j.v + i] += g.efforts[at_v++];
  }
}

}  // namespace polyform
