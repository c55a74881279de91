#include "framework/workbench/conformance/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/integration/integration.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/measured_rate.hpp"
#include "framework/workbench/conformance/observed.hpp"

namespace polyform::host::inline conformance {

namespace {

class Equation final : public Ode {
 public:
  explicit Equation(Solver& solver) : solver_(solver) {}
  std::size_t size() const noexcept override { return solver_.state_size(); }
  bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    return solver_.derivative(t, y, ydot) == Status::ok;
  }
  bool correct(double t, std::span<double> y) noexcept override {
    Correction correction;
    return solver_.correct(t, y, correction) == Status::ok;
  }
  std::string_view failure() const noexcept override { return solver_.failure(); }
  DiscreteState* discrete() noexcept override { return ask<DiscreteState>(solver_); }

 private:
  Solver& solver_;
};

/// Sound systems of the batteries take some hundred steps. They take more only if they move fast, and then they get on.
/// At a jump the second half of the steps brings no more than this part of the time.
constexpr int most_steps = 1000;
constexpr double least_progress = 0.05;
/// Ten times the drift that is allowed: the verdict is known, and later steps add nothing.
constexpr double plain_drift = 1e-6;

double energy_of(const Observation& o) { return o.kinetic_energy + o.potential_energy; }

}  // namespace

double energy_drift(const Formulation& formulation, const SystemView& view, const State& state,
                    const IntegratorChoice& choice, double duration) {
  Observed seen(formulation, view, state);
  Equation equation(seen.solver());
  Integration integrator(equation, choice, {.step = 1e-3, .relative_tolerance = 1e-11, .absolute_tolerance = 1e-12});
  integrator.start(0, seen.y());
  const double before = energy_of(seen.now()), potential_before = seen.now().potential_energy;
  double size = std::max(1.0, seen.now().kinetic_energy), worst = 0;
  double late_before = 0;
  for (int steps = 0; integrator.time() < duration; ++steps) {
    if (steps == most_steps) {
      // A fast motion needs more steps than these; no number of steps gets past a jump.
      if (integrator.time() - late_before > least_progress * integrator.time()) break;
      throw Failure(Exit::simulation_failed,
                    fmt::format("{} has come to t = {:.3g} s in {} steps of the integrator: what it gives jumps",
                                formulation.name(), integrator.time(), steps));
    }
    if (steps == most_steps / 2) late_before = integrator.time();
    if (!integrator.step(duration))
      throw Failure(Exit::simulation_failed,
                    fmt::format("{} cannot be integrated: {}", formulation.name(), integrator.failure()));
    const Observation& o = seen.at(integrator.state());
    size = std::max({size, o.kinetic_energy, std::abs(o.potential_energy - potential_before)});
    worst = larger(worst, std::abs(energy_of(o) - before));
    if (!(worst <= plain_drift * size)) break;
  }
  return worst / size;
}

double power_error(const Formulation& formulation, const SystemView& view, const State& state, double t) {
  Observed seen(formulation, view, state, t);
  const double power = seen.now().power;
  // The energies are differenced along the line y + h dy/dt, where they change as along the motion at first. So it does
  // not count how fast the motion itself turns, as under stiff forces on light bodies. Kinetic, potential.
  std::vector<double> slope(seen.y().size());
  require(seen.solver().derivative(t, seen.y(), slope), seen.solver(), formulation.name(), "derivative");
  const auto energies_at = [&](double h) {
    std::vector<double> y = seen.y();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h * slope[i];
    ObservationStore store(view);
    require(seen.solver().observe(t + h, y, store.now()), seen.solver(), formulation.name(), "observe");
    return Vec3{store.now().kinetic_energy, store.now().potential_energy, 0};
  };
  // The energy that stiff springs take and bodies give may be much more than the sum of both.
  constexpr double short_step = 1e-5;
  const double size = larger({1.0, std::abs(power), seen.now().kinetic_energy, std::abs(seen.now().potential_energy),
                              std::abs(rate(energies_at, short_step).y)});
  return rate_error(power, size, 1e-6, [&](double h) {
    const Vec3 energies = energies_at(h);
    return energies.x + energies.y;
  });
}

}  // namespace polyform::host::conformance
