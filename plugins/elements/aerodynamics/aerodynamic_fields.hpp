// What all aerodynamic forces are told: where they act and in which air.
#pragma once

#include <vector>

#include "polyform/force.hpp"
#include "polyform/time_vector.hpp"

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

/// Those fields of an instance that passed define_common.
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

/// A batch of what has `air`, is made from the fields of an instance, and gives its load as wrench(motion, time): the
/// moment about the origin and the force, aerodynamic axes. Air has no potential: all of it is power.
template <class Loaded>
class AirBatch final : public ForceBatch {
 public:
  explicit AirBatch(Strided<const ElementInstance> instances) {
    loaded_.reserve(instances.size());
    for (const ElementInstance& i : instances) loaded_.emplace_back(i.fields);
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < loaded_.size(); ++i) {
      const Air& air = loaded_[i].air;
      const MarkerMotion& at = in.markers[i];
      const Mat3 R = at.R * air.R;
      const AirMotion motion{transpose_times(R, at.velocity - air.wind(in.time)),
                             transpose_times(R, at.angular_velocity)};
      const Spatial wrench = loaded_[i].wrench(motion, in.time);
      out.wrenches[i] = {R * wrench.angular, R * wrench.linear};
      out.power += dot(out.wrenches[i], Spatial{at.angular_velocity, at.velocity});
    }
  }
  void destroy() noexcept override { delete this; }

 private:
  std::vector<Loaded> loaded_;
};

/// Places the marker and checks the fields common to all types.
bool define_common(ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept;

}  // namespace polyform::aerodynamics
