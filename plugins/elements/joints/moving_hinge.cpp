// A hinge whose bearing functions of time shift along an axis and turn about it.
#include <array>

#include "joint_fields.hpp"
#include "joint_types.hpp"
#include "polyform/contract/rheonomic_joint.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::joints {
namespace {

using Kind = Primitive::Kind;

enum Field : std::size_t { position, axis, drive_axis, turn, shift };
constexpr std::array specs{
    position_field, axis_field("axis of the hinge, in ground as drawn"),
    FieldSpec{.name = "drive_axis",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "axis through position that moves the hinge and stays in base, in ground as drawn",
              .required = true,
              .tied_to_ground = true},
    FieldSpec{.name = "turn",
              .type = FieldType::time_function,
              .unit = "rad",
              .meaning = "angle by which the hinge is turned about drive_axis from where it is drawn",
              .default_text = "0"},
    FieldSpec{.name = "shift",
              .type = FieldType::time_function,
              .unit = "m",
              .meaning = "displacement by which the hinge is shifted along drive_axis from where it is drawn",
              .default_text = "0"}};

//   X_FM = Trans(s(t) a) Rot(a, φ(t)) Rot(b, q)
class MovingHinge final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "moving-hinge",
        .meaning =
            "a hinge that functions of time turn about an axis and shift along it; coordinate: angle about its "
            "own axis, rad",
        .fields = specs};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    auto* const given = ask<GivenCoordinates>(definition);
    if (given == nullptr) {
      sink.report(Severity::error, 0, turn, "this host cannot give coordinates of joints as functions of time",
                  "Take a newer one.");
      return false;
    }
    const Vec3& drive = joint.fields[drive_axis].vector;
    definition.set_position(joint.fields[position].vector);
    definition.add_primitive(Kind::translation, drive);
    definition.add_primitive(Kind::rotation, drive);
    definition.add_primitive(Kind::rotation, joint.fields[axis].vector);
    given->give(0, joint.fields[shift].functions[0]);
    given->give(1, joint.fields[turn].functions[0]);
    return true;
  }
};

}  // namespace

const JointType& moving_hinge() noexcept {
  static constexpr MovingHinge type;
  return type;
}

}  // namespace polyform::joints
