// Which rows hold from an event on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/unilateral/unilateral_motion.hpp"

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

// Part of the fastest sliding since it began: slower sliding has come to rest.
constexpr double come_to_rest = 1e-5;
// Of the speed of contact_sizes.hpp: a row that holds and is faster has not drifted, as no step is so wrong.
constexpr double torn = 1e-4;
// Of the time in which friction turns it, by the response of free bodies: in a step that is longer its direction is
// stiff, with the larger response of bodies that turn too.
constexpr double stiff_step = 0.25;
// Of the speed of contact_sizes.hpp: what slides slower, and by so much across where its friction takes it, gets a
// direction of its own. The first is half of the speed up to which that is kept; in place of the second, the relative
// tolerance of the steps if that is larger: their errors alone keep sliding so fast that ought to have come to rest.
constexpr double slow_to_guide = 0.5e-4, settled_speed = 1e-9;
// Of its speed: by so much less differ the speeds of the points of a body that slides and does not turn.
constexpr double slides_alike = 1e-3;

}  // namespace

void UnilateralMotion::renew(double t, std::span<double> y) {
  collide(t, y);
  choose(t, y, std::nullopt);
}

/// Lets points turn round that slide against the direction of their friction at the evaluated state. If several turn
/// round at once, only one has the event. What has just broken away keeps its direction: its speed is rounding yet.
void UnilateralMotion::turn_round() {
  for (std::size_t k = 0; k < now_.modes.size(); ++k) {
    if (now_.modes[k] != UnilateralMode::slip || now_.guided[k] || set_.point(k).tangents == 0) continue;
    if (speed_along(k) > -least_rest(k)) continue;
    const double v[2] = {set_.rate(three * k + 1), has_tangent(k, 1) ? set_.rate(three * k + 2) : 0};
    const double speed = std::hypot(v[0], v[1]);
    now_.directions.put(set_, k, {v[0] / speed, v[1] / speed});
  }
}

/// Whether a point slides on two tangents, and not along a guide.
bool UnilateralMotion::slides_freely(std::size_t k) const {
  const UnilateralPoint& point = set_.point(k);
  return now_.modes[k] == UnilateralMode::slip && !now_.guided[k] && point.has_normal && point.tangents == 2;
}

/// The friction of all points of its element that slide, by the forces that were found last.
double UnilateralMotion::friction_of_element(std::size_t k) const {
  const std::size_t element = set_.element_of(k);
  std::size_t first = k;
  while (first > 0 && set_.element_of(first - 1) == element) --first;
  double sum = 0;
  for (std::size_t p = first; p < now_.modes.size() && set_.element_of(p) == element; ++p)
    if (now_.modes[p] == UnilateralMode::slip) sum += set_.sliding(p) * forces_.forces()[three * p];
  return sum;
}

/// Friction turns what slides with the speed v to where it is accelerated, in a time v/(μ F w), w being the response of
/// the row: the less the speed, the stiffer. Where steps are longer than that and the acceleration across is next to
/// nothing, the direction follows the forces, and so slowly that at this speed it can stand still.
bool UnilateralMotion::has_settled(std::size_t k, double step, double tolerance) const {
  if (!slides_freely(k)) return false;
  const std::size_t row = three * k;
  const double friction = friction_of_element(k) * units_[k].response;
  const double v[2] = {set_.rate(row + 1), set_.rate(row + 2)}, speed = std::hypot(v[0], v[1]);
  if (!(friction > 0) || !(speed > least_rest(k)) || !(speed < slow_to_guide * units_[k].speed)) return false;
  if (!(step * friction > stiff_step * speed)) return false;
  const double across = (v[0] * forces_.acceleration(row + 2) - v[1] * forces_.acceleration(row + 1)) / speed;
  return std::abs(across) / friction * speed < std::max(settled_speed, tolerance) * units_[k].speed;
}

/// Whether two points have a moving body in common.
bool UnilateralMotion::share_body(std::size_t k, std::size_t other) const {
  for (std::size_t side = 0; side < 2; ++side) {
    const FrameIndex frame = set_.frame_of(k, side);
    if (!is_ground(frame) && (frame == set_.frame_of(other, 0) || frame == set_.frame_of(other, 1))) return true;
  }
  return false;
}

