// Contacts without penetration between many bodies as one element.
#pragma once

#include <cstddef>

#include "polyform/contract/force.hpp"

namespace polyform::contact {

/// The type of groups of so many bodies with the law rigid, named as the one of the other law; it lives for ever.
/// nullptr if memory runs out. Each of its instances has the wrenches on its bodies as states.
const ForceType* rigid_contact_group(std::size_t bodies) noexcept;

}  // namespace polyform::contact
