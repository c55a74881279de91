// Whether a run on a device may go over an event: then the world is done by its own solver, which locates events.
#pragma once

#include "polyform/solvers/device_numbers.hpp"

namespace polyform::device {

/// Looks at the event functions in the stages of the steps, in the order of time. An event may be near where a function
/// has another sign than at the look before, or where, going on as from look to look, it would be zero before the next
/// one. So what is touched and left between two looks is near as well: between them the motion is that of the step,
/// which a force that was not there does not bend, and a way to zero and back is not steeper at its end than before. At
/// the first two looks nothing is known of what was before; the third one tells how steep the way away from zero is.
/// What is drawn just touching began that way.
template <class Model>
class EventWatch {
 public:
  POLYFORM_KERNEL explicit EventWatch(Model& model)
      : values(model), last_(model), approach_(model), kept_last_(model), kept_approach_(model) {}

  /// values: at time t.
  POLYFORM_KERNEL void look(const Model& model, double t) {
    const double since = t - now_.time;
    for (unsigned k = 0; k < model.events; ++k) {
      const double value = values[k], size = absolute(value), before = absolute(last_[k]);
      if (now_.looks > 0) {
        const bool is_drawn = now_.looks == 1 && before <= rounding_of_drawing * size;
        now_.near |= !is_drawn && (last_[k] < 0) != (value < 0);
        now_.near |= safety * approach_[k] * since > before;
      }
      if (now_.looks == 2 && before + approach_[k] * now_.first > rounding_of_drawing * before)
        now_.near |= safety * (size - before) * now_.first > before * since;
      if (now_.looks == 0)
        approach_[k] = 0;
      else if (since > 0)
        approach_[k] = (before - size) / since;
      last_[k] = value;
    }
    now_.time = t;
    if (now_.looks == 1) now_.first = since;
    ++now_.looks;
  }
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
  /// A part that a value at the start is of the next one and counts as zero: what is drawn just touching misses by the
  /// rounding of places, some 1e-16 m beside ways of more than 1e-6 m, and has no sign.
  static constexpr double rounding_of_drawing = 1e-9;
  /// By how much a function may go faster to zero than from look to look.
  static constexpr double safety = 2;

  POLYFORM_KERNEL static double absolute(double x) { return x < 0 ? -x : x; }
  POLYFORM_KERNEL static void copy(const Model& model, const double* last, const double* approach, double* to_last,
                                   double* to_approach) {
    for (unsigned k = 0; k < model.events; ++k) {
      to_last[k] = last[k];
      to_approach[k] = approach[k];
    }
  }

  struct State {
    double time = 0, first = 0;  ///< first: from the first look to the second
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
