// How fast Newton's iteration goes, and when it may end.
#pragma once

#include <algorithm>
#include <cmath>

namespace polyform::implicit {

/// E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., section IV.8: what is left to do is
/// foretold from how much smaller each change is than the one before.
class NewtonPace {
 public:
  enum class Verdict { again, converged, diverging };

  /// So many iterations, and then a shorter step: the matrix may be an approximate one.
  static constexpr int most_iterations = 12;

  /// tolerance: of what is left, in units of the tolerances of the states. slow: the contraction that an iteration is
  /// taken to have before its second change tells.
  NewtonPace(double tolerance, double slow) : tolerance_(tolerance), slow_(slow) {}

  double tolerance() const { return tolerance_; }
  /// Forgets what former steps have told.
  void forget() noexcept { carried_ = 1; }
  /// When an iteration ends: once it is good enough, and given up where it will not be in time, for a shorter step can
  /// be had; the same, but never given up while it contracts, for no other step can be had; or once nothing but
  /// rounding is left.
  enum class Until { good_or_late, good, rounding };
  /// Before the first iteration of a step.
  void begin(Until until) noexcept {
    until_ = until;
    iterations_ = 0;
    before_ = 0;
    factor_ = std::pow(std::max(carried_, 1e-16), 0.8);
    contraction_ = std::min(contraction_, slow_);
  }
  /// After an iteration; change: its size in units of the tolerances.
  Verdict judge(double change) noexcept {
    const bool to_rounding = until_ == Until::rounding;
    ++iterations_;
    change_ = change;
    if (!std::isfinite(change)) return Verdict::diverging;
    if (change == 0) return Verdict::converged;
    if (iterations_ > 1) {
      const double ratio = change / before_;
      contraction_ = iterations_ == 2 ? ratio : std::sqrt(ratio * contraction_);
      if (to_rounding && ratio > 0.9 && change < 1) return Verdict::converged;  // nothing but rounding is left
      if (contraction_ >= 0.95) return Verdict::diverging;
      factor_ = contraction_ / (1 - contraction_);
      const double left = factor_ * change * std::pow(contraction_, most_iterations - 1 - iterations_);
      if (until_ == Until::good_or_late && left > tolerance_) return Verdict::diverging;
    }
    before_ = change;
    carried_ = factor_;
    if (!to_rounding && factor_ * change <= tolerance_) return Verdict::converged;
    if (iterations_ < (until_ == Until::good ? 4 : 1) * most_iterations) return Verdict::again;
    return to_rounding ? Verdict::converged : Verdict::diverging;
  }

  /// Iterations of the last step.
  int iterations() const { return iterations_; }
  /// How much smaller each change was than the one before.
  double contraction() const { return contraction_; }
  /// The size of the last change.
  double change() const { return change_; }

 private:
  double tolerance_, slow_;
  double factor_ = 1, carried_ = 1, contraction_ = 1, before_ = 0, change_ = 0;
  int iterations_ = 0;
  Until until_ = Until::good_or_late;
};

}  // namespace polyform::implicit
