// Joints with one axis: revolute, prismatic, cylindrical.
#include <array>

#include "joint_fields.hpp"
#include "joint_types.hpp"

namespace polyform::joints {
namespace {

using Kind = Primitive::Kind;

enum Field : std::size_t { position, axis };
constexpr std::array specs{position_field, axis_field("axis of the joint, in ground as drawn")};

/// Primitive motions one after the other, all with the same axis.
class AxisJoint final : public JointType {
 public:
  constexpr AxisJoint(std::string_view name, std::string_view meaning, std::span<const Kind> motions)
      : name_(name), meaning_(meaning), motions_(motions) {}

  std::string_view name() const noexcept override { return name_; }
  std::string_view meaning() const noexcept override { return meaning_; }
  std::span<const FieldSpec> fields() const noexcept override { return specs; }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink&) const noexcept override {
    definition.set_position(joint.fields[position].vector);
    for (const Kind motion : motions_) definition.add_primitive(motion, joint.fields[axis].vector);
    return true;
  }

 private:
  std::string_view name_, meaning_;
  std::span<const Kind> motions_;
};

constexpr Kind rotation[]{Kind::rotation};
constexpr Kind translation[]{Kind::translation};
constexpr Kind both[]{Kind::translation, Kind::rotation};

}  // namespace

const JointType& revolute() noexcept {
  static constexpr AxisJoint type("revolute", "a hinge; coordinate: angle about axis, rad", rotation);
  return type;
}
const JointType& prismatic() noexcept {
  static constexpr AxisJoint type("prismatic", "a slider; coordinate: displacement along axis, m", translation);
  return type;
}
const JointType& cylindrical() noexcept {
  static constexpr AxisJoint type(
      "cylindrical", "slides along and turns about axis; coordinates: displacement, m, and angle, rad", both);
  return type;
}

}  // namespace polyform::joints
