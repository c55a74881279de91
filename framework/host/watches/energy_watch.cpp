#include "framework/host/watches/energy_watch.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host::inline watches {

namespace {

/// How many times as much as elsewhere a passage may change the balance by integration: it takes a few steps from the
/// last look before to the first one beyond, and errors of steps differ.
constexpr double times_elsewhere = 10;

}  // namespace

EnergyWatch::EnergyWatch(const SystemView& view, Solver& solver, double tolerance)
    : view_(view), solver_(solver), tolerance_(tolerance) {}

void EnergyWatch::look(double t, std::span<const double> states) {
  const std::size_t own = solver_.state_size();
  if (!store_) store_.emplace(view_);
  Observation& now = store_->now();
  if (solver_.observe(t, states.first(own), now) != Status::ok) return;
  balance_ = now.kinetic_energy + now.potential_energy - (states.size() > own ? states.back() : 0);
}

void EnergyWatch::tell(bool beside) {
  if (!first_ && !beside && !beside_) elsewhere_ = std::max(elsewhere_, std::abs(balance_ - last_));
  first_ = false;
  beside_ = beside;
  last_ = balance_;
}

void EnergyWatch::pass(double before) {
  lost_ += std::abs(balance_ - before);
  ++passages_;
}

double EnergyWatch::lost(double moved) const {
  const double by_integration = std::max(elsewhere_, tolerance_ * moved);
  return lost_ > times_elsewhere * static_cast<double>(passages_) * by_integration ? lost_ : 0;
}

}  // namespace polyform::host::watches
