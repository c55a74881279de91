// Runs the built command in a folder of its own and returns what it printed.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace polyform::test {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal when a signal ended the command
  std::string out, err;
  long peak_kilobytes = 0;  ///< of memory
};

/// A temporary folder, removed at the end, in which commands run.
class Workshop {
 public:
  Workshop();
  ~Workshop();
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::string write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;

  /// Runs the command to its end.
  Outcome run(const std::vector<std::string>& arguments) const { return finish(start(arguments)); }
  pid_t start(const std::vector<std::string>& arguments) const;
  Outcome finish(pid_t) const;

 private:
  std::filesystem::path folder_;
};

/// What was printed with blanks in the place of line ends: a sentence may be wrapped anywhere.
std::string in_one_line(const std::string& text);

/// A model that comes with polyform.
inline std::string shipped(const std::string& name) { return std::string(POLYFORM_MODELS) + "/" + name + ".yaml"; }

/// A table as written to CSV.
struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
  std::size_t column(const std::string& name) const;  ///< fails the test when there is none
  double at(std::size_t row, const std::string& name) const { return rows.at(row).at(column(name)); }
};
/// Fails the test when a row does not fit the header or a field is no number.
Table read_table(const std::string& text);

/// The fields of a CSV's rows as texts, without the header.
std::vector<std::vector<std::string>> rows_of(const std::string& csv);

}  // namespace polyform::test
