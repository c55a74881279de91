// Keeps a study while it runs: a file next to the table, to which each case is added when it ends.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/host/registry/plugin_record.hpp"
#include "framework/workbench/studies/table.hpp"

namespace polyform::host::inline studies {

/// The identity of a study: entries by name. `model` is the text of the model, `cases` the number of cases, `file PATH`
/// tells the content of a file that the model names, `plugin NAME` version, build and content of a plugin.
using StudyRecord = std::vector<std::pair<std::string, std::string>>;

/// Adds entries for files that were read with the model. Their paths are told from the folder of the model, so that
/// they are the same wherever the model lies. A file that cannot be read has no entry.
void add_files(const std::vector<std::string>& files, const std::string& model, StudyRecord&);

/// Adds entries for plugins.
void add_plugins(std::span<const PluginRecord* const>, StudyRecord&);

/// An entry; nullptr if there is none.
const std::string* find(const StudyRecord&, std::string_view name);

/// Tells how two records differ, in a sentence without a full stop; "" if they agree. ignored: entries that may differ.
/// Builds of one version of a plugin for different instructions agree, as their results do to rounding.
std::string difference(const StudyRecord& before, const StudyRecord& now,
                       std::initializer_list<std::string_view> ignored);
/// Names a plugin of which the records, which agree, have builds for different instructions; "" if there is none.
std::string other_build(const StudyRecord& before, const StudyRecord& now);

/// The first line holds the record as JSON, the second the header of the table, each further one a row.
class Journal {
 public:
  /// The journal of a table.
  static std::string path_of(const std::string& table) { return table + ".journal"; }

  /// Makes a new journal with the rows of the table. It takes the place of an older one when it is written. Failure
  /// (bad_input) if the file cannot be written.
  Journal(const std::string& path, const StudyRecord&, const StudyTable&);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Adds rows at once. Failure (simulation_failed) if they cannot be stored, by a full disk for instance.
  void add(std::span<const CaseRow>);

 private:
  void write(std::string_view text);

  std::string path_;
  int descriptor_ = -1;
};

/// The content of a journal. A last line without its end, from a program that was killed, is left out.
struct JournalContent {
  StudyRecord record;
  StudyTable table;
  /// Whether there are cases that have not been run.
  bool unfinished() const;
};
bool has_journal(const std::string& path);
/// Failure (bad_input) if the file is no journal.
JournalContent read_journal(const std::string& path);

}  // namespace polyform::host::inline studies
