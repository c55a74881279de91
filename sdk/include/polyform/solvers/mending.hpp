// Lost digits of accelerations: when to look for them, and how far to mend them.
//
// A solver checks the residual of its accelerations now and then, in plain doubles. If digits have been lost, it goes
// on with residuals of twice the digits (double_double.hpp): it solves for a residual and adds the solution, until
// these solutions get no shorter.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "polyform/mechanics/scale.hpp"

namespace polyform {

class Mending {
 public:
  /// from: the relative residual from which on accelerations are mended.
  explicit Mending(double from) : from_(from) {}
  /// Makes the next evaluation be checked, as after a state that has nothing to do with the ones before.
  void look() { until_look_ = 0; }
  /// Whether this evaluation is to be checked. Asked once per evaluation.
  bool is_due() noexcept {
    if (on_ || until_look_ == 0) return true;
    --until_look_;
    return false;
  }
  bool is_on() const { return on_; }                           ///< every result is mended without a look
  bool is_much(double lost) const { return !(lost < from_); }  ///< to be mended
  /// To be called after a look that found no digits lost.
  void found_nothing() noexcept {
    until_look_ = looks_every;
    left_ = 0;
  }
  /// How small the last step has to be, relative: the rounding of accelerations; or smaller, because forces on light
  /// bodies would feel the rest.
  enum class Aim { accelerations, forces };
  /// Calls find(), which solves for the missing part and returns its size relative to the accelerations, and add(),
  /// until the next step would be below the aim, or the missing part gets no shorter: then drop() drops it. Returns the
  /// size of the first.
  template <class Find, class Add, class Drop>
  double mend(Aim aim, const Find& find, const Add& add, const Drop& drop) noexcept {
    const double finest = aim == Aim::forces ? finest_of_forces : rounding_of_accelerations;
    double before = 1, first = 0;
    left_ = 1;
    for (std::size_t steps = 0; steps < most_steps && left_ > finest; ++steps) {
      const double part = find();
      if (steps == 0) {
        first = part;
      } else if (!(part < contraction * before)) {
        left_ = before;
        drop();
        break;
      }
      add();
      left_ = part * std::min(part / before, 1.0);
      before = part;
    }
    return first;
  }
  /// To be called after mend(). lost: how much had been lost, relative to the accelerations.
  void mended(double lost) noexcept {
    on_ = is_much(lost);
    if (!on_) until_look_ = coarse_looks_every;
  }
  /// Error of the accelerations that could not be mended, relative; 0 if nothing was to be mended.
  double left() const { return left_; }

 private:
  /// Evaluations from one look at the residual to the next: a look costs as much as two evaluations, so all looks
  /// together cost less than 1 %.
  static constexpr std::size_t looks_every = 256;
  /// The same if a look in plain doubles is too coarse (long chains) and has to be done with twice the digits, which
  /// takes 50 times as long.
  static constexpr std::size_t coarse_looks_every = 16 * 1024;
  /// The aims, relative: for accelerations; and for forces on bodies that are lighter by 1e8, which feel the rest.
  static constexpr double rounding_of_accelerations = 1e-16, finest_of_forces = 1e-24;
  /// A step that leaves more than this part of the error is no use.
  static constexpr double contraction = 0.5;
  static constexpr std::size_t most_steps = 20;

  double from_;
  std::size_t until_look_ = 0;
  bool on_ = false;
  double left_ = 0;
};

/// Accelerations that act in a system: steps are small relative to these, even if a body itself hardly accelerates.
struct ActingAccelerations {
  double angular = 0, linear = 0;
};

/// The accelerations by weight, loads and turning. load: sum of the forces on the bodies; mass: of all bodies; reach:
/// the longest arm; turning: the largest ω².
inline ActingAccelerations acting_accelerations(const Vec3& gravity, double load, double mass, double reach,
                                                double turning) noexcept {
  const double linear = norm(gravity) + turning * reach + (mass > 0 ? load / mass : 0);
  return {turning + (reach > 0 ? linear / reach : 0), linear};
}

/// The largest of the steps, each relative to the acceleration of its body and least_share of the largest of all.
inline double size_of_step(std::span<const Spatial> steps, std::span<const Spatial> accelerations,
                           const ActingAccelerations& acting) noexcept {
  double angular = acting.angular, linear = acting.linear, part = 0;
  for (const Spatial& a : accelerations) {
    angular = std::max(angular, norm(a.angular));
    linear = std::max(linear, norm(a.linear));
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double turn = norm(steps[i].angular), shift = norm(steps[i].linear);
    if (turn != 0) part = std::max(part, turn / (norm(accelerations[i].angular) + least_share * angular));
    if (shift != 0) part = std::max(part, shift / (norm(accelerations[i].linear) + least_share * linear));
    if (!std::isfinite(turn + shift)) return std::numeric_limits<double>::infinity();
  }
  return part;
}

}  // namespace polyform
