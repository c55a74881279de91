#include "framework/host/unilateral/unilateral_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/state_encoding.hpp"

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

// Forces below this share of the largest are rounding of the solution of redundant rows.
constexpr double force_share = 1e-9;
// Of the speed of contact_sizes.hpp: what has broken away and is faster has a direction of its own.
constexpr double guided_speed = 1e-4;
// The same of what nothing pushes across its direction: so fast, it is not stiff any more.
constexpr double straight_speed = 0.05;
// A part of the body: a gap of a row that holds, which no drift within a step makes. Its place is another one.
constexpr double longest_closing = 0.05;
// A part of the body: a row that holds and has passed the end of its place by more lets go before the end of the step,
// and its drift is not taken off.
constexpr double far_beyond = 1e-6;
// A part of the body: points of places that end do not show how far they are where it is more.
constexpr double near_place = 0.1;
// What of a point a run takes along that goes on later.
constexpr double PointMemory::*kept_numbers[] = {&PointMemory::span, &PointMemory::fastest, &PointMemory::overlap,
                                                 &PointMemory::beside, &PointMemory::pressed};
// Of a point that is guided, in place of its mode.
constexpr std::int32_t kept_as_guided = static_cast<std::int32_t>(UnilateralMode::slip) + 1;

}  // namespace

UnilateralMotion::UnilateralMotion(const SystemView& view, double t, const ConstStateView& start, Solver& solver,
                                   Ode& ode, UnilateralUse use)
    : set_(view, t, start, solver, use == UnilateralUse::steps ? UnilateralUse::none : use),
      solver_(solver),
      ode_(ode),
      response_(view, set_, t, start, solver, ode),
      second_(ask<SecondOrderSystem>(solver)),
      tally_(set_),
      now_(set_.points()),
      forces_(set_, response_, now_, units_, ode),
      memory_(set_.points()),
      loads_(three * set_.points()),
      column_(loads_),
      slack_(functions_per_point * set_.points()),
      moved_(empty() ? 0 : ode.size()),
      rates_now_(moved_),
      rates_then_(moved_) {
  touching_.reserve(set_.points());
  closed_.reserve(set_.points());
  near_.reserve(set_.points());
  for (auto* part : {&apart_, &nearing_, &apart_then_, &nearing_then_}) part->resize(set_.elements());
  look_at_all();
  if (!empty()) measure(view, t, start);
}

void UnilateralMotion::measure(const SystemView& view, double t, const ConstStateView& start) {
  units_ = contact_sizes(view, start, set_);
  std::vector<double> y(ode_.size());
  if (encode_at(t, solver_, start, std::span(y).first(solver_.state_size())) != Status::ok) return;  // the run says why
  set_.evaluate(t, y);
  refuse_overlaps(set_, units_);
}

void UnilateralMotion::keep(RunState& out) const {
  out.modes.clear();
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    out.modes.push_back(now_.guided[k] ? kept_as_guided : static_cast<std::int32_t>(now_.modes[k]));
  out.touching.clear();
  const std::vector<double>& directions = now_.directions.numbers();
  out.touching.insert(out.touching.end(), directions.begin(), directions.end());
  for (const auto number : kept_numbers)
    for (const PointMemory& point : memory_) out.touching.push_back(point.*number);
  tally_.keep(out.touching);
}

bool UnilateralMotion::begin_from(const RunState& from) {
  const std::size_t own = now_.directions.numbers().size() + std::size(kept_numbers) * set_.points();
  if (from.modes.size() != now_.modes.size() || from.touching.size() != own + tally_.numbers() ||
      std::ranges::any_of(from.modes, [&](std::int32_t mode) { return mode < 0 || mode > kept_as_guided; }))
    return false;
  for (std::size_t k = 0; k < now_.modes.size(); ++k) {
    now_.guided[k] = from.modes[k] == kept_as_guided;
    now_.modes[k] = now_.guided[k] ? UnilateralMode::slip : static_cast<UnilateralMode>(from.modes[k]);
    memory_[k].feature = PointMemory::unknown_feature;
  }
  const double* next = from.touching.data();
  for (double& number : now_.directions.numbers()) number = *next++;
  for (const auto number : kept_numbers)
    for (PointMemory& point : memory_) point.*number = *next++;
  tally_.begin_from(std::span(from.touching).subspan(own));
  return true;
}

/// What is slower than this rests.
double UnilateralMotion::least_speed(std::size_t row) const {
  return resting_speed(set_.terms(row), units_[row / three]);
}

double UnilateralMotion::speed_along(std::size_t k) const {
  const SlidingDirections::Pair d = now_.directions.at(set_, k);
  return set_.rate(three * k + 1) * d[0] + set_.rate(three * k + 2) * d[1];
}

