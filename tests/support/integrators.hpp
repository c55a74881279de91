// The integrators of this build, by name, without a search for plugins.
#pragma once

#include <span>
#include <string_view>

#include "framework/host/simulation/run_record.hpp"

namespace polyform::test {

/// All of them but those that are for contacts alone.
std::span<const IntegratorType* const> integrator_types();
/// One with the defaults of its options; fails the test if there is none of that name.
host::IntegratorChoice integrator(std::string_view name);
/// The host's defaults, with an integrator.
host::RunSettings run_settings(std::string_view integrator = "dopri5");

}  // namespace polyform::test
