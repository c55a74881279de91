// polyform evaluate MODEL: accelerations and reactions at the initial state.
#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/formulas_library.hpp"
#include "apps/session/session.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/element_values.hpp"
#include "apps/text/equations.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/mode_warnings.hpp"
#include "apps/text/particles_text.hpp"
#include "apps/text/side_by_side.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "apps/text/wrapping.hpp"
#include "framework/host/columns/body_axes_columns.hpp"
#include "framework/host/evaluation/absent_constraints.hpp"
#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/host/evaluation/solver_selection.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "polyform/contract/particle_model.hpp"

namespace polyform::apps {

namespace {

using host::Exit;

struct EvaluateArguments {
  ModelArguments model;
  std::string solver;
  std::vector<std::string> options;
  std::string formulas, euler_angles = "zyx";
  bool equations = false, particles = false, json = false;
};

std::string text(const Vec3& v) { return fmt::format("[{:.10g}, {:.10g}, {:.10g}]", v.x, v.y, v.z); }
std::string text(std::span<const double> values) { return fmt::format("[{:.10g}]", fmt::join(values, ", ")); }

void print_evaluation(const host::System& system, std::string_view solver, const Observation& now,
                      const host::ConstraintCount& count, const host::Evaluation& balance) {
  auto open = count.open.begin();  // in the order of the joints
  const SystemView& view = system.view();
  fmt::print(
      output(), "{}\n",
      wrapped(fmt::format("{}, solver {}: accelerations and reactions at the start", system.description().name, solver),
              0, 2));
  for (const BodyIndex b : system.bodies()) {
    const BodyData& body = view.bodies[at(b)];
    fmt::print(output(), "body {}\n  linear   {} m/s^2\n  angular  {} rad/s^2\n", body.name,
               text(now.bodies[at(b)].acceleration), text(now.bodies[at(b)].angular_acceleration));
    if (body.flexible != rigid) {
      const FlexibleData& flexible = view.flexible[body.flexible];
      fmt::print(output(), "  modal    {} 1/s^2\n",
                 wrapped(text(now.modal_acceleration.subspan(flexible.mode_offset, flexible.modes)), 11, 12));
    }
  }
  for (const JointIndex j : system.joints()) {
    const JointData& joint = view.joints[at(j)];
    const Spatial& reaction = now.reactions[at(j)];
    fmt::print(output(), "joint {}\n  acceleration  {}\n  force         {} N\n  moment        {} N m\n", joint.name,
               wrapped(text(now.acceleration.subspan(joint.v_offset, joint.nv)), 16, 17), text(reaction.linear),
               text(reaction.angular));
    if (open != count.open.end() && open->joint() == j)
      fmt::print(output(), "  not unique    {}\n", open_components(*open++));
  }
  for (const ElementValues& e : element_values(view, system.start_time(), now)) {
    fmt::print(output(), "{} {}\n", e.kind, e.name);
    const auto is_held = [&](const Variable& of) {
      return std::ranges::any_of(e.held, [&](const auto& held) { return held.first.name == of.name; });
    };
    for (const auto& [of, rate] : e.rates)
      if (!is_held(of)) fmt::print(output(), "  rate of {}  {:.10g} {} per s\n", of.name, rate, of.unit);
    for (const auto& [of, value] : e.held) fmt::print(output(), "  {}  {:.10g} {}\n", of.name, value, of.unit);
    for (const ElementValues::Multiplier& m : e.multipliers)
      fmt::print(output(), "  {}  {:.10g} {}{}\n", m.name, m.value, m.unit, is_open(e, m, count) ? ", not unique" : "");
    for (const auto& [of, value] : e.outputs) fmt::print(output(), "  {}  {:.10g} {}\n", of.name, value, of.unit);
  }
  if (!balance.bodies.empty() || !balance.of.empty())
    fmt::print(output(), "balance\n  largest  {:.1e} of what acts{}\n", balance.largest,
               balance.of.empty() ? "" : ", " + balance.of);
  fmt::print(output(), "accelerations that joints do not allow\n  largest  {:.1e} of their size\n", balance.parted);
}

/// What is open in the forces of contact and of stops, and what raises a doubt about them.
void tell_of_contacts(const host::Evaluation& found) {
  if (const std::string open = open_contacts(found.open_contacts); !open.empty())
    print(Severity::note, "forces of rigid contact are " + open);
  for (const std::string& warning : found.warnings) print(Severity::warning, warning);
}

void warn_of_large_modes(const host::System& system, const Observation& now) {
  host::ModeLimits limits(system.view());
  limits.row(system.start_time(), now);
  print_warnings(limits);
}

/// Counts the constraints that the solver has.
host::ConstraintCount count_of(const host::System& system, Solver& solver) {
  return system.count_constraints(system.start_time(), system.initial_state(),
                                  host::absent_constraints(system.view(), solver));
}

/// The first formulation whose solver tells equivalent particles. Failure (plugin) if none does.
std::string particle_solver(const host::Catalog& catalog, const host::System& system) {
  for (const auto& [name, formulation] : catalog.formulations) {
    host::Diagnostics unheard;
    if (!host::can_run(*formulation, system.view(), unheard)) continue;
    const SolverChoice choice = with_model_options(*formulation, system);
    const host::SolverPointer solver = compile(choice, system.view());
    if (ask<ParticleModel>(*solver) != nullptr) return name;
  }
  throw host::Failure(Exit::plugin, "no solver of this model tells equivalent particles",
                      "polyform evaluate MODEL --solver NAME says why one cannot run the model.");
}

Exit evaluate_one(const EvaluateArguments& arguments, Session& session, const host::System& system) {
  host::body_angles(system, arguments.euler_angles);  // also where nothing is told in angles
  const std::string asked =
      arguments.particles && arguments.solver.empty() ? particle_solver(session.catalog(), system) : arguments.solver;
  const SolverChoice choice = choose_solver(session.catalog(), system, asked, arguments.options);
  session.crash_report().set_work(fmt::format("solver {}", choice.formulation->name()));
  const host::SolverPointer solver = compile(choice, system.view());
  if (arguments.equations) {
    print_equations(system, choice.formulation->name(), *solver, arguments.json);
    return Exit::done;
  }
  if (arguments.particles) {
    print_particles(system, choice.formulation->name(), *solver, arguments.json);
    return Exit::done;
  }
  host::ObservationStore store(system.view());
  if (!arguments.formulas.empty()) {
    host::evaluate(system, *solver, store);
    fmt::print(
        output(), "{}",
        checked_formulas(system, arguments.euler_angles, language_of(arguments.formulas), store.now().acceleration));
    return Exit::done;
  }
  const host::Evaluation balance = host::evaluate(system, *solver, store);
  warn_of_large_modes(system, store.now());
  const host::ConstraintCount count = count_of(system, *solver);
  if (arguments.json) {
    Json json = evaluation_json(system, choice.formulation->name(), store.now(), count, balance);
    json["kernels"] = host::kernels_of(*solver);
    print_json(json);
  } else {
    print_evaluation(system, choice.formulation->name(), store.now(), count, balance);
  }
  if (const std::string open = open_reactions(count); !open.empty()) print(Severity::note, "reactions are " + open);
  tell_of_contacts(balance);
  if (!balance.warning.empty()) print(Severity::warning, balance.warning);
  return Exit::done;
}

/// Every formulation that can run the model; the others are named on the error stream.
Exit evaluate_all(const EvaluateArguments& arguments, Session& session, const host::System& system) {
  if (!arguments.options.empty())
    throw host::Failure(Exit::bad_input, "--option belongs to one solver, but --solver all was given",
                        "Name the solver, or give the options in the model.");
  if (!arguments.formulas.empty())
    throw host::Failure(Exit::bad_input, "--formulas are checked by one solver, but --solver all was given",
                        "Name the solver.");
  if (arguments.equations || arguments.particles)
    throw host::Failure(Exit::bad_input,
                        fmt::format("{} shows those of one solver, but --solver all was given",
                                    arguments.equations ? "--equations" : "--particles"),
                        "Name the solver.");
  Json all = Json::object();
  bool failed = false;
  host::ObservationStore store(system.view());
  for (const auto& [name, formulation] : session.catalog().formulations) {
    const SolverChoice choice = with_model_options(*formulation, system);
    host::ConstraintCount count;
    session.crash_report().set_work(fmt::format("solver {}", name));
    host::Evaluation balance;
    std::vector<std::string> kernels;
    try {
      const host::SolverPointer solver = host::compile(*formulation, system.view(), choice.options);
      balance = host::evaluate(system, *solver, store);
      count = count_of(system, *solver);
      kernels = host::kernels_of(*solver);
    } catch (const host::Failure& reason) {
      const bool skipped = reason.code() == Exit::bad_input;
      failed = failed || !skipped;
      print(skipped ? Severity::note : Severity::error,
            fmt::format("{} {}: {}", name, skipped ? "skipped" : "failed", reason.message()));
      continue;
    }
    if (all.empty()) {
      warn_of_large_modes(system, store.now());
      tell_of_contacts(balance);
    }
    all[name] = evaluation_json(system, name, store.now(), count, balance);
    all[name]["kernels"] = kernels;
    if (!arguments.json) print_evaluation(system, name, store.now(), count, balance);
    if (!balance.warning.empty()) print(Severity::warning, fmt::format("{}: {}", name, balance.warning));
  }
  if (all.empty() && !failed) throw host::Failure(Exit::bad_input, "no solver can run this model");
  if (arguments.json) print_json(all);
  if (const std::string open = open_reactions(system.count_constraints()); !open.empty())
    print(Severity::note, "reactions are " + open);
  return failed ? Exit::simulation_failed : Exit::done;
}

/// The options as given, once per value of the one that is given several, such as algorithm=A|B.
struct Ways {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> options;
};
Ways ways_of(const std::vector<std::string>& given) {
  Ways ways;
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (given[k].find('|') == std::string::npos) continue;
    if (!ways.titles.empty())
      throw host::Failure(Exit::bad_input, "two options are given several values each",
                          "Give one of them at a time a value such as A|B.");
    const std::size_t value = given[k].find('=') + 1;
    ways.titles = CLI::detail::split(given[k].substr(value), '|');
    for (const std::string& one : ways.titles) {
      ways.options.push_back(given);
      ways.options.back()[k] = given[k].substr(0, value) + one;
    }
  }
  return ways;
}

/// One solver with several values of an option, side by side; values with which it cannot run the model are named on
/// the error stream.
Exit evaluate_ways(const EvaluateArguments& arguments, Session& session, const host::System& system, const Ways& ways) {
  if (arguments.equations || arguments.particles)
    throw host::Failure(Exit::bad_input,
                        fmt::format("{} shows those of one solver, but an option has several values",
                                    arguments.equations ? "--equations" : "--particles"),
                        "Give the option one value.");
  SideBySide table(system);
  Json all = Json::object();
  bool failed = false;
  std::string solver_name;
  host::ObservationStore store(system.view());
  for (std::size_t k = 0; k < ways.titles.size(); ++k) {
    const SolverChoice choice = choose_solver(session.catalog(), system, arguments.solver, ways.options[k]);
    solver_name = choice.formulation->name();
    session.crash_report().set_work(fmt::format("solver {}, {}", solver_name, ways.titles[k]));
    try {
      const host::SolverPointer solver = compile(choice, system.view());
      const host::Evaluation balance = host::evaluate(system, *solver, store);
      all[ways.titles[k]] = evaluation_json(system, solver_name, store.now(), count_of(system, *solver), balance);
      table.add(ways.titles[k], store.now());
      if (!balance.warning.empty()) print(Severity::warning, fmt::format("{}: {}", ways.titles[k], balance.warning));
    } catch (const host::Failure& reason) {
      const bool skipped = reason.code() == Exit::bad_input;
      failed = failed || !skipped;
      print(skipped ? Severity::note : Severity::error,
            fmt::format("{} {}: {}", ways.titles[k], skipped ? "skipped" : "failed", reason.message()));
    }
  }
  if (table.empty() && !failed) throw host::Failure(Exit::bad_input, "no value of the option can run this model");
  if (arguments.json)
    print_json(all);
  else if (!table.empty())
    table.print(fmt::format("{}, solver {}: accelerations and reactions at t = {}, ground axes",
                            system.description().name, solver_name, system.start_time()));
  return failed ? Exit::simulation_failed : Exit::done;
}

Exit evaluate(const EvaluateArguments& arguments) {
  Session session(arguments.model.plugin_paths);
  const auto system = session.load(arguments.model);
  if (const Ways ways = ways_of(arguments.options); !ways.titles.empty() && arguments.solver != "all")
    return evaluate_ways(arguments, session, *system, ways);
  return arguments.solver == "all" ? evaluate_all(arguments, session, *system)
                                   : evaluate_one(arguments, session, *system);
}

}  // namespace

