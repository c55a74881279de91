// Joints with a point and no axis: fixed, spherical.
#include <array>

#include "joint_fields.hpp"
#include "joint_types.hpp"

namespace polyform::joints {
namespace {

enum Field : std::size_t { position };
constexpr std::array specs{position_field};

class Fixed final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "fixed", .meaning = "no relative motion; position is where its reaction is given", .fields = specs};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink&) const noexcept override {
    definition.set_position(joint.fields[position].vector);
    return true;
  }
};

class Spherical final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "spherical",
        .meaning =
            "a ball joint; coordinates: unit quaternion w x y z; velocities: angular velocity in base axes, "
            "rad/s",
        .fields = specs};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink&) const noexcept override {
    definition.set_position(joint.fields[position].vector);
    definition.add_primitive(Primitive::Kind::ball, {});
    return true;
  }
};

}  // namespace

const JointType& fixed() noexcept {
  static constexpr Fixed type;
  return type;
}
const JointType& spherical() noexcept {
  static constexpr Spherical type;
  return type;
}

}  // namespace polyform::joints
