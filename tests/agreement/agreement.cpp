#include "tests/agreement/agreement.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/workbench/conformance/agreement.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {
namespace {

/// Whether the option chooses between ways that give the same accelerations.
bool is_way(const FieldSpec& option) {
  return option.name == "equations" || option.name == "method" || option.name == "construction";
}

/// A solver; nullptr if a way other than the default one does not carry the system, and says so before it runs.
host::SolverPointer solver_by(const SolverOptions& way, const Formulation& formulation, const host::System& system) {
  try {
    return solver_for(system, formulation, way);
  } catch (const host::Failure& failure) {
    if (way.empty() || failure.code() != host::Exit::bad_input) throw;
    return nullptr;
  }
}

}  // namespace

std::size_t require_agreement(const std::string& text) {
  const auto system = system_from_text(text);
  const SystemView& view = system->view();
  const std::set<std::size_t> undetermined = host::undetermined_joints(*system);
  host::ObservationStore first(view);
  std::size_t count = 0;
  std::vector<std::pair<const Formulation*, SolverOptions>> all;
  for (const Formulation* formulation : formulations_for(*system)) {
    all.push_back({formulation, {}});
    for (const FieldSpec& option : formulation->options())
      for (std::size_t k = 1; is_way(option) && k < option.choices.size(); ++k)
        all.push_back({formulation, {{std::string(option.name), std::string(option.choices[k])}}});
  }
  for (const auto& [formulation, options] : all) {
    INFO("formulation " << formulation->name() << (options.empty() ? "" : ", " + options.front().second));
    const auto solver = solver_by(options, *formulation, *system);
    if (!solver) continue;
    const std::vector<double> y = initial_vector(*system, *solver);
    host::ObservationStore store(view);
    host::ObservationStore& into = count == 0 ? first : store;
    const Status status = solver->observe(0, y, into.now());
    INFO(solver->failure());
    REQUIRE(status == Status::ok);
    if (count++ == 0) continue;
    const host::Difference d = host::difference(view, first.now(), store.now(), undetermined);
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
