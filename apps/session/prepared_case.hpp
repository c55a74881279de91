// A case of a study ready to run, and the model whose lanes its cases share.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apps/session/compiled_cases.hpp"
#include "apps/session/model_settings.hpp"
#include "apps/session/study_case.hpp"
#include "framework/workbench/studies/trajectory.hpp"

namespace polyform::apps {

/// Columns of trajectories as they are typed; "": none.
inline host::Columns trajectory_columns(const CaseSettings& cases) {
  RunArguments run = cases.run;
  run.columns = cases.trajectories;
  return columns_of(run);
}

inline host::TrajectorySink sink_of(const host::System& system, const host::Columns& columns,
                                    const host::RunSettings& settings) {
  return {system, columns, settings.output_interval, settings.duration};
}

/// A case ready to run: all that its solver and its run refer to.
struct PreparedCase {
  PreparedCase(std::size_t own, std::unique_ptr<host::System> made, const host::Catalog& catalog,
               const CaseSettings& cases, const host::Quantities& quantities,
               const std::shared_ptr<const SolverChoice>& usual, const CompiledCases* compiled)
      : number(own),
        system(std::move(made)),
        settings(settle(catalog, cases.run, system->description())),
        choice(
            usual && system->description().solver.options.empty()
                ? usual
                : std::make_shared<const SolverChoice>(choose_solver(catalog, *system, cases.solver, cases.options))) {
    fit_out(cases, quantities, compiled);
  }

  /// Makes another case of it, with the numbers that the model has now. False, or Failure, where that cannot be; then
  /// it is no case any more. Warnings go to the diagnostics.
  bool renew(std::size_t other, const host::NumberRenewal& numbers, const CaseSettings& cases,
             const host::Quantities& quantities, const CompiledCases* compiled, host::Diagnostics& diagnostics) {
    number = other;
    sinks.clear();
    if (sink && !sink->begin_anew()) sink.reset();
    trajectory.reset();
    compared.reset();
    solver.reset();
    const auto read = [&](host::Description& model) { return numbers.read(model, diagnostics); };
    if (!system->change_numbers(read, diagnostics)) return false;
    fit_out(cases, quantities, compiled);
    return true;
  }

  std::size_t number;
  std::string warning{};  ///< the first on its values that the model as it is written does not give; or ""
  std::unique_ptr<host::System> system;
  host::RunSettings settings;
  std::shared_ptr<const SolverChoice> choice;
  host::SolverPointer solver;
  std::optional<host::AggregateSink> sink;
  std::optional<host::TrajectorySink> trajectory, compared;  ///< that is kept; that other solvers are compared with
  std::vector<host::RowSink*> sinks;

 private:
  void fit_out(const CaseSettings& cases, const host::Quantities& quantities, const CompiledCases* compiled) {
    solver = compiled != nullptr ? compiled->solver_for(*choice, system->view()) : compile(*choice, system->view());
    if (!sink) sink.emplace(*system, quantities);
    sinks.push_back(&*sink);
    if (!cases.trajectories.empty())
      sinks.push_back(&trajectory.emplace(sink_of(*system, trajectory_columns(cases), settings)));
    if (!quantities.solvers().empty())
      sinks.push_back(&compared.emplace(sink_of(*system, host::columns_of_differences(quantities), settings)));
  }
};

/// Cases that have ended, of which others are made in place, where the factors are numbers that allow it.
struct CasesInPlace {
  host::NumberRenewal numbers;
  std::vector<std::unique_ptr<PreparedCase>> ended{};
};

/// The model as it is written, with the solver that has the lanes.
struct LaneModel {
  std::unique_ptr<host::System> system;
  SolverChoice choice;
  host::RunSettings settings;
  host::SolverPointer solver;
  BatchEvaluation* batch;
};

}  // namespace polyform::apps
