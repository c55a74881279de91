// The force types of this folder.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::contact {

/// Compliant contact; it hands instances with the law `rigid` on to the next.
const ForceType& contact() noexcept;
/// Rigid contact, under the same name. Not registered.
const ForceType& rigid_contact() noexcept;

}  // namespace polyform::contact
