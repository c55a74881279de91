// polyform help [COMMAND]
#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <memory>

#include "apps/command.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::apps {

namespace {

host::Exit help(const CLI::App& app, const std::string& command) {
  if (command.empty()) {
    // App::help would explain the command given, which is this one.
    fmt::print(output(), "{}", app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal));
    return host::Exit::done;
  }
  std::vector<std::string_view> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == command) {
      fmt::print(output(), "{}", sub->help(app.get_name()));
      return host::Exit::done;
    }
    names.push_back(sub->get_name());
  }
  throw host::Failure(host::Exit::bad_input, "unknown command " + host::show(command),
                      host::did_you_mean(command, names) + "Commands: " + host::listing(names) + ".");
}

}  // namespace

void add_help(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("help", "Explain polyform, or one of its commands");
  const auto command = std::make_shared<std::string>();
  sub->add_option("COMMAND", *command, "The command to explain");
  sub->final_callback([&app, &action, command] { action = [&app, command] { return help(app, *command); }; });
}

}  // namespace polyform::apps
