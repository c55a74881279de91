// polyform check MODEL: is the model sound, and what is it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/session.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "framework/host/assembly/singular_position.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "framework/host/simulation/solver_selection.hpp"

namespace polyform::apps {

namespace {

struct CheckArguments {
  ModelArguments model;
  bool json = false;
};

/// "a, b, c and 3 more".
std::string shown_names(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  const std::size_t shown = std::min(names.size(), most);
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(shown);
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

/// Where the position is singular; empty elsewhere.
std::string singular_text(const host::ConstraintCount& count, const host::Neighbourhood& next) {
  if (!next.held.empty())
    return fmt::format(
        "the loops allow {} to move for an instant only: the position is singular, and no position next to it closes "
        "them. A solver may stop there, or move by what rounding leaves",
        shown_names(next.held));
  const std::optional<std::size_t> nearby = next.degrees_of_freedom;
  if (!nearby) return {};
  return fmt::format(
      "the initial position is singular: it has {}, positions next to it {}. Constraints that depend on each other "
      "only "
      "there leave accelerations or branches of the motion open",
      counted(count.degrees_of_freedom, "degree") + " of freedom", *nearby);
}

std::string of_first_order(const host::Neighbourhood& next) {
  if (!next.held.empty())
    return fmt::format("; {} for an instant only, in a singular position that the loops hold", shown_names(next.held));
  if (!next.degrees_of_freedom) return {};
  return fmt::format("; {} in positions next to this one, which is singular", *next.degrees_of_freedom);
}

void print_counts(const host::System& system, const host::ConstraintCount& count, const host::Neighbourhood& next) {
  fmt::print(output(), "{}\n", system.description().name);
  fmt::print(output(), "bodies              {}\n", system.bodies().size());
  fmt::print(output(), "joints              {}\n", system.joints().size());
  if (const std::size_t modules = system.description().modules.size(); modules > 0)
    fmt::print(output(), "modules             {}\n", modules);
  fmt::print(output(), "loops               {}\n", system.loops());
  fmt::print(output(), "degrees of freedom  {}{}\n", count.degrees_of_freedom, of_first_order(next));
  if (count.redundant == 0)
    fmt::print(output(), "redundant           none\n");
  else
    fmt::print(output(), "redundant           {}; {}\n", counted(count.redundant, "constraint equation"),
               leaves_reactions_open(count) ? "the reactions left open are those of " + open_joints(count)
                                            : "all reactions are unique");
}

void print_object(const host::System& system, const host::ConstraintCount& count, const host::Neighbourhood& next,
                  const host::Diagnostics& diagnostics, const std::string& failure) {
  Json warnings = Json::array();
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::warning) warnings.push_back(host::format(d));
  for (const std::string& text : {singular_text(count, next), failure})
    if (!text.empty()) warnings.push_back(text);
  Json out = {{"model", system.description().name},
              {"bodies", system.bodies().size()},
              {"joints", system.joints().size()},
              {"modules", system.description().modules.size()},
              {"loops", system.loops()},
              {"degrees_of_freedom", count.degrees_of_freedom},
              {"redundant", count.redundant_joints},
              {"redundant_constraints", count.redundant},
              {"unique", unique_json(system, count, true)},
              {"unique_along", unique_along_json(system, count)},
              {"warnings", warnings}};
  if (next.degrees_of_freedom) out["degrees_of_freedom_nearby"] = *next.degrees_of_freedom;
  if (!next.held.empty()) out["held"] = next.held;
  print_json(out);
}

/// Why the solver that a run would take finds no accelerations at the start; empty where it does, or where none can run
/// the model.
std::string failure_at_start(Session& session, const host::System& system) {
  const host::SolverItem& given = system.description().solver;
  std::optional<SolverChoice> choice;
  try {
    choice = choose_solver(session.catalog(), system, {}, {});
  } catch (const host::Failure&) {
    if (given.name || !given.options.empty()) throw;
    return {};
  }
  session.crash_report().set_work(fmt::format("solver {}", choice->formulation->name()));
  try {
    const host::SolverPointer solver = host::compile(*choice->formulation, system.view(), choice->options);
    host::ObservationStore store(system.view());
    host::evaluate(system, *solver, store);
  } catch (const host::Failure& reason) {
    return fmt::format("solver {}: {}", choice->formulation->name(), reason.message());
  }
  return {};
}

host::Exit check(const CheckArguments& arguments) {
  Session session(arguments.model.plugin_paths);
  const auto system = session.load(arguments.model);
  // Messages that `run` would give about the simulation and solver blocks.
  settle(session.catalog(), RunArguments{}, system->description());
  const host::ConstraintCount count = system->count_constraints();
  const host::Neighbourhood next = host::neighbourhood(*system);
  const std::string failure = failure_at_start(session, *system);
  if (arguments.json)
    print_object(*system, count, next, session.diagnostics(), failure);
  else
    print_counts(*system, count, next);
  if (failure.empty()) return host::Exit::done;
  print(Severity::error, failure);
  return host::Exit::simulation_failed;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* sub =
      app.add_subcommand("check", "Validate a model: bodies, joints, loops, degrees of freedom, redundant constraints");
  const auto arguments = std::make_shared<CheckArguments>();
  add_model(*sub, arguments->model);
  sub->add_flag("--json", arguments->json, "Print one JSON object");
  sub->footer(
      "With --json, unique tells by component in ground axes which reactions are unique where redundant constraints\n"
      "leave a part open, unique_along by directions; degrees_of_freedom_nearby is there where the mechanism stands "
      "in\n"
      "a singular position: those of positions next to it; held names bodies that the loops allow to move for an\n"
      "instant only. The exit code is 1 where the solver of a run finds no accelerations at the start.\n"
      "Example: polyform check rod.yaml");
  sub->final_callback([&action, arguments] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace polyform::apps
