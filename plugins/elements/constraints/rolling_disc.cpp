// A thin disc that rolls on a plane without slip. With n the normal of the plane, e the axis of the disc, r its radius:
//
//   u = n − (n·e) e        from the contact straight up the disc
//   ρ = −r u/|u|           contact from the centre C
//   velocity   v_C + ω × ρ = 0              of the touching point of the disc: three rows, one of them holonomic
//   position   n · (p_C + ρ − p₀) = 0
#include <array>
#include <cmath>
#include <vector>

#include "constraint_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::constraints {
namespace {

enum Field : std::size_t { body, point, axis, radius, plane_point, plane_normal };
constexpr std::array specs{
    FieldSpec{
        .name = "body", .type = FieldType::body, .unit = "", .meaning = "the body with the disc", .required = true},
    FieldSpec{.name = "point",
              .type = FieldType::vector3,
              .unit = "m",
              .meaning = "centre of the disc, in the body's own frame",
              .default_text = "[0, 0, 0]"},
    FieldSpec{.name = "axis",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "axis of the disc, in ground as drawn",
              .required = true,
              .tied_to_ground = true},
    FieldSpec{.name = "radius",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "radius of the disc",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "plane_point",
              .type = FieldType::vector3,
              .unit = "m",
              .meaning = "a point of the plane, in ground",
              .default_text = "[0, 0, 0]",
              .tied_to_ground = true},
    FieldSpec{.name = "plane_normal",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "normal of the plane towards the disc, in ground",
              .default_text = "[0, 0, 1]",
              .tied_to_ground = true}};

/// If the sine of the angle between disc and plane is less than this, the contact is not a point.
constexpr double least_sine = 1e-6;

struct Disc {
  Vec3 axis;  ///< body axes
  double radius;
  Vec3 plane_point, n, along, across;  ///< ground axes; n, along, across orthonormal
};

Vec3 perpendicular(const Vec3& n) {
  const Vec3 helper = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 a = cross(n, helper);
  return (1 / norm(a)) * a;
}

class RollingDiscs final : public ConstraintBatch {
 public:
  explicit RollingDiscs(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) {
      const Mat3 R = rotation_matrix(i.drawn[0].orientation);
      const Vec3 n = i.fields[plane_normal].vector, along = perpendicular(n);
      discs_.push_back({transpose_times(R, i.fields[axis].vector), i.fields[radius].number,
                        i.fields[plane_point].vector, n, along, cross(n, along)});
    }
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    for (std::size_t i = 0; i < discs_.size(); ++i) {
      const Disc& disc = discs_[i];
      const MarkerMotion& at = in.markers[i];
      const Vec3 &w = at.angular_velocity, e = at.R * disc.axis, e_rate = cross(w, e);
      const double ne = dot(disc.n, e);
      const Vec3 u = disc.n - ne * e, u_rate = -(dot(disc.n, e_rate) * e + ne * e_rate);
      const double sine = std::max(norm(u), least_sine);
      const Vec3 up = (1 / sine) * u;
      const Vec3 rho = -disc.radius * up;
      const Vec3 rho_rate = (-disc.radius / sine) * (u_rate - dot(up, u_rate) * up);
      // d/dt of v_C + ω × ρ, without accelerations
      const Vec3 rest = cross(w, rho_rate);
      const Vec3 rows[] = {disc.n, disc.along, disc.across};
      for (std::size_t r = 0; r < 3; ++r) {
        out.A[3 * i + r] = {cross(rho, rows[r]), rows[r]};
        out.acceleration_right[3 * i + r] = -dot(rows[r], rest);
      }
      out.residual[3 * i] = dot(disc.n, at.position + rho - disc.plane_point);
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Disc> discs_;
};

class RollingDisc final : public ConstraintType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array rows{Variable{.name = "normal", .unit = "N"},
                                     Variable{.name = "tangent_1", .unit = "N"},
                                     Variable{.name = "tangent_2", .unit = "N"}};
    static constexpr TypeDescriptor descriptor{.name = "rolling-disc",
                                               .meaning = "a thin disc that rolls on a plane without slip",
                                               .fields = specs,
                                               .rows = rows};
    return descriptor;
  }
  /// The first row is holonomic. The others ask nothing of positions: their zero residual keeps corrections from
  /// slipping.
  bool holonomic() const noexcept override { return true; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 3; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    instance.markers[0].point = instance.fields[point].vector;
    const Vec3 u = cross(instance.fields[axis].vector, instance.fields[plane_normal].vector);
    if (norm(u) > least_sine_as_drawn) return true;
    sink.report(Severity::error, number, axis,
                "the disc lies flat on the plane: its axis is the normal of the plane, so it has no point of contact",
                "Give the direction of the disc's axle, or tilt the disc.");
    return false;
  }
  ConstraintBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<RollingDiscs>(instances);
  }
};

}  // namespace

const ConstraintType& rolling_disc() noexcept {
  static constexpr RollingDisc type;
  return type;
}

}  // namespace polyform::constraints
