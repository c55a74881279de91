#include "mjcf_armatures.hpp"

#include <algorithm>

namespace polyform::importers {

void MjcfArmatures::add(double armature, const std::string& type, const Joint& joint, Place place) {
  if (armature == 0) return;
  by_joint_[joint.name] = armature;
  if (type == "hinge" || type == "slide") {
    m_.elements.push_back({Section::modules,
                           names_.give(joint.name + "_armature"),
                           "rotor",
                           {{"joint", written_name(joint.name)}, {"inertia", written(armature)}}});
    return;
  }
  // On the ground it is the inertia of a ball without weight on the body, and of a free joint that of a point too.
  const auto body = std::ranges::find(m_.bodies, joint.moving, &Body::name);
  if (joint.base != ground || body == m_.bodies.end()) {
    ledger_.add(Treatment::not_honoured, "joint@armature of balls that a body carries",
                "a rotor turns with a joint of one coordinate", place);
    return;
  }
  on_bodies_.push_back({static_cast<std::size_t>(body - m_.bodies.begin()), armature, type == "free"});
  ledger_.add(Treatment::converted, "joint@armature of balls and free joints on the world",
              type == "free" ? "mass without weight and inertia of the body" : "inertia of the body", place);
}

void MjcfArmatures::finish() {
  for (const auto& [number, armature, is_free] : on_bodies_) {
    Body& body = m_.bodies[number];
    if (is_free) {
      m_.elements.push_back({Section::forces,
                             names_.give(body.name + "_armature"),
                             "point-force",
                             {{"body", written_name(body.name)},
                              {"point", written(Vec3{})},
                              {"force", written(-armature * m_.gravity.value_or(Vec3{}))}}});
      body.mass += MassProperties{armature, {}, Sym3::diagonal(armature)};
    } else {
      body.mass.inertia += Sym3::diagonal(armature);
    }
  }
}

}  // namespace polyform::importers
