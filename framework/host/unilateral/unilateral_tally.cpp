#include "framework/host/unilateral/unilateral_tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/helpers/element_helpers.hpp"

namespace polyform::host::inline unilateral {

void UnilateralTally::impact(std::size_t point, double t, double loss) { element_of(point).impacts.add(t, loss); }
void UnilateralTally::close(std::size_t point, double t) { element_of(point).closed_bounces.add(t, 0); }
void UnilateralTally::jam(std::size_t point, double t) { element_of(point).jams.add(t, 0); }
void UnilateralTally::pass_on(std::size_t point, double t) { element_of(point).ended.add(t, 0); }

void UnilateralTally::see_row(double t, std::span<const UnilateralMode> modes, std::span<const ContactSizes> sizes) {
  constexpr double share = 1e-2;  // of the widest gap in any row: far above what an interpolation is off by
  constexpr double least = 1e-9;  // of the length of contact_sizes.hpp
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (!set_.point(k).has_normal || modes[k] != UnilateralMode::open || !set_.has_place(k)) continue;
    widest_[k] = std::max(widest_[k], set_.open_gap(k));
    if (!(-set_.open_gap(k) > share * widest_[k] + least * sizes[k].length)) continue;
    Count& all = element_of(k).overlaps;
    const double deepest = std::max(all.sum, -set_.open_gap(k));
    all.add(t, 0);
    all.sum = deepest;
  }
}

void UnilateralTally::see_step(std::size_t element, bool is_closed, bool is_stuck, double begin, double end) {
  Element& e = elements_[element];
  if (is_closed) e.closed += end - begin;
  if (is_stuck) {
    if (!e.is_stuck) e.sticks.add(begin, 0);
    e.sticks.sum += end - begin;
    e.stuck_until = end;
  }
  e.is_stuck = is_stuck;
}

void UnilateralTally::gain(std::size_t point, double t, double energy) { element_of(point).gained.add(t, energy); }

void UnilateralTally::share(std::size_t element, bool is_open) {
  elements_[element].is_shared = true;
  elements_[element].is_open = elements_[element].is_open || is_open;
}

void UnilateralTally::load_otherwise(std::size_t point, double t) { element_of(point).otherwise.add(t, 0); }

// Of each element: four numbers of each count, two times, and three answers.
std::size_t UnilateralTally::numbers() const { return (4 * counts.size() + 5) * elements_.size(); }

void UnilateralTally::keep(std::vector<double>& out) const {
  for (const Element& e : elements_) {
    for (const auto count : counts) {
      const Count& c = e.*count;
      out.insert(out.end(), {static_cast<double>(c.times), c.first, c.last, c.sum});
    }
    out.insert(out.end(),
               {e.stuck_until, e.closed, e.is_stuck ? 1.0 : 0.0, e.is_shared ? 1.0 : 0.0, e.is_open ? 1.0 : 0.0});
  }
}

void UnilateralTally::begin_from(std::span<const double> kept) {
  const double* next = kept.data();
  for (Element& e : elements_) {
    for (const auto count : counts) {
      e.*count = {static_cast<std::size_t>(next[0]), next[1], next[2], next[3]};
      next += 4;
    }
    e.stuck_until = *next++;
    e.closed = *next++;
    e.is_stuck = *next++ != 0;
    e.is_shared = *next++ != 0;
    e.is_open = *next++ != 0;
  }
}

