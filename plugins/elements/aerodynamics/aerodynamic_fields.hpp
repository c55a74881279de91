// What all aerodynamic forces have in common: where they act and in which air.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "polyform/contract/events.hpp"
#include "polyform/contract/force.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/time_vector.hpp"

namespace polyform::aerodynamics {

/// The fields that every type starts with, in this order.
enum CommonField : std::size_t { body, point, orientation, density, wind, common_fields };
inline constexpr FieldSpec common_specs[common_fields]{
    {.name = "body", .type = FieldType::body, .unit = "", .meaning = "the body that the air acts on", .required = true},
    {.name = "point",
     .type = FieldType::vector3,
     .unit = "m",
     .meaning = "origin of the aerodynamic axes, in the body's own frame: the reference point of moments",
     .default_text = "[0, 0, 0]"},
    {.name = "orientation",
     .type = FieldType::orientation,
     .unit = "",
     .meaning = "of the aerodynamic axes in the body's own frame; x forward, y along the right wing, z down",
     .default_text = "[1, 0, 0, 0]"},
    {.name = "density",
     .type = FieldType::number,
     .unit = "kg/m^3",
     .meaning = "of the air",
     .default_text = "1.225",
     .minimum = 0},
    {.name = "wind",
     .type = FieldType::time_functions,
     .unit = "m/s",
     .meaning = "the three components of the velocity of the air, ground axes",
     .default_text = "[0, 0, 0]",
     .tied_to_ground = true}};

/// The common fields of an instance that passed define_common.
struct Air {
  Mat3 R;          ///< aerodynamic axes in body axes
  double density;  ///< kg/m^3
  TimeVector wind;
};
inline Air air_of(Strided<const FieldValue> f) {
  return {rotation_matrix(f[orientation].orientation), f[density].number, TimeVector(f[wind])};
}

/// Motion of the aerodynamic axes through the air.
struct AirMotion {
  Vec3 velocity;          ///< of their origin relative to the air, aerodynamic axes
  Vec3 angular_velocity;  ///< of the body, aerodynamic axes
};

/// The angle of attack atan2(w, u) at a point, and its rate if nothing accelerates: axes that turn at ω see the same
/// velocity change by −ω × v.
struct FlowAngle {
  double value = 0, rate = 0;

  FlowAngle(const Vec3& velocity, const Vec3& angular_velocity) noexcept : value(std::atan2(velocity.z, velocity.x)) {
    const Vec3 change = cross(velocity, angular_velocity);
    const double square = velocity.x * velocity.x + velocity.z * velocity.z;
    if (square > 0) rate = (velocity.x * change.z - velocity.z * change.x) / square;
  }
};

/// Outputs of every type: airspeed, angle of attack and sideslip at the origin of the aerodynamic axes, force and
/// moment about it in these axes.
inline constexpr Variable air_outputs[]{{.name = "airspeed", .unit = "m/s"},
                                        {.name = "angle_of_attack", .unit = "rad", .kind = Variable::Kind::angle},
                                        {.name = "sideslip", .unit = "rad", .kind = Variable::Kind::angle},
                                        {.name = "fx", .unit = "N"},
                                        {.name = "fy", .unit = "N"},
                                        {.name = "fz", .unit = "N"},
                                        {.name = "mx", .unit = "N m"},
                                        {.name = "my", .unit = "N m"},
                                        {.name = "mz", .unit = "N m"}};

/// A batch of instances that have `air` and are made from the fields of an instance. An instance gives its load as
/// wrench(motion, time), the moment about the origin and the force, aerodynamic axes. passing_time(motion, time) tells
/// the longest step that meets every piece of its tables (`never` without any). Air has no potential: all of its work
/// is power.
template <class Loaded>
class AirBatch final : public ForceBatch, public OutputSource, private EventSource {
 public:
  explicit AirBatch(Strided<const ElementInstance> instances) {
    loaded_.reserve(instances.size());
    for (const ElementInstance& i : instances) loaded_.emplace_back(i.fields);
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      const MarkerMotion& at = in.markers[i];
      const Mat3 R = at.R * loaded_[i].air.R;
      const Spatial wrench = loaded_[i].wrench(motion_in(R, loaded_[i].air, at, in.time), in.time);
      out.wrenches[i] = {R * wrench.angular, R * wrench.linear};
      out.power += dot(out.wrenches[i], Spatial{at.angular_velocity, at.velocity});
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    const double time = in.attachments->time;
    double* own = values.data();
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      const MarkerMotion& at = in.attachments->markers[i];
      const AirMotion motion = motion_in(at.R * loaded_[i].air.R, loaded_[i].air, at, time);
      const Spatial wrench = loaded_[i].wrench(motion, time);
      const Vec3& v = motion.velocity;
      *own++ = norm(v);
      *own++ = std::atan2(v.z, v.x);
      *own++ = std::atan2(v.y, std::hypot(v.x, v.z));
      for (const Vec3& part : {wrench.linear, wrench.angular})
        for (std::size_t k = 0; k < 3; ++k) *own++ = part[k];
    }
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    const bool tables = std::ranges::any_of(loaded_, [](const Loaded& l) { return !l.polar.empty(); });
    return tables && asked == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  static AirMotion motion_in(const Mat3& R, const Air& air, const MarkerMotion& at, double time) noexcept {
    return {transpose_times(R, at.velocity - air.wind(time)), transpose_times(R, at.angular_velocity)};
  }
  std::size_t event_count() const noexcept override { return 0; }
  void describe_event(std::size_t, EventDescription&) const noexcept override {}
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    const ForceInput& now = *in.attachments;
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      const MarkerMotion& at = now.markers[i];
      const AirMotion motion = motion_in(at.R * loaded_[i].air.R, loaded_[i].air, at, now.time);
      out.guard = std::min(out.guard, loaded_[i].passing_time(motion, now.time));
    }
  }

  std::vector<Loaded> loaded_;
};

/// Places the marker and checks the fields common to all types.
bool define_common(ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept;

}  // namespace polyform::aerodynamics
