// Tyres that roll: where a wheel touches the road, how it slips there, and what pushes it. The law of the forces along
// the road is that of the type.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "polyform/contract/events.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "road.hpp"

namespace polyform::tyres {

/// Fields of all rolling tyres, at the beginning of those of a type; then those of the road.
namespace rolling_field {
inline constexpr std::size_t wheel = 0, axis = 1, radius = 2, rolling_radius = 3, stiffness = 4, damping = 5, onset = 6,
                             free_rolling = 7, road = 8;
}
inline constexpr std::array<FieldSpec, rolling_field::road> rolling_fields{
    FieldSpec{.name = "wheel",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the wheel centre: a point of the wheel's body, which turns with the wheel",
              .required = true},
    FieldSpec{.name = "axis",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "the axis that the wheel spins about, to the left, in the axes of its body",
              .required = true},
    FieldSpec{.name = "radius",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the tyre without load",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "rolling_radius",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "speed over turning rate where the tyre rolls freely; default: radius less a third of the "
                         "compression",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m",
              .meaning = "radial force per compression",
              .required = true,
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 2e5},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m",
              .meaning = "radial force per rate of compression",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "onset",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "compression over which the damping grows from none to full, so that landing is no jump",
              .default_text = "0.002",
              .minimum = 0},
    FieldSpec{
        .name = "free_rolling",
        .type = FieldType::boolean,
        .unit = "",
        .meaning = "the wheel rolls freely however its body turns: no longitudinal slip; for wheels that are no bodies",
        .default_text = "false"}};

/// States: longitudinal and lateral slip as the deflected tyre has them.
inline constexpr std::array rolling_states{Variable{.name = "kappa", .unit = "1"},
                                           Variable{.name = "tan_alpha", .unit = "1"}};
enum RollingOutput : std::size_t { load, compression, slip, slip_angle, camber, fx, fy, mz };
inline constexpr std::array<Variable, 8> rolling_outputs{
    Variable{.name = "load", .unit = "N"},     Variable{.name = "compression", .unit = "m"},
    Variable{.name = "slip", .unit = "1"},     Variable{.name = "slip_angle", .unit = "rad"},
    Variable{.name = "camber", .unit = "rad"}, Variable{.name = "fx", .unit = "N"},
    Variable{.name = "fy", .unit = "N"},       Variable{.name = "mz", .unit = "N m"}};

/// Forces of the road on the wheel at its point of contact: along the wheel's plane, to the left, and about the normal,
/// positive as a right-hand rule has it; about the wheel's axis against the rolling; about the direction forward.
struct RoadForces {
  double fx = 0, fy = 0, mz = 0, rolling = 0, mx = 0;
};
/// How the tyre rolls. Slips are positive where the forces that they make are: s_x = −V_sx/|V_x|, s_y = −V_sy/|V_x|.
struct RollingState {
  double load = 0, kappa = 0, tan_alpha = 0, camber = 0, speed = 0;
};

/// The geometry and the vertical spring of a wheel.
struct Wheel {
  double radius, rolling_radius, stiffness, damping, onset;  ///< rolling_radius: 0 for that of the compressed tyre
  bool rolls_freely;
  Vec3 axis;  ///< body axes
  Road road;

  struct Touch {
    double depth = -1, rate = 0, load = 0;  ///< compression, its rate, force along the normal
    Vec3 arm, normal, along, left, axis;    ///< from the wheel's centre to the point of contact; unit vectors
    double camber = 0, speed = 0, slip_x = 0, slip_y = 0;  ///< of the centre along the road; sliding velocities
    double push = 0;                                       ///< what an event tells: negative off the road too
  };
  explicit Wheel(const ElementInstance&);
  Touch touch(const MarkerMotion& center) const noexcept;
  double engaged(double depth) const noexcept;
};

/// False after a report: of the wheel's fields, and of those of the road.
bool check_wheel(const ElementInstance&, std::size_t number, FieldSink&) noexcept;

/// The fields of a type: those of the wheel, those of the road, and its own.
template <std::size_t own>
constexpr auto tyre_fields(const std::array<FieldSpec, own>& more) {
  std::array<FieldSpec, rolling_field::road + road_field::count + own> all{};
  std::copy(rolling_fields.begin(), rolling_fields.end(), all.begin());
  std::copy(road_fields.begin(), road_fields.end(), all.begin() + rolling_field::road);
  std::copy(more.begin(), more.end(), all.begin() + rolling_field::road + road_field::count);
  return all;
}
inline constexpr std::size_t first_own_field = rolling_field::road + road_field::count;

/// Within this speed, m/s, the rolling resistance changes its sign with the speed, smoothly.
inline constexpr double creeping = 0.1;

/// |V|, smooth where it is zero: below a millimetre per second it is no speed.
inline double smooth_size(double v) noexcept {
  constexpr double still = 1e-3;
  return std::sqrt(v * v + still * still);
}

