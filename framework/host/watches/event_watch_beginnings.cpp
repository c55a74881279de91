// The first steps of a run, and those behind a jump: what begins with them may be short.
#include <algorithm>
#include <cmath>

#include "framework/host/watches/event_watch.hpp"

namespace polyform::host::inline watches {

namespace {

// Of the first step of the run, or of the time: what leaves the rounding of its zero in so short a time has left it at
// the beginning. What rests there does not.
constexpr double leaves_at_once = 1e-3;
// Of the same: what has been on its way from zero for so short a time is drawn just touching. Where its rate is not
// known, of the largest state in place of the way.
constexpr double drawn = 1e-9;

}  // namespace

/// How long the step at a beginning may be, s. Zero counts as positive, and rounding decides about what is drawn just
/// touching: such a function is taken for one that was zero at the beginning, with an event of it. Where a rate is not
/// known, the first step tells it.
double EventWatch::step_at_beginning() {
  const double t = integrator_.time(), first = first_step();
  double longest = never, largest = 0;
  for (const double y : integrator_.state()) largest = std::max(largest, std::abs(y));
  bool is_known = true;
  for (std::size_t k = 0; k < size(); ++k) {
    if (!elements_.is_event(k)) continue;
    const double value = search_.values()[k], rate = search_.rates()[k];
    if (!std::isfinite(rate)) {
      if (std::abs(value) > drawn * largest) continue;  // in whatever unit: a step for nothing is a short one
      is_known = false;
      longest = first;
      continue;
    }
    const double way = std::abs(value / rate), noise = search_.noise(k) / std::abs(rate);
    if (rate == 0 || (value >= 0) == (rate < 0) || way > std::max(drawn * scale(t), noise)) continue;
    longest = std::min(longest, std::max(receding * std::max(way, noise), first));
    if (noise <= leaves_at_once * scale(t)) restarted_ = t;
  }
  first_steps_ = is_known ? 0 : first_steps_ - 1;
  return longest;
}

std::string EventWatch::held_by_guard() const {
  const double step = integrator_.time() - integrator_.previous_time();
  return guard_ <= 2 * step ? elements_.guarding() : std::string();
}

}  // namespace polyform::host::watches