/// How fast a point that sticks moves along rows that no force moved when it began to stick: at rest at a dead centre
/// friction holds nothing, and the row goes as soon as the mechanism does.
double UnilateralMotion::stray_speed(std::size_t k) const {
  double fastest = 0;
  for (std::size_t row = three * k + 1; row < three * (k + 1); ++row)
    if (now_.held[row]) fastest = std::max(fastest, std::abs(set_.rate(row)) - 2 * least_speed(row));
  return fastest;
}

/// How much faster than it is what has broken away may slide along its direction alone, in parts of the speed of
/// contact_sizes.hpp; at the evaluated forces. If no force is needed across the direction, it is the one of v/|v| too,
/// which at a small acceleration is stiff for long. allowed: a force that is rounding.
double UnilateralMotion::guided_room(std::size_t k, double allowed) const {
  const double speed = speed_along(k) / units_[k].speed, near = guided_speed - speed;
  const SlidingDirections::Pair d = now_.directions.at(set_, k);
  const std::span<const double> forces = forces_.forces();
  const double across = std::abs(d[0] * forces[three * k + 2] - d[1] * forces[three * k + 1]);
  // Below that speed the force across tells nothing: where it is next to rounding, this would jump to and fro.
  if (near > 0 || !(allowed > 0)) return near;
  const double straight = std::max(1 - across / (4 * allowed), -1.0);
  return std::max(near, std::min(straight, straight_speed - speed));
}

bool UnilateralMotion::derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  try {
    const std::span<const std::size_t> closed = closed_points();
    const bool any = !closed.empty();
    if (any && forces_.find(t, y, ModeForces::Shares::that_move, closed)) {
      if (!forces_.find_integrals(t, y)) return failure_ = ode_.failure(), false;
      forces_.put_derivative(ydot, second_ != nullptr ? second_->kinds() : std::span<const StateKind>{});
      return true;
    }
    const bool done = !any && ode_.derivative(t, y, ydot);
    failure_ = ode_.failure();
    return done;
  } catch (const Failure& problem) {
    failure_ = problem.message();
  } catch (const std::exception& problem) {
    failure_ = problem.what();
  }
  return false;
}

/// Moves positions and velocities as forces along the rows would, the least in the metric of the inertia.
bool UnilateralMotion::project(double t, std::span<double> y) noexcept {
  try {
    for (int round = 0; round < 3; ++round) {
      forces_.list_rows();
      if (!forces_.has_rows()) return true;
      set_.evaluate(t, y, closed_points());
      if (any_lost()) return true;
      if (const std::optional<std::size_t> k = moved_far()) {
        failure_ = fmt::format("the surfaces of {} lie {:.3g} (m or rad) {} where they touched just before",
                               set_.name_of(*k), std::abs(set_.gap(*k)), set_.gap(*k) > 0 ? "apart" : "in each other");
        return false;
      }
      const bool wide = forces_.is_wide(), fast = forces_.is_fast();
      if ((!wide && !fast) || !forces_.respond_to_rows(t, y)) return true;  // of a failure the next step says why
      if (wide && second_ != nullptr && !close_gaps(t, y)) return true;
      if (fast) forces_.jump_to_rest(y);
      if (wide && !ode_.correct(t, y)) {
        failure_ = ode_.failure();
        return false;
      }
    }
    return true;
  } catch (const std::exception& problem) {
    failure_ = problem.what();
  }
  return false;
}

bool UnilateralMotion::any_at_other_place() const {
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    if (is_closed(k) && is_at_other_place(k)) return true;
  return false;
}

/// Whether a row that holds is beyond the end of its place, or at another part of the surface.
bool UnilateralMotion::any_lost() const {
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    if (is_closed(k) && (is_at_other_place(k) || set_.end(k) < -far_beyond * units_[k].body)) return true;
  return false;
}

/// A row that holds and whose gap is wider than drift makes it.
std::optional<std::size_t> UnilateralMotion::moved_far() const {
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    if (is_closed(k) && set_.point(k).has_gap && std::abs(set_.gap(k)) > longest_closing * units_[k].body) return k;
  return std::nullopt;
}

/// Moves the positions in y as velocities would that close the gaps in a unit of time. False if the solver fails.
bool UnilateralMotion::close_gaps(double t, std::span<double> y) {
  std::ranges::copy(y, moved_.begin());
  forces_.jump_by_gaps(moved_);
  const std::size_t states = solver_.state_size();
  if (second_->position_rates(t, y.first(states), std::span(rates_now_).first(states)) != Status::ok ||
      second_->position_rates(t, std::span(moved_).first(states), std::span(rates_then_).first(states)) != Status::ok)
    return false;
  const std::span<const StateKind> of = second_->kinds();
  for (std::size_t i = 0; i < states; ++i)
    if (of[i] == StateKind::position) y[i] += rates_then_[i] - rates_now_[i];
  return true;
}

