// A constant-velocity joint: two shafts at an angle that turn alike.
#include <array>
#include <cmath>

#include "coupling_types.hpp"
#include "polyform/contract/value_ranges.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::couplings {
namespace {

enum Field : std::size_t { position, axis, axis2 };
constexpr std::array specs{FieldSpec{.name = "position",
                                     .type = FieldType::vector3,
                                     .unit = "m",
                                     .meaning = "where the axes of the shafts meet, in ground as drawn",
                                     .required = true,
                                     .tied_to_ground = true},
                           FieldSpec{.name = "axis",
                                     .type = FieldType::direction,
                                     .unit = "",
                                     .meaning = "of the shaft that is the base, in ground as drawn",
                                     .required = true,
                                     .tied_to_ground = true},
                           FieldSpec{.name = "axis2",
                                     .type = FieldType::direction,
                                     .unit = "",
                                     .meaning = "of the shaft that is moved, in ground as drawn, less than 90 degrees "
                                                "from axis; default: the same direction",
                                     .tied_to_ground = true}};

/// (1 − cos θ)/θ² and (θ − sin θ)/θ³ with s = θ², and their derivatives by s. Series are taken where the differences
/// would lose digits; their next terms are below 1e-16.
struct Factors {
  double a, b, a_s, b_s;
  explicit Factors(double s) noexcept {
    constexpr double small = 1e-2;
    if (s < small) {
      a = 0.5 - s / 24 * (1 - s / 30 * (1 - s / 56 * (1 - s / 90 * (1 - s / 132))));
      b = 1.0 / 6 - s / 120 * (1 - s / 42 * (1 - s / 72 * (1 - s / 110 * (1 - s / 156))));
      a_s = -1.0 / 24 + s / 360 * (1 - s / 56 * 1.5 * (1 - s / 90 * (4.0 / 3) * (1 - s / 132 * 1.25)));
      b_s = -1.0 / 120 + s / 2520 * (1 - s / 72 * 1.5 * (1 - s / 110 * (4.0 / 3) * (1 - s / 156 * 1.25)));
      return;
    }
    const double angle = std::sqrt(s), sine = std::sin(angle), half = std::sin(0.5 * angle);
    const double versine = 2 * half * half;
    a = versine / s;
    b = (angle - sine) / (s * angle);
    a_s = (sine / (2 * angle) - a) / s;
    b_s = ((versine / (2 * s)) - 1.5 * b) / s;
  }
};

/// The parameters of an instance, in F axes: e₁ and e₂, which span the plane across the base's shaft, and the bend θ₀
/// as drawn.
///
/// With the rotation vector θ = θ₀ + q₁ e₁ + q₂ e₂, which lies across the shaft, R_FM = exp(θ) exp(−θ₀). A turn of the
/// one shaft about its axis, Rot(a, φ) exp(θ) = exp(Rot(a, φ) θ) Rot(a, φ), is an equal turn of the other about its
/// own.
///
///   ω = J θ̇ = θ̇ + a θ × θ̇ + b θ × (θ × θ̇)        a = (1 − cos θ)/θ², b = (θ − sin θ)/θ³
///   J̇ θ̇ = ȧ θ × θ̇ + ḃ θ × (θ × θ̇) + b θ̇ × (θ × θ̇)
struct Bend {
  Vec3 e1, e2, drawn;
  explicit Bend(std::span<const double> p) noexcept
      : e1{p[0], p[1], p[2]}, e2{p[3], p[4], p[5]}, drawn{p[6], p[7], p[8]} {}
  static constexpr std::size_t count = 9;
  Vec3 theta(double q1, double q2) const noexcept { return drawn + q1 * e1 + q2 * e2; }
};

class BendKernel final : public JointKernel {
 public:
  void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const Bend bend(batch.parameters[i]);
      const Vec3 theta = bend.theta(batch.q[2 * i], batch.q[2 * i + 1]);
      const Vec3 rate = batch.v[2 * i] * bend.e1 + batch.v[2 * i + 1] * bend.e2;
      const Factors f(dot(theta, theta));
      const auto turned = [&](const Vec3& x) {
        const Vec3 c = cross(theta, x);
        return x + f.a * c + f.b * cross(theta, c);
      };
      JointMotion& m = out[i];
      m = {};
      m.R_FM = rotation_matrix(from_rotation_vector(theta) * from_rotation_vector(-bend.drawn));
      m.H[0].angular = turned(bend.e1);
      m.H[1].angular = turned(bend.e2);
      m.twist.angular = turned(rate);
      const Vec3 c = cross(theta, rate);
      const double s_rate = 2 * dot(theta, rate);
      m.bias.angular = (f.a_s * s_rate) * c + (f.b_s * s_rate) * cross(theta, c) + f.b * cross(rate, c);
    }
  }
  void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept override {
    for (std::size_t k = 0; k < 2 * batch.count; ++k) qdot[k] = batch.v[k];
  }
  /// Finds the turn that takes one axis to the other without twist. A twist in the pose cannot come from this joint.
  void coordinates(std::span<const double> parameters, const Mat3& R, const Vec3&,
                   std::span<double> q) const noexcept override {
    const Bend bend(parameters);
    const Vec3 a = cross(bend.e1, bend.e2);
    const Vec3 b = R * (rotation_matrix(from_rotation_vector(bend.drawn)) * a);
    const Vec3 normal = cross(a, b);
    const double sine = norm(normal), angle = std::atan2(sine, dot(a, b));
    const Vec3 theta = sine > 0 ? (angle / sine) * normal : Vec3{};
    q[0] = dot(theta - bend.drawn, bend.e1);
    q[1] = dot(theta - bend.drawn, bend.e2);
  }
  Quat orientation(std::span<const double> parameters, std::span<const double> q) const noexcept override {
    const Bend bend(parameters);
    return from_rotation_vector(bend.theta(q[0], q[1])) * from_rotation_vector(-bend.drawn);
  }
  void neutral(std::span<double> q) const noexcept override { q[0] = q[1] = 0; }
};

