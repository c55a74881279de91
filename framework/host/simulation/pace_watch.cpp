#include "framework/host/simulation/pace_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline simulation {
namespace {

constexpr std::size_t few_steps = 16, many_steps = 1000;
/// Tries in vain over many steps.
constexpr std::size_t most_in_vain = many_steps / 5;
/// Part of the best pace; how often as many steps are still to come.
constexpr double slow = 0.1, out_of_reach = 100;

}  // namespace

void PaceWatch::look(double now, const SolverOde& ode) {
  if (++few_.steps >= few_steps) {
    best_pace_ = std::max(best_pace_, (now - few_.begin) / few_steps);
    few_ = {now};
  }
  if (++many_.steps < many_steps) return;
  const auto [begin, steps, before] = many_;
  many_ = {now, 0, ode.failures()};
  const std::size_t in_vain = many_.failures - before;
  const double way = now - begin;
  if (in_vain < most_in_vain || way >= slow * best_pace_ * many_steps || duration_ - now <= out_of_reach * way) return;
  throw Failure(Exit::simulation_failed,
                fmt::format("the run no longer gets on: {} steps led from t = {:.9g} s to {:.9g} s, and {} more were "
                            "tried in vain, the last one for this reason: {}",
                            steps, begin, now, in_vain, ode.last_failure()));
}

}  // namespace polyform::host::simulation