/// Tells whose forces the last search for forces within limits left open.
void UnilateralMotion::see_shares() {
  for (std::size_t n = 0; n < forces_.open_directions(); ++n) {
    forces_.put_open(n, column_);
    for (std::size_t e = 0, k = 0; e < set_.elements(); ++e) {
      bool any = false;
      for (; k < now_.modes.size() && set_.element_of(k) == e; ++k)
        for (std::size_t row = three * k; row < three * (k + 1); ++row) any = any || column_[row] != 0;
      if (any) tally_.share(e, set_.has_resultant(e, column_));
    }
  }
}

/// Forces of all rows with the present modes, within the limits of all points. Failure if they cannot be computed.
/// points: those to be evaluated, in ascending order, with all that are closed.
void UnilateralMotion::find_forces(double t, std::span<const double> y, std::span<const std::size_t> points) {
  if (!forces_.find(t, y, ModeForces::Shares::within_limits, points))
    throw Failure(Exit::simulation_failed,
                  fmt::format("the forces of contact could not be computed at t = {:.9g} s: {}", t, ode_.failure()));
}

/// The same. False where a row has come to another place: there forces and speeds tell nothing, as the row lets go
/// before.
bool UnilateralMotion::find_forces_at_places(double t, std::span<const double> y, std::span<const std::size_t> points) {
  try {
    find_forces(t, y, points);
  } catch (const Failure&) {
    if (!any_at_other_place()) throw;
  }
  return !any_at_other_place();
}

void UnilateralMotion::put(double t, std::span<double> y) {
  moved_.assign(y.begin(), y.end());
  find_forces(t, moved_, set_.all_points());
  tally_.see_row(t, now_.modes, units_);
  see_shares();
  see_other_loads(t);
  set_.put_forces(forces_.forces(), y);
  set_.put_modes(now_.modes, y);
}

/// A force that is rounding, beside those that were found last.
double UnilateralMotion::allowed_force() const {
  double largest = 0;
  for (const double force : forces_.forces()) largest = std::max(largest, std::abs(force));
  return force_share * largest;
}

void UnilateralMotion::evaluate(double t, std::span<const double> y, std::span<double> values,
                                std::span<double> rates) {
  std::ranges::fill(values, 1.0);
  std::ranges::fill(rates, 0.0);
  const bool any = now_.any_closed();
  if (!any) set_.evaluate(t, y, near_);
  const bool known = !any || find_forces_at_places(t, y, near_);
  see_closing();
  const double allowed = any ? allowed_force() : 0;
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    tell_of(k, known, allowed, [&](Function function, double value, double rate) {
      const std::size_t f = functions_per_point * k + function;
      values[f] = value + slack_[f];
      rates[f] = rate;
    });
}

double UnilateralMotion::value(double t, std::span<const double> y, std::size_t function) {
  const std::size_t k = function / functions_per_point, asked = function % functions_per_point;
  const bool of_forces = is_closed(k) && (asked == pulling || asked == gripping);
  // An open point needs no other; of one that is closed, all that hold tell whether they are at their places.
  const std::span<const std::size_t> needed = is_closed(k) ? closed_points() : std::span(&k, 1);
  if (!of_forces) set_.evaluate(t, y, needed);
  const bool known = of_forces ? find_forces_at_places(t, y, needed) : !is_closed(k) || !any_at_other_place();
  double found = 1;  // a function that is not told has nothing to come to zero
  tell_of(k, known, of_forces ? allowed_force() : 0, [&](Function told, double value, double) {
    if (told == asked) found = value + slack_[function];
  });
  return found;
}

