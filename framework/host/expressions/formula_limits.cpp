#include "framework/host/expressions/formula_limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace polyform::host::inline expressions {

namespace {

// A part of the output: so near to a limit it is at the limit, whatever rounding says.
constexpr double of_rounding = 1e-9;
// A part of the push: so much later than by its rates a mode ends that rests at the limit. Rates come from differences.
constexpr double of_rates = 1e-6;
// Roots of the program per limit.
constexpr std::size_t roots_per_limit = 3;

LimitMode mode_of(std::span<const std::int32_t> modes, std::size_t k) noexcept {
  return k < modes.size() ? static_cast<LimitMode>(modes[k]) : LimitMode::within;
}

}  // namespace

FormulaLimits::FormulaLimits(const FormulaForce& type)
    : all_(type.limits()),
      program_(type.programs().limits),
      work_(program_.registers()),
      input_rates_(program_.inputs()),
      jets_(program_.registers()),
      rates_(all_.size(), no_number) {
  program_.prepare(std::span(work_));
  program_.prepare(std::span(jets_));
}

double FormulaLimits::beyond(std::size_t k) const noexcept { return work_[program_.root(roots_per_limit * k)]; }
double FormulaLimits::pushed(std::size_t k) const noexcept { return work_[program_.root(roots_per_limit * k + 1)]; }
double FormulaLimits::rest(std::size_t k) const noexcept { return work_[program_.root(roots_per_limit * k + 2)]; }
double FormulaLimits::at_limit(std::size_t k) const noexcept {
  return of_rounding * (std::abs(rest(k)) + std::abs(beyond(k) - rest(k)));
}

void FormulaLimits::describe(std::size_t event, EventDescription& out) const noexcept {
  constexpr std::array<std::string_view, events> names{"limit", "push at the limit", "stop at the limit",
                                                       "leave the limit"};
  constexpr std::array crossings{Crossing::any, Crossing::falling, Crossing::rising, Crossing::falling};
  out.name = names[event % events];
  out.crossing = crossings[event % events];
}

/// Rates by the rules of differentiation, so that a jump or a bend close by does not count.
void FormulaLimits::run(std::span<const double> inputs) noexcept {
  std::ranges::copy(inputs, work_.begin());
  program_.run(std::span(work_));
  if (!knows_rates_) return;
  for (std::size_t i = 0; i < input_rates_.size(); ++i) jets_[i] = {inputs[i], input_rates_[i], 0};
  program_.run(std::span(jets_));
  for (std::size_t k = 0; k < count(); ++k) rates_[k] = jets_[program_.root(roots_per_limit * k + 2)].rate;
}

/// Those of a mode that is not there are constant. A mode ends a little later than it begins, so that rounding does not
/// end what rests at the limit: a distance that is rounding, a push that would need the whole time for that, and rates
/// that are rounding beside the push.
void FormulaLimits::evaluate_events(double t, std::span<const std::int32_t> modes, EventOutput& out,
                                    std::size_t first) const noexcept {
  constexpr double shortest = 1e-12;  // s
  for (std::size_t k = 0; k < count(); ++k, first += events) {
    const auto set = [&](Event e, double value) {
      out.values[first + e] = value;
      out.rates[first + e] = no_number;
    };
    constexpr std::array<double, events> of_other_modes{-1, 1, -1, 1};
    std::ranges::copy(of_other_modes, out.values.begin() + static_cast<std::ptrdiff_t>(first));
    std::ranges::fill(out.rates.subspan(first, events), 0.0);
    const double push_of_rounding = at_limit(k) / std::max(std::abs(t), shortest);
    switch (mode_of(modes, k)) {
      case LimitMode::within:  // beyond the limit and pushed on: both at once
        set(limit, std::min(beyond(k), pushed(k) - push_of_rounding));
        break;
      case LimitMode::beyond:
        set(limit, beyond(k) + at_limit(k));
        set(push, pushed(k) + push_of_rounding);
        break;
      case LimitMode::kept:
        if (!std::isfinite(rates_[k])) break;
        set(stop, rates_[k] - of_rates * pushed(k));
        set(leave, rates_[k] + (1 + of_rates) * pushed(k));
        break;
    }
  }
}

