// Joints with one axis: revolute, prismatic, cylindrical, point-on-line, parallel.
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

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink&) const noexcept override {
    definition.set_position(joint.fields[position].vector);
    for (const Kind motion : motions_) definition.add_primitive(motion, joint.fields[axis].vector);
    return true;
  }

 private:
  std::string_view name_, meaning_;
  TypeDescriptor descriptor_{.name = name_, .meaning = meaning_, .fields = specs};
  std::span<const Kind> motions_;
};

constexpr Kind rotation[]{Kind::rotation};
constexpr Kind translation[]{Kind::translation};
constexpr Kind both[]{Kind::translation, Kind::rotation};
constexpr Kind on_line[]{Kind::translation, Kind::ball};

/// A direction fixed in moving stays along one fixed in base (Thompson 2011, Table 2, parallel): the point is free.
class Parallel final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "parallel",
        .meaning =
            "keeps axis of moving along axis of base; coordinates: displacements of the point in base "
            "axes, m, angle about axis, rad",
        .fields = specs};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink&) const noexcept override {
    definition.set_position(joint.fields[position].vector);
    add_free_translations(joint, definition);
    definition.add_primitive(Kind::rotation, joint.fields[axis].vector);
    return true;
  }
};

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
const JointType& point_on_line() noexcept {
  static constexpr AxisJoint type("point-on-line",
                                  "a point of moving on a line of base along axis; coordinates: displacement, m, and "
                                  "unit quaternion w x y z; velocities: rate, m/s, and angular velocity in base axes, "
                                  "rad/s",
                                  on_line);
  return type;
}
const JointType& parallel() noexcept {
  static constexpr Parallel type;
  return type;
}

}  // namespace polyform::joints
