#include "apps/text/module_values.hpp"

namespace polyform::apps {

std::vector<ModuleValues> module_values(const SystemView& view, const Observation& now) {
  std::vector<ModuleValues> all;
  const double* multiplier = now.module_multipliers.data();
  for (const ModuleGroup& group : view.modules) {
    const auto u = group.type->variables(), x = group.type->states();
    const std::size_t count = group.names.size();
    for (std::size_t i = 0; i < count; ++i) {
      ModuleValues& m = all.emplace_back();
      m.name = group.names[i];
      for (std::size_t k = 0; k < u.size(); ++k)
        m.rates.emplace_back(u[k], now.state_rates[group.state_offset + i * u.size() + k]);
      for (std::size_t k = 0; k < x.size(); ++k)
        m.rates.emplace_back(x[k], now.state_rates[group.state_offset + count * u.size() + i * x.size() + k]);
      for (const Variable& row : group.type->rows()) m.multipliers.emplace_back(row, *multiplier++);
    }
  }
  return all;
}

}  // namespace polyform::apps
