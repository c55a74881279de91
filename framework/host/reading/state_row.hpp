// A row of a CSV of results, as a state to start from.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "framework/host/reading/value.hpp"

namespace polyform::host::inline reading {

/// Whether a line of a CSV begins with '#', behind blanks or not.
bool is_comment(std::string_view line);

/// One row of a CSV by the names of its columns: the last one, or the one at a time.
class StateRow {
 public:
  /// False after a report.
  bool read(std::string_view text, std::optional<double> at_time, Report&);
  bool has(const std::string& name) const { return columns_.contains(name); }
  /// The line of the row.
  Place place() const { return {line_, 1}; }
  /// The time of the row, s, where it has one.
  std::optional<double> time() const { return time_; }
  /// All columns with finite numbers.
  std::unordered_map<std::string, double> values() const;
  /// The number in a column; nothing after a report, or if there is no such column.
  std::optional<double> number(const std::string& name, Report&) const;
  /// The numbers in the column `<name>`, or in `<name>[0]`, `<name>[1]`, …; empty if there are none.
  std::vector<double> numbers(const std::string& name, Report&) const;

 private:
  struct Candidate {
    std::string_view text;
    int line = 0;
    std::optional<double> time;
  };

  static bool report_no_row(double at_time, const Candidate& before, const Candidate& after, Report&);
  bool take(std::string_view header, const Candidate& row, Report&);

  std::unordered_map<std::string, std::string> columns_;
  std::optional<double> time_;
  int line_ = 0;
};

}  // namespace polyform::host::inline reading
