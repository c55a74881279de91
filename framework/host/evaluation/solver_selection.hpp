// From a formulation's name, or none, to a solver for a system.
#pragma once

#include <memory>
#include <span>

#include "framework/diagnostics.hpp"
#include "framework/host/registry/catalog.hpp"

namespace polyform::host::inline evaluation {

struct DestroySolver {
  void operator()(Solver* s) const noexcept { s->destroy(); }
};
/// A solver; the system and the registry it comes from must outlive it.
using SolverPointer = std::unique_ptr<Solver, DestroySolver>;

/// Whether the formulation accepts the system: its declared abilities, the memory that it tells to need
/// (cost_model.hpp), then its own say. Reports why not.
bool can_run(const Formulation&, const SystemView&, DiagnosticSink&) noexcept;

/// Among the formulations that can run the system, the one with the largest preference; those whose cost is many times
/// that of another stand back. Failure (bad_input, with every formulation's reason) if none can, Failure (plugin) if
/// none is loaded.
const Formulation& preferred_formulation(const Named<Formulation>&, const SystemView&);

/// A solver for the system. Failure (bad_input) with what the formulation reported, and the option it blames.
SolverPointer compile(const Formulation&, const SystemView&, Strided<const FieldValue> options);

}  // namespace polyform::host::evaluation
