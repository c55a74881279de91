#include "framework/host/simulation/energy_watch.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host::inline simulation {

namespace {

/// How many times as much as elsewhere a step of a passage may change the balance by integration: passages are fast, and
/// errors of steps differ.
constexpr double times_elsewhere = 10;

}  // namespace

EnergyWatch::EnergyWatch(const SystemView& view, Solver& solver) : solver_(solver), store_(view) {}

void EnergyWatch::look(double t, std::span<const double> states, std::size_t steps) {
  Observation& now = store_.now();
  if (solver_.observe(t, states.first(solver_.state_size()), now) != Status::ok) return;
  const double work = states.size() > solver_.state_size() ? states.back() : 0;
  here_ = {now.kinetic_energy + now.potential_energy - work, steps, false};
}

void EnergyWatch::tell(bool beside, bool passed) {
  here_.beside = beside;
  const bool far = !beside && !last_.beside && !passed;
  if (!first_ && far && here_.steps > last_.steps)
    elsewhere_ = std::max(elsewhere_, std::abs(here_.balance - last_.balance) /
                                          static_cast<double>(here_.steps - last_.steps));
  first_ = false;
  last_ = here_;
}

void EnergyWatch::pass(const Place& before) {
  lost_ += std::abs(here_.balance - before.balance);
  steps_ += here_.steps - before.steps;
}

double EnergyWatch::lost() const {
  return lost_ > times_elsewhere * static_cast<double>(steps_) * elsewhere_ ? lost_ : 0;
}

}  // namespace polyform::host::simulation
