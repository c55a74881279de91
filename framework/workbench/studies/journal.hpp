// What is kept of a study while it goes on: a file next to the table, to which each case is added as it ends.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/workbench/studies/table.hpp"

namespace polyform::host::inline studies {

/// What identifies a study: entries by name. `model` is the text of the model, `cases` the number of cases.
using StudyRecord = std::vector<std::pair<std::string, std::string>>;

/// An entry; nullptr if there is none.
const std::string* find(const StudyRecord&, std::string_view name);

/// What differs between two records, a sentence without a full stop; "" if nothing does. ignored: entries that may.
std::string difference(const StudyRecord& before, const StudyRecord& now,
                       std::initializer_list<std::string_view> ignored);

/// The first line holds the record as JSON, the second the header of the table, each further one a row.
class Journal {
 public:
  /// The journal of a table.
  static std::string path_of(const std::string& table) { return table + ".journal"; }

  /// A new one with the rows of the table, in place of what is there once it is written. Failure (bad_input) if the
  /// file cannot be written.
  Journal(const std::string& path, const StudyRecord&, const StudyTable&);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Adds a row at once. Failure (simulation_failed) if it cannot be stored, by a full disk for instance.
  void add(const CaseRow&);

 private:
  void write(std::string_view text);

  std::string path_;
  int descriptor_ = -1;
};

/// What a journal holds. A last line without its end, of a program that was killed, is left out.
struct JournalContent {
  StudyRecord record;
  StudyTable table;
  /// Whether cases are left to do.
  bool unfinished() const;
};
bool has_journal(const std::string& path);
/// Failure (bad_input) if the file is none.
JournalContent read_journal(const std::string& path);

}  // namespace polyform::host::inline studies
