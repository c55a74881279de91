// polyform export --FORMAT MODEL: a model in another program's format, as far as that can say it; and as an FMU, which
// is the model with a solver.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>

#include "apps/command.hpp"
#include "apps/fmi/export_fmu.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/model_files.hpp"
#include "apps/session/session.hpp"
#include "apps/text/conversion_text.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/reader.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/results/file_roles.hpp"
#include "framework/host/results/output_file.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::Failure;

struct ExportArguments {
  ModelArguments model;
  std::string output;
  bool json = false;
  std::string fmi, kind = "cs";  ///< of an FMU: the version of the standard; me or cs
  std::string solver, inputs;
  std::vector<std::string> options;
  RunArguments run;
};

/// Formats are those of the loaded plugins, so their names are no options that are known beforehand. Without any, the
/// ending of the output's name tells it: arm.sdf.
const ImporterType& format_of(const host::Catalog& catalog, const std::vector<std::string>& words,
                              const std::string& output) {
  std::vector<std::string> flags;
  for (const auto& [name, importer] : catalog.importers)
    if (ask<Exporter>(*importer) != nullptr) flags.push_back("--" + name);
  const std::vector<std::string_view> known(flags.begin(), flags.end());
  const std::string all =
      (known.empty() ? std::string("No loaded plugin writes another format") : "Formats: " + host::listing(known)) +
      ". For an FMU give --fmi 2 or --fmi 3.";
  const ImporterType* found = nullptr;
  for (const std::string& word : words) {
    if (std::ranges::find(flags, word) == flags.end())
      throw Failure(Exit::bad_input, "unknown option or argument " + host::show(word),
                    host::did_you_mean(word, known) + all);
    if (found != nullptr) throw Failure(Exit::bad_input, "one format at a time is written", all);
    found = host::find(catalog.importers, word.substr(2));
  }
  if (found != nullptr) return *found;
  const std::string ending = std::filesystem::path(output).extension().string();
  if (!ending.empty() && std::ranges::find(flags, "--" + ending.substr(1)) != flags.end())
    return *host::find(catalog.importers, ending.substr(1));
  throw Failure(Exit::bad_input, "the format is missing", all);
}

/// Options of FMUs, whose meaning other formats have no use for.
constexpr const char* of_fmus[] = {"--kind",       "--solver", "--option", "--inputs",       "--columns",
                                   "--integrator", "--step",   "--rtol",   "--duration",     "--integrator-option",
                                   "--max-step",   "--atol",   "--state",  "--euler-angles", "--output-interval"};

Exit export_as_fmu(const ExportArguments& arguments) {
  if (arguments.output.empty())
    throw Failure(Exit::bad_input, "an FMU is an archive, which has to go to a file", "Give -o FILE.fmu.");
  if (arguments.output == "-" && arguments.json)
    throw Failure(Exit::bad_input, "an FMU on the output stream would mix with --json",
                  "Write it to a file, or leave out --json.");
  host::FileRoles files;
  add_model_files(files, arguments.model);
  files.write("--output", arguments.output);
  Session session(arguments.model.plugin_paths);
  session.add_plugins_to(files);
  fmi::ExportRequest request;
  request.version = arguments.fmi == "3" ? 3 : 2;
  request.settings.model = arguments.model;
  request.settings.run = arguments.run;
  request.settings.solver = arguments.solver;
  request.settings.options = arguments.options;
  request.settings.inputs = CLI::detail::split(arguments.inputs, ',');
  if (arguments.inputs.empty()) request.settings.inputs.clear();
  request.settings.kind = arguments.kind == "me" ? fmi::Kind::model_exchange : fmi::Kind::co_simulation;
  const fmi::Fmu fmu = [&] {
    const WatchedWork work(session.crash_report(), "the export of " + arguments.model.file);
    return fmi::export_fmu(request, session.registry());
  }();
  host::OutputFile file(arguments.output, "--output");
  file.replace();
  file.write(fmu.bytes);
  file.close();
  if (arguments.json) {
    Json told{{"model", arguments.model.file}, {"output", arguments.output}};
    told.update(fmi::summary(fmu));
    print_json(told);
  } else {
    fmt::print(stderr, "{}: {} inputs, {} outputs, {} parameters, {} values at the start\n", arguments.output,
               fmu.inputs, fmu.outputs, fmu.parameters, fmu.starts);
  }
  return Exit::done;
}

