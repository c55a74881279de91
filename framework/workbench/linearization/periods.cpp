#include "framework/workbench/linearization/periods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/workbench/linearization/functions_of_time.hpp"

namespace polyform::host::inline linearization {
namespace {

constexpr double equal = 1e-9;  ///< periods that differ by less are the same
/// A turn is uniform up to this acceleration over the square of the rate, and up to this change of the rate later on
/// the roughly integrated path.
constexpr double even = 1e-9, still_even = 1e-5;
constexpr int looks = 16;       ///< at so many times in a turn it is checked that the turn goes on
constexpr int most_turns = 24;  ///< the largest whole number of turns in a common period
constexpr std::size_t most_periods = 8;

/// The time in which a coordinate goes on by 2π, by Newton's method on paths of a tolerance; 0 if it does not.
double time_of_turn(const PathMaker& make, double tolerance, std::size_t q, std::size_t v, double from, double rate,
                    double begin) {
  const double turn = std::copysign(2 * std::numbers::pi, rate), first = turn / rate;
  double t = begin;
  for (int tries = 0; tries < 8; ++tries) {
    const std::unique_ptr<MotionPath> path = make(tolerance);
    // A joint that swings is given up where it turns back.
    for (int k = 1; k < looks && tries == 0; ++k)
      if (path->at(k * t / looks).v[v] * rate <= 0) return 0;
    const CanonicalState there = path->at(t);
    const double missing = turn - (there.q[q] - from);
    if (std::abs(missing) < 0.1 * tolerance * std::abs(turn)) break;
    if (there.v[v] * rate <= 0) return 0;
    const double step = missing / there.v[v];
    t += std::clamp(step, -0.5 * t, t);
    if (t > 20 * first) return 0;  // it slows down, or comes to rest
  }
  return t;
}

/// Whether a coordinate has the same rate later in its turn. An acceleration that is zero now need not stay zero.
bool goes_on(const PathMaker& make, std::size_t v, double rate, double turn) {
  const std::unique_ptr<MotionPath> path = make(rough);
  for (const double share : later_shares)
    if (std::abs(path->at(share * turn).v[v] - rate) > still_even * std::abs(rate)) return false;
  return true;
}

/// Periods that are found by integration have eight digits.
constexpr double whole_number = 1e-7;
/// If a rate changes over one turn by so many times itself, by its acceleration, the joint only passes through it, as
/// at a start from rest. A pendulum that just goes over the top has a thousandth of its greatest rate there, and its
/// acceleration changes the rate by some thousand times as much in a turn.
constexpr double passing = 1e4;
/// A joint whose rate is a smaller part of the fastest rate does not turn.
constexpr double at_rest_beside = 1e-9;

/// The shortest time that holds whole numbers of both, or 0.
double common(double a, double b) {
  for (int k = 1; k <= most_turns; ++k) {
    const double other = k * a / b, whole = std::round(other);
    if (whole >= 1 && whole <= most_turns && std::abs(other - whole) < whole_number * whole) return k * a;
  }
  return 0;
}

/// The largest rate about an axis, rad/s.
double fastest_rotation(const SystemView& view, const CanonicalState& now) {
  double fastest = 0;
  for (const JointData& joint : view.tree_joints()) {
    std::size_t v = joint.v_offset;
    for (const Primitive& p : joint.primitives) {
      if (p.kind == Primitive::Kind::rotation) fastest = std::max(fastest, std::abs(now.v[v]));
      v += velocity_count(p.kind);
    }
  }
  return fastest;
}

}  // namespace

void refine(Period& period, const PointModel& model, const PathMaker& make) {
  if (!period.q) return;
  const CanonicalState& now = model.nominal();
  period.length = time_of_turn(make, fine, *period.q, *period.v, now.q[*period.q], now.v[*period.v], period.length);
}

std::vector<Period> possible_periods(const PointModel& model, const PathMaker& make, const Accelerations& a) {
  std::vector<Period> out;
  const SystemView& view = model.view();
  const CanonicalState& now = model.nominal();
  const auto add = [&](double length, std::string told_by, std::optional<std::size_t> q = {},
                       std::optional<std::size_t> v = {}) {
    if (!(length > 0) || out.size() >= most_periods) return;
    for (const Period& known : out)
      if (std::abs(known.length - length) < equal * length) return;
    out.push_back({length, std::move(told_by), q, v});
  };
  double fastest = 0;
  for (std::size_t k = 0; k < view.nv_tree; ++k) fastest = std::max(fastest, std::abs(now.v[k]));
  const double fastest_turn = fastest_rotation(view, now);
  for (const JointData& joint : view.tree_joints()) {
    std::size_t q = joint.q_offset, v = joint.v_offset;
    for (const Primitive& p : joint.primitives) {
      const double rate = now.v[v];
      if (p.kind == Primitive::Kind::rotation && std::abs(rate) > at_rest_beside * fastest) {
        const std::string told_by = fmt::format("a turn of joint `{}`", joint.name);
        const double length = 2 * std::numbers::pi / std::abs(rate);
        // A turn that takes so much longer than others is not followed: a joint with such a rate probably swings.
        const bool brief =
            std::abs(rate) * most_turns >= fastest_turn && std::abs(a.vdot[v]) * length <= passing * std::abs(rate);
        const bool uniform = std::abs(a.vdot[v]) <= even * rate * rate && (!brief || goes_on(make, v, rate, length));
        if (uniform)
          add(length, told_by);
        else if (brief)
          add(time_of_turn(make, rough, q, v, now.q[q], rate, length), told_by, q, v);
      }
      if (p.kind == Primitive::Kind::ball) {
        const double turning = std::hypot(now.v[v], now.v[v + 1], now.v[v + 2]);
        if (turning > at_rest_beside * fastest)
          add(2 * std::numbers::pi / turning, fmt::format("a turn of joint `{}`", joint.name));
      }
      q += position_count(p.kind);
      v += velocity_count(p.kind);
    }
  }
  for (const PointModel::ClockTurn& turn : model.clock_turns())
    add(turn.period, fmt::format("a turn of joint `{}` by the clock", turn.joint));
  for (const double length : model.sine_periods()) add(length, "a sine in time");
  double all = out.empty() ? 0 : out[0].length;
  for (const Period& p : out) all = all > 0 ? common(all, p.length) : 0;
  add(all, "whole turns of all shafts, clocks and sines");
  std::stable_sort(out.begin(), out.end(), [](const Period& x, const Period& y) { return x.length < y.length; });
  return out;
}

}  // namespace polyform::host::linearization
