// Explicit steps that stability holds down, and what does.
#pragma once

#include <cstddef>
#include <string>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/solver_ode.hpp"
#include "framework/host/integration/integration.hpp"
#include "polyform/helpers/time_scale.hpp"

namespace polyform::host::inline watches {

/// Looks at the fastest motion of the system now and then: four evaluations in a thousand or more.
class StabilityWatch {
 public:
  /// The arguments outlive the object.
  StabilityWatch(SolverOde& ode, const Integration& integrator) : ode_(ode), integrator_(integrator) {}
  /// Before the first step, which begins at t.
  void begin_from(double t) { since_ = t; }
  /// After a step.
  void look();
  /// What held the steps, over most of the run, and how long they were: a sentence without a full stop. Empty if they
  /// were as long as accuracy allowed.
  std::string held() const;
  /// What moves fastest at the present state, and how fast: a clause without a full stop.
  std::string fastest();
  /// The element of the fastest motion at the present state; empty if it is not known.
  std::string fastest_element();
  /// Why steps of this length, s, cannot follow the motion at a state y at t: a sentence without a full stop. Empty if
  /// an explicit method may follow it.
  std::string too_long(double step, double t, std::span<const double> y);
  /// The kinetic energy of the velocity to which the fastest motion brings the system from a state y at t, J: with the
  /// rate λ of that, y + ẏ / λ, as far as it differs from that at y. 0 where steps of this length, s, follow it,
  /// and where it does not die away.
  double energy_of_transient(Solver&, ObservationStore&, double step, double t, std::span<const double> y);

 private:
  void find_rate();
  double rate_at(double t, std::span<const double> y, std::size_t rounds);
  std::string name_of_fastest(double t, std::span<const double> y, double rate);

  SolverOde& ode_;
  const Integration& integrator_;
  std::optional<TimeScale> scale_;
  std::size_t due_ = 0, looks_ = 0, held_ = 0;
  std::size_t steps_ = 0;  ///< when the present stretch began, and the time then
  double since_ = 0;
  double fastest_ = 0;          ///< of the last look, rad/s
  double rate_ = 0, step_ = 0;  ///< of the last look at which the steps were held
  std::string by_;
};

}  // namespace polyform::host::watches
