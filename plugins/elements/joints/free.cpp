#include <array>

#include "joint_fields.hpp"
#include "joint_types.hpp"

namespace polyform::joints {
namespace {

constexpr std::array specs{
    FieldSpec{.name = "position",
              .type = FieldType::vector3,
              .unit = "m",
              .meaning = "not used: coordinates refer to the body frame"},
    FieldSpec{
        .name = "axis", .type = FieldType::direction, .unit = "", .meaning = "not used: coordinates are in base axes"}};

/// Displacement of the moving frame origin from the drawn one and rotation, all in the axes of the base body.
class Free final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "free",
        .meaning =
            "no constraint; coordinates: displacement of the moving frame origin, m, and unit quaternion "
            "w x y z; velocities: of the origin, m/s, and angular, rad/s; all in base axes",
        .fields = specs};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink&) const noexcept override {
    definition.set_position(joint.moving.position);
    add_free_translations(joint, definition);
    definition.add_primitive(Primitive::Kind::ball, {});
    return true;
  }
};

}  // namespace

const JointType& free() noexcept {
  static constexpr Free type;
  return type;
}

}  // namespace polyform::joints
