// polyform check MODEL: is the model sound, and what is it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/arguments.hpp"
#include "apps/command.hpp"
#include "apps/json_output.hpp"
#include "apps/session.hpp"
#include "apps/solver_choice.hpp"
#include "apps/terminal.hpp"

namespace polyform::apps {

namespace {

struct Arguments {
  ModelArguments model;
  bool json = false;
};

void print_text(const host::System& system, const host::ConstraintCount& count) {
  fmt::print(output(), "{}\n", system.description().name);
  fmt::print(output(), "bodies              {}\n", system.bodies().size());
  fmt::print(output(), "joints              {}\n", system.joints().size());
  if (const std::size_t modules = system.description().modules.size(); modules > 0)
    fmt::print(output(), "modules of a type   {}\n", modules);
  fmt::print(output(), "loops               {}\n", system.loops());
  fmt::print(output(), "degrees of freedom  {}\n", count.degrees_of_freedom);
  if (count.redundant == 0)
    fmt::print(output(), "redundant           none\n");
  else
    fmt::print(output(), "redundant           {} constraint equations; the reactions they leave open are those of {}\n",
               count.redundant, fmt::join(count.redundant_joints, ", "));
}

void print_object(const host::System& system, const host::ConstraintCount& count,
                  const host::Diagnostics& diagnostics) {
  Json warnings = Json::array();
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::warning) warnings.push_back(host::format(d));
  print_json({{"model", system.description().name},
              {"bodies", system.bodies().size()},
              {"joints", system.joints().size()},
              {"modules", system.description().modules.size()},
              {"loops", system.loops()},
              {"degrees_of_freedom", count.degrees_of_freedom},
              {"redundant", count.redundant_joints},
              {"redundant_constraints", count.redundant},
              {"unique", unique_json(system, count, true)},
              {"warnings", warnings}});
}

host::Exit check(const Arguments& arguments) {
  Session session(arguments.model.plugin_paths);
  const auto system = session.load(arguments.model);
  // What run would say of the simulation and solver blocks.
  settle(session.catalog(), RunArguments{}, system->description());
  if (system->description().solver.name || !system->description().solver.options.empty())
    choose_solver(session.catalog(), *system, {}, {});
  const host::ConstraintCount count = system->count_constraints();
  if (arguments.json)
    print_object(*system, count, session.diagnostics());
  else
    print_text(*system, count);
  return host::Exit::done;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  CLI::App* sub =
      app.add_subcommand("check", "Validate a model: bodies, joints, loops, degrees of freedom, redundant constraints");
  const auto arguments = std::make_shared<Arguments>();
  add_model(*sub, arguments->model);
  sub->add_flag("--json", arguments->json, "Print one JSON object");
  sub->footer("Example: polyform check rod.yaml");
  sub->final_callback([&action, arguments] { action = [arguments] { return check(*arguments); }; });
}

}  // namespace polyform::apps
