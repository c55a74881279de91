#include "framework/workbench/linearization/events_along.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/host/watches/element_events.hpp"
#include "framework/host/watches/knots.hpp"

namespace polyform::host::inline linearization {
namespace {

/// Places along the path: at least so many; more where a function nears zero, each half of the way that is left at its
/// rate, but not so many that they never end.
constexpr double least_places = 512, most_places = 65536;

}  // namespace

std::optional<EventAlong> first_event_along(const PointModel& model, MotionPath& path, double length) {
  const SolverPointer solver = model.maker()(model.view());
  ElementEvents events(model.view(), *solver);
  if (events.size() == 0) return std::nullopt;
  std::vector<double> values(events.size()), rates(events.size()), first(events.size());
  const auto look = [&](double t) {
    const CanonicalState state = path.at(t);
    events.evaluate(model.time() + t, state.constant(), values, rates);
  };
  look(0);
  first = values;
  for (double t = 0; t < length;) {
    double step = length / least_places;
    for (std::size_t k = 0; k < values.size(); ++k)
      if (std::isfinite(rates[k]) && rates[k] != 0) step = std::min(step, 0.5 * std::abs(values[k] / rates[k]));
    t = std::min(length, t + std::max(step, length / most_places));
    look(t);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (events.is_event(k) && (values[k] >= 0) != (first[k] >= 0)) return EventAlong{events.name_of(k), t};
  }
  return std::nullopt;
}

double first_knot_along(const PointModel& model, double length) {
  const SolverPointer solver = model.maker()(model.view());
  const ElementEvents events(model.view(), *solver);
  Knots knots(model.view());
  for (const ElementEvents::Source& source : events.sources()) knots.add(*source.events, source.type);
  knots.pass(model.time());
  while (knots.next().time < model.time() + length) {
    if (knots.next().abrupt) return knots.next().time - model.time();
    knots.pass(knots.next().time);
  }
  return never;
}

}  // namespace polyform::host::linearization
