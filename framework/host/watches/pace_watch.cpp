#include "framework/host/watches/pace_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline watches {
namespace {

constexpr std::size_t few_steps = 16, many_steps = 1000;
/// The number of failed tries in many_steps that counts as many.
constexpr std::size_t most_in_vain = many_steps / 5;
/// A step with the search for events in it takes fewer.
constexpr std::size_t evaluations_of_a_step = 100;
/// Part of the best pace; how often as many steps are still to come.
constexpr double slow = 0.1, too_often = 100;

}  // namespace

void PaceWatch::begin_from(double t) {
  now_ = t;
  few_ = many_ = {t};
  for (Reach& reach : reaches_) reach.stretch = {t};
}

void PaceWatch::look(double now, std::size_t evaluations, const SolverOde& ode) {
  now_ = now;
  // A system that takes such steps for a while, as in a stiff impact, is through after some hundred.
  for (Reach& reach : reaches_) {
    const std::size_t work = (evaluations - reach.evaluations) / evaluations_of_a_step;
    if (++reach.stretch.steps < reach.steps && work < reach.steps) continue;
    reach.way = now - reach.stretch.begin;
    reach.made = reach.stretch.steps;
    reach.stretch = {now};
    reach.evaluations = evaluations;
  }
  if (++few_.steps >= few_steps) {
    best_pace_ = std::max(best_pace_, (now - few_.begin) / few_steps);
    few_ = {now};
  }
  if (++many_.steps < many_steps) return;
  const auto [begin, steps, before] = many_;
  many_ = {now, 0, ode.failures()};
  const std::size_t in_vain = many_.failures - before;
  const double way = now - begin;
  if (in_vain < most_in_vain || way >= slow * best_pace_ * many_steps || end_ - now <= too_often * way) return;
  throw Failure(Exit::simulation_failed,
                fmt::format("the run no longer gets on: {} steps led from t = {:.9g} s to {:.9g} s, and {} more were "
                            "tried in vain, the last one for this reason: {}",
                            steps, begin, now, in_vain, ode.last_failure()));
}

std::optional<std::string> PaceWatch::out_of_reach(bool touching) const {
  for (const Reach& reach : reaches_) {
    if (touching && !(reach.way > 0)) continue;
    if (reach.stretch.steps > 0 || !(end_ - now_ > reach.most * reach.way)) continue;
    // An event that is found again and again takes the run back to just before it.
    if (!(reach.way > 0))
      return fmt::format("the run no longer gets on: {} steps led no further than to t = {:.9g} s", reach.made, now_);
    const double steps = static_cast<double>(reach.made) * (end_ - now_) / reach.way;
    return fmt::format(
        "the run no longer gets on: {} steps led to t = {:.9g} s, only {:.3g} s further, and some {:.1g} more of them "
        "are still to come",
        reach.made, now_, reach.way, steps);
  }
  return std::nullopt;
}

}  // namespace polyform::host::watches
