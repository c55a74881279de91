#include "apps/session/study_output.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "apps/report/report.hpp"
#include "apps/report/study_page.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/workbench/studies/fan.hpp"
#include "framework/workbench/studies/trajectory_file.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

host::RecordFields fields_of(const host::StudyRecord& record) {
  host::RecordFields fields;
  for (const auto& [name, text] : record) fields.push_back({name, text});
  return fields;
}

void refuse_mixture(bool mixed, const char* option, const char* remedy) {
  if (mixed)
    throw Failure(Exit::bad_input, fmt::format("{} - and --json would mix on the output stream", option), remedy);
}

/// Takes the rows of the journal into the table. Failure (bad_input) if it is of another study.
void take_up(const std::string& journal, const host::StudyRecord& record, const host::Design& design,
             host::StudyTable& table) {
  host::JournalContent before = host::read_journal(journal);
  const std::string what = host::can_grow(design.method())
                               ? host::difference(before.record, record, {"samples", "cases"})
                               : host::difference(before.record, record, {});
  if (!what.empty())
    throw Failure(Exit::bad_input, fmt::format("{} is of another study: {}", journal, what),
                  "Give the study as it was, or another --output; without --resume it begins anew.");
  warn_of_other_build(host::other_build(before.record, record));
  table.rows = std::move(before.table.rows);
  for (const host::CaseRow& row : table.rows)
    if (row.number >= design.cases())
      throw Failure(
          Exit::bad_input, fmt::format("{} holds case {} already, of more --samples", journal, row.number),
          "A study that is resumed may grow, not shrink. Give as many --samples as it had, or another --output.");
}

/// Writes while a study is under way. Where a journal is kept, what cannot be written now can be later.
template <class Write>
void write_of_study(bool keeps_rows, Write&& write) {
  try {
    write();
  } catch (const Failure& failure) {
    if (!keeps_rows) throw;
    throw Failure(failure.code(), failure.message(),
                  "The cases so far are kept. Free some space if the disk is full, then go on with --resume.");
  }
}

}  // namespace

void warn_of_other_build(const std::string& plugin) {
  if (plugin.empty()) return;
  print(Severity::warning,
        fmt::format("some cases were done by a build of the plugin {} for other instructions", host::show(plugin)),
        "They agree with the rest to rounding; for equal bits let machines of one kind do all cases.");
}

void check_table_name(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  if (!file.empty() && file != "-" && extension != ".csv" && extension != ".h5" && extension != ".hdf5")
    throw Failure(Exit::bad_input,
                  fmt::format("cannot write results to {}: expected a name that ends in .csv or .h5", host::show(file)),
                  "- writes CSV to the output stream.");
}

void write_table_file(const std::string& file, std::string_view option, const host::StudyTable& table,
                      const host::StudyRecord& record, const host::TrajectoryParts* trajectories) {
  host::OutputFile opened(file, option);
  host::write_table(opened, table, fields_of(record), trajectories);
}

StudyOutput::StudyOutput(const StudyArguments& arguments, host::FileRoles& files)
    : table_name_(arguments.cases.run.output), page_name_(arguments.report), resume_(arguments.resume) {
  check_table_name(table_name_);
  if (resume_ && (table_name_.empty() || table_name_ == "-"))
    throw Failure(Exit::bad_input, "--resume needs the --output of the study", "Its journal stands beside that file.");
  refuse_mixture(table_name_ == "-" && arguments.json, "--output", "Give --output FILE.csv, or leave out --json.");
  refuse_mixture(page_name_ == "-" && arguments.json, "--report", "Give --report FILE.html, or leave out --json.");
  check_streams(page_name_, table_name_);
  files.write("--output", table_name_);
  files.write("--report", page_name_);
  if (!page_name_.empty()) page_ = open_report(page_name_, "--report");
}

std::string StudyOutput::trajectory_file() const {
  return trajectory_channels_.empty() ? "" : host::trajectory_file_of(table_name_);
}

void StudyOutput::begin(const host::StudyRecord& record, const host::Design& design, host::StudyTable& table,
                        const std::vector<host::Channel>& trajectories) {
  record_ = record;
  trajectory_channels_ = trajectories;
  if (!trajectories.empty() && (table_name_.empty() || table_name_ == "-"))
    throw Failure(Exit::bad_input, "--trajectories needs the --output of the study",
                  "They go to a file beside the table. Give --output FILE.h5 or FILE.csv.");
  if (table_name_.empty()) return;
  const std::string journal = host::Journal::path_of(table_name_);
  if (table_name_ != "-" && host::has_journal(journal)) {
    if (resume_)
      take_up(journal, record, design, table);
    else if (host::read_journal(journal).unfinished())
      throw Failure(Exit::bad_input, fmt::format("{} holds cases of a study that did not come to its end", journal),
                    "Give --resume to go on with it, or remove the file to begin anew.");
  }
  if (!trajectories.empty()) {
    trajectory_output_ = std::make_unique<host::OutputFile>(trajectory_file(), "--trajectories");
    trajectories_ = std::make_unique<host::TrajectoryJournal>(host::TrajectoryJournal::path_of(table_name_),
                                                              trajectories.size(), resume_);
    // What has lost its trajectory is done again.
    std::erase_if(table.rows, [&](const host::CaseRow& row) { return row.done && !trajectories_->has(row.number); });
  }
  table_ = std::make_unique<host::OutputFile>(table_name_);
  if (table_name_ != "-") journal_ = std::make_unique<host::Journal>(journal, record, table);
}

void StudyOutput::add_trajectory(const host::CaseRow& row, std::span<const double> trajectory) {
  if (trajectories_ && row.done) write_of_study(keeps_rows(), [&] { trajectories_->add(row.number, trajectory); });
}

void StudyOutput::add(std::span<const host::CaseRow> rows) {
  if (journal_) write_of_study(keeps_rows(), [&] { journal_->add(rows); });
}

void StudyOutput::finish(const host::StudyTable& table, const std::string& title) {
  const host::RecordFields fields = fields_of(record_);
  write_of_study(keeps_rows(), [&] {
    host::TrajectoryParts parts;
    if (trajectories_) {
      host::write_trajectories(*trajectory_output_, table, trajectory_channels_, *trajectories_);
      host::add_part(parts, trajectory_file(), table_name_);
    }
    if (table_) host::write_table(*table_, table, fields, trajectories_ ? &parts : nullptr);
  });
  if (page_)
    write_study_page(*page_, title, table, fields, trajectories_ ? host::read_fans(trajectory_file()) : host::Fans{});
}

}  // namespace polyform::apps
