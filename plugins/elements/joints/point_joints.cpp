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
  std::string_view name() const noexcept override { return "fixed"; }
  std::string_view meaning() const noexcept override {
    return "no relative motion; position is where its reaction is given";
  }
  std::span<const FieldSpec> fields() const noexcept override { return specs; }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink&) const noexcept override {
    definition.set_position(joint.fields[position].vector);
    return true;
  }
};

class Spherical final : public JointType {
 public:
  std::string_view name() const noexcept override { return "spherical"; }
  std::string_view meaning() const noexcept override {
    return "a ball joint; coordinates: unit quaternion w x y z; velocities: angular velocity in base axes, rad/s";
  }
  std::span<const FieldSpec> fields() const noexcept override { return specs; }
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
