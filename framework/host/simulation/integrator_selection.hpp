// From an integrator's name, or none, to a choice with its options.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/host/integration/integration.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/registry/catalog.hpp"

namespace polyform::host::inline simulation {

/// The type with its options: declared defaults, overlaid by the given texts. Reports what is wrong with these.
IntegratorChoice with_options(const IntegratorType&, const std::vector<std::pair<std::string, std::string>>& given,
                              Diagnostics&, const OptionPlaces& = {});

/// The type of the largest preference, with the defaults of its options; an empty choice if there is no integrator.
IntegratorChoice preferred_integrator(const Named<IntegratorType>&);
/// The same among the integrators that control their errors.
IntegratorChoice preferred_adaptive_integrator(const Named<IntegratorType>&);

}  // namespace polyform::host::simulation
