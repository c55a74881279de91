// What the implicit methods have in common: steps tried until one is good, errors in units of the tolerances, and the
// length of the next step.
#pragma once

#include <memory>
#include <vector>

#include "newton.hpp"
#include "newton_pace.hpp"
#include "polyform/helpers/largest_integrals.hpp"
#include "polyform/helpers/step_by_step.hpp"

namespace polyform::implicit {

/// What the implicit methods have in common. Its members are the system with its abilities, and what they know of the
/// step and of its matrix.
class ImplicitSteps : public StepByStep {
 public:
  Status start(double t, std::span<const double> y) noexcept override;
  Status restart(double t, std::span<const double> y, double first_step) noexcept final;
  Status step(double t_limit) noexcept override;
  std::span<const double> state() const noexcept final { return now_; }

 protected:
  using State = std::vector<double>;
  enum class Trial { good, error_too_large, not_converged, not_evaluated, singular, not_corrected };

  /// part_of_sizes: as of LargestIntegrals.
  ImplicitSteps(FirstOrderSystem&, const StepSettings&, std::unique_ptr<Newton>, double part_of_sizes = 1);
  ~ImplicitSteps() = default;

  /// One step from now_ with the derivative rate_. A good one is ready for accept(); after one that is good or whose
  /// error is too large, h_ is the length to go on with.
  virtual Trial try_step(double h, double end) noexcept = 0;
  /// Makes the end of the last trial the state.
  virtual void accept(double end, double h) noexcept = 0;
  /// Forgets what was learned of the motion before.
  virtual void forget() noexcept = 0;
  /// The last change that Newton's iteration made, of the states without integrals.
  virtual std::span<const double> last_change() const noexcept = 0;

  /// Ready to try a step: the scales of the states and the derivative at the state are known.
  bool begin_step() noexcept;
  std::string_view explain(Trial) const noexcept;
  /// Where an iteration does not converge.
  UnsolvedPlace place_of(double h, Trial) noexcept;
  static StepFailure kind_of(Trial, const UnsolvedPlace&) noexcept;
  /// That no step can be made shorter, and why: of an iteration that does not converge also where.
  Status give_up(double h, Trial) noexcept;
  /// The largest of a vector of states without integrals, in units of the tolerances.
  double size_of(const State& x) const noexcept;
  /// The tolerance of integral number i (from states_ on) in a step of length h.
  double integral_tolerance_of(std::size_t i, double h) const noexcept;
  /// From a step's error in units of the tolerances, which goes with the length to the power 1/exponent: whether it is
  /// good, and the next length. most: times the last one. The control is that of Hairer and Wanner with Gustafsson's
  /// prediction, Eq. (IV.8.25).
  Trial judge(double h, double exponent, int iterations, double most) noexcept;
  /// What every accepted step keeps; end: the state to go on from, which is swapped in.
  void move_on(double t, double h, State& end) noexcept;
  double smallest_step() const noexcept;

  FirstOrderSystem& system_;
  StepSettings settings_;
  std::size_t states_;  ///< without integrals
  std::unique_ptr<Newton> newton_;
  State now_, rate_, scale_;
  LargestIntegrals largest_integrals_;
  double h_ = 0, last_size_ = 0, last_error_ = 0, error_size_ = 0;
  double prepared_ = 0;  ///< the length of step that the matrix is made for; 0: none
  /// linearized_: the derivatives are those of some state before; fresh_: of this one.
  bool rate_known_ = false, linearized_ = false, fresh_ = false, rejected_now_ = false, has_history_ = false;
};

}  // namespace polyform::implicit
