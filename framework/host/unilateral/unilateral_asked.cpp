// Which points a motion with contact asks for: those that are closed, and those that may close within a step.
#include <algorithm>
#include <limits>

#include "framework/host/unilateral/unilateral_motion.hpp"

namespace polyform::host::inline unilateral {

namespace {

// A gap that is wider than so many times the way of its surfaces in a step is apart: the search for events takes it as
// free of zeros by its ends alone, as it changes by less than half of what that allows.
constexpr double ways_apart = 20;
// What is so many times faster in the middle of a step than at its ends moves within it as these do not tell.
constexpr double times_faster = 4;
// A part of the body: a shorter way within a step hides nothing.
constexpr double least_way = 1e-6;
// A part of the body: what is nearer is never apart, whatever its speed.
constexpr double least_apart = 0.1;

}  // namespace

std::span<const std::size_t> UnilateralMotion::closed_points() {
  closed_.clear();
  for (std::size_t k = 0; k < now_.modes.size(); ++k)
    if (is_closed(k)) closed_.push_back(k);
  return closed_;
}

void UnilateralMotion::look_at_all() {
  std::ranges::fill(apart_, 0.0);
  apart_close_in_ = std::numeric_limits<double>::infinity();
  near_.assign(set_.all_points().begin(), set_.all_points().end());
}

void UnilateralMotion::look_at_step(double from, std::span<const double> at_from, double to,
                                    std::span<const double> at_to) {
  set_.bound_gaps(from, at_from, apart_, nearing_);
  set_.bound_gaps(to, at_to, apart_then_, nearing_then_);
  apart_close_in_ = std::numeric_limits<double>::infinity();
  near_.clear();
  for (std::size_t e = 0, k = 0; e < set_.elements(); ++e) {
    const std::size_t first = k;
    bool any_closed = false;
    for (; k < set_.points() && set_.element_of(k) == e; ++k) any_closed = any_closed || is_closed(k);
    if (k == first) continue;
    const double least = std::min(apart_[e], apart_then_[e]), speed = std::max(nearing_[e], nearing_then_[e]);
    const bool is_apart =
        !any_closed && least > std::max(least_apart * units_[first].body, ways_apart * speed * (to - from));
    apart_[e] = is_apart ? least : 0;
    if (is_apart && nearing_then_[e] > 0)
      apart_close_in_ = std::min(apart_close_in_, apart_then_[e] / nearing_then_[e]);
    for (std::size_t p = first; !is_apart && p < k; ++p) near_.push_back(p);
  }
}

bool UnilateralMotion::hides_motion(double from, std::span<const double> at_from, double middle,
                                    std::span<const double> at_middle, double to, std::span<const double> at_to) {
  set_.bound_gaps(from, at_from, apart_, nearing_);
  set_.bound_gaps(to, at_to, apart_then_, nearing_then_);
  for (std::size_t e = 0; e < nearing_.size(); ++e) nearing_[e] = std::max(nearing_[e], nearing_then_[e]);
  set_.bound_gaps(middle, at_middle, apart_, nearing_then_);
  for (std::size_t k = 0; k < set_.points(); ++k) {
    const std::size_t e = set_.element_of(k);
    if (nearing_then_[e] > times_faster * nearing_[e] &&
        nearing_then_[e] * (to - from) > std::max(apart_[e], least_way * units_[k].body))
      return true;
  }
  return false;
}

/// Finds in what time the first gap closes, at the evaluated state. What rests closes nothing: its rate is rounding.
void UnilateralMotion::see_closing() {
  closes_in_ = apart_close_in_;
  for (const std::size_t k : near_)
    if (!is_closed(k) && set_.point(k).has_normal && set_.gap(k) > 0 && set_.rate(three * k) < -least_speed(three * k))
      closes_in_ = std::min(closes_in_, set_.gap(k) / -set_.rate(three * k));
}

}  // namespace polyform::host::inline unilateral
