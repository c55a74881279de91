#include <array>
#include <cmath>
#include <vector>

#include "aerodynamic_fields.hpp"
#include "aerodynamic_types.hpp"
#include "coefficient_fields.hpp"
#include "polar.hpp"

namespace polyform::aerodynamics {
namespace {

/// Force and torque of the air on a body (Thompson 2011, Sect. V: generalized aerodynamic force at a point p), from
/// coefficients that are linear in angle of attack, sideslip, rates and deflections. With the velocity (u, v, w) of the
/// point through the air in aerodynamic axes, V its length, α = atan2(w, u), β = asin(v / V):
///
///   C  = C_0 + C_α α + C_β β + C_p p b/2V + C_q q c/2V + C_r r b/2V + Σ C_δk δk,     C_D besides + CD_CL2 C_L²
///   force  = ½ρV² S (−C_D cos α + C_L sin α,  C_Y,  −C_D sin α − C_L cos α)
///   moment = ½ρV² S (b C_l, c C_m, b C_n)
///
/// Multiplied out, ½ρV² S C = ½ρV² S C_static + ¼ρV S (C_p p b + C_q q c + C_r r b): nothing divides by the airspeed.
struct Body {
  Air air;
  double area, chord, span, induced;
  double coefficient[coefficient_count][control];  ///< by variable; those of the control surfaces apart
  std::vector<TimeFunction> controls;
  std::vector<std::array<double, coefficient_count>> by_control;
  Polar polar;

  explicit Body(Strided<const FieldValue> f)
      : air(air_of(f)),
        area(f[reference_area].number),
        chord(f[reference_chord].number),
        span(f[reference_span].number),
        induced(f[induced_drag].number),
        controls(f[deflections].functions.begin(), f[deflections].functions.end()),
        by_control(controls.size()),
        polar(f[polar_rows]) {
    for (std::size_t c = 0; c < coefficient_count; ++c) {
      for (std::size_t v = 0; v < control; ++v) coefficient[c][v] = f[derivative(c, v)].number;
      const std::span<const double> given = f[derivative(c, control)].numbers;
      for (std::size_t k = 0; k < given.size(); ++k) by_control[k][c] = given[k];
    }
  }

  double passing_time(const AirMotion& motion, double) const noexcept {
    const FlowAngle angle(motion.velocity, motion.angular_velocity);
    return polar.passing_time(angle.value, angle.rate);
  }

  /// Moment about the point and force.
  Spatial wrench(const AirMotion& motion, double time) const noexcept {
    const Vec3& v = motion.velocity;
    const Vec3& w = motion.angular_velocity;
    const double forward = std::hypot(v.x, v.z), speed = norm(v);
    const double variables[control]{1,          std::atan2(v.z, v.x), std::atan2(v.y, forward),
                                    span * w.x, chord * w.y,          span * w.z};
    double fixed[coefficient_count]{}, damping[coefficient_count]{};
    for (std::size_t c = 0; c < coefficient_count; ++c) {
      for (std::size_t k = 0; k < roll_rate; ++k) fixed[c] += coefficient[c][k] * variables[k];
      for (std::size_t k = roll_rate; k < control; ++k) damping[c] += coefficient[c][k] * variables[k];
    }
    for (std::size_t k = 0; k < controls.size(); ++k) {
      const double deflection = controls[k](time).value;
      for (std::size_t c = 0; c < coefficient_count; ++c) fixed[c] += by_control[k][c] * deflection;
    }
    if (!polar.empty()) {
      const PolarValue at = polar(variables[angle_of_attack]);
      fixed[lift] += at.lift;
      fixed[drag] += at.drag;
      fixed[pitch] += at.moment;
    }
    fixed[drag] += induced * fixed[lift] * fixed[lift];

    const double static_scale = 0.5 * air.density * speed * speed * area;
    const double rate_scale = 0.25 * air.density * speed * area;
    double amount[coefficient_count];
    for (std::size_t c = 0; c < coefficient_count; ++c) amount[c] = static_scale * fixed[c] + rate_scale * damping[c];
    // Across the plane of symmetry alone there is no angle of attack: it counts as zero.
    const double cosine = forward > 0 ? v.x / forward : 1, sine = forward > 0 ? v.z / forward : 0;
    return {{span * amount[roll], chord * amount[pitch], span * amount[yaw]},
            {-amount[drag] * cosine + amount[lift] * sine, amount[side], -amount[drag] * sine - amount[lift] * cosine}};
  }
};

bool check_controls(const ElementInstance& instance, std::size_t number, FieldSink& sink) {
  const std::size_t count = instance.fields[deflections].functions.size();
  bool good = true;
  for (std::size_t c = 0; c < coefficient_count; ++c) {
    const std::size_t field = derivative(c, control), given = instance.fields[field].numbers.size();
    if (given == 0 || given == count) continue;
    sink.report(Severity::error, number, field,
                Message("{} value{} given for {}, but there {} {} control{}", given, plural(given),
                        body_specs()[field].name, count == 1 ? "is" : "are", count, plural(count)),
                "Give one derivative for each of the `controls`, 0 where it has no effect.");
    good = false;
  }
  return good;
}

bool check_polar(const ElementInstance& instance, std::size_t number, FieldSink& sink) {
  if (!instance.fields[polar_rows].given) return true;
  bool good = Polar::check(instance.fields[polar_rows], number, polar_rows, sink);
  for (const std::size_t c : {lift, drag, pitch})
    for (const std::size_t v : {constant, angle_of_attack}) {
      const std::size_t field = derivative(c, v);
      if (!instance.fields[field].given) continue;
      sink.report(Severity::error, number, field,
                  Message("{} is given besides the polar, which has it already", body_specs()[field].name),
                  "Leave one of the two out.");
      good = false;
    }
  return good;
}

class AerodynamicBody final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "aerodynamic-body",
        .meaning = "force and torque of the air on a whole body, from lift, drag, side force and moment coefficients",
        .fields = body_specs(),
        .outputs = air_outputs};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    bool good = define_common(instance, number, sink);
    good = check_controls(instance, number, sink) && good;
    return check_polar(instance, number, sink) && good;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<AirBatch<Body>>(instances);
  }
};

}  // namespace

const ForceType& aerodynamic_body() noexcept {
  static constexpr AerodynamicBody type;
  return type;
}

}  // namespace polyform::aerodynamics
