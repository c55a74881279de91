// The subcommands. Each adds itself to the command line; the one that the user gave puts its work into `action`.
#pragma once

#include <functional>

#include "framework/diagnostics.hpp"

namespace CLI {
class App;
}

namespace polyform::apps {

using Action = std::function<host::Exit()>;

void add_run(CLI::App& app, Action& action);
void add_resume(CLI::App& app, Action& action);
void add_evaluate(CLI::App& app, Action& action);
void add_linearize(CLI::App& app, Action& action);
void add_equilibrium(CLI::App& app, Action& action);
void add_compare(CLI::App& app, Action& action);
void add_study(CLI::App& app, Action& action);
void add_compile(CLI::App& app, Action& action);
void add_report(CLI::App& app, Action& action);
void add_view(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);
void add_check(CLI::App& app, Action& action);
void add_conform(CLI::App& app, Action& action);
void add_plugins(CLI::App& app, Action& action);
void add_import(CLI::App& app, Action& action);
void add_export(CLI::App& app, Action& action);
void add_new(CLI::App& app, Action& action);
void add_schema(CLI::App& app, Action& action);
void add_help(CLI::App& app, Action& action);
void add_completion(CLI::App& app, Action& action);

}  // namespace polyform::apps