std::vector<std::string> UnilateralTally::notes() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& e = elements_[i];
    std::vector<std::string> parts;
    if (e.impacts.times > 0)
      parts.push_back(fmt::format("{} impact{} took {:.6g} J{} t = {:.9g} s", e.impacts.times, plural(e.impacts.times),
                                  e.impacts.sum, e.impacts.times == 1 ? " at" : " in all, the last at",
                                  e.impacts.last));
    if (e.closed_bounces.times > 0)
      parts.push_back(fmt::format(
          "bounces too low to follow ended at t = {:.9g} s{}", e.closed_bounces.first,
          e.closed_bounces.times > 1
              ? fmt::format(" and {} more time{}", e.closed_bounces.times - 1, plural(e.closed_bounces.times - 1))
              : ""));
    if (e.closed > 0) parts.push_back(fmt::format("closed for {:.6g} s", e.closed));
    if (e.sticks.times > 0)
      parts.push_back(fmt::format("stuck for {:.6g} s{} t = {:.9g} to {:.9g} s", e.sticks.sum,
                                  e.sticks.times == 1 ? "," : fmt::format(" at {} times, the last", e.sticks.times),
                                  e.sticks.last, e.stuck_until));
    if (e.is_shared && !e.is_open)
      parts.push_back("its points hold more than it takes: the share of each is not unique, their resultant is");
    if (parts.empty()) continue;
    std::string text = fmt::format("`{}`: ", set_.element_name(i));
    for (std::size_t k = 0; k < parts.size(); ++k) text += (k == 0 ? "" : "; ") + parts[k];
    all.push_back(std::move(text));
  }
  return all;
}

std::vector<ContactTold> UnilateralTally::told() const {
  constexpr double never = std::numeric_limits<double>::quiet_NaN();
  std::vector<ContactTold> all;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& e = elements_[i];
    if (e.impacts.times == 0 && e.sticks.times == 0 && !(e.closed > 0)) continue;
    all.push_back({.name = set_.element_name(i),
                   .impacts = e.impacts.times,
                   .lost = e.impacts.sum,
                   .last_impact = e.impacts.times > 0 ? e.impacts.last : never,
                   .chattering_ended = e.closed_bounces.times > 0 ? e.closed_bounces.first : never,
                   .closed = e.closed,
                   .stuck = e.sticks.sum,
                   .times_stuck = e.sticks.times,
                   .stuck_from = e.sticks.times > 0 ? e.sticks.last : never,
                   .stuck_until = e.sticks.times > 0 ? e.stuck_until : never});
  }
  return all;
}

std::vector<std::string> UnilateralTally::open() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < elements_.size(); ++i)
    if (elements_[i].is_open) all.push_back(set_.element_name(i));
  return all;
}

std::vector<std::string> UnilateralTally::warnings() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& e = elements_[i];
    const auto more = [](const Count& c) {
      return c.times > 1 ? fmt::format(" and {} more time{}", c.times - 1, plural(c.times - 1)) : std::string();
    };
    if (e.jams.times > 0)
      all.push_back(fmt::format(
          "at t = {:.9g} s{} friction at `{}` leaves accelerations without a solution (Painlevé's paradox): rigid "
          "bodies with Coulomb's friction have none there, and an impulse without a collision ends the sliding",
          e.jams.first, more(e.jams), set_.element_name(i)));
    if (e.otherwise.times > 0)
      all.push_back(fmt::format(
          "from t = {:.9g} s on friction by the load of `{}` has more than one solution: the more it rubs the "
          "more it is loaded. It is taken as the one that it grows to from less friction; with another, the "
          "joint jams",
          e.otherwise.first, set_.element_name(i)));
    if (e.overlaps.times > 0)
      all.push_back(
          fmt::format("from t = {:.9g} s on the surfaces of `{}` overlap, by {:.3g} at most: the integrator has "
                      "lost an impact, and what follows is wrong. Take another integrator, such as dopri5",
                      e.overlaps.first, set_.element_name(i), e.overlaps.sum));
    if (e.ended.times > 0)
      all.push_back(
          fmt::format("at t = {:.9g} s{} impacts passed between `{}` and others without end: they are closed "
                      "together, without restitution",
                      e.ended.first, more(e.ended), set_.element_name(i)));
    if (e.gained.times > 0)
      all.push_back(
          fmt::format("at t = {:.9g} s{} an impact at `{}` gained energy, {:.3g} J in all: Newton's law of "
                      "restitution does so where friction or other contacts take part. 'impact: poisson' "
                      "does not",
                      e.gained.first, more(e.gained), set_.element_name(i), e.gained.sum));
  }
  return all;
}

}  // namespace polyform::host::inline unilateral
