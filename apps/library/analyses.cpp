#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/library/internal.hpp"
#include "apps/session/found_equilibrium.hpp"
#include "apps/session/linear_model.hpp"
#include "apps/session/process_arguments.hpp"
#include "apps/session/result_file.hpp"
#include "apps/text/check_json.hpp"
#include "apps/text/comparison_json.hpp"
#include "apps/text/linear_text.hpp"
#include "framework/host/evaluation/absent_constraints.hpp"
#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/host/registry/process_state.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "framework/workbench/comparison/comparison.hpp"

namespace polyform::library {

namespace {

apps::EquilibriumArguments equilibrium_arguments(bool steady, const std::vector<std::string>& trim,
                                                 const std::vector<std::string>& hold) {
  return {steady, trim, hold};
}

/// What a comparison cannot honour is refused by its name.
void check_comparison(const CompareRequest& request) {
  if (!request.run.solver.name.empty()) refuse("solver: a comparison runs those of solvers", "Name them there.");
  if (!request.run.solver.options.empty())
    refuse("options: a comparison runs each solver with the options that the model gives it",
           "Write them in the model, under solver.options.");
  if (request.run.output == "-")
    refuse("output: - cannot take the results of several solvers",
           "Give NAME.csv; each solver writes NAME.<solver>.csv.");
  if (request.jobs < 1 || request.jobs > 4096)
    refuse(fmt::format("jobs: expected 1 to 4096 solvers at a time, found {}", request.jobs));
  check_time_limit(request.time_limit);
  check_positive("tolerance", request.tolerance);
}

}  // namespace

Value Model::check() const {
  return calling(nullptr, [&] {
    const host::System& system = *parts_->system;
    apps::settle(parts_->catalog(), apps::RunArguments{}, system.description());
    const std::string failure = apps::failure_at_start(parts_->catalog(), system);
    return value_of(apps::check_json(system, system.count_constraints(), host::neighbourhood(system),
                                     parts_->diagnostics, failure));
  });
}

Value Model::evaluate(const SolverRequest& request, std::vector<Message>* said) const {
  return calling(said, [&] {
    const host::System& system = *parts_->system;
    const host::ProcessState before;
    const apps::SolverChoice choice = choice_of(*parts_, request);
    const host::SolverPointer solver = apps::compile(choice, system.view());
    host::ObservationStore store(system.view());
    const host::Evaluation balance = host::evaluate(system, *solver, store);
    const host::ConstraintCount count = system.count_constraints(system.start_time(), system.initial_state(),
                                                                 host::absent_constraints(system.view(), *solver));
    apps::Json json = apps::evaluation_json(system, choice.formulation->name(), store.now(), count, balance);
    json["kernels"] = host::kernels_of(*solver);
    if (!balance.warning.empty()) apps::print(polyform::Severity::warning, balance.warning);
    return value_of(json);
  });
}

Value Model::equilibrium(const EquilibriumRequest& request, std::vector<Message>* said) const {
  return calling(said, [&] {
    const host::System& system = *parts_->system;
    const host::ProcessState before;
    const apps::SolverChoice choice = choice_of(*parts_, request.solver);
    const apps::EquilibriumArguments arguments = equilibrium_arguments(request.steady, request.trim, request.hold);
    const apps::FoundEquilibrium found = apps::find_equilibrium(parts_->catalog(), system, choice, arguments, {});
    if (!found.state.balanced)
      throw host::Failure(
          host::Exit::simulation_failed,
          fmt::format("there is no {} near the initial state; what is not balanced:\n  {}",
                      apps::name_of_state(found.state, request.steady), apps::unbalanced_text(found.state)),
          "trim frees fields of forces that could balance it; another initial position may lead "
          "elsewhere.");
    if (!found.state.warning.empty()) apps::print(polyform::Severity::warning, found.state.warning);
    return value_of(apps::found_equilibrium_json(system, choice, arguments, found));
  });
}

Value Model::linearize(const LinearizeRequest& request, std::vector<Message>* said) const {
  return calling(said, [&] {
    const host::System& system = *parts_->system;
    const host::ProcessState before;
    if (const std::string wrong = apps::check_at(request.at); !wrong.empty()) refuse("at: " + wrong);
    if (request.states != "independent" && request.states != "body")
      refuse(fmt::format("states: expected independent or body, found '{}'", request.states));
    if (request.floquet && !(*request.floquet > 0)) refuse("floquet: expected a time in s above 0");
    if (request.instants == 1 || request.instants > apps::most_instants)
      refuse(fmt::format("instants: expected none, or 2 to {}", apps::most_instants));
    const apps::SolverChoice choice = choice_of(*parts_, request.solver);
    apps::LinearizeArguments arguments;
    arguments.inputs = request.inputs;
    arguments.outputs = request.outputs;
    arguments.rotors = request.multi_blade;
    arguments.period = request.floquet;
    arguments.states = request.states;
    arguments.euler_angles = request.euler_angles;
    arguments.instants = request.instants;
    arguments.point.at = request.at;
    arguments.point.equilibrium = equilibrium_arguments(request.steady, request.trim, request.hold);
    Interruption interruption(request.watch);
    const host::RunControl control{&interruption.flag(), [&](double time) { interruption.look(time); }};
    const apps::LinearModel model =
        apps::linear_model(parts_->catalog(), system, choice, arguments, &control, host::FloquetProgress{});
    apps::warn_of_errors(model.linear);
    return value_of(apps::linear_model_json(system, choice, arguments, model));
  });
}

Value Model::compare(const CompareRequest& request, std::vector<Message>* said) const {
  if (!request.run.state.empty() || request.run.start_time) {
    CompareRequest from_there = request;
    from_there.run.state.clear();
    from_there.run.start_time.reset();
    const auto time = calling(nullptr, [&] { return start_time_of(request.run); });
    return starting(request.run.state, time).compare(from_there, said);
  }
  return calling(said, [&] {
    const host::System& system = *parts_->system;
    check_comparison(request);
    const apps::RunArguments arguments = arguments_of(request.run);
    const host::RunSettings settings = apps::settle(parts_->catalog(), arguments, system.description());
    const host::Columns columns = apps::columns_of(arguments);
    const host::RowMaker names(system, columns);  // it knows them
    std::vector<apps::SolverChoice> storage;
    const std::string list = request.solvers.empty() ? "all" : fmt::format("{}", fmt::join(request.solvers, ","));
    const std::vector<host::Contender> all = apps::contenders(list, parts_->catalog(), system, storage);
    const std::string& output = request.run.output;
    apps::check_outputs(output, all);
    const apps::ProcessArguments processes{request.time_limit, {}, request.jobs};
    Interruption interruption(request.run.watch);
    const host::HeatControl control{apps::limits_of(processes), request.jobs, &interruption.flag(),
                                    [&](std::size_t, double time) { interruption.look(time); }};
    const double tolerance = request.tolerance.value_or(host::default_agreement);
    const host::Comparison comparison =
        host::compare(system, all, settings, tolerance, control, [&](std::string_view solver) {
          return apps::open_result(system, output.empty() ? "" : apps::file_of(output, solver), columns, solver,
                                   settings);
        });
    if (comparison.interrupted) throw host::Failure(host::Exit::interrupted, "the comparison was stopped");
    return value_of(apps::comparison_json(system, comparison));
  });
}

}  // namespace polyform::library
