// A solver as the integrators see it.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "framework/host/evaluation/not_finite.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/stiffest_search.hpp"
#include "framework/host/integration/ode.hpp"
#include "polyform/contract/power_source.hpp"
#include "polyform/contract/state_energies.hpp"
#include "polyform/helpers/step_by_step.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline evaluation {

/// Whether anything in the system could do work without a potential.
inline bool may_do_work(const SystemView& view) {
  return !view.forces.empty() || !view.constraints.empty() || !view.modules.empty() || !view.flexible.empty() ||
         !RheonomicJoints(view).empty();
}

/// A solver as the integrators see it. If something may do work, the work is a further state, the last one.
class SolverOde final : public Ode, private IntegralSizes, private SecondOrderSystem, private NotedCorrections {
 public:
  SolverOde(Solver& solver, const SystemView& view)
      : solver_(solver),
        view_(view),
        states_(solver.state_size()),
        integrals_(may_do_work(view) ? 1 : 0),
        power_(ask<PowerSource>(solver)),
        energies_(ask<StateEnergies>(solver)),
        second_(ask<SecondOrderSystem>(solver)),
        to_solve_(ask<NewtonDerivative>(solver)),
        discrete_(ask<DiscreteState>(solver)) {
    if (integrals_ > 0 && (power_ == nullptr || energies_ == nullptr))
      store_ = std::make_unique<ObservationStore>(view);
    if (second_ != nullptr && second_->kinds().size() != states_) second_ = nullptr;  // as the conformance kit tells
    if (second_ == nullptr) return;
    kinds_.assign(size(), StateKind::other);
    std::ranges::copy(second_->kinds(), kinds_.begin());
  }
  std::size_t size() const noexcept override { return states_ + integrals_; }
  std::size_t integrals() const noexcept override { return integrals_; }
  IntegralSizes* integral_sizes() noexcept override { return this; }
  bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    not_finite_.reset();
    if (solver_.derivative(t, y.first(states_), ydot.first(states_)) != Status::ok) return note_failure();
    return integrals_ == 0 || find_power(t, y, ydot[states_]);
  }
  bool derivative_to_solve(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    if (to_solve_ == nullptr) return derivative(t, y, ydot);
    not_finite_.reset();
    if (to_solve_->derivative_to_solve(t, y.first(states_), ydot.first(states_)) != Status::ok) return note_failure();
    return integrals_ == 0 || find_power(t, y, ydot[states_]);
  }
  bool correct(double t, std::span<double> y) noexcept override {
    Correction correction;
    const bool corrected = solver_.correct(t, y.first(states_), correction) == Status::ok;
    since_row_.add(correction);
    return corrected || note_failure();
  }
  /// The corrections since the last call.
  Correction take_corrections() noexcept { return std::exchange(since_row_, {}); }
  /// How often the solver could not compute a derivative or correct a state, as in tries of steps that were given up,
  /// and the reason for the last time.
  std::size_t failures() const noexcept { return failures_; }
  std::string_view last_failure() const noexcept { return last_failure_.text(); }
  std::string_view failure() const noexcept override {
    return not_finite_ ? std::string_view(*not_finite_) : solver_.failure();
  }
  void find_not_finite(double t, std::span<const double> y) noexcept override {
    try {
      if (!store_) store_ = std::make_unique<ObservationStore>(view_);
    } catch (const std::bad_alloc&) {
      return;
    }
    if (solver_.observe(t, y.first(states_), store_->now()) != Status::ok) return;  // its own sentence says more
    not_finite_ = host::not_finite(view_, store_->now());
  }
  DiscreteState* discrete() noexcept override { return discrete_; }
  SecondOrderSystem* second_order() noexcept override { return second_ == nullptr ? nullptr : this; }
  CorrectedQuaternions* corrected_quaternions() noexcept override { return ask<CorrectedQuaternions>(solver_); }
  NotedCorrections* noted_corrections() noexcept override {
    return corrected_quaternions() == nullptr ? nullptr : this;
  }
  NewtonMatrix* newton_matrix() noexcept override { return ask<NewtonMatrix>(solver_); }
  StiffestElement* stiffest_element() noexcept override {
    try {
      if (!stiffest_) stiffest_ = std::make_unique<StiffestSearch>(view_, solver_);
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    return stiffest_.get();
  }

 private:
  /// The work enters the energy balance beside the kinetic energy.
  void least_sizes(double t, std::span<const double> y, std::span<double> sizes) noexcept override {
    if (sizes.empty()) return;
    const double kinetic = kinetic_energy_at(t, y.first(states_));
    std::ranges::fill(sizes, std::isfinite(kinetic) ? std::max(kinetic, 0.0) : 0.0);
  }
  /// J; 0 where it cannot be found.
  double kinetic_energy_at(double t, std::span<const double> y) noexcept {
    double kinetic = 0, potential = 0;
    if (energies_ != nullptr) return energies_->energies(t, y, kinetic, potential) == Status::ok ? kinetic : 0;
    return solver_.observe(t, y, store_->now()) == Status::ok ? store_->now().kinetic_energy : 0;
  }
  std::span<const StateKind> kinds() const noexcept override { return kinds_; }
  Status position_rates(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    not_finite_.reset();
    return second_->position_rates(t, y.first(states_), ydot.first(states_));
  }
  void note(double residual) noexcept override {
    Correction correction;
    correction.position_residual = residual;
    since_row_.add(correction);
  }
  bool note_failure() noexcept {
    ++failures_;
    last_failure_.say(solver_.failure());
    return false;
  }
  /// Finds the power at the last derivative, W.
  bool find_power(double t, std::span<const double> y, double& power) noexcept {
    if (power_ == nullptr && solver_.observe(t, y.first(states_), store_->now()) != Status::ok) return false;
    power = power_ != nullptr ? power_->power() : store_->now().power;
    return true;
  }

  Solver& solver_;
  const SystemView& view_;
  std::size_t states_, integrals_;           ///< of the solver; integrals that come after them
  PowerSource* power_;                       ///< none if the power has to be observed
  StateEnergies* energies_;                  ///< none if these have to be observed
  SecondOrderSystem* second_;                ///< of the solver, or none
  NewtonDerivative* to_solve_;               ///< of the solver, or none
  DiscreteState* discrete_;                  ///< of the solver, or none
  std::vector<StateKind> kinds_;             ///< of the solver's states, then of the integrals
  std::unique_ptr<ObservationStore> store_;  ///< for what has to be observed, and for find_not_finite once it is asked
  Correction since_row_;
  std::optional<Message> not_finite_;
  std::size_t failures_ = 0;
  Sentence last_failure_;
  std::unique_ptr<StiffestSearch> stiffest_;  ///< made when it is first asked for
};

}  // namespace polyform::host::evaluation
