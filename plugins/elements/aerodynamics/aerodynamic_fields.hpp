// What all aerodynamic forces are told: where they act and in which air.
#pragma once

#include "polyform/force.hpp"
#include "polyform/time_vector.hpp"

namespace polyform::aerodynamics {

/// The fields that every type starts with, in this order.
enum CommonField : std::size_t { body, point, orientation, density, wind, common_fields };
inline constexpr FieldSpec common_specs[common_fields]{
    {.name = "body",
     .type = FieldType::body,
     .unit = "",
     .meaning = "the body that the air acts on",
     .required = true},
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
     .default_text = "[0, 0, 0]"}};

/// Those fields of an instance that passed define_common.
struct Air {
  Mat3 R;          ///< aerodynamic axes in body axes
  double density;  ///< kg/m^3
  TimeVector wind;

  explicit Air(std::span<const FieldValue> fields)
      : R(rotation_matrix(fields[orientation].orientation)), density(fields[density_field].number), wind(fields[wind_field]) {}

 private:
  static constexpr std::size_t density_field = aerodynamics::density, wind_field = aerodynamics::wind;
};

/// Motion of the aerodynamic axes through the air.
struct AirMotion {
  Mat3 R;                 ///< aerodynamic axes in ground axes
  Vec3 velocity;          ///< of their origin relative to the air, aerodynamic axes
  Vec3 angular_velocity;  ///< of the body, aerodynamic axes
};
inline AirMotion motion_through(const Air& air, const MarkerMotion& at, double time) noexcept {
  const Mat3 R = at.R * air.R;
  return {R, transpose_times(R, at.velocity - air.wind(time)), transpose_times(R, at.angular_velocity)};
}

/// Hands over a moment about the origin and a force, aerodynamic axes. Air has no potential: all of it is power.
inline void load(const AirMotion& motion, const MarkerMotion& at, const Spatial& wrench, Spatial& on_marker,
                 double& power) noexcept {
  on_marker = {motion.R * wrench.angular, motion.R * wrench.linear};
  power += dot(on_marker, Spatial{at.angular_velocity, at.velocity});
}

/// Places the marker and checks the fields common to all types.
bool define_common(ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept;

}  // namespace polyform::aerodynamics
