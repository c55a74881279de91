// Explicit methods that give way to an implicit one while the system is stiff, and then take over again.
#pragma once

#include <memory>

#include "explicit_pair.hpp"
#include "newton.hpp"
#include "polyform/contract/integrator_choice.hpp"
#include "polyform/contract/stiffest_element.hpp"
#include "polyform/helpers/step_by_step.hpp"
#include "polyform/helpers/time_scale.hpp"

namespace polyform::implicit {

/// A system is stiff if steps of the explicit method stay at the bound of its stability, and steps of the implicit one
/// are so much longer that they are worth their cost. The implicit method is tried out: nothing else tells whether the
/// fastest motion has to be followed (a vibration) or has died away. The members are the methods and their records:
/// steps, cost, stiffness.
class AutoMethod final : public Integrator, public IntegratorChoices {
 public:
  /// newton: of the implicit method. without: why there is no implicit method, if there is none.
  AutoMethod(FirstOrderSystem&, std::unique_ptr<ExplicitPair, DestroyIntegrator> explicit_methods,
             std::unique_ptr<Integrator, DestroyIntegrator> implicit_method, const Newton* newton,
             std::string_view without);
  void destroy() noexcept override { delete this; }

  Status start(double t, std::span<const double> y) noexcept override;
  Status restart(double t, std::span<const double> y, double first_step) noexcept override;
  Status step(double t_limit) noexcept override;
  Status state_at(double t, std::span<double> y) noexcept override { return now_->state_at(t, y); }
  std::span<const double> state() const noexcept override { return now_->state(); }
  double time() const noexcept override { return now_->time(); }
  double previous_time() const noexcept override { return now_->previous_time(); }
  std::size_t rejected() const noexcept override;
  std::string_view failure() const noexcept override { return now_->failure(); }
  void* query(std::string_view asked) noexcept override;
  std::string_view choices() noexcept override;

 private:
  enum class Phase { explicitly, on_trial, implicitly };

  bool is_explicit() const noexcept { return phase_ == Phase::explicitly; }
  void look() noexcept;
  void measure() noexcept;
  void look_explicitly() noexcept;
  void look_first() noexcept;
  void begin_trial(bool on_credit) noexcept;
  void end_trial_in_vain() noexcept;
  void look_implicitly() noexcept;
  double past_budget() const noexcept;
  double future_budget() const noexcept;
  double possible_step() const noexcept;
  double budget() const noexcept;
  bool past_pays() const noexcept;
  bool end_is_far() const noexcept;
  double evaluations_to_limit() const noexcept;
  bool doubt_pays() const noexcept;
  bool future_pays() const noexcept;
  double cost_of_trial() const noexcept;
  double cost_of_shortest_trial() const noexcept;
  double needed_gain(std::size_t steps) const noexcept;
  void change_to(Phase) noexcept;
  Status change() noexcept;

  FirstOrderSystem& system_;
  TimeScale scale_;
  std::unique_ptr<ExplicitPair, DestroyIntegrator> explicit_;
  std::unique_ptr<Integrator, DestroyIntegrator> implicit_;
  Integrator* now_;
  const Newton* newton_;
  Phase phase_ = Phase::explicitly;
  bool changing_ = false;  ///< the next step begins with the change to the other method
  std::size_t steps_ = 0, wait_ = 0, bound_ = 0, near_ = 0;  ///< bound_, near_: looks in a row
  std::size_t held_looks_ = 0;                               ///< that found steps at the bound of stability
  std::size_t explicit_steps_ = 0;                           ///< since the last trial that was not in vain
  std::size_t linearizations_ = 0;                           ///< of newton_ when steps_ began to count
  std::size_t evaluations_ = 0;                              ///< of newton_ when the trial began
  bool looked_first_ = false;                                ///< whether the first look is over
  double in_vain_ = 0;                                       ///< evaluations of trials since then
  bool on_credit_ = false;                                   ///< whether steps to come pay for the trial
  double limit_ = 0;                                         ///< to which steps may go as far as is known, s
  bool ends_at_limit_ = true;                                ///< as far as is known
  double part_of_future_ = 0;                                ///< of the evaluations up to there which a trial may cost
  double since_ = 0;                                         ///< the time when steps_ began to count
  double explicit_step_ = 0, implicit_step_ = 0, rate_ = 0;
  double held_rate_ = 0, held_step_ = 0;  ///< the largest rate that has led to a trial, and the steps that it held
  double implicit_time_ = 0, first_change_ = 0, trial_began_ = 0, start_ = 0;
  bool kept_ = false;  ///< whether the implicit method was ever kept after a trial
  Sentence without_, held_by_, said_;
};

}  // namespace polyform::implicit
