#include "varilead_rheonomic_joint.hpp"

#include <array>
#include <cmath>
#include <new>
#include <numbers>
#include <vector>

#include "polyform/contract/rheonomic_joint.hpp"

namespace example {
namespace {

using namespace polyform;

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
                                     .type = FieldType::numbers,
                                     .unit = "m/rad",
                                     .meaning = "advance per angle: c0, c1, ... of c0 + c1 t + ...",
                                     .required = true}};

/// The parameters of one instance, as define() orders them: the axis in F axes, then the polynomial.
class Screw {
 public:
  explicit Screw(std::span<const double> p) noexcept : axis{p[0], p[1], p[2]}, polynomial_(p.subspan(3)) {}

  struct Lead {
    double value = 0, rate = 0, acceleration = 0;
  };
  Lead lead(double t) const noexcept {
    Lead l;
    for (std::size_t k = polynomial_.size(); k-- > 0;)
      l = {l.value * t + polynomial_[k], l.rate * t + l.value, l.acceleration * t + 2 * l.rate};
    return l;
  }
  const Vec3 axis;  ///< unit

 private:
  std::span<const double> polynomial_;
};

//   R_FM = Rot(axis, q),  p_FM = l(t) q axis,  H = [axis; l axis],  drift [0; l̇ q axis],
//   bias [0; (2 l̇ v + l̈ q) axis]
class ScrewKernel final : public JointKernel, private RheonomicKernel {
 public:
  static constexpr std::size_t positions = 2;  ///< the angle, the time

  void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const Screw s(batch.parameters[i]);
      const double q = batch.q[positions * i], t = batch.q[positions * i + 1], v = batch.v[i];
      const Screw::Lead l = s.lead(t);
      JointMotion& m = out[i];
      m.R_FM = axis_rotation(s.axis, std::cos(q), std::sin(q));
      m.p_FM = l.value * q * s.axis;
      m.H[0] = {s.axis, l.value * s.axis};
      m.twist = v * m.H[0] + Spatial{{}, l.rate * q * s.axis};
      m.bias = {{}, (2 * l.rate * v + l.acceleration * q) * s.axis};
    }
  }
  void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      qdot[positions * i] = batch.v[i];
      qdot[positions * i + 1] = 1;
    }
  }
  /// The angle comes from the orientation, its turns from the hint; the time stays.
  void coordinates(std::span<const double> parameters, const Mat3& R, const Vec3&,
                   std::span<double> q) const noexcept override {
    constexpr double turn = 2 * std::numbers::pi;
    const Vec3 a = Screw(parameters).axis, twice_sine{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
    const double angle = std::atan2(dot(a, twice_sine), R(0, 0) + R(1, 1) + R(2, 2) - dot(a, R * a));
    q[0] = angle + turn * std::round((q[0] - angle) / turn);
  }
  Quat orientation(std::span<const double> parameters, std::span<const double> q) const noexcept override {
    return axis_angle(Screw(parameters).axis, q[0]);
  }
  void neutral(std::span<double> q) const noexcept override { q[0] = q[1] = 0; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == RheonomicKernel::interface_name ? static_cast<const RheonomicKernel*>(this) : nullptr;
  }
};

constexpr Variable position_names[] = {{.name = "angle", .unit = "rad", .kind = Variable::Kind::angle},
                                       {.name = "time", .unit = "s"}};
constexpr Variable velocity_names[] = {{.name = "angular velocity", .unit = "rad/s"}};

class VarileadRheonomicJoint final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "varilead",
        .meaning = "a screw whose lead is a polynomial of time; coordinate: angle about axis, rad",
        .fields = specs,
        .positions = position_names,
        .velocities = velocity_names};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    try {
      const Vec3 a = transpose_times(rotation_matrix(joint.base.orientation), joint.fields[axis].vector);
      std::vector<double> parameters{a.x, a.y, a.z};
      for (const double c : joint.fields[lead].numbers) parameters.push_back(c);
      definition.set_position(joint.fields[position].vector);
      definition.set_parameters(parameters);
      return true;
    } catch (const std::bad_alloc&) {
      sink.report(Severity::error, 0, lead, "no memory is left for the polynomial", "Give fewer coefficients.");
      return false;
    }
  }
  const JointKernel* kernel() const noexcept override {
    static constexpr ScrewKernel kernel;
    return &kernel;
  }
};

}  // namespace

const JointType& varilead_rheonomic_joint() noexcept {
  static constexpr VarileadRheonomicJoint type;
  return type;
}

}  // namespace example
