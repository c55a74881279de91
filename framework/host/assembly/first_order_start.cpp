#include "framework/host/assembly/first_order_start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/row_states.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/mechanics/attachments.hpp"
#include "polyform/mechanics/discrete_values.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::host::inline assembly {

template <class Group>
void FirstOrderStart::report_no_batch(std::string_view kind, Strided<const Group> groups) {
  std::string names;
  for (const Group& group : groups) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", group.type->name());
  start_.diagnostics.error(
      fmt::format("{}{} type gives no batch: its create() fails, as it does when memory runs out; there {} {}",
                  groups.size() > 1 ? "one " : "the ", kind, groups.size() > 1 ? "are" : "is", names));
  start_.diagnostics.blame_plugin();
}

void FirstOrderStart::begin() {
  start_.parts.discrete.assign(start_.view().discrete, 0);
  if (std::string_view stranger; !initial_discrete(start_.view(), start_.parts.discrete, stranger))
    report_strange_values(stranger);
  start_.parts.x.assign(start_.view().states, 0.0);
  const ForceSet forces(start_.view(), start_.centred.origin());
  if (forces.good())
    forces.initial_states(start_.parts.x);
  else
    report_no_batch("force", start_.view().forces);
  if (const ModuleSet modules(start_.view(), start_.centred.origin()); modules.good())
    modules.initial_states(start_.parts.x);
  else
    report_no_batch("module", start_.view().modules);
  if (!start_.diagnostics.failed()) take_states_of_row(start_);
  start_.given_x = start_.parts.x;
}

/// Sets discrete states that begin with the motion (DiscreteAtStart), for the motion that start_.tree holds.
template <class Group>
void FirstOrderStart::discrete_of_motion(const Group& group) {
  const std::size_t count = group.type->descriptor().discrete.size() * group.instances.size();
  if (count == 0) return;
  auto* const batch = group.type->create(group.instances);
  if (batch == nullptr) return;  // this has been reported
  if (auto* const told = ask<DiscreteAtStart>(*batch)) {
    const std::span<std::int32_t> values = std::span(start_.parts.discrete).subspan(group.discrete_offset, count);
    Attachments attached(start_.view(), group.instances, group.joints, start_.centred.origin());
    attached.gather(start_.tree.frames(), start_.parts.q, start_.parts.v);
    told->values_at_start(attached.input(start_.time(), values), values);
    if (!are_named(group.type->descriptor().discrete, values)) report_strange_values(group.type->name());
  }
  batch->destroy();
}

void FirstOrderStart::report_strange_values(std::string_view type) {
  start_.diagnostics.error(
      fmt::format("type `{}` declares discrete states, but its batches tell none of its values at the "
                  "start, or one that the type does not name",
                  type));
  start_.diagnostics.blame_plugin();
}

void FirstOrderStart::begin_with_motion() {
  if (start_.view().states == 0 && start_.view().discrete == 0) return;
  start_.tree.evaluate(start_.parts.q.data(), start_.parts.v.data(), start_.parts.eta.data(),
                       start_.parts.etadot.data());
  for (const ForceInstances& group : start_.view().forces) discrete_of_motion(group);
  for (const ConstraintInstances& group : start_.view().constraints) discrete_of_motion(group);
  for (const ModuleInstances& group : start_.view().modules) discrete_of_motion(group);
  take_states_of_row(start_);
  ForceSet forces(start_.view(), start_.centred.origin());
  forces.follow(start_.parts.discrete);
  for (const ForceInstances& group : start_.view().forces)
    if (const auto* const reasons = ask<FailureReasons>(*group.type)) reasons->forget_failure();
  forces.states_at_start(start_.tree.frames(), start_.parts.q, start_.parts.v, start_.parts.x, start_.time());
  ModuleSet modules(start_.view(), start_.centred.origin());
  std::vector<std::pair<std::size_t, double>> integrals;
  for (const ModuleSet::Module& m : modules.modules())
    for (const ModuleSet::Module::Integral& one : m.integrals)
      integrals.emplace_back(one.state, start_.parts.x[one.state]);
  modules.follow(start_.parts.discrete);
  modules.states_at_start(start_.tree.frames(), start_.parts.q, start_.parts.v, start_.parts.x, start_.time());
  take_states_of_row(start_);
  for (const auto& [state, value] : integrals) start_.parts.x[state] = value;
  if (!std::ranges::all_of(start_.parts.x, [](double x) { return std::isfinite(x); })) report_states();
  warn_of_states_begun_anew(start_);
}

void FirstOrderStart::report_states() {
  const auto report = [&](const auto& group, std::size_t first, std::size_t each) {
    const auto* const reasons = ask<FailureReasons>(*group.type);
    const std::string_view why = reasons == nullptr ? "" : reasons->last_failure(start_.time());
    for (std::size_t k = 0; k < each * group.names.size(); ++k)
      if (!std::isfinite(start_.parts.x[first + k]))
        return start_.diagnostics.error(
            fmt::format("{} of `{}` ({}) {} at the start{}{}", why.empty() ? "a first-order state" : "the state",
                        group.names[k / each], group.type->name(),
                        why.empty() ? "is no finite number" : "cannot be found", why.empty() ? "" : ": ", why),
            why.empty() ? "This is a mistake in the plugin, unless its fields or the initial motion are extreme."
                        : "Change what it begins with: its fields, the initial motion or the time of the start.");
  };
  for (const ForceInstances& group : start_.view().forces) report(group, group.state_offset, group.type->state_count());
  for (const ModuleInstances& group : start_.view().modules) {
    const std::size_t u = group.type->variables().size();
    report(group, group.state_offset, u);
    report(group, group.state_offset + u * group.names.size(), group.type->states().size());
  }
}

}  // namespace polyform::host::inline assembly
