// polyform plugins [show NAME] [check FILE]: what was found, where, what it supports, why a file was refused.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/text/device_text.hpp"
#include "apps/text/plugin_text.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/results/file_roles.hpp"
#include "framework/printable.hpp"

namespace polyform::apps {

namespace {

using host::Exit;

struct PluginsArguments {
  std::vector<std::string> paths;
  std::string name, file;
  bool json = false;
};

/// What the search finds, also where a plugin ends the program that loads it.
host::RegistryOptions tried(const PluginsArguments& arguments) {
  host::RegistryOptions options(arguments.paths);
  options.trial = true;
  return options;
}

Json places_json(const host::Registry& registry) {
  Json out = Json::array();
  for (const host::SearchedPlace& place : registry.search_path()) {
    Json one = {{"path", place.path.string()}, {"origin", place.origin}};
    if (!place.problem.empty()) one["problem"] = place.problem;
    out.push_back(std::move(one));
  }
  return out;
}

Exit list_plugins(const PluginsArguments& arguments) {
  const host::Registry registry(tried(arguments));
  if (arguments.json) {
    Json plugins = Json::array();
    for (const host::PluginRecord& plugin : registry.plugins())
      plugins.push_back(plugin_json(plugin, registry.catalog()));
    print_json({{"search_path", places_json(registry)},
                {"plugins", plugins},
                {"devices", devices_json(host::look_for_devices(registry.catalog()))}});
    return Exit::done;
  }
  fmt::print(output(), "Searched, in this order:\n");
  for (const host::SearchedPlace& place : registry.search_path()) {
    fmt::print(output(), "  {} ({})\n", host::printable(place.path.string()), place.origin);
    if (!place.problem.empty()) fmt::print(output(), "    {}\n", host::printable(place.problem));
  }
  for (const host::PluginRecord& plugin : registry.plugins())
    fmt::print(output(), "\n{}", host::printable(plugin_text(plugin), true));
  if (const std::string table = ability_table(registry.catalog()); !table.empty())
    fmt::print(output(), "\n{}", host::printable(table, true));
  if (const std::string found = devices_text(host::look_for_devices(registry.catalog())); !found.empty())
    fmt::print(output(), "\n{}", host::printable(found, true));
  if (registry.plugins().empty()) fmt::print(output(), "\nNo plugin was found.\n");
  return Exit::done;
}

/// A plugin by its name, or the one that offers a type of that name.
Exit show_item(const PluginsArguments& arguments) {
  const host::Registry registry(tried(arguments));
  std::vector<std::string_view> names;
  const host::PluginRecord* found = nullptr;
  for (const host::PluginRecord& plugin : registry.plugins()) {
    if (plugin.status == host::PluginStatus::passed_over) continue;
    names.push_back(plugin.name);
    if (plugin.name == arguments.name && found == nullptr) found = &plugin;
    for (const host::Offer& offer : plugin.offers) {
      names.push_back(offer.name);
      if (offer.name == arguments.name && found == nullptr) found = &plugin;
    }
  }
  if (found == nullptr)
    throw host::Failure(Exit::plugin, "no plugin is called, or offers, " + host::show(arguments.name),
                        host::did_you_mean(arguments.name, names) + "polyform plugins lists what was found.");
  if (arguments.json)
    print_json(plugin_json(*found, registry.catalog()));
  else
    fmt::print(output(), "{}", host::printable(plugin_text(*found) + offer_details(*found, registry.catalog()), true));
  return found->status == host::PluginStatus::refused ? Exit::plugin : Exit::done;
}

Exit check_plugin(const PluginsArguments& arguments) {
  host::FileRoles().read("the plugin", arguments.file);  // the output stream may lead to it
  const host::PluginRecord plugin = host::check_plugin_file(arguments.file);
  if (arguments.json)
    print_json(plugin_json(plugin, {}));
  else
    fmt::print(output(), "{}", host::printable(plugin_text(plugin), true));
  return plugin.status == host::PluginStatus::refused ? Exit::plugin : Exit::done;
}

}  // namespace

void add_plugins(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("plugins", "What plugins were found, what they support, why one was refused");
  const auto arguments = std::make_shared<PluginsArguments>();
  const auto add_common = [&arguments](CLI::App& command) {
    add_plugin_path(command, arguments->paths);
    command.add_flag("--json", arguments->json, "Print one JSON object");
  };
  add_common(*sub);
  CLI::App* show_command =
      sub->add_subcommand("show", "One plugin, or one solver, joint or force: its options and fields");
  show_command->add_option("NAME", arguments->name, "Name of a plugin or of what it offers")->required();
  add_common(*show_command);
  CLI::App* check_command = sub->add_subcommand("check", "Whether a file would be loaded, and if not, why");
  check_command->add_option("FILE", arguments->file, "A plugin library")->required();
  add_common(*check_command);
  sub->require_subcommand(0, 1);
  sub->footer("Examples:\n  polyform plugins\n  polyform plugins show NAME\n  polyform plugins check my-plugin.so");
  sub->final_callback([&action, arguments, show_command, check_command] {
    const auto chosen = show_command->parsed() ? show_item : check_command->parsed() ? check_plugin : list_plugins;
    action = [arguments, chosen] { return chosen(*arguments); };
  });
}

}  // namespace polyform::apps
