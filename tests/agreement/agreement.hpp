// The claim that all formulations describe the same mechanics, for one model.
#pragma once

#include <cstddef>
#include <string>

#include "framework/host/assembly/system.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::test {

/// Requires that all formulations that can run the model agree with the first of them at its initial state in motion,
/// accelerations, reactions and energy. Reactions of redundant joints are not compared: they are not unique. Returns
/// how many formulations were compared.
std::size_t require_agreement(const std::string& model_text);

/// Requires that dE/dt by central differences along the motion is the observed power, up to rounding of E, at the
/// initial state. Returns the power, W.
double require_power_balance(const host::System&, const Formulation&);

}  // namespace polyform::test
