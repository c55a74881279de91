// Arithmetic of the step control on a device: powers without a library, and the numbers of the method.
#pragma once

#include "polyform/solvers/compiled_room.hpp"

namespace polyform::device {

/// x to the power e for x > 0, to some 1e-15: 2 artanh of a share near 0, then the exponential series.
POLYFORM_KERNEL double power(double x, double e) {
  using Bits = unsigned long;
  static_assert(sizeof(Bits) == sizeof(double));
  // x = m 2^k with m from 1 to 2, halved where that is nearer to 1.
  const Bits bits = __builtin_bit_cast(Bits, x);
  double k = static_cast<double>(static_cast<long>(bits >> 52 & 0x7ff) - 1023);
  double m = __builtin_bit_cast(double, (bits & 0xfffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    k += 1;
  }
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 0;
  for (int n = 23; n >= 1; n -= 2) sum = sum * z + 1.0 / n;
  constexpr double ln2 = 0.6931471805599453;
  const double exponent = e * (k * ln2 + 2 * s * sum);
  // e^exponent = 2^n e^r with |r| <= ln 2 / 2.
  const double limited = exponent > 700 ? 700 : exponent < -700 ? -700 : exponent;
  constexpr double rounder = 0x1.8p52;
  const double n = (limited / ln2 + rounder) - rounder, r = limited - n * ln2;
  double power = 1;
  for (int i = 14; i >= 1; --i) power = 1 + power * r / i;
  return power * __builtin_bit_cast(double, static_cast<Bits>(static_cast<long>(n) + 1023) << 52);
}

/// Dormand-Prince 5(4): E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed., table
/// 5.2 and section II.6. Weights of k1 to k6 in stages 2 to 7; the last are those of the end of the step.
POLYFORM_KERNEL double weight(unsigned stage, unsigned of) {
  constexpr double weights[7][6] = {{},
                                    {1.0 / 5},
                                    {3.0 / 40, 9.0 / 40},
                                    {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  return weights[stage][of];
}

/// When in the step the stage of Dormand-Prince is, as a share of the step.
POLYFORM_KERNEL double share_of_stage(unsigned stage) {
  constexpr double shares[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
  return shares[stage];
}

/// Of k1 to k7 in the error of the step (0), and in the constant (1) and slope (2) of its dense output.
POLYFORM_KERNEL double weight_of_sum(unsigned sum, unsigned of) {
  constexpr double weights[3][7] = {
      {35.0 / 384 - 5179.0 / 57600, 0, 500.0 / 1113 - 7571.0 / 16695, 125.0 / 192 - 393.0 / 640,
       -2187.0 / 6784 + 92097.0 / 339200, 11.0 / 84 - 187.0 / 2100, -1.0 / 40},
      {-5 * 2558722523.0 / 11282082432.0, 0, 100 * 882725551.0 / 32700410799.0, -25 * 443332067.0 / 1880347072.0,
       32805 * 23143187.0 / 199316789632.0, -55 * 29972135.0 / 822651844.0, 10 * 7414447.0 / 29380423.0},
      {5 * 31403016.0 / 11282082432.0, 0, -100 * 15701508.0 / 32700410799.0, 25 * 31403016.0 / 1880347072.0,
       -32805 * 3489224.0 / 199316789632.0, 55 * 7076736.0 / 822651844.0, -10 * 829305.0 / 29380423.0}};
  return weights[sum][of];
}

/// How Newton's method goes on closing loops: as LoopProjection::close() does, with fewer tries, for the world's own
/// solver has more.
class Closing {
 public:
  enum class Aim { none, positions, velocities };

  /// What to step for next, after a state was measured: by how much it misses positions and velocities; its speed; the
  /// tolerance, and what is rounding of both.
  POLYFORM_KERNEL Aim next(double missed, double missed_rate, double speed, double tolerance, double position_rounding,
                           double velocity_rounding) {
    if (tries_ == 0) speed_ = speed;
    failed_ |= !(missed - missed == 0) || !(missed_rate - missed_rate == 0) || tries_ > most_tries;
    if (failed_) return Aim::none;
    if (!positions_stand_) {
      const double accepted = tolerance > position_rounding ? tolerance : position_rounding;
      const double wanted = tolerance < position_rounding ? tolerance : position_rounding;
      // As has_come_to_rounding() of mechanics/judgement.hpp, after a step.
      positions_stand_ = missed <= wanted || (tries_ > 0 && missed <= accepted && missed > 0.25 * before_);
      before_ = missed;
      ++tries_;
      if (!positions_stand_) return Aim::positions;
    }
    return passes_ < 2 && missed_rate > velocity_rounding ? Aim::velocities : Aim::none;
  }
  /// After a step of velocities, by the largest change.
  POLYFORM_KERNEL void changed(double most) {
    ++passes_;
    change_ = most > change_ ? most : change_;
    failed_ |= !(most - most == 0);
  }
  /// Whether the world's own solver has to judge: also of an abrupt change (abrupt_change.hpp).
  POLYFORM_KERNEL bool failed() const { return failed_ || change_ > 0.1 * speed_; }

 private:
  static constexpr unsigned most_tries = 20;
  double before_ = 0, change_ = 0, speed_ = 1;
  unsigned tries_ = 0, passes_ = 0;
  bool positions_stand_ = false, failed_ = false;
};

/// As polyform::integral_tolerance (contract/integrator.hpp).
inline constexpr double integral_tolerance = 10;

/// The step size of dopri5: what StepControl of the runge-kutta plugin does with its rule (the same book, section II.4,
/// and volume II, section IV.2).
struct StepControl {
  double last_error = 1e-4;
  bool rejected = false;

  POLYFORM_KERNEL double after_accepted(double h, double error) {
    double factor = 0.9 * power(error > 1e-20 ? error : 1e-20, -(1.0 / 5 - 0.75 * 0.04)) * power(last_error, 0.04);
    const double most = rejected ? 1 : 5;
    factor = factor < 0.1 ? 0.1 : factor > most ? most : factor;
    last_error = error > 1e-4 ? error : 1e-4;
    rejected = false;
    return h * factor;
  }
  POLYFORM_KERNEL double after_rejected(double h, double error) {
    rejected = true;
    const double factor = 0.9 * power(error, -(1.0 / 5 - 0.75 * 0.04));
    return h * (factor < 0.2 ? 0.2 : factor);
  }
  POLYFORM_KERNEL double after_failed(double h) {
    rejected = true;
    return h / 2;
  }
};

}  // namespace polyform::device
