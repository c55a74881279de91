// polyform report RESULT.h5…: one page about runs that have been made.
#include "apps/report/report.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "apps/arguments.hpp"
#include "apps/command.hpp"
#include "apps/session.hpp"
#include "apps/terminal.hpp"
#include "framework/reading/report.hpp"

namespace polyform::apps {

namespace {

namespace fs = std::filesystem;
using host::Exit;

struct Arguments {
  std::vector<std::string> results;
  std::string output, model;
  std::vector<std::string> plugin_paths;
};

std::string text_of(const host::Results& results, std::string_view field) {
  const auto found = std::ranges::find(results.record, field, &host::RecordField::name);
  if (found == results.record.end()) return {};
  const auto* text = std::get_if<std::string>(&found->value);
  return text ? *text : std::string();
}

/// The runs, each called by its solver; by its file too where the solver alone would not tell them apart.
std::vector<ReportRun> read_runs(const std::vector<std::string>& files) {
  std::vector<ReportRun> runs;
  for (const std::string& file : files) {
    host::Results results = host::read_results(file);
    std::string label = text_of(results, "solver");
    runs.push_back({std::move(label), std::move(results)});
  }
  std::vector<std::string> labels;
  for (const ReportRun& run : runs) labels.push_back(run.label);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (labels[i].empty() || std::ranges::count(labels, labels[i]) > 1)
      runs[i].label =
          labels[i].empty() ? files[i] : fmt::format("{} ({})", labels[i], fs::path(files[i]).filename().string());
  return runs;
}

/// The model file that the results name, as seen from here or from beside them; "" when it is at neither place.
std::string find_model(const std::string& result_file, const host::Results& results) {
  const std::string named = text_of(results, "model_file");
  std::error_code ignored;
  if (named.empty() || fs::is_regular_file(named, ignored)) return named;
  const fs::path beside = fs::path(result_file).parent_path() / fs::path(named).filename();
  return fs::is_regular_file(beside, ignored) ? beside.string() : std::string();
}

/// The model of the results. Nothing, with a warning, where it cannot be had and was not asked for by name.
std::unique_ptr<host::System> load_model(Session& session, const Arguments& arguments, const host::Results& results) {
  if (!arguments.model.empty()) return session.load(arguments.model);
  const std::string file = find_model(arguments.results.front(), results);
  if (file.empty()) {
    print(Severity::warning, "the model of the results was not found, so the page shows no joints and no model file",
          "Give --model MODEL.yaml.");
    return nullptr;
  }
  try {
    return session.load(file);
  } catch (const host::Failure&) {
    print(Severity::warning, fmt::format("{} cannot be read, so the page shows no joints and no model file", file),
          "Give the model as it was with --model MODEL.yaml.");
    return nullptr;
  }
}

/// The page beside the first result unless --output says otherwise. Results are never overwritten, by whatever name.
std::string page_of(const Arguments& arguments) {
  const std::string page = arguments.output.empty()
                               ? fs::path(arguments.results.front()).replace_extension(".html").string()
                               : arguments.output;
  for (const std::string& result : arguments.results) {
    std::error_code no_such_file;
    if (result == page || fs::equivalent(result, page, no_such_file))
      throw host::Failure(Exit::bad_input, fmt::format("--output {} is one of the results", page),
                          "Give another name, which ends in .html.");
  }
  return page;
}

Exit report(const Arguments& arguments) {
  const std::string page = page_of(arguments);
  const auto file = open_report(page);
  std::vector<ReportRun> runs = read_runs(arguments.results);
  Session session(arguments.plugin_paths);
  const auto system = load_model(session, arguments, runs.front().results);
  std::string title = system ? system->description().name : text_of(runs.front().results, "model");
  for (const ReportRun& run : runs)
    if (const std::string model = text_of(run.results, "model"); !model.empty() && model != title)
      print(Severity::warning,
            fmt::format("the run {} is of the model {}, not of {}", run.label, host::show(model), host::show(title)));
  if (title.empty()) title = fs::path(arguments.results.front()).stem().string();
  write_report(*file, {std::move(title), std::move(runs), system.get(), {}, {}});
  if (page != "-") fmt::print(output(), "report       {}\n", page);
  return Exit::done;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("report", "One page about runs: plots, animation, tables; opens offline anywhere");
  const auto arguments = std::make_shared<Arguments>();
  sub->add_option("RESULT", arguments->results, "Result files (HDF5), one for each run")->required()->type_name("");
  sub->add_option("--output", arguments->output, "Where to write the page [beside the first result, as .html]")
      ->type_name("FILE");
  sub->add_option("--model", arguments->model, "The model file [the one that the results name]")->type_name("MODEL");
  add_plugin_path(*sub, arguments->plugin_paths);
  sub->footer(
      "The page holds all rows of all columns, and everything that it needs: it can be sent on as one file. Example:\n"
      "  polyform run rod.yaml --output rod.h5\n"
      "  polyform report rod.h5 --output rod.html");
  sub->final_callback([&action, arguments] { action = [arguments] { return report(*arguments); }; });
}

}  // namespace polyform::apps
