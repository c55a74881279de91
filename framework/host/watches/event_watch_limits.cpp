// Limits of signals along a run, whose modes are chosen anew where something may jump.
#include "framework/host/watches/event_watch.hpp"

namespace polyform::host::inline watches {

void EventWatch::note_limits(double t) {
  if (!elements_.has_limits()) return;
  evaluate(t, other_values_, other_rates_);
  elements_.note_limits();
}

bool EventWatch::choose_limits() {
  if (!elements_.has_limits()) return false;
  evaluate(integrator_.time(), other_values_, other_rates_);
  if (!elements_.choose_limits()) return false;
  elements_.store(std::span(y_).first(states_));
  return true;
}

/// What the elements have just done to their states stands in y_ then. Returns the values behind it.
std::span<const double> EventWatch::choose_limits_after_events() {
  const std::span<double> y = std::span(y_).first(states_);
  const auto look = [&] {
    elements_.store(y);
    elements_.evaluate(integrator_.time(), y, settled_values_, other_rates_);
  };
  look();
  if (elements_.choose_limits()) changed_ = true, look();
  return settled_values_;
}

}  // namespace polyform::host::watches
