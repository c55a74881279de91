// polyform import FILE: writes a file of another program as a model file, and tells what became of everything in it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/session.hpp"
#include "apps/text/conversion_text.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/reading/source.hpp"
#include "framework/host/results/file_roles.hpp"
#include "framework/host/results/output_file.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::Failure;

struct ImportArguments {
  std::string file, output, base, format;
  std::vector<std::string> options, plugin_paths;
  bool strict = false, lenient = false, merge_fixed = false, json = false;
};

std::string read_bytes(const std::string& file) {
  host::Diagnostics diagnostics;
  host::Report report(diagnostics, file);
  std::optional<std::string> bytes = host::read_source(file, report);
  report.finish();
  print(diagnostics);
  if (!bytes) throw Failure(Exit::bad_input, already_said);
  return std::move(*bytes);
}

const ImporterType& importer_of(const host::Catalog& catalog, const ImportArguments& arguments,
                                std::string_view bytes) {
  std::vector<std::string_view> names;
  for (const auto& [name, importer] : catalog.importers) names.push_back(name);
  if (!arguments.format.empty()) {
    if (const ImporterType* importer = host::find(catalog.importers, arguments.format)) return *importer;
    throw Failure(Exit::bad_input, fmt::format("--format: there is no importer {}", host::show(arguments.format)),
                  host::did_you_mean(arguments.format, names) + "Importers: " + host::listing(names) + ".");
  }
  if (const ImporterType* importer = host::importer_for(catalog, arguments.file, bytes)) return *importer;
  if (names.empty() || host::looks_like_xml(bytes))
    throw Failure(Exit::plugin, fmt::format("{}: no loaded plugin reads this format", arguments.file),
                  "polyform plugins lists the importers that are loaded.");
  throw Failure(Exit::bad_input, fmt::format("{}: this is not of a format that is imported", arguments.file),
                fmt::format("Formats: {}. A model file in YAML needs no import; --format names one of the formats.",
                            host::listing(names)));
}

/// The names of the importer's options on the command line.
host::ImportOptions importer_options(const ImportArguments& arguments) {
  host::ImportOptions options = split_options("--option", arguments.options);
  if (!arguments.base.empty()) options.emplace_back("base", arguments.base);
  if (arguments.merge_fixed) options.emplace_back("merge_fixed", "true");
  return options;
}

/// Tells an importer whose models name files from where: from the folder of the model. Returns the file that the model
/// is read as, which lies there.
std::string place_model(const ImporterType& importer, const ImportArguments& arguments, host::ImportOptions& options) {
  constexpr std::string_view folder = "model_folder";
  const bool has_folder = [&] {
    const auto fields = importer.fields();
    return std::any_of(fields.begin(), fields.end(), [&](const FieldSpec& f) { return f.name == folder; });
  }();
  const auto given = std::ranges::find(options, folder, &host::ImportOptions::value_type::first);
  const std::filesystem::path source = arguments.file, output = arguments.output;
  if (given != options.end()) return (std::filesystem::path(given->second) / source.filename()).string();
  if (!has_folder || arguments.output.empty() || arguments.output == "-") return arguments.file;
  const std::string parent = std::filesystem::absolute(output).parent_path().string();
  options.emplace_back(folder, Json(parent).dump(-1, ' ', false, Json::error_handler_t::replace));
  return arguments.output;
}

/// Prints what was found, and ends the command with the code.
[[noreturn]] void end_import(const host::Diagnostics& diagnostics, Exit code) {
  print(diagnostics);
  throw Failure(code, already_said);
}

Exit import_file(const ImportArguments& arguments) {
  host::FileRoles files;
  files.read("the file", arguments.file);
  files.write("--output", arguments.output);
  Session session(arguments.plugin_paths);
  session.add_plugins_to(files);
  const std::string bytes = read_bytes(arguments.file);
  const ImporterType& importer = importer_of(session.catalog(), arguments, bytes);
  host::Diagnostics diagnostics;
  host::ImportOptions options = importer_options(arguments);
  const std::string place = place_model(importer, arguments, options);
  std::optional<host::Conversion> got = [&] {
    const WatchedWork work(session.crash_report(), "the import of " + arguments.file);
    return host::import_model(importer, arguments.file, bytes, options, diagnostics);
  }();
  if (!got) end_import(diagnostics, Exit::bad_input);
  if (arguments.lenient && got->text.find("\nlenient:") == std::string::npos && !got->text.starts_with('{'))
    got->text += "lenient: true\n";
  bool missing_plugin = false;
  const host::Description model =
      host::read_model_text(got->text, place + " (as imported)", session.catalog(), diagnostics, missing_plugin, {});
  if (diagnostics.failed()) end_import(diagnostics, missing_plugin ? Exit::plugin : Exit::bad_input);
  // Before anything is told: the error stream then has the error alone.
  host::OutputFile output_file(arguments.output.empty() ? "-" : arguments.output, "--output");
  if (!arguments.json) print(diagnostics);
  Json warnings = Json::array();
  for (const Diagnostic& d : diagnostics.all()) warnings.push_back(host::format(d));
  tell(arguments.file, importer.name(), *got, arguments.json,
       {{"bodies", model.bodies.size()}, {"joints", model.joints.size()}, {"warnings", warnings}});
  if (arguments.strict) refuse_losses(arguments.file, *got);
  output_file.replace();
  output_file.write(got->text);
  output_file.close();
  return Exit::done;
}

}  // namespace

void add_import(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("import", "Turn a file in another program's format into a model file");
  const auto arguments = std::make_shared<ImportArguments>();
  sub->add_option("FILE", arguments->file, "The file; its content tells the format")->required()->type_name("");
  sub->add_option("-o,--output", arguments->output, "The model file to write [the output stream]")->type_name("FILE");
  sub->add_option("--base", arguments->base, "Hold what nothing carries: fixed, or free [as the format has it]")
      ->type_name("HOW");
  sub->add_flag("--merge-fixed", arguments->merge_fixed, "Merge links on fixed joints into those that carry them");
  sub->add_flag("--strict", arguments->strict, "End with an error where something would not be honoured");
  add_lenient(*sub, arguments->lenient);
  sub->add_option("--option", arguments->options, "An option of the importer; may be given several times")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  sub->add_option("--format", arguments->format, "The format, where the content does not tell it")->type_name("NAME");
  sub->add_flag("--json", arguments->json, "Tell what became of everything as one JSON object");
  add_plugin_path(*sub, arguments->plugin_paths);
  sub->footer(
      "The error stream tells what was converted and what is not honoured. The other commands take such files too,\n"
      "in place of a model. polyform plugins show NAME tells the options of an importer. Example:\n"
      "  polyform import robot.urdf -o robot.yaml --base free");
  sub->final_callback([&action, arguments] { action = [arguments] { return import_file(*arguments); }; });
}

}  // namespace polyform::apps
