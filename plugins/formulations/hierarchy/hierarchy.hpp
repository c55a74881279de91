// Hierarchies of models by the recursive form of the Udwadia–Kalaba equation (Orsino 2017).
#pragma once

#include "polyform/contract/formulation.hpp"

namespace polyform::hierarchy {

/// The formulation `hierarchy`; lives as long as the library.
const Formulation& formulation() noexcept;

}  // namespace polyform::hierarchy
