#include "framework/host/expressions/formula_samplers.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace polyform::host::inline expressions {

namespace {

/// Whether multiples of both intervals are at the time t.
bool at_once(double a, double b, double t) noexcept {
  constexpr double apart = 1e-11;  // of the time: events are located to 1e-12 of it
  const double of_a = a * std::round(t / a), of_b = b * std::round(t / b);
  return std::abs(of_a - of_b) <= apart * std::max(of_a, of_b);
}

}  // namespace

FormulaSamplers::FormulaSamplers(const FormulaForce& type)
    : type_(type), program_(type.programs().samples), work_(program_.registers()), held_(type.samples().size()) {
  program_.prepare(std::span(work_));
}

std::span<const double> FormulaSamplers::read(std::span<const double> states) noexcept {
  for (std::size_t k = 0; k < held_.size(); ++k)
    held_[k] = states.empty() ? type_.samples()[k].initial : states[type_.states().size() + k];
  return held_;
}

void FormulaSamplers::evaluate_events(double t, EventOutput& out, std::size_t first) const noexcept {
  for (std::size_t k = 0; k < clocks(); ++k) {
    const double interval = type_.intervals()[k], turn = std::numbers::pi / interval;
    out.values[first + k] = std::sin(turn * t);
    out.rates[first + k] = turn * std::cos(turn * t);
    out.guard = std::min(out.guard, interval * (1.25 - (t / interval - std::floor(t / interval))));
  }
}

void FormulaSamplers::run(std::span<const double> inputs) noexcept {
  std::ranges::copy(inputs, work_.begin());
  program_.run(std::span(work_));
}

void FormulaSamplers::take(std::size_t clock, double t, std::span<const double> inputs,
                           std::span<double> states) noexcept {
  const std::vector<double>& intervals = type_.intervals();
  const double own = intervals[clock];
  for (std::size_t before = 0; before < clock; ++before)
    if (at_once(intervals[before], own, t)) return;  // that one's event takes these samples too
  run(inputs);
  for (std::size_t k = 0; k < held_.size(); ++k)
    if (at_once(type_.samples()[k].interval, own, t)) states[type_.states().size() + k] = work_[program_.root(k)];
}

void FormulaSamplers::take_first(std::span<const double> inputs, std::span<double> states) noexcept {
  run(inputs);
  for (std::size_t k = 0; k < held_.size(); ++k)
    states[type_.states().size() + k] = work_[program_.root(held_.size() + k)];
}

void FormulaSamplers::start_states(std::span<const double> inputs, std::span<double> states) noexcept {
  run(inputs);
  const std::vector<std::size_t>& started = type_.started();
  for (std::size_t k = 0; k < started.size(); ++k) states[started[k]] = work_[program_.root(2 * held_.size() + k)];
}

void FormulaSamplers::follow(std::span<const double> inputs, std::span<double> rates) noexcept {
  run(inputs);
  for (std::size_t k = 0; k < held_.size(); ++k)
    rates[k] = (work_[program_.root(k)] - held_[k]) / type_.samples()[k].interval;
}

}  // namespace polyform::host::inline expressions
