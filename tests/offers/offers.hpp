// Models of elements that use what the contract offers them.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "framework/host/columns/element_outputs.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

/// The sentences of the diagnostics, and whether a system could be made.
inline std::pair<std::string, bool> assembled(const std::string& text) {
  host::Diagnostics diagnostics;
  bool missing = false, made = false;
  host::Description description = host::read_model_text(text, "model.yaml", registry().catalog(), diagnostics, missing);
  if (!diagnostics.failed())
    made = host::System::assemble(std::move(description), registry().keep_alive(), diagnostics) != nullptr;
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) messages += host::format(d) + "\n";
  return {messages, made};
}

/// The observation of a formulation for a system at its start.
struct Seen {
  Seen(const host::System& system, const Formulation& formulation) : store(system.view()) {
    const auto solver = solver_for(system, formulation);
    const std::vector<double> y = initial_vector(system, *solver);
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
  }
  const Observation& now() { return store.now(); }
  host::ObservationStore store;
};

/// Calls body(name, outputs) with the outputs of all elements at the start, in every formulation.
template <class Body>
void in_all_formulations(const host::System& system, Body body) {
  const auto all = formulations_for(system);
  REQUIRE(all.size() >= 2);
  for (const Formulation* formulation : all) {
    INFO(formulation->name());
    Seen seen(system, *formulation);
    host::ElementOutputs outputs(system.view());
    const auto values = outputs.evaluate(0, seen.now());
    body(std::vector<double>(values.begin(), values.end()));
  }
}

}  // namespace polyform::test
