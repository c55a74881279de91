#include "framework/host/watches/clock_pole.hpp"

#include <fmt/format.h>

#include "framework/diagnostics.hpp"
#include "framework/host/watches/each_function_of_time.hpp"

namespace polyform::host::inline watches {

namespace {

// A part of the time: steps end so long before the pole.
constexpr double before_pole = 1e-9;

}  // namespace

ClockPole::ClockPole(const SystemView& view, double from, double until) {
  each_function_of_time(view, [&](const TimeFunction& f) { look(given_function(f), from, until); });
}

void ClockPole::look(const TimeFunction& f, double from, double until) {
  if (f.kind != TimeFunction::Kind::other || f.source == nullptr) return;
  const auto* const formula = static_cast<const TimeFormula*>(f.source->query(TimeFormula::interface_name));
  if (formula == nullptr) return;
  const double pole = formula->next_pole(from, std::min(until, time_));
  if (!(pole < time_)) return;
  time_ = pole;
  formula_ = formula;
}

double ClockPole::end_of_steps() const { return time_ * (1 - before_pole); }

void ClockPole::check(double now) const {
  if (now < end_of_steps()) return;
  formula_->note_pole(time_);
  throw Failure(Exit::simulation_failed, fmt::format("no motion leads past t = {:.9g} s", time_));
}

}  // namespace polyform::host::inline watches
