// Checks of the discrete states of a batch, as the host that keeps them needs them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "polyform/contract/discrete_state.hpp"

namespace polyform::host::inline conformance {

/// The input of a batch at an event. u, x: of modules.
struct EventState {
  BatchInput attachments;
  std::vector<double> u{}, x{};
};

/// The values that the batch gives at an event.
struct PassedEvent {
  std::vector<std::int32_t> values;
  std::size_t allocations = 0;
};

inline PassedEvent pass_event(DiscreteElement& element, std::size_t k, bool rising, const EventState& in) {
  PassedEvent out{in.attachments.discrete};
  const ForceInput attachments = in.attachments.view();
  EventInput input;
  input.attachments = &attachments;
  input.u = in.u;
  input.x = in.x;
  out.allocations = allocations_of([&] { element.pass_event(k, rising, input, out.values); });
  return out;
}

/// make(case) gives a batch of the case's instances, input(case, path, t) their joined EventState there. Nothing is
/// claimed of a type that declares no discrete states.
template <class Make, class Input>
void check_discrete(Strided<const DiscreteVariable> variables, const std::vector<Case>& cases, Checklist& list,
                    Make make, Input input) {
  if (variables.empty()) return;
  list.claim(
      "its discrete states are values that its type names, and change at events by the input alone", 0,
      "a type with discrete states gives its batch an EventSource and a DiscreteElement, which keeps nothing between "
      "calls and makes its memory in create()",
      [&](Measure& m) {
        Random random(37);
        const auto see_named = [&](std::span<const std::int32_t> values, const char* when) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            const DiscreteVariable& v = variables[i % variables.size()];
            const bool named = values[i] >= 0 && static_cast<std::size_t>(values[i]) < v.values.size();
            m.see(named ? 0 : 1,
                  [&] { return fmt::format("{} is {} {}, which has no name", v.name, values[i], when); });
          }
        };
        for (const Case& one : cases) {
          m.in_model(one.sample.text);
          Path path(one.sample.view(), one.state, random);
          const auto batch = make(one);
          auto* const events = ask<EventSource>(*batch);
          auto* const element = ask<DiscreteElement>(*batch);
          m.see(events != nullptr && events->event_count() > 0 ? 0 : 1, "without events they never change");
          m.see(element != nullptr ? 0 : 1, "the batch has no DiscreteElement");
          if (events == nullptr || element == nullptr) return;
          const EventState now = input(one, path, 0.0);
          path.go(0.2);
          EventState later = input(one, path, 0.2);
          see_named(now.attachments.discrete, "at the start");
          for (std::size_t k = 0; k < events->event_count(); ++k)
            for (const bool rising : {false, true}) {
              const PassedEvent first = pass_event(*element, k, rising, now);
              see_named(first.values, "after an event");
              later.attachments.discrete = first.values;
              pass_event(*element, k, !rising, later);
              const PassedEvent again = pass_event(*element, k, rising, now);
              m.see(first.values == again.values ? 0 : 1, "a call between two equal ones changes the second");
              if (AllocationCount::available()) see_allocations(first.allocations, m);
            }
        }
      });
}

}  // namespace polyform::host::conformance