/// Whether two points slide as those of a body that does not turn: guided along directions that turning makes
/// different, the body could not go on once it has turned a little.
bool UnilateralMotion::slide_alike(std::size_t k, std::size_t other) const {
  const double v[2] = {set_.rate(three * k + 1), set_.rate(three * k + 2)},
               w[2] = {set_.rate(three * other + 1), set_.rate(three * other + 2)};
  const double speed = std::hypot(v[0], v[1]);
  const double apart = set_.element_of(k) == set_.element_of(other) ? std::hypot(v[0] - w[0], v[1] - w[1])
                                                                    : std::abs(speed - std::hypot(w[0], w[1]));
  return apart < slides_alike * speed;
}

/// Where more points hold a body than it takes, all of those that slide have to have settled, and slide alike.
std::optional<std::size_t> UnilateralMotion::find_settled(double step, double tolerance) {
  settled_.clear();
  if (!now_.any_closed() || any_at_other_place()) return std::nullopt;
  for (std::size_t k = 0; k < now_.modes.size(); ++k) {
    memory_[k].settled = has_settled(k, step, tolerance);
    if (memory_[k].settled) settled_.push_back(k);
  }
  if (!settled_.empty() && forces_.open_directions() > 0)
    std::erase_if(settled_, [&](std::size_t k) {
      for (std::size_t other = 0; other < now_.modes.size(); ++other)
        if (other != k && slides_freely(other) && share_body(k, other) &&
            (!memory_[other].settled || !slide_alike(k, other)))
          return true;
      return false;
    });
  return settled_.empty() ? std::nullopt : std::optional(functions_per_point * settled_.front() + gripping);
}

void UnilateralMotion::guide() {
  for (const std::size_t k : settled_) {
    const double v[2] = {set_.rate(three * k + 1), set_.rate(three * k + 2)}, speed = std::hypot(v[0], v[1]);
    if (!(speed > 0)) continue;
    now_.directions.put(set_, k, {v[0] / speed, v[1] / speed});
    now_.guided[k] = 1;
  }
}

/// At the end of a place the row lets go, without an impulse. What touches there takes over: at the positions without
/// drift its gap is closed as the one of the row was.
void UnilateralMotion::let_go(double t, std::span<double> y, std::size_t function) {
  if (ode_.correct(t, y)) project(t, y);  // of a failure the next step says why
  set_.evaluate(t, y);
  bool is_other = false;
  for (std::size_t k = 0; k < now_.modes.size(); ++k) {
    const bool is_other_place = is_at_other_place(k);
    if (!is_closed(k) || (!set_.has_ended(k) && !is_other_place && k != function / functions_per_point)) continue;
    is_other = is_other || (!set_.has_ended(k) && is_other_place);
    now_.modes[k] = UnilateralMode::open;
    now_.guided[k] = 0;
  }
  // Where the surface has a bend, the part that begins there may close with a speed.
  if (is_other) collide(t, y);
  choose(t, y, is_other ? std::nullopt : std::optional(function));
}

void UnilateralMotion::pass(double t, std::span<double> y, std::size_t function) {
  const std::size_t k = function / functions_per_point, what = function % functions_per_point;
  if (what == ending) return let_go(t, y, function);
  set_.evaluate(t, y);
  if (what == closing && set_.has_place(k) && set_.is_beside(k)) return leave_beside(k);
  if (what == closing) memory_[k].beside = 0;
  if (what == gripping && now_.guided[k]) {
    std::ranges::fill(now_.guided, 0);
    return;
  }
  if (what == resting) {
    const double speed = std::hypot(set_.rate(three * k + 1), has_tangent(k, 1) ? set_.rate(three * k + 2) : 0);
    // The sliding has only turned round since the last step.
    if (now_.modes[k] != UnilateralMode::slip) return choose(t, y, std::nullopt);  // what nothing held has gone
    if (speed > come_to_rest * memory_[k].fastest + at_rest * least_speed(three * k + 1)) return turn_round();
    if (!is_held_at_rest(t, y, function)) return pass_through_rest(t, y, function);
    now_.modes[k] = UnilateralMode::stick;
  }
  // What came to rest is stopped, and drift is taken off first. If they went with the new modes they would change what
  // hardly slides, against the directions that were chosen by its motion.
  // Of a failure the next step says why.
  if ((what == resting || what == gripping) && ode_.correct(t, y)) project(t, y);
  // Where a rim comes to lie flat, its lowest point goes round it at once, and what holds it has a speed there: that is
  // for the impact to take, not for a correction. Where an edge ends, drift of what holds it looks like the corner
  // there coming down on the surface.
  if (what == closing && may_jump(function) && now_.any_closed() && !any_torn() && ode_.correct(t, y)) {
    project(t, y);
    set_.evaluate(t, y);
    if (set_.open_gap(k) > gap_rounding_of(k)) return;
  }
  if (what == closing && passes_by(t, y, k)) return widen_overlap(k);
  const bool any_impact = what == closing && collide(t, y, function);
  choose(t, y, function);
  if (what == closing && !any_impact) widen_overlap(k);
}

