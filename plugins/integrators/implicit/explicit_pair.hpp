// Two explicit methods: the one that makes more way per evaluation goes on.
#pragma once

#include <cstddef>
#include <memory>

#include "polyform/contract/failed_step.hpp"
#include "polyform/contract/integrator.hpp"

namespace polyform::implicit {

struct DestroyIntegrator {
  void operator()(Integrator* method) const noexcept { method->destroy(); }
};

/// An explicit method, what a step of it costs, and how long its steps can be.
struct ExplicitMethod {
  std::unique_ptr<Integrator, DestroyIntegrator> steps;
  double evaluations = 0;  ///< of a step
  double for_output = 0;   ///< in addition, of a step within which states are asked for
  double bound = 0;        ///< step times largest eigenvalue from which on stability may hold the steps
  double stable = 0;       ///< the same, up to which steps are stable for vibrations
};

/// A high order saves evaluations where the motion is smooth within a step. On a rough road it is not, and tolerances
/// may be coarse: then a low order is better. Nothing but a trial tells: the other method makes some steps, after ever
/// more evaluations, so that trials in vain come to little. The low order makes the opening: while steps grow from the
/// first one, it takes fewer evaluations whatever the motion, and once they do not, the high order goes on. Where
/// something else than errors bounds the steps, there is no opening: long steps are there for the high order. Where the
/// last step of the opening made more way than those of the high order that follow, the low order is tried at once.
class ExplicitPair final : public Integrator {
 public:
  /// longest_step: that the settings allow, s.
  ExplicitPair(ExplicitMethod high, ExplicitMethod low, double longest_step) noexcept;
  void destroy() noexcept override { delete this; }

  Status start(double t, std::span<const double> y) noexcept override;
  Status restart(double t, std::span<const double> y, double first_step) noexcept override;
  Status step(double t_limit) noexcept override;
  Status state_at(double t, std::span<double> y) noexcept override {
    output_ = methods_[now_].for_output;
    return now().state_at(t, y);
  }
  std::span<const double> state() const noexcept override { return now().state(); }
  double time() const noexcept override { return now().time(); }
  double previous_time() const noexcept override { return now().previous_time(); }
  std::size_t rejected() const noexcept override;
  std::string_view failure() const noexcept override { return now().failure(); }
  /// Of the method that makes the steps: the kind of its failure.
  void* query(std::string_view asked) noexcept override {
    return asked == FailedStep::interface_name ? now().query(asked) : nullptr;
  }

  /// Whether the last step was one of the method that is not chosen.
  bool on_trial() const noexcept { return now_ != chosen_; }
  /// Whether stability seems to hold the steps: what is given up then tells of no kinks.
  void set_held(bool held) noexcept { held_ = held; }
  /// Of the method that is chosen.
  double evaluations_of_step() const noexcept { return methods_[chosen_].evaluations; }
  double bound() const noexcept { return methods_[chosen_].bound; }
  double stable() const noexcept { return methods_[chosen_].stable; }
  /// Whether steps still grow from the first one.
  bool opening() const noexcept { return opening_; }
  /// The time for which the low order was chosen, s: of the opening as well, if it lasts.
  double time_of_low() const noexcept { return time_of_low_ + (opening_ ? time_of_opening_ : 0); }

 private:
  /// What a number of steps has cost, and how far they have come.
  struct Way {
    double evaluations = 0, time = 0;
    std::size_t steps = 0;
    double pace() const noexcept { return evaluations > 0 ? time / evaluations : 0; }
  };

  static constexpr std::size_t high = 0, low = 1;

  Integrator& now() const noexcept { return *methods_[now_].steps; }
  Status change_to(std::size_t method) noexcept;
  void count(std::size_t rejected_before) noexcept;
  void look() noexcept;
  void look_at_opening(double t_limit, bool rejected) noexcept;
  bool meets_kinks() const noexcept;
  bool opening_was_faster() noexcept;
  void end_trial(double next) noexcept;

  ExplicitMethod methods_[2];
  std::size_t now_ = low, chosen_ = low, next_ = low;  ///< next_: the method of the next step
  double spent_ = 0, trial_at_ = 0;  ///< evaluations since the start, and those from which on a trial is due
  Way way_, of_chosen_;              ///< of the steps that are looked at, and of those before the trial
  Way since_trial_;                  ///< of all steps since the last trial
  Way first_;                        ///< of the first steps after the opening
  double output_ = 0;                ///< evaluations within the last step for states that were asked for
  double pace_of_opening_ = 0;       ///< of its last step, s per evaluation; 0: nothing is compared with it
  std::size_t since_restart_ = 0;    ///< steps
  double given_up_ = 0;              ///< evaluations since the last trial that were in vain, but after restarts
  double kinks_at_ = 0;              ///< evaluations at the last trial that these have led to
  bool early_ = false;               ///< whether the first steps have led to the last trials
  bool settled_ = false;             ///< whether the first steps of the trial are over
  bool opens_;                       ///< whether the low order makes an opening
  bool opening_ = true, held_ = false;
  double length_before_ = 0;  ///< of the last step of the opening that nothing has cut short, s
  double time_of_low_ = 0, time_of_opening_ = 0;
};

}  // namespace polyform::implicit
