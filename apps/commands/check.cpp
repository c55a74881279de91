// polyform check MODEL: is the model sound, and what is it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "apps/session/arguments.hpp"
#include "apps/command.hpp"
#include "apps/text/json_output.hpp"
#include "apps/session/session.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "framework/host/assembly/singular_position.hpp"

namespace polyform::apps {

namespace {

struct CheckArguments {
  ModelArguments model;
  bool json = false;
};

/// Where the position is singular; empty elsewhere.
std::string singular_text(const host::ConstraintCount& count, std::optional<std::size_t> nearby) {
  if (!nearby) return {};
  return fmt::format(
      "the initial position is singular: it has {}, positions next to it {}. Constraints that depend on each other "
      "only "
      "there leave accelerations or branches of the motion open",
      counted(count.degrees_of_freedom, "degree") + " of freedom", *nearby);
}

void print_counts(const host::System& system, const host::ConstraintCount& count, std::optional<std::size_t> nearby) {
  fmt::print(output(), "{}\n", system.description().name);
  fmt::print(output(), "bodies              {}\n", system.bodies().size());
  fmt::print(output(), "joints              {}\n", system.joints().size());
  if (const std::size_t modules = system.description().modules.size(); modules > 0)
    fmt::print(output(), "modules             {}\n", modules);
  fmt::print(output(), "loops               {}\n", system.loops());
  fmt::print(output(), "degrees of freedom  {}{}\n", count.degrees_of_freedom,
             nearby ? fmt::format("; {} in positions next to this one, which is singular", *nearby) : "");
  if (count.redundant == 0)
    fmt::print(output(), "redundant           none\n");
  else
    fmt::print(output(), "redundant           {}; {}\n", counted(count.redundant, "constraint equation"),
               count.redundant_joints.empty() ? "all reactions of joints are unique"
                                              : "the reactions left open are those of " + open_joints(count));
}

void print_object(const host::System& system, const host::ConstraintCount& count, std::optional<std::size_t> nearby,
                  const host::Diagnostics& diagnostics) {
  Json warnings = Json::array();
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::warning) warnings.push_back(host::format(d));
  if (nearby) warnings.push_back(singular_text(count, nearby));
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
  if (nearby) out["degrees_of_freedom_nearby"] = *nearby;
  print_json(out);
}

host::Exit check(const CheckArguments& arguments) {
  Session session(arguments.model.plugin_paths);
  const auto system = session.load(arguments.model);
  // Messages that `run` would give about the simulation and solver blocks.
  settle(session.catalog(), RunArguments{}, system->description());
  if (system->description().solver.name || !system->description().solver.options.empty())
    choose_solver(session.catalog(), *system, {}, {});
  const host::ConstraintCount count = system->count_constraints();
  const std::optional<std::size_t> nearby = host::degrees_of_freedom_nearby(*system);
  if (arguments.json)
    print_object(*system, count, nearby, session.diagnostics());
  else
    print_counts(*system, count, nearby);
  return host::Exit::done;
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
      "a singular position: those of positions next to it. Example: polyform check rod.yaml");
  sub->final_callback([&action, arguments] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace polyform::apps