/// Whether a row that holds has a speed at the evaluated state that is no drift.
bool UnilateralMotion::any_torn() const {
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    if (is_closed(k) && set_.point(k).has_normal && std::abs(set_.rate(three * k)) > torn * units_[k].speed)
      return true;
  return false;
}

/// Whether friction holds a point that has come to rest at the evaluated state.
bool UnilateralMotion::is_held_at_rest(double t, std::span<const double> y, std::size_t function) {
  std::optional<ActiveSet> found = asked_set(t, y, function);
  const auto place = std::ranges::find(touching_, function / functions_per_point);
  if (!found || place == touching_.end() || !found->find()) return true;
  return found->points()[static_cast<std::size_t>(place - touching_.begin())].mode == UnilateralMode::stick;
}

/// Where friction does not hold a point at rest, it only changes its sign. Nothing is stopped: at a dead centre of a
/// loop the row moves hardly anything, and what takes the rounding of its rate away would throw the mechanism about.
void UnilateralMotion::pass_through_rest(double t, std::span<double> y, std::size_t function) {
  const std::size_t k = function / functions_per_point;
  const double seen = std::abs(speed_along(k)), before = now_.directions.at(set_, k)[0];
  if (ode_.correct(t, y)) project(t, y);  // of a failure the next step says why
  set_.evaluate(t, y);
  // Without the drift of the step it may slide on as before, and comes to rest a little later.
  if (speed_along(k) > std::max(least_speed(three * k + 1), 2 * seen)) return;
  choose(t, y, function);
  if (now_.modes[k] != UnilateralMode::slip || has_tangent(k, 1)) return;
  // Within the time that the event is known to, it may still move as before by more than what rests.
  const SlidingDirections::Pair after = now_.directions.at(set_, k);
  if (after[0] * before > 0) now_.directions.put(set_, k, {-after[0], after[1]});
  slack_[function] = 2 * std::max(0.0, -(speed_along(k) + least_rest(k)));
}

/// Chooses the modes from here on. If friction grows with the loads of joints, the modes hold for the loads that follow
/// from them.
void UnilateralMotion::choose(double t, std::span<double> y, std::optional<std::size_t> fired) {
  decide(t, y, fired);
  constexpr int most_choices = 20;
  for (int round = 0; set_.is_loaded() && round < most_choices; ++round) {
    const std::vector<UnilateralMode> before = now_.modes;
    find_forces(t, y, set_.all_points());
    forces_.find_other_loads(t, y, ModeForces::Shares::within_limits);
    decide(t, y, fired);
    if (now_.modes == before) break;
  }
  turn_round();
  see_other_loads(t);
}

/// Tells whose friction by the load has another solution, as far as it was seen since this was asked last.
void UnilateralMotion::see_other_loads(double t) {
  for (const std::size_t k : forces_.with_other_loads()) tally_.load_otherwise(k, t);
  forces_.forget_other_loads();
}

namespace {

ActiveSet::Event event_of(std::size_t function) {
  switch (function % UnilateralMotion::functions_per_point) {
    case UnilateralMotion::closing: return ActiveSet::Event::closes;
    case UnilateralMotion::pulling: return ActiveSet::Event::pulls;
    case UnilateralMotion::gripping: return ActiveSet::Event::grips;
    case UnilateralMotion::resting: return ActiveSet::Event::rests;
    default: return ActiveSet::Event::none;
  }
}

}  // namespace

/// The points that touch as they move at the evaluated state, with the modes before.
ActiveSet UnilateralMotion::touching_set(std::optional<std::size_t> fired) {
  std::vector<std::size_t> all(touching_.size());
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = p;
  ConeProblem problem = problem_of(all, free_);
  std::vector<ActiveSet::Point> points(touching_.size());
  double pressed = 0;
  slides_.assign(touching_.size(), false);
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    const SlidingDirections::Pair d = now_.directions.at(set_, k);
    points[p] = {set_.sliding(k),     set_.point(k).velocity != UnilateralPoint::none,
                 now_.modes[k],       {d[0], d[1]},
                 now_.guided[k] != 0, set_.point(k).has_normal ? 0 : set_.holding(k) * units_[k].response};
    const auto row = static_cast<Index>(three * p);
    pressed = std::max(pressed, memory_[k].pressed * W_(row, row));
    const double v[2] = {set_.rate(three * k + 1), has_tangent(k, 1) ? set_.rate(three * k + 2) : 0};
    const double speed = std::hypot(v[0], v[1]);
    const bool comes_to_rest = fired == functions_per_point * k + resting;
    if (set_.point(k).tangents == 0 || comes_to_rest ||
        !(speed > least_speed(three * k + 1) + least_speed(three * k + 2)))
      continue;
    slides_[p] = true;
    problem.points[p].slides = true;
    problem.points[p].friction = set_.sliding(k);
    for (std::size_t i = 0; i < 2; ++i) problem.points[p].direction[i] = v[i] / speed;
  }
  return ActiveSet(std::move(problem), std::move(points), pressed);
}

