// Compares worlds in lanes with their own solvers.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/simulation/simulate.hpp"
#include "polyform/contract/batch_evaluation.hpp"
#include "polyform/contract/near_rows.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

inline std::string model_file(const std::string& name) { return std::string(POLYFORM_MODELS) + "/" + name + ".yaml"; }

/// The formulation of that name, or nullptr if it cannot run the system.
inline const Formulation* formulation_for(const host::System& system, std::string_view name) {
  for (const Formulation* one : formulations_for(system))
    if (one->name() == name) return one;
  return nullptr;
}

/// Keeps the state of the last row.
struct LastState final : host::RowSink {
  void row(double, const Observation& now) override {
    q.assign(now.q.begin(), now.q.end());
    v.assign(now.v.begin(), now.v.end());
    eta.assign(now.eta.begin(), now.eta.end());
    etadot.assign(now.etadot.begin(), now.etadot.end());
    x.assign(now.x.begin(), now.x.end());
    discrete.assign(now.discrete.begin(), now.discrete.end());
  }
  ConstStateView state() const { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete}; }
  std::vector<double> q, v, eta, etadot, x;
  std::vector<std::int32_t> discrete;
};

/// y of the solver where the system has moved for a time. Elements of many rigid contacts have no events for dopri5.
inline std::vector<double> moved(const host::System& system, Solver& solver, double duration) {
  LastState last;
  bool steps_over_contacts = false;
  for (const ForceInstances& group : system.view().forces)
    steps_over_contacts = steps_over_contacts || NearRows::are_of(*group.type);
  host::RunSettings settings = run_settings(steps_over_contacts ? "moreau-jean" : "dopri5");
  settings.duration = settings.output_interval = duration;
  host::RowSink* const sinks[] = {&last};
  const host::RunRecord record = host::simulate(system, solver, settings, sinks, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::done);
  std::vector<double> y(solver.state_size());
  REQUIRE(solver.encode(last.state(), y) == Status::ok);
  return y;
}

}  // namespace polyform::test
