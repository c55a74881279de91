// An importer of a small format: a chain of slender rods that hang from a hinge, a line for each.
#pragma once

#include "polyform/contract/importer.hpp"

namespace example {

const polyform::ImporterType& hanging_importer() noexcept;

}  // namespace example
