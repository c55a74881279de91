#include "framework/workbench/comparison/comparison.hpp"

#include <algorithm>

namespace polyform::host::inline comparison {

namespace {

/// A contender that finished.
struct Finisher {
  std::size_t index;
  std::unique_ptr<Trace> trace;
};

std::vector<Finisher> run_all(const System& system, const TraceLayout& layout, std::span<const Contender> contenders,
                              const RunSettings& settings, const HeatControl& control, const SinkMaker& make_sink,
                              std::vector<Standing>& standings) {
  std::vector<std::unique_ptr<Trace>> traces;
  std::vector<Heat> heats;
  for (const Contender& contender : contenders) {
    traces.push_back(std::make_unique<Trace>(layout));
    Heat heat{&contender, settings, 0, {traces.back().get()}};
    heat.open = [&] { return make_sink(contender.formulation->name()); };
    heats.push_back(std::move(heat));
  }
  std::vector<HeatEnd> ends = run_heats(system, heats, control);
  std::vector<Finisher> finishers;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const Formulation& formulation = *contenders[k].formulation;
    standings.push_back({std::move(ends[k]),
                         std::string(formulation.name()),
                         has(formulation.abilities(), Ability::reactions),
                         {},
                         {}});
    const Standing& standing = standings.back();
    if (standing.run && standing.run->end != End::failed) finishers.push_back({k, std::move(traces[k])});
  }
  return finishers;
}

Votes votes_of(const std::vector<Standing>& standings, std::span<const Finisher> finishers) {
  std::vector<std::vector<std::string>> kernels;
  for (const Standing& s : standings) kernels.push_back(s.run ? s.run->kernels : std::vector<std::string>());
  std::vector<bool> compared(standings.size());
  for (const Finisher& finisher : finishers) compared[finisher.index] = true;
  return {kernels, compared};
}

}  // namespace

Comparison compare(const System& system, std::span<const Contender> contenders, const RunSettings& settings,
                   double tolerance, const HeatControl& control, const SinkMaker& make_sink) {
  Comparison result;
  TraceLayout layout(system);
  const std::vector<Finisher> finishers =
      run_all(system, layout, contenders, settings, control, make_sink, result.standings);
  if (finishers.size() < 2) return result;

  layout.leave_open(*finishers.front().trace);
  std::vector<Witness> witnesses;
  for (const Finisher& finisher : finishers)
    witnesses.push_back({finisher.trace.get(), result.standings[finisher.index].reactions,
                         result.standings[finisher.index].run->kernels});
  result.votes = votes_of(result.standings, finishers);
  const Scales scales = scales_of(layout, layout.reach(), layout.acting(), witnesses);
  const Verdict verdict = judge(layout, witnesses, scales, tolerance);
  const auto as_standing = [&](std::optional<Parting> parting) {
    if (parting) parting->witness = finishers[parting->witness].index;
    return parting;
  };
  for (std::size_t k = 0; k < finishers.size(); ++k) {
    Standing& standing = result.standings[finishers[k].index];
    standing.deviation = verdict.deviations[k];
    standing.parting = as_standing(verdict.partings[k]);
  }
  result.first = as_standing(verdict.first);
  result.sides = verdict.sides;
  for (Side& side : result.sides)
    for (std::size_t& run : side.runs) run = finishers[run].index;
  result.until = verdict.until;
  result.at_events = verdict.at_events;
  const auto interrupted = [&] { return control.interrupted != nullptr && *control.interrupted != 0; };
  result.interrupted = interrupted();
  if (result.interrupted) return result;
  HeatControl twins = control;
  if (control.progress)
    twins.progress = [&](std::size_t k, double time) { control.progress(contenders.size() + k, time); };
  std::vector<const RunRecord*> runs;
  for (const Finisher& finisher : finishers) runs.push_back(&*result.standings[finisher.index].run);
  const double bound = sensible_bound(system, runs, settings.duration);
  if (!result.first) {
    const auto fastest = std::ranges::min_element(
        finishers, {}, [&](const Finisher& f) { return result.standings[f.index].run->wall_seconds; });
    result.bounded = check_steps(system, layout, contenders[fastest->index], *fastest->trace,
                                 *result.standings[fastest->index].run, settings, scales, bound, tolerance, twins);
    result.interrupted = interrupted();
    return result;
  }
  std::vector<TracedContender> traced;
  std::size_t parted = 0;
  for (std::size_t k = 0; k < finishers.size(); ++k) {
    traced.push_back({&contenders[finishers[k].index], finishers[k].trace.get()});
    if (finishers[k].index == result.first->witness) parted = k;
  }
  result.divergence = find_divergence(system, layout, traced, parted, settings, bound, *result.first, twins);
  result.interrupted = !result.divergence && interrupted();
  return result;
}

}  // namespace polyform::host::comparison
