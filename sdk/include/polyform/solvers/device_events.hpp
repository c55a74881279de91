// Whether a run on a device may go over an event: then the world is done by its own solver, which locates events.
#pragma once

#include "polyform/solvers/device_numbers.hpp"

namespace polyform::device {

/// Looks at the event functions in the stages of the steps, in the order of time. An event may be near
///
///   - where a function has another sign in any stage than at the look before, or one of the two values is zero beside
///     the other: what begins or ends just there has no sign;
///   - where, going on as from look to look, a function would be zero before the next one. So what is touched and left
///     between two looks is near as well: between them the motion is that of the step, which a force that was not there
///     does not bend, and a way to zero and back is not steeper at its end than before. How steep it is at the start of
///     a step the second stage tells, which lies on the tangent;
///   - where the host would make a step shorter because a function comes to zero or has left it;
///   - where joints turn so far between two looks that a function may come to zero and back in a way that looks do not
///     show: of a uniform turn all of them may have one phase.
template <class Model>
class EventWatch {
 public:
  POLYFORM_KERNEL explicit EventWatch(Model& model)
      : values(model), last_(model), approach_(model), kept_last_(model), kept_approach_(model) {}

  /// values: at time t. The end of a step and the start of the next are one time.
  POLYFORM_KERNEL void look(const Model& model, double t) {
    const double since = t - now_.time;
    const bool again = now_.looks > 0 && !(since > rounding_of_time * t);
    for (unsigned k = 0; k < model.events; ++k) {
      const double value = values[k], size = absolute(value), before = absolute(last_[k]);
      now_.near |= now_.looks > 0 && shows_event(last_[k], value);
      now_.near |= now_.looks > 0 && safety * approach_[k] * since > before;
      now_.near |= now_.looks == 2 && !again && safety * (size - before) * now_.first > before * since;
      if (now_.looks == 0)
        approach_[k] = 0;
      else if (!again)
        approach_[k] = (before - size) / since;
      last_[k] = value;
    }
    if (again) return;
    if (now_.looks == 1) now_.first = since;
    now_.last = since;
    now_.time = t;
    ++now_.looks;
  }
  /// values: on the tangent at the last look, ahead of it by this time. step: the length of the step from there, s.
  POLYFORM_KERNEL void look_ahead(const Model& model, double ahead, double step) {
    for (unsigned k = 0; k < model.events; ++k) {
      const double before = absolute(last_[k]), rate = (absolute(values[k]) - before) / ahead;
      now_.near |= shows_event(last_[k], values[k]);
      now_.near |= -rate * step > share_of_way * before || rate * step > receding * before;
      approach_[k] = -rate > approach_[k] ? -rate : approach_[k];
    }
  }
  /// values: in a stage of a step that leads to a row alone.
  POLYFORM_KERNEL void look_aside(const Model& model) {
    for (unsigned k = 0; k < model.events; ++k) now_.near |= shows_event(last_[k], values[k]);
  }
  /// turn: of all joints together from one look to the next, rad.
  POLYFORM_KERNEL void look_at_turn(double turn) { now_.near |= !(turn <= most_turn); }
  /// At the end of a run whose last look was a stage that lies beside its end: as far again as from the look before.
  POLYFORM_KERNEL void end(const Model& model) {
    for (unsigned k = 0; k < model.events; ++k) now_.near |= safety * approach_[k] * now_.last > absolute(last_[k]);
  }
  POLYFORM_KERNEL bool has_begun() const { return now_.looks > 0; }
  POLYFORM_KERNEL bool is_near() const { return now_.near; }
  /// From here on another step may be tried: after go_back() all is as at keep().
  POLYFORM_KERNEL void keep(const Model& model) {
    kept_ = now_;
    copy(model, last_, approach_, kept_last_, kept_approach_);
  }
  POLYFORM_KERNEL void go_back(const Model& model) {
    now_ = kept_;
    copy(model, kept_last_, kept_approach_, last_, approach_);
  }

 private:
  using Numbers = typename NumbersOf<Model, Part::events>::Type;
  /// A part that a value is of the next one and counts as zero: what is drawn just touching misses by the rounding of
  /// places, some 1e-16 m beside ways of more than 1e-6 m, and has no sign.
  static constexpr double rounding_of_zero = 1e-9;
  /// Of the time: two times that are one.
  static constexpr double rounding_of_time = 1e-12;
  /// By how much a function may go faster to zero than from look to look.
  static constexpr double safety = 2;
  /// The host ends a step of fixed length at three quarters of the way to zero, and at eight times the way from it. The
  /// tangent tells both up to its bend.
  static constexpr double share_of_way = 0.6, receding = 6;
  /// An eighth of a turn: on a uniform one, what looks tell of a function misses no event below 0.38 of its period, and
  /// the lowest point of a wheel that tumbles has two periods in a turn.
  static constexpr double most_turn = 0.78539816339744831;

  POLYFORM_KERNEL static bool shows_event(double before, double now) {
    const double a = absolute(before), b = absolute(now), less = a < b ? a : b, more = a < b ? b : a;
    return (before < 0) != (now < 0) || (more > 0 && less <= rounding_of_zero * more);
  }
  POLYFORM_KERNEL static double absolute(double x) { return x < 0 ? -x : x; }
  POLYFORM_KERNEL static void copy(const Model& model, const double* last, const double* approach, double* to_last,
                                   double* to_approach) {
    for (unsigned k = 0; k < model.events; ++k) {
      to_last[k] = last[k];
      to_approach[k] = approach[k];
    }
  }

  struct State {
    double time = 0, first = 0, last = 0;  ///< from the first look to the second, and to the last one
    unsigned long looks = 0;
    bool near = false;
  };

 public:
  Numbers values;

 private:
  Numbers last_, approach_, kept_last_, kept_approach_;
  State now_, kept_;
};

}  // namespace polyform::device
