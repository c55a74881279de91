#include "framework/host/simulation/integrator_selection.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::host::inline simulation {

namespace {

IntegratorChoice preferred(const Named<IntegratorType>& types, bool adaptive) {
  const IntegratorType* best = nullptr;
  for (const auto& [name, type] : types)
    if (!(adaptive && type->fixed_step()) && (best == nullptr || type->preference() > best->preference())) best = type;
  Diagnostics of_defaults;
  return best == nullptr ? IntegratorChoice{} : with_options(*best, {}, of_defaults);
}

}  // namespace

IntegratorChoice with_options(const IntegratorType& type, const std::vector<std::pair<std::string, std::string>>& given,
                              Diagnostics& diagnostics, const OptionPlaces& places) {
  auto storage = std::make_shared<Description>();
  auto options =
      read_options(type.fields(), given, OptionOwner::integrator(type.name()), *storage, diagnostics, places);
  std::string texts;  // of an option that is given again, the last value, which holds
  for (auto one = given.begin(); one != given.end(); ++one)
    if (std::none_of(one + 1, given.end(), [&](const auto& later) { return later.first == one->first; }))
      texts += fmt::format("{}{}={}", texts.empty() ? "" : ", ", one->first, one->second);
  return {&type, std::move(options), std::move(storage), std::move(texts)};
}

IntegratorChoice preferred_integrator(const Named<IntegratorType>& types) { return preferred(types, false); }
IntegratorChoice preferred_adaptive_integrator(const Named<IntegratorType>& types) { return preferred(types, true); }

}  // namespace polyform::host::simulation
