// The fields of aerodynamic-body: six coefficients, each with its constant and derivatives, in the names of flight
// mechanics (CL_alpha, Cm_q, ...).
#pragma once

#include <span>

#include "aerodynamic_fields.hpp"

namespace polyform::aerodynamics {

enum Coefficient : std::size_t { lift, drag, side, roll, pitch, yaw, coefficient_count };
/// What a coefficient depends on; those before roll_rate do not need the airspeed.
enum Variable : std::size_t {
  constant,
  angle_of_attack,
  sideslip,
  roll_rate,
  pitch_rate,
  yaw_rate,
  control,
  variable_count
};
enum BodyField : std::size_t {
  reference_area = common_fields,
  reference_chord,
  reference_span,
  deflections,
  polar_rows,
  induced_drag,
  first_derivative
};
constexpr std::size_t derivative(std::size_t coefficient, std::size_t variable) {
  return first_derivative + coefficient * variable_count + variable;
}

Strided<const FieldSpec> body_specs() noexcept;

}  // namespace polyform::aerodynamics
