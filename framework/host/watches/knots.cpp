#include "framework/host/watches/knots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/watches/each_function_of_time.hpp"

namespace polyform::host::inline watches {

namespace {

/// Whether only the third derivative jumps there.
bool is_inner_row_of_spline(const TimeFunction& any, double t) {
  const TimeFunction& f = given_function(any);
  return f.kind == TimeFunction::Kind::cubic_table && t > f.data.front() && t < f.data[f.data.size() - 3];
}

}  // namespace

double time_resolution(double t) {
  // Next to zero doubles are as near to each other as one likes: no clock of a machine tells such times apart.
  constexpr double shortest = 1e-18;  // s
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), shortest);
}

Knots::Knots(const SystemView& view) {
  each_function_of_time(view, [&](const TimeFunction& f) { push({never, &f, nullptr, {}}); });
  for (const JointData& joint : view.joints)
    if (const RheonomicKernel* const kernel = rheonomic_kernel(joint))
      push({never, nullptr, nullptr, joint.name, kernel, joint.parameters});
  find_next();
}

void Knots::add(const EventSource& source, std::string_view name) {
  push({never, nullptr, &source, name});
  find_next();
}

void Knots::push(Clock clock) {
  // A formula that jumps at the start may have a value of its own there: its knot lies right behind.
  constexpr double shortly_before = 1e-15;  // s; no formula tells nearer zeros apart
  advance(clock, passed_ - shortly_before);
  if (clock.next <= passed_) advance(clock, passed_);
  if (clock.next == never) return;
  clocks_.push_back(clock);
  std::push_heap(clocks_.begin(), clocks_.end(), later);
}

double Knots::Clock::after(double t) const {
  if (function != nullptr) return function->next_knot(t);
  return source != nullptr ? source->next_knot(t) : joint->next_knot(parameters, t);
}

void Knots::advance(Clock& clock, double t) {
  clock.next = clock.after(t);
  if (clock.next > t) return;
  throw Failure(Exit::simulation_failed,
                fmt::format("the schedule of {} gives t = {:.9g} s as the next time after t = {:.9g} s", clock.name,
                            clock.next, t),
                "Report this to the author of the element: its next_knot(t) gives a time after t.");
}

void Knots::find_next() {
  next_ = {};
  if (clocks_.empty()) return;
  next_.time = clocks_.front().next;
  // The knot is abrupt if any of those at this time is.
  const double last = next_.time + time_resolution(next_.time);
  for (const Clock& c : clocks_) {
    if (c.next > last) continue;
    next_.time = std::max(next_.time, c.next);
    next_.abrupt = next_.abrupt || !c.function || !is_inner_row_of_spline(*c.function, c.next);
  }
}

void Knots::pass(double t) {
  passed_ = t;
  while (!clocks_.empty() && clocks_.front().next <= t) {
    std::pop_heap(clocks_.begin(), clocks_.end(), later);
    advance(clocks_.back(), t);
    if (clocks_.back().next == never)
      clocks_.pop_back();
    else
      std::push_heap(clocks_.begin(), clocks_.end(), later);
  }
  find_next();
}

}  // namespace polyform::host::watches
