// The events of a batch: what an element that tells any owes to the search for their sign changes.
#pragma once

#include <limits>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "polyform/contract/events.hpp"

namespace polyform::host::inline conformance {

/// What one call gives.
struct EventValues {
  std::vector<double> values, rates;
  double guard = never;
  std::size_t allocations = 0;

  std::vector<double> numbers() const {
    std::vector<double> all(values);
    all.insert(all.end(), rates.begin(), rates.end());
    all.push_back(guard);
    return all;
  }
};

inline EventValues evaluate_events(EventSource& events, const BatchInput& in) {
  EventValues out;
  constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();
  Canaries given;
  const std::span<double> values = given.numbers("values", events.event_count(), unwritten),
                          rates = given.numbers("rates", events.event_count(), unwritten);
  const ForceInput attachments = in.view();
  EventInput input;
  input.attachments = &attachments;
  EventOutput output;
  output.values = values;
  output.rates = rates;
  out.allocations = allocations_of([&] { events.evaluate_events(input, output); });
  given.check("evaluate_events()");
  out.values.assign(values.begin(), values.end());
  out.rates.assign(rates.begin(), rates.end());
  out.guard = output.guard;
  return out;
}

/// Checks the events of a batch that is no module's. make(case) gives a batch of the case's instances, input(case,
/// path, t) their joined input there. Nothing is claimed of a type that tells no events.
template <class Make, class Input>
void check_events(const std::vector<Case>& cases, Checklist& list, Make make, Input input) {
  const auto events_of = [](auto& batch) { return ask<EventSource>(*batch); };
  if (const auto batch = make(cases.front()); events_of(batch) == nullptr) return;
  list.claim("its event functions are finite, depend on the input alone and allocate nothing", 0,
             "evaluate_events() must write every value, keep nothing between calls and make its memory in create()",
             [&](Measure& m) {
               Random random(31);
               for (const Case& one : cases) {
                 m.in_model(one.sample.text);
                 Path path(one.sample.view(), one.state, random);
                 const auto batch = make(one);
                 if (events_of(batch) == nullptr) continue;  // of a variant that tells none
                 EventSource& events = *events_of(batch);
                 const BatchInput now = input(one, path, 0.0);
                 path.go(0.2);
                 const BatchInput later = input(one, path, 0.2);
                 const EventValues first = evaluate_events(events, now);
                 evaluate_events(events, later);
                 const EventValues again = evaluate_events(events, now);
                 m.see(all_finite(first.values) ? 0 : 1, "a value is not written, or not finite");
                 m.see(same_bits(first.numbers(), again.numbers()) ? 0 : 1,
                       "a call between two equal ones changes the second");
                 m.see(first.guard > 0 ? 0 : 1, "the guard is no positive time");
                 if (AllocationCount::available()) see_allocations(first.allocations, m);
               }
             });
}

}  // namespace polyform::host::conformance
