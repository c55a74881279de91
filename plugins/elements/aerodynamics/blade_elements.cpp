#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "aerodynamic_fields.hpp"
#include "aerodynamic_types.hpp"
#include "polar.hpp"

namespace polyform::aerodynamics {
namespace {

enum Field : std::size_t { strip_rows = common_fields, polar_rows, pitch, field_count };
constexpr auto specs = [] {
  std::array<FieldSpec, field_count> out{};
  std::copy_n(common_specs, static_cast<std::size_t>(common_fields), out.begin());
  out[strip_rows] = {
      .name = "strips",
      .type = FieldType::matrix,
      .unit = "",
      .meaning = "rows [distance of the middle along y, m, width, m, chord, m, twist about y, nose up, rad]",
      .required = true};
  out[polar_rows] = {.name = "polar",
                     .type = FieldType::matrix,
                     .unit = "",
                     .meaning =
                         "the section: rows [angle of attack, lift, drag, moment (default 0)] from -pi to pi rad, "
                         "linear between them",
                     .required = true};
  out[pitch] = {.name = "pitch",
                .type = FieldType::time_function,
                .unit = "rad",
                .meaning = "turns all strips about y, nose up, besides their twist",
                .default_text = "0"};
  return out;
}();

struct Strip {
  double distance, width, chord, twist;
};

/// Strips of a blade as sections in plane flow. The velocity of a strip's point through the air has the components u
/// (forward) and w (down) across the span, W their length; what goes along the span does nothing. With
/// α = atan2(w, u) + twist + pitch, within ±π, a strip of area A = chord · width gives
///
///   lift ½ρW² A c_l across the flow,  drag ½ρW² A c_d along it:   force = ½ρW A (c_l w − c_d u, 0, −c_l u − c_d w)
///   moment about y: ½ρW² A chord c_m
///
/// where nothing divides by the airspeed.
struct Blade {
  Air air;
  std::vector<Strip> strips;
  Polar polar;
  TimeFunction pitch;

  explicit Blade(Strided<const FieldValue> f)
      : air(air_of(f)), polar(f[polar_rows]), pitch(f[Field::pitch].functions[0]) {
    const std::span<const double> rows = f[strip_rows].numbers;
    for (std::size_t i = 0; i < rows.size(); i += 4) strips.push_back({rows[i], rows[i + 1], rows[i + 2], rows[i + 3]});
  }

  /// The velocity of the air at a strip, aerodynamic axes.
  static Vec3 velocity_at(const Strip& strip, const AirMotion& motion) noexcept {
    return motion.velocity + strip.distance * Vec3{-motion.angular_velocity.z, 0, motion.angular_velocity.x};
  }

  double passing_time(const AirMotion& motion, double time) const noexcept {
    const auto collective = pitch(time);
    double shortest = never;
    for (const Strip& strip : strips) {
      const FlowAngle angle(velocity_at(strip, motion), motion.angular_velocity);
      const double alpha = std::remainder(angle.value + strip.twist + collective.value, 2 * std::numbers::pi);
      shortest = std::min(shortest, polar.passing_time(alpha, angle.rate + collective.rate));
    }
    return shortest;
  }

  /// Moment about the origin of the blade's axes and force.
  Spatial wrench(const AirMotion& motion, double time) const noexcept {
    const double collective = pitch(time).value;
    Spatial sum;
    for (const Strip& strip : strips) {
      const double y = strip.distance;
      const Vec3 through_air = velocity_at(strip, motion);
      const double u = through_air.x, w = through_air.z;
      const double speed = std::hypot(u, w);
      const double alpha = std::remainder(std::atan2(w, u) + strip.twist + collective, 2 * std::numbers::pi);
      const PolarValue c = polar(alpha);
      const double scale = 0.5 * air.density * speed * strip.chord * strip.width;
      const double x = scale * (c.lift * w - c.drag * u), z = -scale * (c.lift * u + c.drag * w);
      sum += Spatial{{y * z, scale * speed * strip.chord * c.moment, -y * x}, {x, 0, z}};
    }
    return sum;
  }
};

bool check_strips(const ElementInstance& instance, std::size_t number, FieldSink& sink) {
  const FieldValue& rows = instance.fields[strip_rows];
  const std::size_t columns = rows.numbers.size() / rows.rows;
  if (columns != 4) {
    sink.report(Severity::error, number, strip_rows,
                Message("rows of {} number{} given for the strips, expected 4", columns, plural(columns)),
                "Give rows [distance, width, chord, twist].");
    return false;
  }
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double width = rows.numbers[4 * i + 1], chord = rows.numbers[4 * i + 2];
    if (width > 0 && chord > 0) continue;
    sink.report(Severity::error, number, strip_rows,
                Message("strip {} has the width {:g} m and the chord {:g} m", i + 1, width, chord),
                "Give a positive width and chord; a blade to the other side has negative distances.");
    return false;
  }
  return true;
}

/// Blades meet the air from everywhere, a rotor at rest or in reversed flow: the polar must be known there.
bool check_coverage(const ElementInstance& instance, std::size_t number, FieldSink& sink) {
  const FieldValue& rows = instance.fields[polar_rows];
  if (!Polar::check(rows, number, polar_rows, sink)) return false;
  const double first = rows.numbers[0], last = rows.numbers[rows.numbers.size() - rows.numbers.size() / rows.rows];
  constexpr double covered = 3.13;  // π in a table with two decimals
  if (first <= -covered && last >= covered) return true;
  sink.report(Severity::error, number, polar_rows,
              Message("the polar goes from {:g} to {:g} rad, expected from -3.1416 to 3.1416", first, last),
              "Add rows up to a half turn on either side: sections of a blade meet the air at every angle.");
  return false;
}

class BladeElementType final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "blade-elements",
        .meaning = "strips of a blade or wing in plane flow, with the polar of their section at every angle of attack",
        .fields = specs,
        .outputs = air_outputs};
    return descriptor;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    bool good = define_common(instance, number, sink);
    good = check_strips(instance, number, sink) && good;
    return check_coverage(instance, number, sink) && good;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<AirBatch<Blade>>(instances);
  }
};

}  // namespace

const ForceType& blade_elements() noexcept {
  static constexpr BladeElementType type;
  return type;
}

}  // namespace polyform::aerodynamics
