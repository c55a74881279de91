#include "framework/workbench/conformance/screw_joint.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace polyform::host::inline conformance {

namespace {

enum Field : std::size_t { position, axis, lead };
constexpr std::array specs{FieldSpec{.name = "position",
                                     .type = FieldType::vector3,
                                     .unit = "m",
                                     .meaning = "a point of the axis, in ground as drawn",
                                     .required = true,
                                     .tied_to_ground = true},
                           FieldSpec{.name = "axis",
                                     .type = FieldType::direction,
                                     .unit = "",
                                     .meaning = "axis of the screw, in ground as drawn",
                                     .required = true,
                                     .tied_to_ground = true},
                           FieldSpec{.name = "lead",
                                     .type = FieldType::number,
                                     .unit = "m/rad",
                                     .meaning = "advance per angle",
                                     .required = true,
                                     .minimum = 0.05,
                                     .maximum = 0.2}};

/// Parameters: the axis in F axes, the lead.
class Kernel final : public JointKernel {
 public:
  void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const std::span<const double> p = batch.parameters[i];
      const Vec3 a = axis_of(p);
      const double q = batch.q[i];
      const Spatial H{a, p[lead_place] * a};
      out[i] = {axis_rotation(a, std::cos(q), std::sin(q)), p[lead_place] * q * a, {H}, batch.v[i] * H, {}};
    }
  }
  void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) qdot[i] = batch.v[i];
  }
  void coordinates(std::span<const double> p, const Mat3& R, const Vec3&, std::span<double> q) const noexcept override {
    constexpr double turn = 2 * std::numbers::pi;
    const Vec3 a = axis_of(p), twice_sine{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
    const double angle = std::atan2(dot(a, twice_sine), R(0, 0) + R(1, 1) + R(2, 2) - dot(a, R * a));
    q[0] = angle + turn * std::round((q[0] - angle) / turn);
  }
  Quat orientation(std::span<const double> p, std::span<const double> q) const noexcept override {
    return axis_angle(axis_of(p), q[0]);
  }
  void neutral(std::span<double> q) const noexcept override { q[0] = 0; }

  static constexpr std::size_t lead_place = 3;

 private:
  static Vec3 axis_of(std::span<const double> p) { return {p[0], p[1], p[2]}; }
};

constexpr Variable position_names[] = {{.name = "angle", .unit = "rad", .kind = Variable::Kind::angle}};
constexpr Variable velocity_names[] = {{.name = "angular velocity", .unit = "rad/s"}};

class ScrewJoint final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "screw",
                                               .meaning = "a screw; coordinate: angle about axis, rad",
                                               .fields = specs,
                                               .positions = position_names,
                                               .velocities = velocity_names};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink&) const noexcept override {
    const Vec3 a = transpose_times(rotation_matrix(joint.base.orientation), joint.fields[axis].vector);
    definition.set_position(joint.fields[position].vector);
    definition.set_parameters(std::array{a.x, a.y, a.z, joint.fields[lead].number});
    return true;
  }
  const JointKernel* kernel() const noexcept override {
    static constexpr Kernel kernel;
    return &kernel;
  }
};

}  // namespace

const JointType& screw_joint() noexcept {
  static constexpr ScrewJoint type;
  return type;
}

}  // namespace polyform::host::conformance
