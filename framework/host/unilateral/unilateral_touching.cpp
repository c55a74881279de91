// Which points touch, how their rows respond to forces along them, and the sizes of what tells of them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/unilateral/unilateral_motion.hpp"

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

// Surfaces that are nearer touch, of the length of contact_sizes.hpp or of the widest gap.
constexpr double touching_gap = 1e-10;
// A part of the time: the time is known to that.
constexpr double resolution = 4e-13;
// What a place reaches beyond its end when it begins to touch (unilateral_places.hpp) is rounding. Of that: a point is
// looked at that is nearer to its end, and one that goes over the end before it is so deep passes by.
constexpr double near_end = 20, passing_depth = 4;
// What came in beside a surface is open there down to so many times the depth that it came in at.
constexpr double times_beside = 4;
// Of the fastest speed of the bodies, or of the acceleration of contact_sizes.hpp: a place that moves faster along a
// surface has jumped.
constexpr double times_fastest = 100;
// The first probe is 1 N or 1 N m, and grows by this until a row moves: the last one moves the sun. Then probes give
// their rows the acceleration of contact_sizes.hpp.
constexpr double probe_growth = 1e6, largest_probe = 1e30;

}  // namespace

std::vector<std::size_t> UnilateralMotion::kinds() const {
  std::array<std::size_t, 3> first{};  // points of each unit, counted from 1
  std::vector<std::size_t> all;
  for (std::size_t k = 0; k < set_.points(); ++k) {
    const bool is_between_bodies = set_.velocity_of(k) == UnilateralPoint::none;
    std::size_t& of_unit = first[!set_.point(k).has_gap ? 0 : is_between_bodies ? 1 : 2];
    if (of_unit == 0) of_unit = k + 1;
    for (std::size_t f = 0; f < functions_per_point; ++f) all.push_back(functions_per_point * (of_unit - 1) + f);
  }
  return all;
}

double UnilateralMotion::fastest_rate(std::size_t function) const {
  const ContactSizes& sizes = units_[function / functions_per_point];
  if (function % functions_per_point == gripping) return times_fastest * sizes.acceleration / sizes.speed;
  return times_fastest * std::max(sizes.speed, set_.fastest() + set_.turning() * sizes.length);
}

/// Finds the points that touch. fired: an event, whose point touches by the event.
void UnilateralMotion::find_touching(double t, std::optional<std::size_t> fired) {
  touching_.clear();
  for (std::size_t k = 0; k < set_.points(); ++k) {
    if (!(is_closed(k) ? !set_.has_ended(k) : set_.has_place(k) && !(memory_[k].beside > 0)) ||
        (fired && *fired == functions_per_point * k + ending))
      continue;
    // Times are known up to rounding, and so are gaps that close with a speed.
    const double allowed =
        std::max(touching_gap * size_of_gap(k), memory_[k].overlap) + resolution * std::abs(t * set_.rate(three * k));
    if (!set_.point(k).has_gap || !((is_closed(k) ? set_.gap(k) : set_.open_gap(k)) > allowed) ||
        (fired && *fired / functions_per_point == k))
      touching_.push_back(k);
  }
}

/// Whether a point that closes near the end of its place goes on over the end as all moves now: so does the end of an
/// edge that turns over another edge. The surface ends there by rounding, and does not stop it. At the evaluated state.
bool UnilateralMotion::passes_by(double t, std::span<const double> y, std::size_t k) {
  const double around = set_.begin(k) - set_.place(k), speed = -set_.rate(three * k);
  const bool is_near = around > 0 && std::isfinite(around) && set_.has_place(k) && set_.place(k) < near_end * around;
  if (is_closed(k) || !is_near || !(speed > least_speed(three * k)) || second_ == nullptr) return false;
  const double ahead = passing_depth * around / speed;
  const std::size_t states = solver_.state_size();
  if (second_->position_rates(t, y.first(states), std::span(rates_now_).first(states)) != Status::ok) return false;
  std::ranges::copy(y, moved_.begin());
  const std::span<const StateKind> of = second_->kinds();
  for (std::size_t i = 0; i < states; ++i)
    if (of[i] == StateKind::position) moved_[i] += ahead * rates_now_[i];
  set_.evaluate(t + ahead, moved_);
  const bool passes = !set_.has_place(k) || set_.open_gap(k) > 0;
  set_.evaluate(t, y);
  return passes;
}

/// Lets a point stay open that came in beside the surface, at another part of it: it is out of the body there. Edges
/// that meet in it take over where it goes on. Where nothing does, it touches when it is some times as deep.
void UnilateralMotion::leave_beside(std::size_t k) { memory_[k].beside = times_beside * -set_.gap(k); }

