// The solver of a study's cases, compiled for the model that they are variants of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/session/solver_choice.hpp"
#include "framework/workbench/compilation/compiled_model_plugin.hpp"

namespace polyform::apps {

/// Numbers in which the variants differ stay open in it. A case that differs in another one, or in its structure, is
/// left to the solver that the others were compiled from.
class CompiledCases {
 public:
  struct Variant {
    const SolverChoice* choice;
    Solver* solver;  ///< by the choice
  };
  /// The first variant is the one that is compiled. Failure, with the reason, where that cannot be.
  CompiledCases(const std::string& model, std::span<const Variant> variants);

  const host::CompiledModelPlugin& plugin() const { return plugin_; }
  /// A solver for the system, compiled where its choice and its numbers allow it, else as the choice says.
  host::SolverPointer solver_for(const SolverChoice&, const SystemView&) const;
  /// Compiled, or none where the system does not fit.
  host::SolverPointer compiled_for(const SolverChoice&, const SystemView&) const;

 private:
  const Formulation* from_;
  std::vector<FieldValue> options_;  ///< of the choice that was compiled; texts are not looked at
  host::CompiledModelPlugin plugin_;
};

/// Failure (bad_input) if the solver does not write its source; it tells which formulations do for the system.
void require_source(Solver&, const SolverChoice&, const host::System&, const host::Catalog&);

/// The source of the first variant, with the numbers open in which the others differ. Failure as of host::source_of.
std::string source_of_cases(const std::string& model, std::span<const CompiledCases::Variant>);
/// Whether the choice has these options; texts are not looked at.
bool has_options(const SolverChoice&, const std::vector<FieldValue>& options);

}  // namespace polyform::apps