void add_evaluate(CLI::App& app, Action& action) {
  CLI::App* sub =
      app.add_subcommand("evaluate", "Accelerations and reactions at the initial state, without integration");
  const auto arguments = std::make_shared<EvaluateArguments>();
  add_model(*sub, arguments->model);
  add_state(*sub, arguments->model.state);
  add_at_time(*sub, arguments->model.at_time);
  sub->add_option("--solver", arguments->solver,
                  "Formulation, or all [model, else the preferred one that can run the model]")
      ->type_name("NAME");
  add_solver_options(*sub, arguments->options);
  sub->add_flag("--equations", arguments->equations,
                "Show the solver's own equations in place of the results: M, f, A, b and the subsystems of each level; "
                "or H2 and the reduced equations");
  sub->add_option("--formulas", arguments->formulas,
                  "Show H2 and the reduced equations of a small tree as formulas, text, latex or c, after a check "
                  "against the solver")
      ->check(CLI::IsMember({"text", "latex", "c"}))
      ->excludes("--equations")
      ->type_name("LANGUAGE");
  add_euler_angles(*sub, arguments->euler_angles);
  sub->add_flag("--particles", arguments->particles,
                "Show the equivalent particles of each body in place of the results: masses, places, what joints share "
                "[the first solver that has them]")
      ->excludes("--equations")
      ->excludes("--formulas");
  sub->add_flag("--json", arguments->json, "Print one JSON object; with --solver all, an object by solver name")
      ->excludes("--formulas");
  sub->footer(
      "Values of an option with | between them stand side by side.\n"
      "Examples:\n"
      "  polyform evaluate rod.yaml --solver all --json\n"
      "  polyform evaluate arm.yaml --equations\n"
      "  polyform evaluate arm.yaml --formulas latex\n"
      "  polyform evaluate arm.yaml --particles\n"
      "  polyform evaluate rods.yaml --solver riccati --option \"algorithm=riccati|A\"");
  sub->final_callback([&action, arguments] { action = [arguments] { return evaluate(*arguments); }; });
}

}  // namespace polyform::apps
