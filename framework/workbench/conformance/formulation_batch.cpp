// What a solver gives of many worlds at once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/workbench/conformance/formulation_checks.hpp"
#include "polyform/contract/batch_evaluation.hpp"

namespace polyform::host::inline conformance {

void see_batch(const Formulation& formulation, const Case& one, Measure& m) {
  Observed seen(formulation, one.sample.view(), one.state, one.time);
  auto* const batch = ask<BatchEvaluation>(seen.solver());
  if (batch == nullptr) throw Undecided("not applicable: it evaluates no batches of this system");
  const std::size_t lanes = batch->lanes(), n = batch->state_size();
  m.see(n == seen.y().size() ? 0 : 1,
        [&] { return fmt::format("state_size() is {}, y has {} numbers", n, seen.y().size()); });
  if (n != seen.y().size() || lanes == 0) return;

  // The same world in every lane.
  Observed world(formulation, one.sample.view(), one.state, one.time);
  std::vector<double> y(n * lanes), ydot(n * lanes), alone(n * lanes), expected(n);
  std::vector<double> t(lanes, one.time);
  std::vector<std::uint8_t> active(lanes, 1), done(lanes);
  for (std::size_t k = 0; k < lanes; ++k) {
    if (batch->set_world(k, world.solver()) != Status::ok) {
      m.see(1, [&] { return fmt::format("it refuses a world of its own system: {}", batch->failure()); });
      return;
    }
    for (std::size_t i = 0; i < n; ++i) y[i * lanes + k] = seen.y()[i];
  }
  BatchOutput out{.ydot = ydot, .done = done};
  batch->evaluate({.t = t, .y = y, .active = active}, out);
  require(world.solver().derivative(one.time, seen.y(), expected), world.solver(), formulation.name(), "derivative");
  double largest = 1;
  for (const double rate : expected) largest = std::max(largest, std::abs(rate));
  for (std::size_t k = 0; k < lanes; ++k) {
    m.see(done[k] != 0 ? 0 : 1, [&] { return fmt::format("lane {} is not done, but derivative() is", k); });
    for (std::size_t i = 0; i < n; ++i)
      m.see(std::abs(ydot[i * lanes + k] - expected[i]) / largest,
            [&] { return fmt::format("lane {}, number {}: its rate and that of derivative() differ", k, i); });
  }
  if (batch->single_evaluations() > 0) return;  // a solver's own bits may depend on when it looks for lost digits
  // Each lane by itself, with no other active.
  for (std::size_t k = 0; k < lanes; ++k) {
    for (std::size_t other = 0; other < lanes; ++other) active[other] = other == k ? 1 : 0;
    BatchOutput single{.ydot = alone, .done = done};
    batch->evaluate({.t = t, .y = y, .active = active}, single);
    for (std::size_t i = 0; i < n; ++i)
      m.see(alone[i * lanes + k] == ydot[i * lanes + k] ? 0 : 1,
            [&] { return fmt::format("lane {}, number {}: what stands in other lanes changes its last bits", k, i); });
  }
}

}  // namespace polyform::host::conformance