/// Tells of a point at the evaluated state. known: its forces, or that they are not asked for; allowed: a force that is
/// rounding.
template <class Tell>
void UnilateralMotion::tell_of(std::size_t k, bool known, double allowed, const Tell& tell) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const UnilateralPoint& point = set_.point(k);
  const std::span<const double> forces = forces_.forces();
  const std::size_t row = three * k;
  if (!is_closed(k)) {
    if (!point.has_normal) return;
    if (is_apart(k)) return tell(closing, least_gap(k), 0);
    // What parts after an impact is farther from closing than the rounding of its gap.
    const double margin = (set_.rate(row) > 0 ? 2 : 1) * gap_rounding_of(k), gap = set_.open_gap(k) + margin;
    // Beside its place a point does not touch: it closes where it is there, and its gap is closed. Which lines cross
    // may jump where they are not near to that.
    if (const double farthest = near_place * units_[k].body;
        point.has_gap && !set_.has_place(k) && std::max(gap, -set_.begin(k)) > farthest)
      tell(closing, farthest, 0);
    else if (point.has_gap && -set_.begin(k) > gap)
      tell(closing, -set_.begin(k), unknown);
    else if (point.has_gap)
      tell(closing, gap, set_.place(k) < 0 ? unknown : set_.rate(row));
    else
      // What is slower rests: less than that is no impact, and more than the rounding of rest.
      tell(closing, set_.rate(row) + 0.5 * least_speed(row), unknown);
    return;
  }
  if (memory_[k].feature == PointMemory::unknown_feature) memory_[k].feature = set_.feature(k);
  if (is_at_other_place(k))
    tell(ending, -units_[k].body, 0);
  else if (std::isfinite(set_.end(k)))
    tell(ending, set_.end(k), unknown);
  if (!known) return;
  if (point.has_normal) tell(pulling, forces[row] + allowed, unknown);
  if (point.tangents == 0) return;
  if (now_.modes[k] == UnilateralMode::slip) {
    // Friction that begins where nothing moves has no direction yet.
    if (set_.sliding(k) > 0) tell(resting, has_direction(k) ? speed_along(k) + least_rest(k) : -1, unknown);
    if (now_.guided[k]) tell(gripping, guided_room(k, allowed), unknown);
    return;
  }
  const double bound = point.has_normal ? set_.holding(k) * forces[row] : set_.holding(k);
  const double held = std::hypot(forces[row + 1], has_tangent(k, 1) ? forces[row + 2] : 0);
  tell(gripping, bound + 4 * allowed - held, unknown);
  if (now_.held[row + 1] || now_.held[row + 2]) tell(resting, at_rest * least_rest(k) - stray_speed(k), unknown);
}

bool UnilateralMotion::allow_shortfalls(std::span<const double> values) {
  bool any = false;
  for (std::size_t f = 0; f < values.size(); ++f) {
    if (!(values[f] < 0)) continue;
    const std::size_t function = f % functions_per_point, k = f / functions_per_point;
    const bool is_rest = function == resting && has_direction(k) && -values[f] < at_rest * least_speed(three * k + 1);
    if (function != pulling && function != gripping && !is_rest) continue;
    slack_[f] -= 2 * values[f];
    any = true;
  }
  return any;
}

std::optional<std::size_t> UnilateralMotion::find_pushing(std::span<const double> values) const {
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    if (const std::size_t f = functions_per_point * k + resting; values[f] < 0 && has_direction(k)) return f;
  return std::nullopt;
}

std::optional<std::size_t> UnilateralMotion::find_ended(std::span<const double> values) const {
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    if (const std::size_t f = functions_per_point * k + ending; is_closed(k) && values[f] < 0) return f;
  return std::nullopt;
}

void UnilateralMotion::settle(double begin, double end) {
  const bool any_elsewhere = any_at_other_place();  // there forces tell nothing
  for (std::size_t k = 0; k < now_.modes.size(); ++k) {
    if (!is_closed(k))
      memory_[k].pressed = 0;
    else if (!any_elsewhere && set_.point(k).has_normal)
      memory_[k].pressed = std::max(memory_[k].pressed, forces_.forces()[three * k]);
    if (is_closed(k) || is_apart(k) || !set_.has_place(k) || set_.open_gap(k) > 0) memory_[k].beside = 0;
    if (!is_closed(k)) {
      if (is_apart(k) || set_.has_place(k)) memory_[k].span = std::max(memory_[k].span, least_gap(k));
      continue;
    }
    if (now_.modes[k] != UnilateralMode::slip) continue;
    double direction[2];
    // Without friction, nothing would tell that the motion has turned round.
    if (!(set_.sliding(k) > 0)) now_.directions.put(set_, k, {});
    forces_.direct(k, direction);
    now_.directions.put(set_, k, {direction[0], direction[1]});
    memory_[k].fastest = std::max(memory_[k].fastest, std::abs(speed_along(k)));
  }
  for (std::size_t e = 0, k = 0; e < set_.elements(); ++e) {
    bool closed = false, stuck = false;
    for (; k < now_.modes.size() && set_.element_of(k) == e; ++k) {
      closed = closed || is_closed(k);
      stuck = stuck || now_.modes[k] == UnilateralMode::stick;
    }
    tally_.see_step(e, closed, stuck, begin, end);
  }
}

}  // namespace polyform::host::inline unilateral
