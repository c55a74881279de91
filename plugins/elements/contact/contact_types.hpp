// The force types of this folder.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::contact {

/// Compliant contact; it passes instances with the law `rigid` to rigid_contact().
const ForceType& contact() noexcept;
/// Rigid contact under the same name. It is not registered.
const ForceType& rigid_contact() noexcept;

/// Compliant contacts between many bodies as one element.
const ForceType& contact_group() noexcept;

}  // namespace polyform::contact
