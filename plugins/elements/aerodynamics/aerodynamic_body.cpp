#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "aerodynamic_fields.hpp"
#include "aerodynamic_types.hpp"
#include "coefficient_fields.hpp"
#include "polar.hpp"

namespace polyform::aerodynamics {
namespace {

/// The constants of one body. coefficient[c][v]: of coefficient c by variable v, those of the control surfaces apart.
struct Body {
  Air air;
  double area, chord, span, induced;
  double coefficient[coefficient_count][control];
  std::vector<TimeFunction> controls;
  std::vector<std::array<double, coefficient_count>> by_control;
  Polar polar;

  explicit Body(std::span<const FieldValue> f)
      : air(f),
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
};

/// Force and torque of the air on a body (Thompson 2011, Sect. V: generalized aerodynamic force at a point p), from
/// coefficients that are linear in angle of attack, sideslip, rates and deflections. With the velocity (u, v, w) of the
/// point through the air in aerodynamic axes, V its length, α = atan2(w, u), β = asin(v / V):
///
///   C  = C_0 + C_α α + C_β β + C_p p b/2V + C_q q c/2V + C_r r b/2V + Σ C_δk δk,     C_D besides + CD_CL2 C_L²
///   force  = ½ρV² S (−C_D cos α + C_L sin α,  C_Y,  −C_D sin α − C_L cos α)          moment = ½ρV² S (b C_l, c C_m, b C_n)
///
/// Multiplied out, ½ρV² S C = ½ρV² S C_static + ¼ρV S (C_p p b + C_q q c + C_r r b), so that nothing
/// divides by the airspeed.
class AerodynamicBodies final : public ForceBatch {
 public:
  explicit AerodynamicBodies(std::span<const ElementInstance> instances) {
    bodies_.reserve(instances.size());
    for (const ElementInstance& i : instances) bodies_.emplace_back(i.fields);
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      const AirMotion motion = motion_through(bodies_[i].air, in.markers[i], in.time);
      load(motion, in.markers[i], wrench(bodies_[i], motion, in.time), out.wrenches[i], out.power);
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  /// Moment about the point and force, aerodynamic axes.
  static Spatial wrench(const Body& body, const AirMotion& motion, double time) noexcept {
    const Vec3& v = motion.velocity;
    const Vec3& w = motion.angular_velocity;
    const double forward = std::hypot(v.x, v.z), speed = norm(v);
    const double variables[control]{1,
                                    std::atan2(v.z, v.x),
                                    std::atan2(v.y, forward),
                                    body.span * w.x,
                                    body.chord * w.y,
                                    body.span * w.z};
    double fixed[coefficient_count]{}, damping[coefficient_count]{};
    for (std::size_t c = 0; c < coefficient_count; ++c) {
      for (std::size_t k = 0; k < roll_rate; ++k) fixed[c] += body.coefficient[c][k] * variables[k];
      for (std::size_t k = roll_rate; k < control; ++k) damping[c] += body.coefficient[c][k] * variables[k];
    }
    for (std::size_t k = 0; k < body.controls.size(); ++k) {
      const double deflection = body.controls[k](time).value;
      for (std::size_t c = 0; c < coefficient_count; ++c) fixed[c] += body.by_control[k][c] * deflection;
    }
    if (!body.polar.empty()) {
      const PolarValue at = body.polar(variables[angle_of_attack]);
      fixed[lift] += at.lift;
      fixed[drag] += at.drag;
      fixed[pitch] += at.moment;
    }
    fixed[drag] += body.induced * fixed[lift] * fixed[lift];

    const double static_scale = 0.5 * body.air.density * speed * speed * body.area;
    const double rate_scale = 0.25 * body.air.density * speed * body.area;
    double amount[coefficient_count];
    for (std::size_t c = 0; c < coefficient_count; ++c) amount[c] = static_scale * fixed[c] + rate_scale * damping[c];
    // Across the plane of symmetry alone there is no angle of attack: it counts as zero.
    const double cosine = forward > 0 ? v.x / forward : 1, sine = forward > 0 ? v.z / forward : 0;
    return {{body.span * amount[roll], body.chord * amount[pitch], body.span * amount[yaw]},
            {-amount[drag] * cosine + amount[lift] * sine, amount[side], -amount[drag] * sine - amount[lift] * cosine}};
  }

  std::vector<Body> bodies_;
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
  std::string_view name() const noexcept override { return "aerodynamic-body"; }
  std::string_view meaning() const noexcept override {
    return "force and torque of the air on a whole body, from lift, drag, side force and moment coefficients";
  }
  std::span<const FieldSpec> fields() const noexcept override { return body_specs(); }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    bool good = define_common(instance, number, sink);
    good = check_controls(instance, number, sink) && good;
    return check_polar(instance, number, sink) && good;
  }
  ForceBatch* create(std::span<const ElementInstance> instances) const noexcept override {
    return make_batch<AerodynamicBodies>(instances);
  }
};

}  // namespace

const ForceType& aerodynamic_body() noexcept {
  static constexpr AerodynamicBody type;
  return type;
}

}  // namespace polyform::aerodynamics
