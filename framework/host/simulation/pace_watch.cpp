#include "framework/host/simulation/pace_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline simulation {
namespace {

constexpr std::size_t few_steps = 16, many_steps = 1000;
/// The number of failed tries in many_steps that counts as many.
constexpr std::size_t most_in_vain = many_steps / 5;
/// slow: a pace below this part of the best one is slow. too_often: more than so many times many_steps still to come.
constexpr double slow = 0.1, too_often = 100;
/// A system that takes such short steps for a while, as in a stiff impact, is through after some hundred steps. Ten
/// million times a hundred thousand steps take weeks.
constexpr std::size_t long_stretch = 100000;
constexpr double hopeless = 1e7;

}  // namespace

void PaceWatch::look(double now, const SolverOde& ode) {
  now_ = now;
  if (++long_.steps >= long_stretch) {
    long_way_ = now - long_.begin;
    long_ = {now};
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
  if (in_vain < most_in_vain || way >= slow * best_pace_ * many_steps || duration_ - now <= too_often * way) return;
  throw Failure(Exit::simulation_failed,
                fmt::format("the run no longer gets on: {} steps led from t = {:.9g} s to {:.9g} s, and {} more were "
                            "tried in vain, the last one for this reason: {}",
                            steps, begin, now, in_vain, ode.last_failure()));
}

std::optional<std::string> PaceWatch::out_of_reach() const {
  if (long_.steps > 0 || !(duration_ - now_ > hopeless * long_way_)) return std::nullopt;
  const double steps = static_cast<double>(long_stretch) * (duration_ - now_) / long_way_;
  return fmt::format("the run no longer gets on: {} steps led to t = {:.9g} s, only {:.3g} s further, and some {:.1g} "
                     "more of them are still to come",
                     long_stretch, now_, long_way_, steps);
}

}  // namespace polyform::host::simulation
