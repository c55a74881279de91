#include "tests/elements/force_bench.hpp"

#include <algorithm>

namespace polyform::test {

ForceBench::Group& ForceBench::group_of(const ForceType& type) {
  for (Group& g : groups_)
    if (g.type == &type) return g;
  Group& g = groups_.emplace_back();
  g.type = &type;
  return g;
}

bool ForceBench::add(const ForceType& type, FieldSet given, FieldSink& sink) {
  Group& g = group_of(type);
  const FieldSet& fields = g.fields.emplace_back(std::move(given));
  auto& markers = g.markers.emplace_back();
  auto& drawn = g.drawn.emplace_back();
  auto& shapes = g.shapes.emplace_back();
  for (std::size_t f = 0; f < fields.specs().size(); ++f) {
    const FieldValue& value = fields.values()[f];
    const FieldType kind = fields.specs()[f].type;
    if (kind == FieldType::body || kind == FieldType::marker) {
      markers.push_back({value.body, kind == FieldType::marker ? value.vector : Vec3{}});
      drawn.push_back(is_ground(value.body) ? Pose{} : poses_[at(value.body)]);
    }
    if (kind == FieldType::joint) {
      const JointData& joint = system_.joint(value.joint);
      const bool code = std::find(code_joints_.begin(), code_joints_.end(), value.joint) != code_joints_.end();
      shapes.push_back({joint.nq, joint.nv, joint.primitives, code});
      g.joints.push_back(value.joint);
    }
  }
  ElementInstance& instance = g.instances.emplace_back(
      ElementInstance{.fields = fields.values(), .markers = markers, .drawn = drawn, .joints = shapes});
  return type.define(instance, g.instances.size() - 1, sink);
}

Load ForceBench::load(double t, std::span<const BodyMotion> bodies, std::span<const double> q,
                      std::span<const double> v) {
  if (set_ == nullptr) {
    for (const Group& g : groups_) {
      ForceInstances& view = view_groups_.emplace_back();
      view.type = g.type;
      view.instances = g.instances;
      view.joints = g.joints;
    }
    system_.set_forces(view_groups_);
    set_ = std::make_unique<ForceSet>(system_.view());
  }
  Load out;
  out.wrenches.resize(bodies.size());
  out.efforts.resize(v.size());
  set_->evaluate(t, bodies, q, v, {}, out.wrenches, out.efforts, {});
  out.potential_energy = set_->potential_energy();
  out.power = set_->power();
  return out;
}

}  // namespace polyform::test
