#include "polyform/solvers/merged_system.hpp"

#include <algorithm>
#include <string>

#include "carried_force.hpp"
#include "polyform/helpers/completed.hpp"

namespace polyform {
namespace {

Sym3 scaled(double s, const Sym3& a) { return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz}; }

/// Adds the inertia of a body at a place in the frame of another one.
void add_inertia(BodyData& sum, const BodyData& part, const RigidGroups::Place& place) {
  const double mass = sum.mass + part.mass;
  sum.inertia += rotate(place.R, part.inertia);
  if (mass > 0) {
    const Vec3 apart = place.p + place.R * part.center_of_mass - sum.center_of_mass;
    sum.inertia += scaled(sum.mass * part.mass / mass, unit_mass_inertia(apart));
    sum.center_of_mass += (part.mass / mass) * apart;
  }
  sum.mass = mass;
}

}  // namespace

MergedSystem::MergedSystem(const SystemView& whole, RigidGroups groups)
    : whole_(whole), groups_(std::move(groups)), view_(complete(whole)) {
  merge_bodies();
  move_joints();
  move_flexible_bodies();
  move_forces();
  for (const ConstraintInstances& group : completed(whole.constraints)) constraints_.push_back(moved_elements(group));
  for (const ModuleInstances& group : completed(whole.modules)) modules_.push_back(moved_elements(group));
  name_modules();
  view_.bodies = bodies_;
  view_.joints = joints_;
  view_.forces = forces_;
  view_.constraints = constraints_;
  view_.modules = modules_;
  view_.flexible = flexible_;
  view_.nodes = nodes_;
  view_.subsystems = subsystems_;
}

MergedSystem::~MergedSystem() = default;

BodyIndex MergedSystem::carrier(BodyIndex b) const {
  const BodyIndex carrier = is_ground(b) ? b : groups_[at(b)].carrier;
  return is_ground(carrier) ? carrier : body_index(body_numbers_[at(carrier)]);
}

FrameIndex MergedSystem::frame(FrameIndex f) const {
  const std::size_t n = whole_.bodies.size();
  if (!is_ground(f) && at(f) >= n) return frame_index(at(f) - n + bodies_.size());
  return frame_of(carrier(static_cast<BodyIndex>(f)));
}

/// Bodies keep their order: a carried body stands behind its carrier, so that the carrier has its number already. A
/// carrier is named with all that it carries.
void MergedSystem::merge_bodies() {
  body_numbers_.resize(whole_.bodies.size());
  std::vector<std::string*> names;
  for (std::size_t i = 0; i < whole_.bodies.size(); ++i) {
    const BodyIndex b = body_index(i);
    if (!groups_.is_carried(b)) {
      body_numbers_[i] = bodies_.size();
      bodies_.push_back(completed(whole_.bodies, i));
      names.push_back(nullptr);
    } else if (const BodyIndex to = carrier(b); !is_ground(to)) {
      add_inertia(bodies_[at(to)], whole_.bodies[i], groups_[i]);
      std::string*& name = names[at(to)];
      if (name == nullptr) name = &names_.emplace_back(bodies_[at(to)].name);
      name->append(" + ").append(whole_.bodies[i].name);
    }
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i)
    if (names[i] != nullptr) bodies_[i].name = *names[i];
}

void MergedSystem::move_joints() {
  for (std::size_t j = 0; j < whole_.joints.size(); ++j) {
    const bool within = j < whole_.bodies.size() && groups_.is_carried(body_index(j));
    joint_numbers_.push_back(within ? JointIndex::none : joint_index(joints_.size()));
    if (!within) joints_.push_back(moved(completed(whole_.joints, j)));
  }
}

/// If the base is carried, F keeps its place on it but takes the axes of the carrier: the directions of the joint
/// are turned into these.
JointData MergedSystem::moved(const JointData& joint) {
  JointData out = joint;
  out.base = carrier(joint.base);
  out.moving = carrier(joint.moving);
  out.base_frame = frame(joint.base_frame);
  out.moving_frame = frame(joint.moving_frame);
  if (groups_.is_carried(joint.base)) {
    const RigidGroups::Place& place = groups_[at(joint.base)];
    out.p_base = place.p + place.R * joint.p_base;
    out.R_drawn = place.R * out.R_drawn;
    std::vector<Primitive>& primitives = primitives_.emplace_back(joint.primitives.begin(), joint.primitives.end());
    for (Primitive& p : primitives) p.axis = place.R * p.axis;
    out.primitives = primitives;
  }
  if (groups_.is_carried(joint.moving)) {
    const RigidGroups::Place& place = groups_[at(joint.moving)];
    out.p_moving = place.p + place.R * joint.p_moving;
    out.R_drawn = times_transpose(out.R_drawn, place.R);
  }
  return out;
}

void MergedSystem::move_flexible_bodies() {
  flexible_ = completed(whole_.flexible);
  for (FlexibleData& data : flexible_) data.body = carrier(data.body);
  nodes_ = completed(whole_.nodes);
  for (FlexibleNode& node : nodes_) node.body = carrier(node.body);
}

Marker MergedSystem::moved(const Marker& marker) const {
  Marker out = marker;
  out.body = carrier(marker.body);
  out.frame = frame(marker.frame);
  if (groups_.is_carried(marker.body)) {
    const RigidGroups::Place& place = groups_[at(marker.body)];
    out.point = place.p + place.R * marker.point;
  }
  return out;
}

/// The same elements with their markers and joints in the merged system.
template <class Group>
Group MergedSystem::moved_elements(const Group& group) {
  Elements& to = elements_.emplace_back();
  to.instances = completed(group.instances);
  for (const ElementInstance& instance : group.instances)
    for (const Marker& marker : completed(instance.markers)) to.markers.push_back(moved(marker));
  std::size_t first = 0;
  for (ElementInstance& instance : to.instances) {
    instance.markers = std::span(to.markers).subspan(first, instance.markers.size());
    first += instance.markers.size();
  }
  for (const JointIndex j : group.joints) to.joints.push_back(joint_numbers_[at(j)]);
  Group out = group;
  out.instances = to.instances;
  out.joints = to.joints;
  return out;
}

void MergedSystem::move_forces() {
  for (const ForceInstances& group : completed(whole_.forces)) {
    ForceInstances& to = forces_.emplace_back(moved_elements(group));
    std::vector<CarriedForce::Turn> turns;
    std::size_t marker = 0;
    for (const ElementInstance& instance : group.instances)
      for (const Marker& m : instance.markers) {
        if (groups_.is_carried(m.body)) turns.push_back({marker, groups_[at(m.body)].R});
        ++marker;
      }
    if (turns.empty()) continue;
    carried_forces_.push_back(std::make_unique<CarriedForce>(*group.type, group.instances, std::move(turns)));
    to.type = carried_forces_.back().get();
  }
}

/// The named groups of bodies, of those that are left.
void MergedSystem::name_modules() {
  for (const Subsystem& module : whole_.subsystems) {
    std::vector<BodyIndex>& bodies = module_bodies_.emplace_back();
    for (const BodyIndex b : module.bodies)
      if (!groups_.is_carried(b)) bodies.push_back(carrier(b));
    subsystems_.push_back({module.name, bodies, module.parent});
  }
}

}  // namespace polyform