void FormulaLimits::evaluate(std::span<const std::int32_t> modes, std::span<LimitNumbers> out) const noexcept {
  for (std::size_t k = 0; k < count(); ++k)
    out[k] = {mode_of(modes, k) == LimitMode::kept ? 0 : beyond(k), pushed(k), rest(k)};
}

void FormulaLimits::modes_at_start(std::span<std::int32_t> modes) const noexcept {
  for (std::size_t k = 0; k < count(); ++k)
    modes[k] = static_cast<std::int32_t>(beyond(k) >= 0 && pushed(k) > 0 ? LimitMode::beyond : LimitMode::within);
}

void FormulaLimits::pass(std::size_t event, bool rising, std::span<std::int32_t> modes) const noexcept {
  const std::size_t k = event / events;
  const LimitMode before = mode_of(modes, k);
  LimitMode now = before;
  switch (static_cast<Event>(event % events)) {
    case limit:
      if (before == LimitMode::within && rising) now = mode_here(k);
      if (before == LimitMode::beyond && !rising)
        now = pushed(k) > 0 && -rates_[k] < pushed(k) ? LimitMode::kept : LimitMode::within;
      break;
    case push:
      if (before == LimitMode::beyond && !rising) now = LimitMode::within;
      break;
    case stop:
      if (before == LimitMode::kept && rising) now = LimitMode::beyond;
      break;
    case leave:
      if (before == LimitMode::kept && !rising) now = LimitMode::within;
      break;
  }
  modes[k] = static_cast<std::int32_t>(now);
}

/// The mode by the numbers alone, with the integral that the state holds.
LimitMode FormulaLimits::mode_here(std::size_t k) const noexcept {
  const double back = -rates_[k];
  if (!(pushed(k) > 0) || beyond(k) < -at_limit(k)) return LimitMode::within;
  if (beyond(k) > at_limit(k) || !(back > 0)) return LimitMode::beyond;
  return back < pushed(k) ? LimitMode::kept : LimitMode::within;
}

bool FormulaLimits::has_jumped(std::size_t k, const LimitNumbers& before, double elapsed) const noexcept {
  if ((pushed(k) > 0) != (before.push > 0)) return true;
  const double rate = std::isfinite(rates_[k]) ? std::abs(rates_[k]) : 0;
  const double by_motion = 4 * elapsed * (rate + std::abs(pushed(k)));
  return std::abs(beyond(k) - before.beyond) > by_motion + at_limit(k) + of_rounding * std::abs(before.without);
}

/// A limit that keeps the output is looked at also where nothing jumps: its rates may have.
void FormulaLimits::choose(std::span<const LimitNumbers> before, double elapsed,
                           std::span<std::int32_t> modes) const noexcept {
  for (std::size_t k = 0; k < count(); ++k)
    if (mode_of(modes, k) == LimitMode::kept || has_jumped(k, before[k], elapsed))
      modes[k] = static_cast<std::int32_t>(mode_here(k));
}

void FormulaLimits::settle(std::span<const LimitNumbers> before, std::span<const std::int32_t> modes,
                           std::span<double> states) const noexcept {
  for (std::size_t k = 0; k < count(); ++k)
    if (mode_of(modes, k) == LimitMode::kept) states[all_[k].state] = -before[k].without / all_[k].gain;
}

void FormulaLimits::jump(std::size_t event, std::span<double> states) const noexcept {
  const std::size_t k = event / events;
  const auto which = static_cast<Event>(event % events);
  if (which == stop || which == leave) states[all_[k].state] = -rest(k) / all_[k].gain;
}

bool FormulaLimits::any_kept(std::span<const std::int32_t> modes) const noexcept {
  for (std::size_t k = 0; k < count(); ++k)
    if (mode_of(modes, k) == LimitMode::kept) return true;
  return false;
}

void FormulaLimits::take_rates(std::span<const double> of_inputs) noexcept {
  std::ranges::copy(of_inputs, input_rates_.begin());
  knows_rates_ = true;
}

}  // namespace polyform::host::inline expressions
