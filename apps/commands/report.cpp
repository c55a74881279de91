// polyform report RESULT.h5…: one page about earlier runs.
#include "apps/report/report.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "apps/command.hpp"
#include "apps/report/study_page.hpp"
#include "apps/session/arguments.hpp"
#include "apps/session/session.hpp"
#include "apps/text/comparison_text.hpp"
#include "apps/text/deviation_table.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/text.hpp"
#include "apps/text/votes_text.hpp"
#include "framework/host/evaluation/kernels_of.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/workbench/comparison/comparison.hpp"

namespace polyform::apps {

namespace {

namespace fs = std::filesystem;
using host::Exit;

struct ReportArguments {
  std::vector<std::string> results;
  std::string output, model;
  std::vector<std::string> plugin_paths;
  std::vector<std::string> set{};  ///< PATH=VALUE
  bool lenient = false;
};

/// The text of a field of a record; "" if there is none.
std::string text_of(const host::RecordFields& record, std::string_view field) {
  const auto found = std::ranges::find(record, field, &host::RecordField::name);
  if (found == record.end()) return {};
  const auto* text = std::get_if<std::string>(&found->value);
  return text ? *text : std::string();
}

/// The runs, named by their solvers, and by their files too where several have one solver.
std::vector<ReportRun> read_runs(const std::vector<std::string>& files, const host::Catalog& catalog) {
  std::vector<ReportRun> runs;
  for (const std::string& file : files) {
    host::ResultFile results(file);
    std::string label = text_of(results.record(), "solver");
    const Formulation* solver = host::find(catalog.formulations, label);
    const std::string status = text_of(results.record(), "status");
    // The record of a run that was killed has none.
    const bool ended = status == name_of(host::End::done) || status == name_of(host::End::interrupted);
    const bool reactions = !solver || has(solver->abilities(), Ability::reactions);
    // Runs of one solver have one vote; a run without the name of a solver has its own.
    std::vector<std::string> kernels = host::split_kernels(text_of(results.record(), "kernels"));
    if (kernels.empty() && !label.empty()) kernels.push_back(label);
    runs.push_back({std::move(label), std::move(results), ended, reactions, std::move(kernels)});
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
std::string find_model(const std::string& result_file, const host::RecordFields& record) {
  const std::string named = text_of(record, "model_file");
  std::error_code ignored;
  if (named.empty() || fs::is_regular_file(named, ignored)) return named;
  const fs::path beside = fs::path(result_file).parent_path() / fs::path(named).filename();
  return fs::is_regular_file(beside, ignored) ? beside.string() : std::string();
}

/// "the body 'rod'": the first object of the results that the system lacks; "" if there is none.
std::string stranger(const host::System& system, const host::ResultFile& results) {
  std::set<std::string, std::less<>> bodies, joints;
  for (const BodyIndex b : system.bodies()) bodies.emplace(system.view().bodies[at(b)].name);
  for (const JointIndex j : system.joints()) joints.emplace(system.view().joints[at(j)].name);
  for (const host::Channel& channel : results.channels()) {
    const host::ChannelPlace place = host::place_of(channel);
    if (place.group == "bodies" && !bodies.contains(place.object)) return "the body " + host::show(place.object);
    if (place.group == "joints" && !joints.contains(place.object)) return "the joint " + host::show(place.object);
  }
  return {};
}

/// The model of the results. Nothing, with a warning, where it cannot be read and the user did not name it.
std::unique_ptr<host::System> load_model(Session& session, const ReportArguments& arguments,
                                         const host::ResultFile& results, host::FileRoles& files) {
  if (!arguments.model.empty()) {
    auto system = session.load({arguments.model, {}, arguments.lenient, {}, arguments.set});
    if (const std::string missing = stranger(*system, results); !missing.empty())
      throw host::Failure(Exit::bad_input,
                          fmt::format("{} is not the model of {}: it has not {} of the results", arguments.model,
                                      arguments.results.front(), missing),
                          "Give the model that was run, or leave out --model.");
    return system;
  }
  constexpr const char* so = "so the page shows no joints and no model file";
  const std::string file = find_model(arguments.results.front(), results.record());
  if (file.empty()) {
    print(Severity::warning, fmt::format("the model of the results was not found, {}", so), "Give --model MODEL.yaml.");
    return nullptr;
  }
  files.read("the model", file);
  constexpr const char* remedy = "Give the model as it was with --model MODEL.yaml.";
  try {
    auto system = session.load({file, {}, arguments.lenient, {}, arguments.set});
    const std::string missing = stranger(*system, results);
    if (missing.empty()) return system;
    print(Severity::warning, fmt::format("{} has not {} of the results, {}", file, missing, so), remedy);
  } catch (const host::Failure&) {
    print(Severity::warning, fmt::format("{} cannot be read, {}", file, so), remedy);
  }
  return nullptr;
}

/// A table of the records of the runs.
ReportTable record_table(const std::vector<ReportRun>& runs) {
  const std::pair<const char*, ReportTable::Column> fields[] = {
      {"integrator", {"integrator", ""}},
      {"state_size", {"states", ""}},
      {"steps", {"steps", ""}},
      {"evaluations", {"evaluations", ""}},
      {"wall_seconds", {"wall time", "s"}},
      {"energy_drift", {"energy drift", ""}},
      {"constraint_violation", {"constraint violation", "m or rad"}},
      {"status", {"status", ""}}};
  ReportTable table{"The runs side by side", {{"run", ""}}, {}, {}};
  for (const auto& [name, column] : fields) table.columns.push_back(column);
  for (const ReportRun& run : runs) {
    std::vector<Json>& row = table.rows.emplace_back(std::vector<Json>{run.label});
    for (const auto& [name, column] : fields) {
      const auto found = std::ranges::find(run.file.record(), name, &host::RecordField::name);
      Json& entry = row.emplace_back();
      if (found != run.file.record().end()) std::visit([&](const auto& value) { entry = value; }, found->value);
    }
  }
  return table;
}

/// "'a' and 'b'": the models of the runs where there are several; else "".
std::string different_models(const std::vector<ReportRun>& runs) {
  std::set<std::string> models;
  for (const ReportRun& run : runs)
    if (const std::string model = text_of(run.file.record(), "model"); !model.empty()) models.insert(model);
  if (models.size() < 2) return {};
  std::string text;
  for (const std::string& model : models) text += (text.empty() ? "" : " and ") + host::show(model);
  return text;
}

/// Whether the runs agree, as far as results alone can tell.
std::string verdict_text(const host::ResultComparison& comparison, const Names& compared) {
  constexpr double tolerance = host::default_agreement;
  if (!comparison.first) return agreement_text(compared.size(), comparison.votes, tolerance, comparison.until);
  return fmt::format("{} {} polyform compare tells chaos from a wrong solver.",
                     parting_text(*comparison.first, comparison.sides, compared, tolerance),
                     sides_text(comparison.sides, comparison.votes, compared));
}

/// Sentences about the consensus and about what is not compared.
std::vector<std::string> comparison_notes(const Report& report, std::size_t compared) {
  const std::size_t votes = report.comparison->votes.count();
  const std::size_t times = report.comparison->consensus.find("time")->values.size();
  std::vector<std::string> notes{fmt::format(
      "Consensus: {}, at the {} that they have in common{}.",
      votes == 1   ? fmt::format("the median of {} runs with one vote", compared)
      : votes == 2 ? "the mean of both votes"
                   : fmt::format("the median of {} votes", votes),
      counted(times, "time"), compared < report.runs.size() ? "; runs that failed or broke off are left out" : "")};
  const bool reactions = std::ranges::any_of(report.runs.front().file.channels(), [](const host::Channel& channel) {
    return host::place_of(channel).group == "reactions";
  });
  if (reactions && !report.system)
    notes.emplace_back("Reactions are not compared: without the model it is not known which of them are unique.");
  if (reactions && report.system)
    if (const std::string open = open_reactions(report.system->count_constraints()); !open.empty())
      notes.push_back(fmt::format(
          "Reactions {}; {}.", open,
          report.comparison->unique_parts ? "of these only the unique part is compared" : "these are not compared"));
  return notes;
}

/// Several runs, as compare shows them.
void compare_in(Report& report) {
  ReportTable& records = report.tables.emplace_back(record_table(report.runs));
  if (std::ranges::any_of(report.runs,
                          [](const ReportRun& run) { return text_of(run.file.record(), "conservative") == "no"; }))
    records.notes.emplace_back(open_drift);
  if (const std::string models = different_models(report.runs); !models.empty()) {
    records.notes.push_back(
        fmt::format("There is no consensus: the runs are of different models, {}. Drawn is the one that {} is of.",
                    models, report.runs.front().label));
    return;
  }
  report.comparison = compare_runs(report.runs, report.system);
  if (!report.comparison) {
    records.notes.emplace_back(
        "There is no consensus: fewer than two runs came to an end, or they have no times in common.");
    return;
  }
  std::vector<DeviationRow> rows;
  Names compared;
  for (const ReportRun& run : report.runs)
    if (run.compared) {
      rows.push_back({run.label, &report.comparison->deviations[rows.size()]});
      compared.push_back(run.label);
    }
  const host::Votes& votes = report.comparison->votes;
  ReportTable deviations = deviation_table("run", rows);
  std::vector<std::string> notes = comparison_notes(report, rows.size());
  if (deviations.columns.size() == 1) {
    records.notes.insert(records.notes.end(), notes.begin(), notes.end());
    records.notes.emplace_back(
        "There are no deviations to tell: the runs have no whole position, orientation, joint coordinate or unique "
        "reaction in common. Run with --columns bodies,joints.");
    return;
  }
  deviations.notes = std::move(notes);
  // Lengths have no scale when the size of the system is not known.
  if (report.system || (*rows.front().deviation)[host::Quantity::position])
    deviations.notes.push_back(verdict_text(*report.comparison, compared));
  report.tables.push_back(std::move(deviations));
  if (!votes.shared().empty()) report.tables.push_back(vote_table("runs", votes, compared));
}

/// The page beside the first result unless --output says otherwise.
std::string page_of(const ReportArguments& arguments) {
  return arguments.output.empty() ? fs::path(arguments.results.front()).replace_extension(".html").string()
                                  : arguments.output;
}

void check_distinct(const std::vector<std::string>& results) {
  for (auto a = results.begin(); a != results.end(); ++a)
    for (auto b = results.begin(); b != a; ++b)
      if (host::FileIdentity(*a).same_as(host::FileIdentity(*b)))
        throw host::Failure(Exit::bad_input,
                            *a == *b ? fmt::format("the result {} is given twice", *a)
                                     : fmt::format("the results {} and {} are one file", *b, *a),
                            "Give each run once.");
}

/// The page of a study, which stands alone.
Exit report_study(const ReportArguments& arguments, const std::string& page, host::OutputFile& file) {
  const std::string& table = arguments.results.front();
  if (arguments.results.size() > 1 || !arguments.model.empty())
    throw host::Failure(Exit::bad_input, fmt::format("{} is the table of a study, which has a page of its own", table),
                        "Give it alone, without --model.");
  host::RecordFields record;
  const host::StudyTable study = host::read_hdf5_table(table, record);
  write_study_page(file, fs::path(table).stem().string(), study, record, host::read_fans(table));
  if (page != "-") fmt::print(output(), "report       {}\n", page);
  return Exit::done;
}

Exit report(const ReportArguments& arguments) {
  check_distinct(arguments.results);
  const std::string page = page_of(arguments);
  host::FileRoles files;
  for (const std::string& result : arguments.results) files.read("the result", result);
  if (!arguments.model.empty()) files.read("the model", arguments.model);
  files.read_files("the plugin", arguments.plugin_paths);
  files.write("--output", page);
  const auto file = open_report(page, "--output");
  if (host::is_hdf5_table(arguments.results.front())) return report_study(arguments, page, *file);
  Session session(arguments.plugin_paths);
  session.add_plugins_to(files);
  std::vector<ReportRun> runs = read_runs(arguments.results, session.catalog());
  check_page(runs);
  const auto system = load_model(session, arguments, runs.front().file, files);
  std::string title = system ? system->description().name : text_of(runs.front().file.record(), "model");
  if (const std::string models = different_models(runs); !models.empty())
    print(Severity::warning, fmt::format("the runs are of different models, {}: they are not compared", models));
  if (title.empty()) title = fs::path(arguments.results.front()).stem().string();
  Report report{std::move(title), std::move(runs), system.get(), {}, {}, {}};
  if (report.runs.size() > 1) compare_in(report);
  write_report(*file, report);
  if (page != "-") fmt::print(output(), "report       {}\n", page);
  return Exit::done;
}

}  // namespace

void add_report(CLI::App& app, Action& action) {
  CLI::App* sub = app.add_subcommand("report", "One page about runs: plots, animation, tables; opens offline anywhere");
  const auto arguments = std::make_shared<ReportArguments>();
  sub->add_option("RESULT", arguments->results, "Result files (HDF5), one for each run; or the table of a study")
      ->required()
      ->type_name("");
  sub->add_option("--output", arguments->output, "Where to write the page [beside the first result, as .html]")
      ->type_name("FILE");
  sub->add_option("--model", arguments->model, "The model file [the one that the results name]")->type_name("MODEL");
  add_plugin_path(*sub, arguments->plugin_paths);
  add_lenient(*sub, arguments->lenient);
  add_set(*sub, arguments->set);
  sub->footer(
      "The page holds all rows of all columns, and everything that it needs: it can be sent on as one file. Example:\n"
      "  polyform run rod.yaml --output rod.h5\n"
      "  polyform report rod.h5 --output rod.html");
  sub->final_callback([&action, arguments] { action = [arguments] { return report(*arguments); }; });
}

}  // namespace polyform::apps