/// Failure if what no force of contact moves goes into what it touches.
void UnilateralMotion::refuse_driven(double t) const {
  constexpr double driven = 1e-9;  // of the acceleration of contact_sizes.hpp: less is rounding
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    const auto row = static_cast<Index>(three * p);
    if (!set_.point(k).has_normal || !now_.held[three * k]) continue;
    if (!(speeds_[row] < -least_speed(three * k)) && !(free_[row] < -driven * units_[k].acceleration)) continue;
    unilateral::refuse_driven(set_, k, t);
  }
}

/// The modes that are yet to be found, with the event, of what touches at a state; nothing where nothing does.
std::optional<ActiveSet> UnilateralMotion::asked_set(double t, std::span<const double> y,
                                                     std::optional<std::size_t> fired) {
  set_.evaluate(t, y);
  find_touching(t, fired);
  // Surfaces that move apart do not touch. A freewheel at its event does: its speed is zero by the event. Nor do those
  // that come near with a speed: they touch at an event of their own, by an impact. Held without one, the others would
  // be thrown about by what takes that speed away.
  std::erase_if(touching_, [&](std::size_t k) {
    if (!set_.point(k).has_normal) return false;
    const bool closes = fired == functions_per_point * k + closing;
    if (set_.rate(three * k) > least_speed(three * k)) return !closes || set_.point(k).has_gap;
    return !closes && !is_closed(k) && set_.point(k).has_gap && set_.rate(three * k) < -least_speed(three * k);
  });
  if (touching_.empty()) return std::nullopt;
  respond(t, y);
  refuse_driven(t);
  ActiveSet asked = touching_set(fired);
  if (fired)
    if (const auto place = std::ranges::find(touching_, *fired / functions_per_point); place != touching_.end())
      asked.fire(static_cast<std::size_t>(place - touching_.begin()), event_of(*fired));
  return asked;
}

void UnilateralMotion::decide(double t, std::span<double> y, std::optional<std::size_t> fired) {
  std::ranges::fill(slack_, 0.0);
  std::optional<ActiveSet> found = asked_set(t, y, fired);
  if (!found) {
    open_all();
    set_.put_modes(now_.modes, y);
    return;
  }
  if (!found->find()) {
    if (jam(t, y)) return decide(t, y, std::nullopt);
    refuse(t);
  }
  take(found->points());
  set_.put_modes(now_.modes, y);
}

void UnilateralMotion::open_all() {
  std::ranges::fill(now_.modes, UnilateralMode::open);
  std::ranges::fill(now_.guided, 0);
}

void UnilateralMotion::take(const std::vector<ActiveSet::Point>& points) {
  const std::vector<UnilateralMode> before = now_.modes;
  open_all();
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    now_.modes[k] = points[p].mode;
    if (before[k] == UnilateralMode::open) memory_[k].feature = set_.feature(k);
    if (now_.modes[k] != UnilateralMode::slip) continue;
    now_.guided[k] = points[p].guided;
    now_.directions.put(set_, k, {points[p].direction[0], points[p].direction[1]});
    if (before[k] != UnilateralMode::slip) memory_[k].fastest = 0;
  }
}

void UnilateralMotion::refuse(double t) const {
  const bool rubs = std::ranges::any_of(touching_, [&](std::size_t k) { return set_.holding(k) > 0; });
  throw Failure(
      Exit::simulation_failed,
      fmt::format("no forces of contact fit the motion at t = {:.9g} s, at {}: {}", t, set_.name_of(touching_.front()),
                  rubs ? "rigid bodies with Coulomb's friction may have no accelerations there (Painlevé's "
                         "paradox)"
                       : "which of the bodies there press each other is lost in rounding"),
      rubs ? "Use less friction, or a compliant law there." : "Use a compliant law there.");
}

}  // namespace polyform::host::inline unilateral
