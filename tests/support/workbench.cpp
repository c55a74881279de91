#include "tests/support/workbench.hpp"

#include <catch2/catch.hpp>

#include "framework/host/reading/reader.hpp"

namespace polyform::test {
namespace {

std::unique_ptr<host::System> ready(host::Description description, host::Diagnostics& diagnostics) {
  std::unique_ptr<host::System> system;
  if (!diagnostics.failed())
    system = host::System::assemble(std::move(description), registry().keep_alive(), diagnostics);
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) messages += host::format(d) + "\n";
  INFO(messages);
  REQUIRE(system != nullptr);
  return system;
}

}  // namespace

const host::Registry& registry() {
  static const host::Registry instance(std::vector<std::string>{POLYFORM_EXAMPLE_PLUGINS});
  return instance;
}

std::unique_ptr<host::System> system_from_text(const std::string& text) {
  host::Diagnostics diagnostics;
  bool missing = false;
  return ready(host::read_model_text(text, "model.yaml", registry().catalog(), diagnostics, missing), diagnostics);
}

std::unique_ptr<host::System> system_from_file(const std::string& file) {
  host::Diagnostics diagnostics;
  bool missing = false;
  return ready(host::read_model(file, registry().catalog(), diagnostics, missing), diagnostics);
}

std::vector<const Formulation*> formulations_for(const host::System& system) {
  std::vector<const Formulation*> all;
  for (const auto& [name, formulation] : registry().catalog().formulations) {
    host::Diagnostics ignored;
    if (host::can_run(*formulation, system.view(), ignored)) all.push_back(formulation);
  }
  return all;
}

host::SolverPointer solver_for(const host::System& system, const Formulation& formulation, const SolverOptions& given) {
  host::Diagnostics diagnostics;
  host::Description storage;
  const std::vector<FieldValue> options =
      host::read_options(formulation.options(), given, formulation.name(), storage, diagnostics);
  REQUIRE(!diagnostics.failed());
  return host::compile(formulation, system.view(), options);
}

std::vector<double> initial_vector(const host::System& system, Solver& solver) {
  std::vector<double> y(solver.state_size());
  REQUIRE(solver.encode(system.initial_state(), y) == Status::ok);
  return y;
}

}  // namespace polyform::test
