// What a formulation tells of positions and velocities in its state.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "framework/workbench/conformance/formulation_checks.hpp"
#include "polyform/contract/second_order.hpp"

namespace polyform::host::inline conformance {

void see_second_order(const Formulation& formulation, const Case& one, Measure& m) {
  Observed seen(formulation, one.sample.view(), one.state, one.time);
  Solver& solver = seen.solver();
  auto* const second = ask<SecondOrderSystem>(solver);
  if (second == nullptr) throw Undecided("not applicable: it does not tell positions from velocities");
  std::vector<double> y = seen.y();
  const std::span<const StateKind> kinds = second->kinds();
  m.see(kinds.size() == y.size() ? 0 : 1,
        [&] { return fmt::format("kinds() tells of {} numbers, y has {}", kinds.size(), y.size()); });
  if (kinds.size() != y.size()) return;

  constexpr double untouched = 1234.5;
  const auto rates_at = [&](const std::vector<double>& state) {
    std::vector<double> rates(state.size(), untouched);
    require(second->position_rates(one.time, state, rates), solver, formulation.name(), "position_rates");
    return rates;
  };
  std::vector<double> ydot(y.size());
  require(solver.derivative(one.time, y, ydot), solver, formulation.name(), "derivative");
  const std::vector<double> rates = rates_at(y);
  std::vector<double> twice_as_fast = y;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (kinds[i] == StateKind::velocity) twice_as_fast[i] *= 2;
  const std::vector<double> doubled = rates_at(twice_as_fast);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto say = [&](const char* what) { return [=] { return fmt::format("number {} of y: {}", i, what); }; };
    if (kinds[i] == StateKind::position) {
      m.see(std::abs(rates[i] - ydot[i]) / (1 + std::abs(ydot[i])), say("position_rates() and derivative() differ"));
      m.see(std::abs(doubled[i] - 2 * rates[i]) / (1 + std::abs(rates[i])),
            say("with velocities twice as large the rate of the position is not twice as large"));
    } else {
      m.see(rates[i] == untouched ? 0 : 1, say("it is no position, and position_rates() writes to it"));
    }
  }
}

}  // namespace polyform::host::conformance