/// Leaves out what passes by, of the points that touch.
void UnilateralMotion::drop_passing(double t, std::span<const double> y) {
  std::erase_if(touching_, [&](std::size_t k) { return passes_by(t, y, k); });
}

/// Finds the force whose effect on a row stands out of the rounding of its rate: what a small force does to a heavy
/// body is lost there. Of a row that no force moves it is 1.
void UnilateralMotion::find_probe(std::size_t row, const std::function<double(double)>& moved_by) {
  const ContactSizes& sizes = units_[row / three];
  double& probe = now_.probe[row];
  for (probe = 1; probe <= largest_probe; probe *= probe_growth) {
    const double moved = moved_by(probe);
    if (!(moved > held_share * sizes.response * probe)) continue;
    probe *= sizes.acceleration / moved;
    return;
  }
  probe = 1;
}

void UnilateralMotion::fail_at(double t) const {
  throw Failure(Exit::simulation_failed,
                fmt::format("what contact does could not be computed at t = {:.9g} s: {}", t, ode_.failure()));
}

/// Finds W, the accelerations without forces, and the rates of all rows that touch.
void UnilateralMotion::respond(double t, std::span<const double> y) {
  std::ranges::fill(loads_, 0.0);
  if (!response_.find_base(t, y, loads_)) fail_at(t);
  const auto add = [&](std::size_t row) {
    UnilateralResponse::Forces column{};
    column[row % three] = now_.probe[row];
    response_.add_column(row / three, column);
  };
  const auto n = static_cast<Index>(three * touching_.size());
  W_.setZero(n, n);
  free_.setZero(n);
  speeds_.setZero(n);
  const auto has_row = [&](std::size_t k, std::size_t i) {
    return i == 0 ? set_.point(k).has_normal : has_tangent(k, i - 1);
  };
  for (const std::size_t k : touching_)
    for (std::size_t row = three * k; row < three * (k + 1); ++row)
      if (!(now_.probe[row] > 0) && has_row(k, row - three * k))
        find_probe(row, [&](double probe) {
          now_.probe[row] = probe;
          response_.begin_columns();
          add(row);
          if (!response_.find_columns(t, y)) fail_at(t);
          return response_.rate(0, row);
        });
  response_.begin_columns();
  for (const std::size_t k : touching_)
    for (std::size_t i = 0; i < three; ++i)
      if (has_row(k, i)) add(three * k + i);
  if (!response_.find_columns(t, y)) fail_at(t);
  std::size_t place = 0;
  for (std::size_t p = 0; p < touching_.size(); ++p)
    for (std::size_t i = 0; i < three; ++i) {
      const std::size_t k = touching_[p], row = three * k + i;
      if (!has_row(k, i)) continue;
      const auto c = static_cast<Index>(three * p + i);
      free_[c] = response_.accelerations()[row];
      speeds_[c] = set_.rate(row);
      const std::size_t own_column = place++;
      const double own = response_.rate(own_column, row) / now_.probe[row];
      now_.held[row] = !(own > held_share * units_[k].response);
      if (now_.held[row]) continue;
      for (std::size_t q = 0; q < touching_.size(); ++q)
        for (std::size_t j = 0; j < three; ++j)
          if (has_row(touching_[q], j))
            W_(static_cast<Index>(three * q + j), c) =
                response_.rate(own_column, three * touching_[q] + j) / now_.probe[row];
      now_.probe[row] = units_[k].acceleration / own;
    }
  for (std::size_t p = 0; p < touching_.size(); ++p)
    for (std::size_t i = 0; i < three; ++i)
      if (now_.held[three * touching_[p] + i]) W_.row(static_cast<Index>(three * p + i)).setZero();
}

ConeProblem UnilateralMotion::problem_of(const std::vector<std::size_t>& points, const Eigen::VectorXd& b) const {
  ConeProblem problem;
  const auto n = static_cast<Index>(three * points.size());
  problem.W.resize(n, n);
  problem.b.resize(n);
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::size_t k = touching_[points[p]];
    ConeProblem::Point& point = problem.points.emplace_back();
    point.has_normal = set_.point(k).has_normal;
    point.tangents = set_.point(k).tangents;
    point.friction = set_.holding(k);
    for (Index i = 0; i < 3; ++i) {
      const Index row = static_cast<Index>(three * points[p]) + i;
      problem.b[static_cast<Index>(three * p) + i] = b[row];
      for (std::size_t q = 0; q < points.size(); ++q)
        for (Index j = 0; j < 3; ++j)
          problem.W(static_cast<Index>(three * p) + i, static_cast<Index>(three * q) + j) =
              W_(row, static_cast<Index>(three * points[q]) + j);
    }
  }
  return problem;
}

}  // namespace polyform::host::inline unilateral
