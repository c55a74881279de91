// Joints with two axes, one fixed in each body: universal, perpendicular.
#include <array>

#include "joint_fields.hpp"
#include "joint_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::joints {
namespace {

enum Field : std::size_t { position, axis, axis2 };
constexpr std::array specs{
    position_field, axis_field("axis of the first turn, fixed in base, in ground as drawn"),
    FieldSpec{.name = "axis2",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "axis of the second turn, fixed in moving, in ground as drawn; not parallel to axis",
              .required = true,
              .tied_to_ground = true}};

/// Reports axes that do not differ in direction enough for two turns; false then.
bool check_two_axes(const Vec3& a, const Vec3& b, std::string_view joint, std::string_view instead, FieldSink& sink) {
  if (norm(cross(a, b)) >= one_direction) return true;  // the sine of the angle between them
  sink.report(Severity::error, 0, axis2,
              Message("`axis` [{:.6g}, {:.6g}, {:.6g}] and `axis2` [{:.6g}, {:.6g}, {:.6g}] of the {} joint are "
                      "parallel: the two turns would be one",
                      a.x, a.y, a.z, b.x, b.y, b.z, joint),
              Message("Give two axes that differ in direction, or use a {} joint.", instead));
  return false;
}

/// R = Rot(axis, q1) Rot(axis2, q2), both axes as drawn, with the angle between them as drawn.
class Universal final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "universal",
        .meaning =
            "a Cardan joint; coordinates: angle about axis, fixed in base, and about axis2, fixed in "
            "moving, rad",
        .fields = specs};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    const Vec3 a = joint.fields[axis].vector, b = joint.fields[axis2].vector;
    if (!check_two_axes(a, b, name(), "revolute", sink)) return false;
    definition.set_position(joint.fields[position].vector);
    definition.add_primitive(Primitive::Kind::rotation, a);
    definition.add_primitive(Primitive::Kind::rotation, b);
    return true;
  }
};

/// The same turns, but the point is free: one constraint, on the angle between the two axes, which may differ from a
/// right angle (Thompson 2011, Table 2, perpendicular).
class Perpendicular final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "perpendicular",
        .meaning =
            "keeps the angle between axis of base and axis2 of moving as drawn; coordinates: "
            "displacements of the point in base axes, m, angle about axis and about axis2, rad",
        .fields = specs};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    const Vec3 a = joint.fields[axis].vector, b = joint.fields[axis2].vector;
    if (!check_two_axes(a, b, name(), "parallel", sink)) return false;
    definition.set_position(joint.fields[position].vector);
    add_free_translations(joint, definition);
    definition.add_primitive(Primitive::Kind::rotation, a);
    definition.add_primitive(Primitive::Kind::rotation, b);
    return true;
  }
};

}  // namespace

const JointType& universal() noexcept {
  static constexpr Universal type;
  return type;
}
const JointType& perpendicular() noexcept {
  static constexpr Perpendicular type;
  return type;
}

}  // namespace polyform::joints
