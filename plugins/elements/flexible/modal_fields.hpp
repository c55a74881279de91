// Fields that all types of this plugin have: damping and initial state, per mode.
#pragma once

#include <algorithm>

#include "polyform/contract/flexible_body.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::flexible {

inline constexpr FieldSpec damping_ratio_spec{
    .name = "damping_ratio",
    .type = FieldType::numbers,
    .unit = "",
    .meaning = "damping of each mode, of its critical damping; one for all modes or one per mode",
    .default_text = "0",
    .minimum = 0};
inline constexpr FieldSpec modal_position_spec{
    .name = "modal_position",
    .type = FieldType::numbers,
    .unit = "",
    .meaning = "initial modal coordinates; one for all modes or one per mode",
    .default_text = "0",
    .typical = 0.01};
inline constexpr FieldSpec modal_velocity_spec{
    .name = "modal_velocity",
    .type = FieldType::numbers,
    .unit = "",
    .meaning = "initial rates of the modal coordinates; one for all modes or one per mode",
    .default_text = "0"};

inline constexpr FieldSpec geometric_stiffening_spec{
    .name = "geometric_stiffening",
    .type = FieldType::boolean,
    .unit = "",
    .meaning =
        "whether bending draws the body's points in along its axis, so that tension, as of a spinning blade, "
        "stiffens it; not given: where the body can spin, because something drives a rotation that turns it or because "
        "it turns at the start"};

/// The value of mode k in a field that has one for all modes or one per mode.
inline double of_mode(const FieldValue& value, std::size_t k) noexcept {
  return value.numbers[value.numbers.size() == 1 ? 0 : k];
}
inline bool check_per_mode(const FieldValue& value, const FieldSpec& spec, std::size_t field, std::size_t modes,
                           std::size_t instance, FieldSink& sink) noexcept {
  const std::size_t given = value.numbers.size();
  if (given == 1 || given == modes) return true;
  sink.report(Severity::error, instance, field,
              Message("{} value{} given for {}, but the body has {} mode{}", given, plural(given), spec.name, modes,
                      plural(modes)),
              "Give one number for all modes or a list with one per mode.");
  return false;
}
inline void set_per_mode(const FieldValue& value, std::span<double> out) noexcept {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = of_mode(value, k);
}
inline void set_no_shapes(ModeShapes& shapes) noexcept {
  std::fill(shapes.displacement.begin(), shapes.displacement.end(), 0.0);
  std::fill(shapes.rotation.begin(), shapes.rotation.end(), 0.0);
  std::fill(shapes.second_order.begin(), shapes.second_order.end(), 0.0);
}

/// How far from a point of the body an attachment may be, as a part of the size of the body: positions in models have
/// been rounded on their way.
inline constexpr double attachment_tolerance = 1e-6;

}  // namespace polyform::flexible
