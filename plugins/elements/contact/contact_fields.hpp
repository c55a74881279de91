// The fields of a contact.
#pragma once

#include <array>
#include <cstddef>

#include "polyform/contract/field.hpp"

namespace polyform::contact {

enum Field : std::size_t { a, b, law, stiffness, exponent, restitution, static_friction, dynamic_friction, transition };

extern const std::array<FieldSpec, 9> contact_fields;

}  // namespace polyform::contact
