#include "framework/workbench/comparison/sweep.hpp"

#include <algorithm>

namespace polyform::host::inline comparison {

namespace {

using How = HeatEnd::How;

/// All contenders at one setting.
struct Round {
  std::vector<std::unique_ptr<Trace>> traces;
  std::vector<HeatEnd> ends;
};

Round run_round(const System& system, const TraceLayout& layout, std::span<const Contender> contenders,
                const RunSettings& settings, const HeatControl& control, std::size_t number) {
  Round round;
  std::vector<Heat> heats;
  for (const Contender& contender : contenders) {
    round.traces.push_back(std::make_unique<Trace>(layout));
    heats.push_back({&contender, settings, 0, {round.traces.back().get()}});
  }
  HeatControl ours = control;
  if (control.progress)
    ours.progress = [&, number](std::size_t k, double time) { control.progress(number * contenders.size() + k, time); };
  round.ends = run_heats(system, heats, ours);
  return round;
}

/// The largest distance from the reference in one quantity.
std::optional<Departure> largest(const TraceLayout& layout, Trace& reference, Trace& trace, Quantity quantity) {
  std::vector<double> a(layout.width()), b(layout.width());
  std::optional<Departure> result;
  for (std::size_t left = std::min(reference.rewind(), trace.rewind()); left > 0; --left) {
    reference.next(a);
    const double time = trace.next(b);
    for (const TraceItem& item : layout.items()) {
      if (item.quantity != quantity) continue;
      const double value = distance(item, a.data() + item.offset, b.data() + item.offset);
      if (!result || value > result->value) result = Departure{value, time, std::string(item.name), item.length};
    }
  }
  return result;
}

/// The largest distance of any two.
std::optional<Departure> largest_apart(const TraceLayout& layout, std::span<Trace* const> traces, Quantity quantity) {
  std::optional<Departure> result;
  for (std::size_t i = 0; i < traces.size(); ++i)
    for (std::size_t k = i + 1; k < traces.size(); ++k)
      if (const auto d = largest(layout, *traces[i], *traces[k], quantity); d && !(result && result->value >= d->value))
        result = d;
  return result;
}

}  // namespace

RunSettings at_value(RunSettings settings, SweepOf what, double value) {
  if (what == SweepOf::step) {
    settings.step = value;
  } else {
    settings.absolute_tolerance *= value / settings.relative_tolerance;
    settings.relative_tolerance = value;
  }
  return settings;
}

/// Tighter ones ask for less than the rounding of the states.
constexpr double finest_tolerance = 1e-14;

double reference_value(SweepOf what, std::span<const double> values) {
  const double least = *std::min_element(values.begin(), values.end());
  return what == SweepOf::step ? least / 4 : std::min(least, std::max(least / 100, finest_tolerance));
}

Sweep sweep(const System& system, std::span<const Contender> contenders, const RunSettings& settings, SweepOf what,
            std::span<const double> values, const HeatControl& control) {
  Sweep result;
  const TraceLayout layout(system);
  result.reference_value = reference_value(what, values);
  const Round best =
      run_round(system, layout, contenders, at_value(settings, what, result.reference_value), control, 0);
  std::vector<Trace*> finished;
  std::vector<std::vector<std::string>> kernels;
  std::vector<Contender> able;
  for (std::size_t k = 0; k < contenders.size(); ++k) {
    if (best.ends[k].how == How::skipped) {
      result.points.push_back({best.ends[k], std::string(contenders[k].formulation->name()), 0, {}, {}});
      continue;
    }
    able.push_back(contenders[k]);
    if (best.ends[k].how != How::done) {
      result.dropouts.push_back({best.ends[k], std::string(contenders[k].formulation->name())});
      continue;
    }
    finished.push_back(best.traces[k].get());
    kernels.push_back(best.ends[k].run->kernels);
    result.reference_solvers.emplace_back(contenders[k].formulation->name());
  }
  result.apart_position = largest_apart(layout, finished, Quantity::position);
  result.apart_angle = largest_apart(layout, finished, Quantity::angle);
  result.votes = Votes(kernels, std::vector<bool>(kernels.size(), true));
  std::vector<std::size_t> votes;
  for (std::size_t k = 0; k < kernels.size(); ++k) votes.push_back(*result.votes.of(k));
  const std::unique_ptr<Trace> reference = finished.empty() ? nullptr : consensus(layout, finished, votes);

  for (std::size_t v = 0; v < values.size(); ++v) {
    const Round round = run_round(system, layout, able, at_value(settings, what, values[v]), control, v + 1);
    for (std::size_t k = 0; k < able.size(); ++k) {
      SweepPoint point{round.ends[k], std::string(able[k].formulation->name()), values[v], {}, {}};
      point.is_reference = values[v] == result.reference_value && point.how == How::done &&
                           std::ranges::count(result.reference_solvers, point.solver) > 0;
      if (reference && point.how == How::done && !point.is_reference) {
        point.position = largest(layout, *reference, *round.traces[k], Quantity::position);
        point.angle = largest(layout, *reference, *round.traces[k], Quantity::angle);
      }
      result.points.push_back(std::move(point));
    }
  }
  std::stable_sort(result.points.begin(), result.points.end(),
                   [&](const SweepPoint& a, const SweepPoint& b) { return a.solver < b.solver; });
  return result;
}

}  // namespace polyform::host::comparison
