// What a type says of itself when it is registered: sizes and names that no type can have.
#pragma once

#include <string>

#include "polyform/contract/device.hpp"
#include "polyform/contract/plugin.hpp"

namespace polyform::host::inline registry {

/// More than any instance has: a larger size is a mistake of the type, for which memory would not suffice.
inline constexpr std::size_t most_states = std::size_t{1} << 20;

/// What is wrong, to follow "registers the joint 'x', ": empty when nothing is.
std::string mistake_of(const Formulation&);
std::string mistake_of(const JointType&);
std::string mistake_of(const ForceType&);
std::string mistake_of(const FlexibleBodyType&);
std::string mistake_of(const ModuleType&);
std::string mistake_of(const IntegratorType&);
std::string mistake_of(const ImporterType&);
std::string mistake_of(const ConstraintType&);
std::string mistake_of(const DeviceType&);

}  // namespace polyform::host::registry
