// The force types of this folder.
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform::contact {

const ForceType& contact() noexcept;

}  // namespace polyform::contact
