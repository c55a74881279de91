// The fields of a contact.
#pragma once

#include <array>
#include <cstddef>

#include "polyform/contract/field.hpp"
#include "polyform/contract/force.hpp"

namespace polyform::contact {

enum Field : std::size_t {
  a,
  b,
  law,
  stiffness,
  exponent,
  restitution,
  static_friction,
  dynamic_friction,
  transition,
  impact,
  bristles,
  rolling
};
/// Values of the field `law`, and of `impact`.
enum Law : std::int64_t { hunt_crossley, rigid_law };
enum Impact : std::int64_t { newton, poisson };

extern const std::array<FieldSpec, 12> contact_fields;

/// What all laws ask of an instance: two bodies with shapes that have points of contact, and coefficients of friction
/// in their order. Reports to the sink.
bool check_contact(const ElementInstance&, std::size_t number, FieldSink&) noexcept;
/// The coefficients of friction in their order. number, field: where the report is.
bool check_friction(const FieldValue& at_rest, const FieldValue& sliding, std::size_t number, std::size_t field,
                    FieldSink&) noexcept;
/// A kind of shape in messages, and what to do where two kinds have no points of contact.
std::string_view word_for(GeometricShape::Kind) noexcept;
extern const std::string_view remedy_for_shapes;
/// The coefficient of friction at rest.
double static_friction_of(const ElementInstance&) noexcept;

}  // namespace polyform::contact
