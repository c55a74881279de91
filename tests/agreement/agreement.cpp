#include "tests/agreement/agreement.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "framework/simulation/observation_store.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {
namespace {

/// Largest differences between two observations, relative to the largest value of their kind (at least 1).
struct Difference {
  double motion = 0, acceleration = 0, reaction = 0, energy = 0;
};

void widen(double& worst, double& scale, const Vec3& a, const Vec3& b) {
  worst = std::max(worst, norm(a - b));
  scale = std::max({scale, norm(a), norm(b)});
}

Difference compare(const SystemView& view, const Observation& a, const Observation& b,
                   const std::set<std::size_t>& undetermined) {
  Difference d;
  double motion_scale = 1, acceleration_scale = 1, reaction_scale = 1;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    widen(d.motion, motion_scale, a.bodies[i].pose.position, b.bodies[i].pose.position);
    widen(d.motion, motion_scale, a.bodies[i].velocity, b.bodies[i].velocity);
    widen(d.motion, motion_scale, a.bodies[i].angular_velocity, b.bodies[i].angular_velocity);
    const Quat &p = a.bodies[i].pose.orientation, &q = b.bodies[i].pose.orientation;
    d.motion = std::max(d.motion, 1 - std::abs(dot(p, q)));
    widen(d.acceleration, acceleration_scale, a.bodies[i].acceleration, b.bodies[i].acceleration);
    widen(d.acceleration, acceleration_scale, a.bodies[i].angular_acceleration, b.bodies[i].angular_acceleration);
  }
  for (std::size_t i = 0; i < view.nv; ++i) {
    d.acceleration = std::max(d.acceleration, std::abs(a.acceleration[i] - b.acceleration[i]));
    acceleration_scale = std::max(acceleration_scale, std::abs(a.acceleration[i]));
    d.motion = std::max(d.motion, std::abs(a.state.v[i] - b.state.v[i]));
  }
  for (std::size_t i = 0; i < view.modes; ++i) {
    d.acceleration = std::max(d.acceleration, std::abs(a.modal_acceleration[i] - b.modal_acceleration[i]));
    acceleration_scale = std::max(acceleration_scale, std::abs(a.modal_acceleration[i]));
    d.motion = std::max(
        {d.motion, std::abs(a.state.eta[i] - b.state.eta[i]), std::abs(a.state.etadot[i] - b.state.etadot[i])});
  }
  for (std::size_t i = 0; i < view.states; ++i) {
    d.acceleration = std::max(d.acceleration, std::abs(a.state_rates[i] - b.state_rates[i]));
    acceleration_scale = std::max(acceleration_scale, std::abs(a.state_rates[i]));
    d.motion = std::max(d.motion, std::abs(a.state.x[i] - b.state.x[i]));
  }
  for (std::size_t i = 0; i < view.module_rows; ++i)
    d.reaction = std::max(d.reaction, std::abs(a.module_multipliers[i] - b.module_multipliers[i]));
  for (std::size_t i = 0; i < view.joints.size(); ++i) {
    if (undetermined.contains(i)) continue;
    widen(d.reaction, reaction_scale, a.reactions[i].linear, b.reactions[i].linear);
    widen(d.reaction, reaction_scale, a.reactions[i].angular, b.reactions[i].angular);
  }
  d.energy = std::abs(a.kinetic_energy - b.kinetic_energy) + std::abs(a.potential_energy - b.potential_energy);
  return {d.motion / motion_scale, d.acceleration / acceleration_scale, d.reaction / reaction_scale,
          d.energy / std::max(1.0, std::abs(a.kinetic_energy) + std::abs(a.potential_energy))};
}

bool is_way(const FieldSpec& option) { return option.name == "equations" || option.name == "method"; }

}  // namespace

std::size_t require_agreement(const std::string& text) {
  const auto system = system_from_text(text);
  const SystemView& view = system->view();
  std::set<std::size_t> undetermined;
  for (const std::string& name : system->count_constraints().redundant_joints)
    for (std::size_t i = 0; i < view.joints.size(); ++i)
      if (view.joints[i].name == name) undetermined.insert(i);
  host::ObservationStore first(view);
  std::size_t count = 0;
  std::vector<std::pair<const Formulation*, SolverOptions>> all;
  for (const Formulation* formulation : formulations_for(*system)) {
    all.push_back({formulation, {}});
    // Options that choose another way to the same accelerations.
    for (const FieldSpec& option : formulation->options())
      for (std::size_t k = 1; is_way(option) && k < option.choices.size(); ++k)
        all.push_back({formulation, {{std::string(option.name), std::string(option.choices[k])}}});
  }
  for (const auto& [formulation, options] : all) {
    INFO("formulation " << formulation->name() << (options.empty() ? "" : ", " + options.front().second));
    const auto solver = solver_for(*system, *formulation, options);
    const std::vector<double> y = initial_vector(*system, *solver);
    host::ObservationStore store(view);
    host::ObservationStore& into = count == 0 ? first : store;
    const Status status = solver->observe(0, y, into.now());
    INFO(solver->failure());
    REQUIRE(status == Status::ok);
    if (count++ == 0) continue;
    const Difference d = compare(view, first.now(), store.now(), undetermined);
    CHECK(d.motion < 1e-12);
    CHECK(d.acceleration < 1e-9);
    CHECK(d.reaction < 1e-9);
    CHECK(d.energy < 1e-12);
  }
  return count;
}

double require_power_balance(const host::System& system, const Formulation& formulation) {
  const auto solver = solver_for(system, formulation);
  const std::vector<double> y = initial_vector(system, *solver);
  std::vector<double> rate(y.size()), shifted(y.size());
  REQUIRE(solver->derivative(0, y, rate) == Status::ok);
  host::ObservationStore store(system.view());
  const double h = 1e-5;
  double energy[2];
  for (const int side : {0, 1}) {
    for (std::size_t i = 0; i < y.size(); ++i) shifted[i] = y[i] + (side == 0 ? -h : h) * rate[i];
    REQUIRE(solver->observe(0, shifted, store.now()) == Status::ok);
    energy[side] = store.now().kinetic_energy + store.now().potential_energy;
  }
  REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
  const double power = store.now().power;
  const double rounding = 1e-15 * std::abs(energy[0]) / h;
  CHECK(std::abs((energy[1] - energy[0]) / (2 * h) - power) < 1e-6 * (1 + std::abs(power)) + rounding);
  return power;
}

}  // namespace polyform::test
