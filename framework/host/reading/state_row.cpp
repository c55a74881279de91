#include "framework/host/reading/state_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace polyform::host::inline reading {
namespace {

/// The fields of a line of a CSV; names and numbers of results have no commas and no quotes.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    std::string_view field = line.substr(0, comma);
    while (field.starts_with(' ')) field.remove_prefix(1);
    while (field.ends_with(' ') || field.ends_with('\r')) field.remove_suffix(1);
    fields.push_back(field);
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> number_of(std::string_view text) {
  double x = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), x);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(x) : std::nullopt;
}

/// The field with this number in a line of fields that commas separate, from 0. It is empty if the line has fewer.
std::string_view field_of(std::string_view line, std::size_t number) {
  for (; number > 0; --number) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) return {};
    line.remove_prefix(comma + 1);
  }
  return fields_of(line.substr(0, line.find(','))).front();
}

}  // namespace

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '#';
}

bool StateRow::read(std::string_view text, std::optional<double> at_time, Report& report) {
  std::string_view header;
  std::optional<std::size_t> clock;  // the column with the time
  Candidate taken, before, after;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (one.find_first_not_of(" \r\t") == std::string_view::npos || is_comment(one)) continue;
    if (header.empty()) {
      header = one;
      const std::vector<std::string_view> names = fields_of(header);
      const auto found = std::ranges::find(names, "time");
      if (found != names.end()) clock = static_cast<std::size_t>(found - names.begin());
      continue;
    }
    const Candidate row{one, line, clock ? number_of(field_of(one, *clock)) : std::nullopt};
    if (!at_time || !clock) {
      taken = row;
    } else if (row.time) {
      constexpr double rounding = 1e-9;  // of a time that people type
      if (std::abs(*row.time - *at_time) <= rounding * std::max(1.0, std::abs(*at_time)))
        taken = row;
      else if (*row.time < *at_time && (!before.time || *row.time >= *before.time))
        before = row;
      else if (*row.time > *at_time && (!after.time || *row.time < *after.time))
        after = row;
    }
  }
  if (taken.text.empty() && (before.time || after.time)) return report_no_row(*at_time, before, after, report);
  return take(header, taken, report);
}

std::unordered_map<std::string, double> StateRow::values() const {
  std::unordered_map<std::string, double> all;
  for (const auto& [name, text] : columns_)
    if (const auto x = number_of(text); x && std::isfinite(*x)) all.emplace(name, *x);
  return all;
}

std::optional<double> StateRow::number(const std::string& name, Report& report) const {
  const auto found = columns_.find(name);
  if (found == columns_.end()) return std::nullopt;
  const std::string_view text = found->second;
  if (const auto x = number_of(text); x && std::isfinite(*x)) return x;
  report.error(place(), {}, fmt::format("column {}: found {}, expected a finite number", show(name), show(text)),
               "A run that failed may end with such a row: leave it out.");
  return std::nullopt;
}

std::vector<double> StateRow::numbers(const std::string& name, Report& report) const {
  if (has(name)) {
    const auto one = number(name, report);
    return one ? std::vector<double>{*one} : std::vector<double>{};
  }
  std::vector<double> all;
  for (std::size_t k = 0; has(fmt::format("{}[{}]", name, k)); ++k)
    all.push_back(number(fmt::format("{}[{}]", name, k), report).value_or(0));
  return all;
}

bool StateRow::report_no_row(double at_time, const Candidate& before, const Candidate& after, Report& report) {
  std::string nearest;
  if (before.time && after.time)
    nearest = fmt::format("the nearest are at {:.12g} s and {:.12g} s", *before.time, *after.time);
  else if (before.time)
    nearest = fmt::format("the last is at {:.12g} s", *before.time);
  else
    nearest = fmt::format("the first is at {:.12g} s", *after.time);
  report.error({(before.time ? before : after).line, 1}, {},
               fmt::format("there is no row at t = {:.12g} s: {}", at_time, nearest),
               "Give --at-time the time of a row, or write rows there with --output-interval.");
  return false;
}

bool StateRow::take(std::string_view header, const Candidate& row, Report& report) {
  if (row.text.empty()) {
    report.error({1, 1}, {}, "the file has a header and no row of a state", "A row of a CSV is the state.");
    return false;
  }
  const std::vector<std::string_view> names = fields_of(header), values = fields_of(row.text);
  if (names.size() != values.size()) {
    report.error({row.line, 1}, {},
                 fmt::format("the row has {} values, the header {} columns", values.size(), names.size()),
                 "Is the file whole? A row of the CSV is the state.");
    return false;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!columns_.emplace(names[i], values[i]).second && !names[i].empty()) {
      report.error({1, 1}, {}, fmt::format("column {} stands in the header twice", show(names[i])),
                   "Leave one of them out.");
      return false;
    }
  time_ = row.time;
  line_ = row.line;
  return true;
}

}  // namespace polyform::host::inline reading
