// polyform new KIND NAME: a project for a plugin of one's own, which begins as a copy of a worked example.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string_view>

#include "apps/command.hpp"
#include "apps/session/example_project.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/registry/registry.hpp"

namespace polyform::apps {

namespace {

namespace fs = std::filesystem;
using host::Exit;
using host::Failure;

struct NewArguments {
  std::string kind, name, directory;
};

ExampleProject example_of(const std::string& kind) {
  const fs::path folder = host::installed_data_folder() / "examples";
  const std::vector<ExampleProject> all = example_projects(folder);
  if (all.empty())
    throw Failure(Exit::plugin, fmt::format("the examples that projects begin with are not in {}", folder.string()),
                  "Install polyform as a whole: cmake --install, or the Debian package.");
  std::vector<std::string_view> kinds;
  for (const ExampleProject& example : all) {
    if (example.kind == kind) return example;
    kinds.push_back(example.kind);
  }
  throw Failure(Exit::bad_input, fmt::format("{} is no kind of plugin", host::show(kind)),
                host::did_you_mean(kind, kinds) + "Kinds: " + host::listing(kinds) + ".");
}

void check_name(const std::string& name) {
  const std::string objection = objection_to_name(name);
  if (!objection.empty())
    throw Failure(Exit::bad_input, fmt::format("{} cannot be the name of a plugin: {}", host::show(name), objection),
                  "A good name is, for example, my-joint2.");
  const host::Registry registry;
  const std::string owner = registry.plugin_of(std::string_view(name));
  bool taken = !owner.empty();
  for (const host::PluginRecord& plugin : registry.plugins()) taken |= plugin.name == name;
  if (taken)
    throw Failure(Exit::bad_input,
                  fmt::format("the name {} is taken by the plugin {}", host::show(name), owner.empty() ? name : owner),
                  "Two plugins of one name are not loaded together; choose another.");
}

Exit make(const NewArguments& arguments) {
  const ExampleProject example = example_of(arguments.kind);
  check_name(arguments.name);
  const fs::path directory = arguments.directory.empty() ? arguments.name : arguments.directory;
  const std::vector<std::string> files = write_project(example, arguments.name, directory);
  const bool is_vowel = std::string_view("aeiou").find(arguments.kind.front()) != std::string_view::npos;
  fmt::print(output(), "{}: {} {} that works, to be changed into yours\n", directory.string(), is_vowel ? "an" : "a",
             arguments.kind);
  std::string model = "model.yaml";
  for (const std::string& file : files) {
    fmt::print(output(), "  {}\n", file);
    if (file.starts_with("model.")) model = file;
  }
  fmt::print(output(),
             "\nNext:\n"
             "  cd {}\n"
             "  cmake -B build && cmake --build build && ctest --test-dir build\n"
             "  polyform run {} --plugin-path build\n",
             directory.string(), model);
  return Exit::done;
}

}  // namespace

void add_new(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("new", "Begin a plugin of your own: a small project that builds, tests and runs");
  const auto arguments = std::make_shared<NewArguments>();
  sub->add_option(
         "KIND", arguments->kind,
         "joint, rheonomic-joint, force, constraint,\nflexible-body, module, integrator, importer,\nformulation or device")
      ->required();
  sub->add_option("NAME", arguments->name, "Name of the plugin and of the type it offers, e.g. my-joint")->required();
  sub->add_option("--directory", arguments->directory, "Where to write the project [NAME]")->type_name("DIR");
  sub->footer(
      "The project is a worked example under your name; existing files are never overwritten.\n"
      "Example: polyform new joint my-joint");
  sub->final_callback([&action, arguments] { action = [arguments] { return make(*arguments); }; });
}

}  // namespace polyform::apps
