#include <array>

#include "joint_fields.hpp"
#include "joint_types.hpp"
#include "polyform/element_helpers.hpp"

namespace polyform::joints {
namespace {

enum Field : std::size_t { position, axis, axis2 };
constexpr std::array specs{
    position_field, axis_field("axis of the first turn, fixed in base, in ground as drawn"),
    FieldSpec{.name = "axis2",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "axis of the second turn, fixed in moving, in ground as drawn; not parallel to axis",
              .required = true}};

/// R = Rot(axis, q1) Rot(axis2, q2), both axes as drawn.
class Universal final : public JointType {
 public:
  std::string_view name() const noexcept override { return "universal"; }
  std::string_view meaning() const noexcept override {
    return "a Cardan joint; coordinates: angle about axis, fixed in base, and about axis2, fixed in moving, rad";
  }
  std::span<const FieldSpec> fields() const noexcept override { return specs; }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    const Vec3 a = joint.fields[axis].vector, b = joint.fields[axis2].vector;
    if (norm(cross(a, b)) < 1e-6) {  // the sine of the angle between them
      sink.report(
          Severity::error, 0, axis2,
          Message("`axis` [{:.6g}, {:.6g}, {:.6g}] and `axis2` [{:.6g}, {:.6g}, {:.6g}] of the universal joint are "
                  "parallel: the two turns would be one",
                  a.x, a.y, a.z, b.x, b.y, b.z),
          "Give two axes that differ in direction, or use a revolute joint.");
      return false;
    }
    definition.set_position(joint.fields[position].vector);
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

}  // namespace polyform::joints
