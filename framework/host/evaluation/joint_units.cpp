#include "framework/host/evaluation/joint_units.hpp"

#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline evaluation {
namespace {

std::vector<std::string_view> units_of(Strided<const Variable> told) {
  std::vector<std::string_view> units;
  for (const Variable& one : told) units.push_back(one.unit);
  return units;
}

std::string_view position_unit(Primitive::Kind kind) {
  return kind == Primitive::Kind::rotation ? "rad" : kind == Primitive::Kind::translation ? "m" : "1";
}

}  // namespace

std::vector<std::string_view> position_units(const JointData& joint) {
  if (joint.type != nullptr) return units_of(joint.type->descriptor().positions.first(own_positions(joint)));
  std::vector<std::string_view> units;
  for (const Primitive& p : joint.primitives) units.insert(units.end(), position_count(p.kind), position_unit(p.kind));
  units.resize(joint.nq);
  return units;
}

std::vector<std::string_view> velocity_units(const JointData& joint) {
  if (joint.type != nullptr) return units_of(joint.type->descriptor().velocities);
  std::vector<std::string_view> units;
  for (const Primitive& p : joint.primitives)
    units.insert(units.end(), velocity_count(p.kind), p.kind == Primitive::Kind::translation ? "m/s" : "rad/s");
  units.resize(joint.nv);
  return units;
}

std::string_view unit_at_joint(std::string_view unit, const ElementInstance& instance, std::size_t coordinate) {
  constexpr std::string_view either = " or ";
  const std::size_t cut = unit.find(either);
  if (cut == std::string_view::npos || instance.joints.size() != 1) return unit;
  for (const Primitive& p : instance.joints[0].primitives) {
    const std::size_t count = velocity_count(p.kind);
    if (coordinate < count)
      return p.kind == Primitive::Kind::translation ? unit.substr(0, cut) : unit.substr(cut + either.size());
    coordinate -= count;
  }
  return unit;
}

}  // namespace polyform::host::evaluation
