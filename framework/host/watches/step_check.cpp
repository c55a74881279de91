#include "framework/host/watches/step_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace polyform::host::inline watches {

namespace {

// Evenly over the run; eleven evaluations each, together those of 22 steps. What dies away at once is seen by looks at
// steps 1, 8, 64 and so on before the first of these.
constexpr double looks = 8;
constexpr int bits_between_early_looks = 3;
// A hundredth of a state's way is what one sees in a plot.
constexpr double seen = 0.01;
// Steps at peaks cost eleven evaluations each, too. Rows of tables may be as many as steps.
constexpr std::size_t looks_at_peaks = 200, steps_per_peak = 16;
// Steps after which a state goes on differently by more than this share of its way so far; how many are looked at.
constexpr double bent = 0.1;
constexpr std::size_t looks_at_bends = 20, steps_per_bend = 64;
// A state that moves less than this share of the others' motion is at rest, up to what the errors of the others' steps
// put into it where constraints are corrected: it has no way to measure by.
constexpr double resting = 1e-7;

StepSettings halved(StepSettings settings) {
  settings.step = std::min(settings.step, settings.max_step) / 2;
  return settings;
}

}  // namespace

StepCheck::StepCheck(Ode& ode, const IntegratorChoice& choice, const StepSettings& settings, double expected)
    : step_(std::min(settings.step, settings.max_step)),
      least_error_(settings.absolute_tolerance),
      every_(static_cast<std::size_t>(std::max(1.0, std::ceil(expected / looks)))),
      halves_(ode, choice, halved(settings)),
      start_(ode.size()),
      least_(ode.size(), std::numeric_limits<double>::infinity()),
      most_(ode.size(), -std::numeric_limits<double>::infinity()),
      error_(ode.size()),
      at_peaks_(ode.size()) {}

bool StepCheck::due(std::size_t steps) const {
  return steps % every_ == 0 ||
         (steps < every_ && std::has_single_bit(steps) && std::countr_zero(steps) % bits_between_early_looks == 0);
}

/// The step as two of half its size. False where one of them fails.
bool StepCheck::repeat(Integration& integrator) {
  const double from = integrator.previous_time(), to = integrator.time();
  if (!integrator.state_at(from, start_)) return false;
  const std::span<const double> end = integrator.state();
  for (std::size_t i = 0; i < start_.size(); ++i) {
    least_[i] = std::min({least_[i], start_[i], end[i]});
    most_[i] = std::max({most_[i], start_[i], end[i]});
  }
  halves_.start(from, start_);
  bool done = halves_.step(0.5 * (from + to));
  // A step that an event or a row has cut short ends off the products of the half step, where a step ends too.
  while (done && halves_.time() < to) done = halves_.step(to);
  evaluations_ += halves_.statistics().evaluations;
  return done;
}

void StepCheck::see(std::span<const double> state) {
  for (std::size_t i = 0; i < state.size(); ++i) {
    least_[i] = std::min(least_[i], state[i]);
    most_[i] = std::max(most_[i], state[i]);
  }
}

void StepCheck::look(Integration& integrator, std::size_t steps) {
  if (!repeat(integrator)) return;
  const auto stands_for = static_cast<double>(steps - last_);
  const std::span<const double> end = integrator.state();
  for (std::size_t i = 0; i < end.size(); ++i) error_[i] += stands_for * std::abs(halves_.state()[i] - end[i]);
  last_ = steps;
  ++looked_;
}

void StepCheck::look_at_peak(Integration& integrator, std::size_t steps) {
  if (looks_at_peaks + steps / steps_per_peak <= peaks_ || due(steps) || !repeat(integrator)) return;
  const std::span<const double> end = integrator.state();
  for (std::size_t i = 0; i < end.size(); ++i) at_peaks_[i] += std::abs(halves_.state()[i] - end[i]);
  ++peaks_;
}

bool StepCheck::bends(Integration& integrator) {
  const std::span<const double> y = integrator.state();
  const double time = integrator.time(), h = time - last_time_;
  const bool first = last_state_.empty();
  bool any = false;
  double longest = 0;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    least_[i] = std::min(least_[i], y[i]);
    most_[i] = std::max(most_[i], y[i]);
    longest = std::max({longest, most_[i] - least_[i], resting * std::abs(y[i])});
  }
  if (first) {
    last_state_.resize(start_.size());
    last_rate_.assign(start_.size(), std::numeric_limits<double>::quiet_NaN());  // agrees with any
  }
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const double rate = first ? last_rate_[i] : (y[i] - last_state_[i]) / h;
    any = any || std::abs(rate - last_rate_[i]) * h > bent * (most_[i] - least_[i]) + resting * longest;
    last_state_[i] = y[i];
    last_rate_[i] = rate;
  }
  last_time_ = time;
  return any;
}

void StepCheck::look_at_bend(Integration& integrator, std::size_t steps) {
  if (!bends(integrator) || looks_at_bends + steps / steps_per_bend <= bends_) return;
  const std::size_t before = peaks_;
  look_at_peak(integrator, steps);
  bends_ += peaks_ - before;
}

std::optional<std::string> StepCheck::warning(std::size_t steps) const {
  if (looked_ + peaks_ == 0) return std::nullopt;
  double all = 0, longest = 0;
  const double more = last_ > 0 ? static_cast<double>(steps) / static_cast<double>(last_) : 0;
  for (std::size_t i = 0; i < error_.size(); ++i)
    longest = std::max({longest, most_[i] - least_[i], resting * std::abs(most_[i])});
  for (std::size_t i = 0; i < error_.size(); ++i)
    if (const double way = most_[i] - least_[i], error = more * error_[i] + at_peaks_[i];
        way > resting * longest && error > least_error_)
      all = std::max(all, error / way);
  if (!(all > seen)) return std::nullopt;
  return fmt::format(
      "the step of {:g} s is too long: {} steps were repeated as two of half the size, and differ so much that all "
      "steps of the run together come to {:.2g} of the way that a state moves. Give a smaller --step, or an adaptive "
      "integrator",
      step_, looked_ + peaks_, all);
}

}  // namespace polyform::host::watches
