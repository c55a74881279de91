// Joints in a plane: planar, point-on-plane.
#include <algorithm>
#include <array>
#include <cmath>

#include "joint_fields.hpp"
#include "joint_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::joints {
namespace {

enum Field : std::size_t { position, axis, axis2 };
constexpr std::array specs{
    position_field, axis_field("normal of the plane, in ground as drawn"),
    FieldSpec{.name = "axis2",
              .type = FieldType::direction,
              .unit = "",
              .meaning =
                  "direction of the first displacement, in the plane, in ground as drawn; default: ground x turned "
                  "into the plane, or ground y where the normal is within 25 degrees of x",
              .tied_to_ground = true}};

/// The unit vector in the plane nearest to a direction.
Vec3 into_plane(const Vec3& normal, const Vec3& direction) {
  const Vec3 in_plane = direction - dot(normal, direction) * normal;
  return (1 / norm(in_plane)) * in_plane;
}

Vec3 default_direction(const Vec3& normal) {
  const double cosine_of_25_degrees = 0.90630778703664996;
  return into_plane(normal, std::abs(normal.x) > cosine_of_25_degrees ? Vec3{0, 1, 0} : Vec3{1, 0, 0});
}

bool check_perpendicular(const Vec3& normal, const Vec3& direction, FieldSink& sink) {
  const double cosine = dot(normal, direction);
  if (std::abs(cosine) <= one_direction) return true;
  const Message found(
      "`axis2` [{:.6g}, {:.6g}, {:.6g}] does not lie in the plane with the normal `axis` [{:.6g}, {:.6g}, {:.6g}]: "
      "they make an angle of {:.6g} rad, not π/2",
      direction.x, direction.y, direction.z, normal.x, normal.y, normal.z, std::acos(std::clamp(cosine, -1.0, 1.0)));
  if (norm(cross(normal, direction)) < one_direction) {
    sink.report(Severity::error, 0, axis2, found, "Give a direction perpendicular to `axis`, or leave `axis2` out.");
    return false;
  }
  const Vec3 n = into_plane(normal, direction);
  sink.report(Severity::error, 0, axis2, found,
              Message("The nearest direction in the plane is [{:.10g}, {:.10g}, {:.10g}].", n.x, n.y, n.z));
  return false;
}

/// Two displacements in a plane of base, then a turn about its normal, or any (ball).
class PlaneJoint final : public JointType {
 public:
  constexpr PlaneJoint(std::string_view name, std::string_view meaning, Primitive::Kind turn)
      : name_(name), meaning_(meaning), turn_(turn) {}

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    const Vec3 normal = joint.fields[axis].vector;
    Vec3 first = default_direction(normal);
    if (joint.fields[axis2].given) {
      if (!check_perpendicular(normal, joint.fields[axis2].vector, sink)) return false;
      first = into_plane(normal, joint.fields[axis2].vector);  // rid of the rounding of the file
    }
    definition.set_position(joint.fields[position].vector);
    definition.add_primitive(Primitive::Kind::translation, first);
    definition.add_primitive(Primitive::Kind::translation, cross(normal, first));
    definition.add_primitive(turn_, normal);
    return true;
  }

 private:
  std::string_view name_, meaning_;
  TypeDescriptor descriptor_{.name = name_, .meaning = meaning_, .fields = specs};
  Primitive::Kind turn_;
};

}  // namespace

const JointType& planar() noexcept {
  static constexpr PlaneJoint type(
      "planar", "moves in a plane; coordinates: displacements along axis2 and axis × axis2, m, angle about axis, rad",
      Primitive::Kind::rotation);
  return type;
}
const JointType& point_on_plane() noexcept {
  static constexpr PlaneJoint type("point-on-plane",
                                   "a point of moving in a plane of base with the normal axis; coordinates: "
                                   "displacements along axis2 and axis × axis2, m, and unit quaternion w x y z; "
                                   "velocities: rates, m/s, and angular velocity in base axes, rad/s",
                                   Primitive::Kind::ball);
  return type;
}

}  // namespace polyform::joints
