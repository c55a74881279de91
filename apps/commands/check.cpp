// polyform check MODEL: is the model sound, and what is it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/session.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/check_json.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "apps/text/wrapping.hpp"

namespace polyform::apps {

namespace {

struct CheckArguments {
  ModelArguments model;
  bool json = false;
};

std::string of_first_order(const host::Neighbourhood& next) {
  if (!next.held.empty())
    return fmt::format("; {} for an instant only, in a singular position that the loops hold", shown_names(next.held));
  if (!next.degrees_of_freedom) return {};
  return fmt::format("; {} in positions next to this one, which is singular", *next.degrees_of_freedom);
}

/// A line of the table, whose values begin in column 20.
void print_line(const std::string& line) { fmt::print(output(), "{}\n", wrapped(line, 0, 20)); }

void print_counts(const host::System& system, const host::ConstraintCount& count, const host::Neighbourhood& next) {
  fmt::print(output(), "{}\n", system.description().name);
  fmt::print(output(), "bodies              {}\n", system.bodies().size());
  fmt::print(output(), "joints              {}\n", system.joints().size());
  if (const std::size_t modules = system.description().modules.size(); modules > 0)
    fmt::print(output(), "modules             {}\n", modules);
  fmt::print(output(), "loops               {}\n", system.loops());
  print_line(fmt::format("degrees of freedom  {}{}", count.degrees_of_freedom, of_first_order(next)));
  if (count.redundant == 0)
    fmt::print(output(), "redundant           none\n");
  else
    print_line(fmt::format("redundant           {}; {}", counted(count.redundant, "constraint equation"),
                           leaves_reactions_open(count) ? "the reactions left open are those of " + open_joints(count)
                                                        : "all reactions are unique"));
}

host::Exit check(const CheckArguments& arguments) {
  Session session(arguments.model.plugin_paths);
  const auto system = session.load(arguments.model);
  // Messages that `run` would give about the simulation and solver blocks.
  settle(session.catalog(), RunArguments{}, system->description());
  const host::ConstraintCount count = system->count_constraints();
  const host::Neighbourhood next = host::neighbourhood(*system);
  const std::string failure = failure_at_start(session.catalog(), *system);
  if (arguments.json)
    print_json(check_json(*system, count, next, session.diagnostics(), failure));
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
  add_state(*sub, arguments->model.state);
  add_at_time(*sub, arguments->model.at_time);
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
