// A formulation of this build as a column: through the public interface of its solver, gravity and forces included.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/host/registry/registry.hpp"
#include "tests/benchmark/engine.hpp"

namespace polyform::benchmark {

/// A mechanism read and assembled by the host, shared by the formulations. Throws Cannot.
struct PolyformModel {
  std::unique_ptr<host::System> system;
  std::vector<std::size_t> joints;  ///< index in the system view of each joint of the mechanism
  double read_seconds = 0, assemble_seconds = 0;
  std::size_t text_bytes = 0;

  PolyformModel(const Mechanism&, const host::Registry&);
};

/// Text of a file. Throws Cannot.
std::string content_of(const std::string& file);
/// A system from model text. Throws Cannot.
std::unique_ptr<host::System> assembled(const std::string& text, const host::Registry&, double& read_seconds,
                                        double& assemble_seconds);
/// A solver; options that are not given have the formulation's defaults. Throws Cannot.
host::SolverPointer solver_for(const host::System&, const Formulation&,
                               const std::vector<std::pair<std::string, std::string>>& options = {});

/// The model outlives the engine.
std::unique_ptr<Engine> formulation_engine(const Formulation&, const PolyformModel&);

}  // namespace polyform::benchmark
