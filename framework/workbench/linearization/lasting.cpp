#include "framework/workbench/linearization/lasting.hpp"

#include <algorithm>
#include <numbers>
#include <optional>
#include <vector>

#include "framework/workbench/linearization/functions_of_time.hpp"
#include "framework/workbench/linearization/steady_fields.hpp"
#include "framework/workbench/linearization/steady_motion.hpp"

namespace polyform::host::inline linearization {

Lasting find_lasting(const System& system, const SolverMaker& make, const OperatingPoint& point,
                     const MinimalCoordinates& choice) {
  const Linearization frame = frame_of(system.view(), point.time, point.state, choice);
  PointModel model(system, make, point, frame);
  Accelerations rates;
  CanonicalState closed;
  Lasting out;
  const auto fail = [&](double time, std::string why) {
    out = {false, time, std::move(why)};
    return out;
  };
  if (!model.evaluate(model.time(), model.nominal(), closed, rates)) return fail(0, model.failure());
  const MotionFields fields(model.view(), model.nominal(), rates.xdot);
  const double duration = system.description().simulation.duration.value_or(10),
               knot = model.next_knot() - model.time();
  const auto follow = [&](const SteadyMotion& along) {
    std::vector<double> times = later_times(model.view(), model.time(), duration);
    const auto look_within = [&](double span) {
      for (const double share : later_shares) times.push_back(share * std::min(span, knot));
    };
    if (const double turning = fields.fastest_turn(along.rates); turning > 0)
      look_within(2 * std::numbers::pi / turning);
    for (const PointModel::ClockTurn& clock : model.clock_turns()) look_within(clock.period);
    AlongMotion seen = look_along(model, fields, along.rates, times, {.companions = 0});
    if (!seen.steady && may_hold_functions(model.view(), model.time(), duration))
      seen = look_along(model, fields, along.rates, times, {.held = true, .companions = 0});
    return seen;
  };
  const std::optional<SteadyMotion> rates_alone = find_steady_motion(model, fields, nullptr);
  if (!rates_alone) return fail(0, "coordinates that follow from others accelerate");
  AlongMotion seen = follow(*rates_alone);
  if (!seen.steady && fields.size() > 0) {
    // Different sums of fields give the same rates; those of symmetries go on.
    const Symmetries symmetries = find_symmetries(model, fields);
    if (const auto along = find_steady_motion(model, fields, &symmetries)) seen = follow(*along);
  }
  return seen.steady ? out : fail(seen.time, seen.why);
}

}  // namespace polyform::host::linearization
