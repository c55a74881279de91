#include "tests/support/integrators.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "framework/host/simulation/integrator_selection.hpp"
#include "plugins/integrators/cvode/cvode_types.hpp"
#include "plugins/integrators/implicit/implicit_types.hpp"
#include "plugins/integrators/runge_kutta/runge_kutta.hpp"
#include "plugins/integrators/time_stepping/moreau_jean.hpp"

namespace polyform::test {

namespace {

/// The last is for contacts.
std::span<const IntegratorType* const> all_types() {
  static const IntegratorType* const all[] = {&runge_kutta::rk4(),
                                              &runge_kutta::dopri5(),
                                              &runge_kutta::dop853(),
                                              &cvode::adams(),
                                              &cvode::bdf(),
                                              &implicit::radau5(),
                                              &implicit::generalized_alpha(),
                                              &implicit::automatic(),
                                              &time_stepping::moreau_jean()};
  return all;
}

}  // namespace

std::span<const IntegratorType* const> integrator_types() { return all_types().first(all_types().size() - 1); }

host::IntegratorChoice integrator(std::string_view name) {
  const auto all = all_types();
  const auto found = std::ranges::find(all, name, [](const IntegratorType* type) { return type->name(); });
  if (found == all.end()) throw std::invalid_argument("there is no integrator " + std::string(name));
  host::Diagnostics diagnostics;
  return host::with_options(**found, {}, diagnostics);
}

host::RunSettings run_settings(std::string_view name) {
  host::RunSettings settings;
  settings.integrator = integrator(name);
  return settings;
}

}  // namespace polyform::test
