#include "helical_joint.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace example {
namespace {

using namespace polyform;

constexpr double turn = 2 * std::numbers::pi;

enum Field : std::size_t { position, axis, pitch };
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
                           FieldSpec{.name = "pitch",
                                     .type = FieldType::number,
                                     .unit = "m",
                                     .meaning = "advance per turn; negative for a left-hand screw",
                                     .required = true}};

/// The parameters of one instance, as define() orders them.
struct Screw {
  Vec3 axis;    ///< unit, F axes
  double lead;  ///< advance per angle, m/rad

  explicit Screw(std::span<const double> p) : axis{p[0], p[1], p[2]}, lead(p[3]) {}
  static constexpr std::size_t count = 4;
};

//   R_FM = Rot(axis, q),  p_FM = lead q axis,  H = [axis; lead axis],  Ḣ = 0,  q̇ = v
class ScrewKernel final : public JointKernel {
 public:
  void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const Screw s(batch.parameters[i]);
      const double q = batch.q[i], v = batch.v[i];
      JointMotion& m = out[i];
      m.R_FM = axis_rotation(s.axis, std::cos(q), std::sin(q));
      m.p_FM = s.lead * q * s.axis;
      m.H[0] = {s.axis, s.lead * s.axis};
      m.twist = v * m.H[0];
      m.bias = {};
    }
  }
  void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) qdot[i] = batch.v[i];
  }
  /// The angle within a turn comes from the orientation, the number of turns from the advance: no hint is needed.
  void coordinates(std::span<const double> parameters, const Mat3& R, const Vec3& p,
                   std::span<double> q) const noexcept override {
    const Screw s(parameters);
    const Vec3 twice_sine{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
    const double twice_cosine = R(0, 0) + R(1, 1) + R(2, 2) - dot(s.axis, R * s.axis);
    const double angle = std::atan2(dot(s.axis, twice_sine), twice_cosine);
    q[0] = angle + turn * std::round((dot(s.axis, p) / s.lead - angle) / turn);
  }
  Quat orientation(std::span<const double> parameters, std::span<const double> q) const noexcept override {
    return axis_angle(Screw(parameters).axis, q[0]);
  }
  void neutral(std::span<double> q) const noexcept override { q[0] = 0; }
};

constexpr Variable position_names[] = {{.name = "angle", .unit = "rad", .kind = Variable::Kind::angle}};
constexpr Variable velocity_names[] = {{.name = "angular velocity", .unit = "rad/s"}};

class HelicalJoint final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "helical",
                                               .meaning = "a screw; coordinate: angle about axis, rad",
                                               .fields = specs,
                                               .positions = position_names,
                                               .velocities = velocity_names};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    if (joint.fields[pitch].number == 0) {
      sink.report(Severity::error, 0, pitch, "the pitch of a screw is 0: it would turn and not advance",
                  "Give the advance per turn, or use a revolute joint.");
      return false;
    }
    // The axis turns with the base body: F has the axes of base.
    const Vec3 a = transpose_times(rotation_matrix(joint.base.orientation), joint.fields[axis].vector);
    const double parameters[Screw::count]{a.x, a.y, a.z, joint.fields[pitch].number / turn};
    definition.set_position(joint.fields[position].vector);
    definition.set_parameters(parameters);
    return true;
  }
  const JointKernel* kernel() const noexcept override {
    static constexpr ScrewKernel kernel;
    return &kernel;
  }
};

}  // namespace

const JointType& helical_joint() noexcept {
  static constexpr HelicalJoint type;
  return type;
}

}  // namespace example
