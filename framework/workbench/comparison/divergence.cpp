#include "framework/workbench/comparison/divergence.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/helpers/least_tolerance.hpp"

namespace polyform::host::inline comparison {

namespace {

constexpr double perturbation = 1e-8, saturated = 0.1, enough = 0.1;
// Growth like a power of time, as in regular motion, has three e-folds from a quarter of the time on only beyond t^2,
// and this amplification at first order only after hundreds of periods.
constexpr double few_e_folds = 3, far_amplified = 1e3;
// A tenth of the tolerances leaves a tenth of the errors, half a step of second order a quarter; what is no error
// stays.
constexpr double come_together = 0.5;
constexpr double rounding_of_runs = 1e-14;  // of the rows of a run, relative

/// Rows within a step are taken from its start, where no finer step shows: the step becomes shorter than between rows.
RunSettings finer(RunSettings settings, double bound) {
  settings.step = std::min(settings.step, settings.output_interval) / 2;
  settings.relative_tolerance =
      std::max(settings.relative_tolerance / 10, std::min(settings.relative_tolerance, least_relative_tolerance));
  settings.absolute_tolerance /= 10;
  settings.max_step = std::min(settings.max_step, bound);
  return settings;
}

double largest_until(const std::vector<DistanceRow>& rows, double time) {
  double largest = 0;
  for (const DistanceRow& row : rows)
    if (row.time <= time) largest = std::max(largest, row.distance);
  return largest;
}

const TracedContender& farthest(const TraceLayout& layout, std::span<const TracedContender> all,
                                const TracedContender& from, const Parting& parting) {
  const bool reactions = is_reaction(parting.quantity);
  const TracedContender* found = nullptr;
  double most = -1;
  for (const TracedContender& other : all) {
    if (&other == &from) continue;
    if (reactions && !has(other.contender->formulation->abilities(), Ability::reactions)) continue;
    const double distance = largest_until(
        distances(layout, *from.trace, *other.trace, parting.scales, family_of(parting.quantity)), parting.time);
    if (distance <= most) continue;
    most = distance;
    found = &other;
  }
  return *found;
}

}  // namespace

std::string_view name_of(Divergence::Cause cause) {
  constexpr std::string_view names[] = {"solver", "integration", "chaos", "round_off", "unknown"};
  return names[static_cast<std::size_t>(cause)];
}

Divergence::Cause cause_of(const Divergence& d, double relative) {
  using Cause = Divergence::Cause;
  // This comes first: a difference that round-off can explain says nothing about a solver.
  if (rounding_of_runs * std::max(1.0, d.amplification) >= enough * relative)
    return d.chaotic ? Cause::chaos : Cause::round_off;
  if (d.at_start) return Cause::solver;
  if (!d.refined()) return Cause::unknown;
  if (!d.explains) return Cause::solver;
  if (std::isfinite(d.finer_apart) && d.finer_apart <= come_together * d.apart)
    return d.chaotic ? Cause::chaos : Cause::integration;
  return Cause::unknown;
}

GrowthRate growth_rate(std::span<const DistanceRow> rows) {
  const auto end = std::find_if(rows.begin(), rows.end(), [](const DistanceRow& r) { return r.distance > saturated; });
  if (end == rows.begin()) return {};
  const double last = std::prev(end)->time, first = last / 4;
  double n = 0, t = 0, d = 0, tt = 0, td = 0;
  for (auto row = rows.begin(); row != end; ++row) {
    if (row->time < first || !(row->distance > 0)) continue;
    const double x = row->time - first, y = std::log(row->distance);
    n += 1, t += x, d += y, tt += x * x, td += x * y;
  }
  const double spread = n * tt - t * t;
  if (n < 4 || !(spread > 0)) return {};
  return {(n * td - t * d) / spread, last - first};
}

std::optional<Divergence> find_divergence(const System& system, const TraceLayout& layout,
                                          std::span<const TracedContender> all, std::size_t parted_index,
                                          const RunSettings& settings, double bound, const Parting& parting,
                                          const HeatControl& control) {
  const TracedContender &parted = all[parted_index], &peer = farthest(layout, all, parted, parting);
  const auto until_parting = [&](Trace& a, Trace& b) {
    return largest_until(distances(layout, a, b, parting.scales, family_of(parting.quantity)), parting.time);
  };
  Divergence result;
  result.solver = parted.contender->formulation->name();
  result.peer = peer.contender->formulation->name();
  result.apart = until_parting(*parted.trace, *peer.trace);
  result.at_start = parting.time == 0;
  if (result.at_start) {
    result.cause = cause_of(result, parting.relative);
    return result;
  }
  Trace fine(layout), peer_fine(layout), off(layout);
  const Heat heats[] = {{parted.contender, finer(settings, bound), 0, {&fine}},
                        {parted.contender, settings, perturbation, {&off}},
                        {peer.contender, finer(settings, bound), 0, {&peer_fine}}};
  for (const HeatEnd& end : run_heats(system, heats, control))
    if (end.how != HeatEnd::How::done) return {};
  // What happens after the first difference is not its cause.
  std::vector<DistanceRow> growth = distances(layout, *parted.trace, off, parting.scales, Family::motion);
  std::erase_if(growth, [&](const DistanceRow& row) { return row.time > parting.time; });
  const GrowthRate fitted = growth_rate(growth);

  result.integration_error = until_parting(*parted.trace, fine);
  result.peer_error = until_parting(*peer.trace, peer_fine);
  result.finer_apart = until_parting(fine, peer_fine);
  result.perturbation = perturbation;
  result.amplification = largest_until(growth, parting.time) / perturbation;
  result.rate = fitted.rate;
  result.duration = fitted.duration;
  result.explains = std::max(result.integration_error, result.peer_error) >= enough * parting.relative;
  result.chaotic = result.amplification >= far_amplified && fitted.rate * fitted.duration >= few_e_folds;
  result.cause = cause_of(result, parting.relative);
  return result;
}

}  // namespace polyform::host::comparison
