#include "framework/host/evaluation/joint_units.hpp"

#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline evaluation {
namespace {

using Kind = Variable::Kind;

Variable position_of(Primitive::Kind kind) {
  if (kind == Primitive::Kind::rotation) return {.name = {}, .unit = "rad", .kind = Kind::angle};
  if (kind == Primitive::Kind::translation) return {.name = {}, .unit = "m", .kind = Kind::length};
  return {.name = {}, .unit = "1", .kind = Kind::quaternion};
}

}  // namespace

std::vector<Variable> positions_of(const JointData& joint) {
  std::vector<Variable> all;
  if (joint.type != nullptr) {
    for (const Variable& one : joint.type->descriptor().positions.first(own_positions(joint))) all.push_back(one);
    return all;
  }
  for (const Primitive& p : joint.primitives) all.insert(all.end(), position_count(p.kind), position_of(p.kind));
  all.resize(joint.nq);
  return all;
}

std::vector<Variable> velocities_of(const JointData& joint) {
  std::vector<Variable> all;
  if (joint.type != nullptr) {
    for (const Variable& one : joint.type->descriptor().velocities) all.push_back(one);
    return all;
  }
  for (const Primitive& p : joint.primitives)
    all.insert(all.end(), velocity_count(p.kind),
               {.name = {}, .unit = p.kind == Primitive::Kind::translation ? "m/s" : "rad/s"});
  all.resize(joint.nv);
  return all;
}

std::string_view unit_at_joint(std::string_view unit, const JointData* joint, std::size_t coordinate) {
  constexpr std::string_view either = " or ";
  const std::size_t cut = unit.find(either);
  if (cut == std::string_view::npos || joint == nullptr) return unit;
  const std::vector<Variable> velocities = velocities_of(*joint);
  if (coordinate >= velocities.size()) return unit;
  if (velocities[coordinate].unit == "m/s") return unit.substr(0, cut);
  if (velocities[coordinate].unit == "rad/s") return unit.substr(cut + either.size());
  return unit;
}

}  // namespace polyform::host::evaluation