constexpr Variable positions[] = {{.name = "bend_1", .unit = "rad"}, {.name = "bend_2", .unit = "rad"}};
constexpr Variable velocities[] = {{.name = "rate_1", .unit = "rad/s"}, {.name = "rate_2", .unit = "rad/s"}};

class ConstantVelocity final : public JointType, public ValueRanges {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "constant-velocity",
        .meaning =
            "two shafts at any angle that turn alike; coordinates: the bend about two axes across the base's shaft, "
            "rad",
        .fields = specs,
        .positions = positions,
        .velocities = velocities};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    const Mat3 R = rotation_matrix(joint.base.orientation);
    const Vec3 a = transpose_times(R, joint.fields[axis].vector);
    const Vec3 b = joint.fields[axis2].given ? transpose_times(R, joint.fields[axis2].vector) : a;
    if (!(dot(a, b) > 0)) {
      sink.report(Severity::error, 0, axis2, "the shafts make an angle of 90 degrees or more as drawn",
                  "Let both axes point the same way through the joint.");
      return false;
    }
    // A direction at right angles to the shaft, nearest to the x axis of the base, or to its y axis if the shaft is
    // nearly along x.
    constexpr double nearly_along = 0.9;
    const Vec3 near = std::abs(a.x) > nearly_along ? Vec3{0, 1, 0} : Vec3{1, 0, 0};
    Vec3 e1 = near - dot(near, a) * a;
    e1 = (1 / norm(e1)) * e1;
    const Vec3 e2 = cross(a, e1), normal = cross(a, b);
    const double sine = norm(normal);
    const Vec3 drawn = sine > 0 ? (std::atan2(sine, dot(a, b)) / sine) * normal : Vec3{};
    const double parameters[Bend::count]{e1.x, e1.y, e1.z, e2.x, e2.y, e2.z, drawn.x, drawn.y, drawn.z};
    definition.set_position(joint.fields[position].vector);
    definition.set_parameters(parameters);
    return true;
  }
  const JointKernel* kernel() const noexcept override {
    static constexpr BendKernel kernel;
    return &kernel;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == ValueRanges::interface_name ? static_cast<const ValueRanges*>(this) : nullptr;
  }
  /// At 180 degrees, where the shafts point against each other, the bend is not definite. Both coordinates at their
  /// limits make 73 degrees, which with the 90 degrees that may be drawn stays below that.
  void describe(ValueRanges::Kind of, std::size_t, Strided<const FieldValue>, ValueRange& out) const noexcept override {
    if (of != ValueRanges::Kind::position) return;
    out.typical = 0.4;
    out.minimum = -0.9;
    out.maximum = 0.9;
  }
};

}  // namespace

const JointType& constant_velocity() noexcept {
  static constexpr ConstantVelocity type;
  return type;
}

}  // namespace polyform::couplings