/// All instances of a type whose law is a class with
///   explicit Law(const ElementInstance&)
///   RoadForces forces(const RollingState&) const noexcept
///   double length_x(double load, double camber) const noexcept, and length_y: relaxation lengths, m, greater than zero
///
/// The slips follow those of the rim by σ ds/dt = −V_s − |V_x| s. If the wheel hardly rolls, a tyre that slides would
/// wind up: therefore the slip is then led back in proportion to the sliding.
template <class Law>
class RollingTyres final : public ForceBatch, public EventSource, public OutputSource, public InitialStates {
 public:
  explicit RollingTyres(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) tyres_.push_back({Wheel(i), Law(i)});
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Tyre& tyre = tyres_[i];
      const Wheel::Touch t = tyre.wheel.touch(in.markers[i]);
      const double kappa = in.states[2 * i], tan_alpha = in.states[2 * i + 1];
      if (!(t.load > 0)) {
        const double speed = smooth_size(t.speed) + 1, length = tyre.wheel.radius;
        out.state_rates[2 * i] = -speed / length * kappa;
        out.state_rates[2 * i + 1] = -speed / length * tan_alpha;
        if (t.depth > 0) store(tyre.wheel, t, out);
        continue;
      }
      out.state_rates[2 * i] = follow(tyre.law.length_x(t.load, t.camber), t.speed, t.slip_x, kappa);
      out.state_rates[2 * i + 1] = follow(tyre.law.length_y(t.load, t.camber), t.speed, t.slip_y, tan_alpha);
      const RoadForces f = forces_of(tyre, t, kappa, tan_alpha);
      const Vec3 force = t.load * t.normal + f.fx * t.along + f.fy * t.left;
      const Spatial wrench{cross(t.arm, force) + f.mz * t.normal - f.rolling * t.axis + f.mx * t.along, force};
      out.wrenches[i] = wrench;
      out.power += dot(wrench, Spatial{in.markers[i].angular_velocity, in.markers[i].velocity});
      store(tyre.wheel, t, out);
    }
  }
  void initial_states(std::span<double> x) const noexcept override { std::ranges::fill(x, 0.0); }
  /// As after rolling on for long.
  void states_at_start(const ForceInput& start, std::span<double>, std::span<double> x) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Wheel::Touch t = tyres_[i].wheel.touch(start.markers[i]);
      constexpr double rolls = 0.5;
      if (!(t.load > 0) || std::abs(t.speed) < rolls) continue;
      x[2 * i] = -t.slip_x / std::abs(t.speed);
      x[2 * i + 1] = -t.slip_y / std::abs(t.speed);
    }
  }
  std::size_t event_count() const noexcept override { return tyres_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k;
    out.name = "contact";
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const MarkerMotion& center = in.attachments->markers[i];
      out.values[i] = tyres_[i].wheel.touch(center).push;
      out.guard = std::min(out.guard, tyres_[i].wheel.road.longest_step(center.position, center.velocity));
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < tyres_.size(); ++i) {
      const Wheel::Touch t = tyres_[i].wheel.touch(in.attachments->markers[i]);
      const double kappa = in.attachments->states[2 * i], tan_alpha = in.attachments->states[2 * i + 1];
      const RoadForces f = t.load > 0 ? forces_of(tyres_[i], t, kappa, tan_alpha) : RoadForces{};
      double* const own = values.data() + rolling_outputs.size() * i;
      own[load] = t.load;
      own[compression] = std::max(0.0, t.depth);
      own[slip] = kappa;
      own[slip_angle] = std::atan(tan_alpha);
      own[camber] = t.camber;
      own[fx] = f.fx;
      own[fy] = f.fy;
      own[mz] = f.mz;
    }
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == EventSource::interface_name) return static_cast<EventSource*>(this);
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == InitialStates::interface_name ? static_cast<InitialStates*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Tyre {
    Wheel wheel;
    Law law;
  };
  /// The energy of the vertical spring. On a road with a profile, whose height is not a matter of the wheel's place
  /// along its normal alone, what the spring does is power.
  static void store(const Wheel& wheel, const Wheel::Touch& t, ForceOutput& out) noexcept {
    if (!wheel.road.is_level()) return;
    out.potential_energy += 0.5 * wheel.stiffness * t.depth * t.depth;
    out.power += wheel.stiffness * t.depth * t.rate;
  }
  static RoadForces forces_of(const Tyre& tyre, const Wheel::Touch& t, double kappa, double tan_alpha) noexcept {
    return tyre.law.forces({t.load, kappa, tan_alpha, t.camber, t.speed});
  }
  static double follow(double length, double speed, double sliding, double s) noexcept {
    constexpr double slow = 0.5;  // m/s
    const double size = smooth_size(speed), stands = std::max(0.0, 1 - size / slow);
    return (-sliding - (size + stands * stands * smooth_size(sliding)) * s) / length;
  }
  std::vector<Tyre> tyres_;
};

}  // namespace polyform::tyres
