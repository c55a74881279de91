// Watches rows that hold at times along a run: gaps that close, forces that would pull, friction at its limit, sliding
// that comes to rest.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "framework/host/integration/event_search.hpp"
#include "framework/host/integration/integration.hpp"
#include "framework/host/unilateral/unilateral_motion.hpp"

namespace polyform::host::inline unilateral {

class UnilateralWatch final : private Signals {
 public:
  /// The first two arguments outlive the object. step, relative_tolerance: the run's; the step gives the scale of time
  /// at t = 0.
  UnilateralWatch(UnilateralMotion&, Integration&, double step, double relative_tolerance);

  bool empty() const { return motion_.empty(); }
  /// At the integrator's time: before the first step and after each new beginning.
  void begin();
  /// Where the last step has to end when it is made once more, because time drives a motion within it that its ends do
  /// not show, s; nothing where there is none, or the step is too short to be divided.
  std::optional<double> hidden_motion();
  /// The first event within the last step, or nothing.
  std::optional<double> find();
  /// Where the last step has to end when it is made once more, because its states contradict that event, s; nothing
  /// where they do not, or the step is too short to be divided.
  std::optional<double> nearer_end(double event);
  /// Lets the rows change at the event that was found. y: the state there; what it shall be on return.
  void pass(double t, std::span<double> y);
  /// At the end of a step without an event.
  void settle();
  /// How long the next step may be, s.
  double longest_step() const;
  std::size_t count() const { return count_; }

 private:
  static constexpr double unknown_time = std::numeric_limits<double>::quiet_NaN();

  std::size_t size() const noexcept override { return motion_.size(); }
  double sample(double t, std::span<double> values, std::span<double> rates) override;
  std::optional<double> value(double t, std::size_t k) override;
  bool counts(std::size_t k, bool rising) const noexcept override;
  std::size_t halvings(std::size_t k) const noexcept override;
  void evaluate(double t, std::span<double> values, std::span<double> rates);
  void look_at_step(double from, double to);
  bool comes_to_be(const SignChange&);
  double scale(double t) const;

  UnilateralMotion& motion_;
  Integration& integrator_;
  EventSearch search_;
  double step_, tolerance_;
  std::vector<double> y_, other_y_, middle_y_, other_values_, other_rates_;
  std::vector<double> seen_;  ///< the largest |value| of each event function so far
  SignChange found_;
  /// What was found: friction that pushes, or what slides slowly in a direction that has settled, from the beginning of
  /// the step on.
  bool pushes_ = false, settles_ = false;
  /// Of the state that was evaluated last, s; NaN where it is that of none of the last step.
  double evaluated_at_ = unknown_time;
  bool goes_on_ = false;  ///< no event and no new beginning since the last sample of the search
  std::size_t count_ = 0, streak_ = 0;
  double last_ = -never;
};

}  // namespace polyform::host::inline unilateral
