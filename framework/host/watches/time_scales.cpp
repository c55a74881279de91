#include "framework/host/watches/time_scales.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "framework/host/watches/each_function_of_time.hpp"

namespace polyform::host::inline watches {

namespace {

/// That of a function which does something again and again: tables and ramps end steps where they do something.
double shortest_time(const TimeFunction& any) {
  const TimeFunction& f = given_function(any);
  return f.kind == TimeFunction::Kind::sine || f.kind == TimeFunction::Kind::other ? f.shortest_time() : never;
}

}  // namespace

TimeScales::TimeScales(const SystemView& view) {
  const auto all = [&](const auto& groups) {
    for (const auto& group : groups)
      for (std::size_t i = 0; i < group.instances.size(); ++i) {
        double shortest = never;
        for (const FieldValue& field : group.instances[i].fields)
          for (const TimeFunction& f : field.functions) shortest = std::min(shortest, shortest_time(f));
        if (shortest < never) scales_.push_back({shortest, group.names[i]});
      }
  };
  all(view.forces);
  all(view.constraints);
  all(view.modules);
  for (const JointData& joint : view.joints) {
    const RheonomicKernel* const kernel = rheonomic_kernel(joint);
    if (kernel == nullptr) continue;
    double shortest = kernel->shortest_time(joint.parameters);
    for (const TimeFunction& f : kernel->functions(joint.parameters)) shortest = std::min(shortest, shortest_time(f));
    if (shortest < never) scales_.push_back({shortest, joint.name});
  }
}

void TimeScales::add(const ElementEvents::Source& source) {
  for (std::size_t i = 0; i < source.names.size(); ++i)
    if (const double time = source.events->shortest_time(i); time < never) scales_.push_back({time, source.names[i]});
}

double TimeScales::shortest() const {
  double shortest = never;
  for (const Scale& s : scales_) shortest = std::min(shortest, s.time);
  return shortest;
}

double TimeScales::longest_step(double duration) const {
  // No simple fraction of a period, at whose multiples a sine might look like another.
  constexpr double share = 0.381966, most_steps = 3e6;
  return std::max(share * shortest(), duration / most_steps);
}

std::vector<std::string> TimeScales::warnings(double longest_step) const {
  constexpr std::size_t most = 5;
  std::vector<std::string_view> names;
  std::size_t all = 0;
  for (const Scale& s : scales_) {
    if (!(longest_step > 0.5 * s.time)) continue;
    if (++all <= most) names.push_back(s.element);
  }
  if (all == 0) return {};
  return {fmt::format(
      "steps of up to {:.3g} s are long beside the shortest time that elements declare, {:.3g} s ({}{}): what happens "
      "in less than two steps may go unseen. Give --max-step {:.3g}, or tighter tolerances",
      longest_step, shortest(), fmt::join(names, ", "), all > most ? fmt::format(" and {} more", all - most) : "",
      shortest() / 10)};
}

}  // namespace polyform::host::watches
