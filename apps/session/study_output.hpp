// What a study writes: its table, its journal, its page.
#pragma once

#include <memory>
#include <string>

#include "apps/session/study_request.hpp"
#include "framework/host/results/file_roles.hpp"
#include "framework/host/results/output_file.hpp"
#include "framework/workbench/studies/journal.hpp"
#include "framework/workbench/studies/table.hpp"
#include "framework/workbench/studies/trajectory_journal.hpp"

namespace polyform::apps {

/// Failure (bad_input) if no table can have that name: "", "-", or one that ends in .csv, .h5 or .hdf5.
void check_table_name(const std::string& file);
/// Writes the table of a study to a file that is opened for it. option: which names it.
void write_table_file(const std::string& file, std::string_view option, const host::StudyTable&,
                      const host::StudyRecord&, const host::TrajectoryParts* = nullptr);

/// Warns that cases of one study were done by builds of the plugin for different instructions; none where it is "".
void warn_of_other_build(const std::string& plugin);

/// The files of one study.
class StudyOutput {
 public:
  /// Opens the page and adds all files to the roles. Failure (bad_input) if arguments do not go together.
  StudyOutput(const StudyArguments&, host::FileRoles&);

  /// Begins the table and the journal, before the first case. With --resume the rows of the journal go into the table.
  /// Failure (bad_input) if that journal is of another study, or one would be lost that did not come to its end.
  /// trajectories: their columns; none if none are kept.
  void begin(const host::StudyRecord&, const host::Design&, host::StudyTable&,
             const std::vector<host::Channel>& trajectories);
  /// Keeps the trajectory of a case, before its row is kept.
  void add_trajectory(const host::CaseRow&, std::span<const double> trajectory);
  /// Keeps rows, at once.
  void add(std::span<const host::CaseRow>);
  /// Writes table and page. title: of the page.
  void finish(const host::StudyTable&, const std::string& title);
  /// Whether --resume can go on with what was done.
  bool keeps_rows() const { return journal_ != nullptr; }
  /// The file of trajectories; "" if there is none.
  std::string trajectory_file() const;

 private:
  std::string table_name_, page_name_;
  bool resume_;
  std::unique_ptr<host::OutputFile> table_, page_;
  std::unique_ptr<host::Journal> journal_;
  std::vector<host::Channel> trajectory_channels_;
  std::unique_ptr<host::OutputFile> trajectory_output_;
  std::unique_ptr<host::TrajectoryJournal> trajectories_;
  host::StudyRecord record_;
};

}  // namespace polyform::apps