Exit export_file(const ExportArguments& arguments, const std::vector<std::string>& words) {
  host::FileRoles files;
  files.read("the model", arguments.model.file);
  files.write("--output", arguments.output);
  Session session(arguments.model.plugin_paths);
  session.add_plugins_to(files);
  const ImporterType& format = format_of(session.catalog(), words, arguments.output);
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  const host::Description model =
      host::read_model(arguments.model.file, session.catalog(), diagnostics, missing_plugin,
                       {arguments.model.lenient, split_options("--import-option", arguments.model.import_options)});
  add_parts(files);
  std::optional<host::Conversion> got;
  if (!diagnostics.failed()) {
    const WatchedWork work(session.crash_report(), "the export of " + arguments.model.file);
    got = host::export_model(format, model, diagnostics);
  }
  if (!got || !arguments.json) print(diagnostics);
  if (!got) throw Failure(missing_plugin ? Exit::plugin : Exit::bad_input, already_said);
  Json warnings = Json::array();
  for (const Diagnostic& d : diagnostics.all()) warnings.push_back(host::format(d));
  tell(arguments.model.file, format.name(), *got, arguments.json, {{"warnings", warnings}});
  if (is_strict(arguments.model.import_options)) refuse_losses(arguments.model.file, *got);
  host::OutputFile output_file(arguments.output.empty() ? "-" : arguments.output, "--output");
  output_file.replace();
  output_file.write(got->text);
  output_file.close();
  return Exit::done;
}

}  // namespace

void add_export(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("export", "Write a model in another program's format");
  const auto arguments = std::make_shared<ExportArguments>();
  add_model(*sub, arguments->model);
  sub->add_option("-o,--output", arguments->output, "The file to write [the output stream]")->type_name("FILE");
  sub->add_flag("--json", arguments->json, "Tell what became of everything as one JSON object");
  sub->add_option("--fmi", arguments->fmi, "Write an FMU (Functional Mock-up Unit) of this version of the standard")
      ->check(CLI::IsMember({"2", "3"}))
      ->type_name("2|3");
  sub->add_option("--kind", arguments->kind,
                  "Of the FMU: cs, co-simulation, with an integrator; me, model exchange [cs]")
      ->check(CLI::IsMember({"cs", "me"}))
      ->type_name("");
  sub->add_option("--inputs", arguments->inputs,
                  "Of the FMU: fields of elements that another program sets, with * and ?: \"motor.effort\"; none [all "
                  "that the model gives in the place of a function of time]")
      ->type_name("A,B,C");
  add_state(*sub, arguments->model.state);
  add_solver(*sub, arguments->solver);
  add_solver_options(*sub, arguments->options);
  add_integration(*sub, arguments->run);
  sub->allow_extras();
  sub->footer(
      "The format is an option of its own: --urdf, --sdf or --mjcf, and those of further plugins; without one, the\n"
      "ending of the output's name tells it (.urdf, .sdf). The error stream lists what was converted, and what was\n"
      "left out because the format cannot describe it. Example:\n"
      "  polyform export --sdf arm.yaml -o arm.sdf\n"
      "An FMU holds the model, the solver and the integrator; options of these are for it alone. Its outputs are the\n"
      "columns. Example:\n"
      "  polyform export --fmi 2 --kind cs arm.yaml -o arm.fmu");
  sub->final_callback([&action, arguments, sub] {
    if (!arguments->fmi.empty()) {
      action = [arguments, words = sub->remaining()] {
        if (!words.empty())
          throw Failure(Exit::bad_input, "an FMU is a format by itself",
                        fmt::format("Leave out {} or --fmi.", host::show(words.front())));
        return export_as_fmu(*arguments);
      };
      return;
    }
    for (const char* option : of_fmus)
      if (sub->count(option) > 0) throw CLI::ValidationError(option, "this is an option of --fmi alone");
    action = [arguments, words = sub->remaining()] { return export_file(*arguments, words); };
  });
}

}  // namespace polyform::apps
