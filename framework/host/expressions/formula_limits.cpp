#include "framework/host/expressions/formula_limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace polyform::host::inline expressions {

namespace {

LimitMode mode_of(std::span<const std::int32_t> modes, std::size_t k) noexcept {
  return k < modes.size() ? static_cast<LimitMode>(modes[k]) : LimitMode::within;
}

}  // namespace

FormulaLimits::FormulaLimits(const FormulaForce& type)
    : all_(type.limits()),
      program_(type.programs().limits),
      work_(program_.registers()),
      rates_(all_.size(), std::numeric_limits<double>::quiet_NaN()) {
  program_.prepare(std::span(work_));
}

double FormulaLimits::number(std::size_t of, std::size_t which) const noexcept {
  return work_[program_.root(3 * of + which)];
}

void FormulaLimits::describe(std::size_t event, EventDescription& out) const noexcept {
  constexpr std::array<std::string_view, events> names{"limit", "push at the limit", "stop at the limit",
                                                       "leave the limit"};
  constexpr std::array crossings{Crossing::any, Crossing::any, Crossing::rising, Crossing::falling};
  out.name = names[event % events];
  out.crossing = crossings[event % events];
}

void FormulaLimits::run(std::span<const double> inputs) noexcept {
  std::ranges::copy(inputs, work_.begin());
  program_.run(std::span(work_));
}

/// Those of a mode that is not there are constant. A push counts next to the limit and beyond it alone: a settled
/// output, whose integral rounding alone pushes, has no events.
void FormulaLimits::evaluate_events(std::span<const std::int32_t> modes, EventOutput& out,
                                    std::size_t first) const noexcept {
  for (std::size_t k = 0; k < count(); ++k, first += events) {
    const bool is_kept = mode_of(modes, k) == LimitMode::kept && std::isfinite(rates_[k]);
    constexpr double next_to = 1e-6;  // of the output without its integral
    const double pushed = number(k, 1);
    const bool is_far =
        mode_of(modes, k) == LimitMode::within && number(k, 0) < -next_to * (std::abs(number(k, 2)) + std::abs(pushed));
    out.values[first + limit] = is_kept ? 1 : number(k, 0);
    out.values[first + push] = is_kept ? 1 : is_far ? -1 : pushed;
    out.values[first + stop] = is_kept ? rates_[k] : -1;
    out.values[first + leave] = is_kept ? rates_[k] + pushed : 1;
    for (const Event e : {limit, push})
      if (is_kept || (is_far && e == push)) out.rates[first + e] = 0;
    for (const Event e : {stop, leave})
      if (!is_kept) out.rates[first + e] = 0;
  }
}

void FormulaLimits::without(std::span<double> out) const noexcept {
  for (std::size_t k = 0; k < count(); ++k) out[k] = number(k, 2);
}

void FormulaLimits::modes_at_start(std::span<std::int32_t> modes) const noexcept {
  for (std::size_t k = 0; k < count(); ++k)
    modes[k] = static_cast<std::int32_t>(number(k, 0) >= 0 && number(k, 1) > 0 ? LimitMode::beyond : LimitMode::within);
}

void FormulaLimits::pass(std::size_t event, bool rising, std::span<std::int32_t> modes) const noexcept {
  const std::size_t k = event / events;
  const LimitMode before = mode_of(modes, k);
  const double pushed = number(k, 1), back = -rates_[k];
  LimitMode now = before;
  switch (static_cast<Event>(event % events)) {
    case limit:
      if (before == LimitMode::within && rising && pushed > 0)
        now = back > 0 ? LimitMode::kept : LimitMode::beyond;
      else if (before == LimitMode::beyond && !rising)
        now = pushed > 0 && back < pushed ? LimitMode::kept : LimitMode::within;
      break;
    case push:
      if (before == LimitMode::within && rising && number(k, 0) >= 0) now = LimitMode::beyond;
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

void FormulaLimits::jump(std::size_t event, std::span<double> states) const noexcept {
  const std::size_t k = event / events;
  const auto which = static_cast<Event>(event % events);
  if (which == stop || which == leave) states[all_[k].state] = -number(k, 2) / all_[k].gain;
}

bool FormulaLimits::any_kept(std::span<const std::int32_t> modes) const noexcept {
  for (std::size_t k = 0; k < count(); ++k)
    if (mode_of(modes, k) == LimitMode::kept) return true;
  return false;
}

void FormulaLimits::take_rates(std::span<const double> rates) noexcept { std::ranges::copy(rates, rates_.begin()); }

}  // namespace polyform::host::inline expressions
