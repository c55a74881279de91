#include "framework/workbench/studies/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/host/results/csv_writer.hpp"
#include "framework/workbench/studies/study_hdf5.hpp"
#include "framework/workbench/studies/trajectory_file.hpp"

namespace polyform::host::inline studies {

namespace {

constexpr const char *factors_group = "factors", *quantities_group = "quantities";
constexpr std::string_view done_text = "done", failed_text = "failed";

template <class Number>
bool whole_number(std::string_view text, Number& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size() && !text.empty();
}

void write_csv(OutputFile& file, const StudyTable& table) {
  file.replace();
  constexpr std::size_t bytes_at_once = std::size_t{1} << 20;
  std::string text = header_line(table);
  for (const CaseRow& row : table.rows) {
    text += row_line(row);
    if (text.size() < bytes_at_once) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.close();
}

using results::hdf5::check;
using results::hdf5::Handle;

void write_factor(hid_t file, const StudyTable& table, std::size_t factor) {
  const std::string path = fmt::format("{}/{}", factors_group, link_name(table.factors[factor]));
  std::vector<double> numbers;
  for (const CaseRow& row : table.rows) {
    double value = 0;
    if (!whole_number(row.values[factor], value)) break;
    numbers.push_back(value);
  }
  if (numbers.size() == table.rows.size()) {
    const Handle dataset = write_numbers(file, path, numbers);
    const bool known = factor < table.factor_units.size();
    results::hdf5::write_attribute(dataset, "unit", known ? table.factor_units[factor] : "");
    return;
  }
  std::vector<std::string> words;
  for (const CaseRow& row : table.rows) words.push_back(row.values[factor]);
  results::hdf5::write_texts(file, path, words);
}

void fill(hid_t file, const StudyTable& table, const RecordFields& record, const TrajectoryParts* trajectories) {
  for (const RecordField& field : record)
    std::visit([&](const auto& value) { results::hdf5::write_attribute(file, field.name, value); }, field.value);
  std::vector<std::int64_t> numbers;
  std::vector<std::string> status, reasons;
  for (const CaseRow& row : table.rows) {
    numbers.push_back(static_cast<std::int64_t>(row.number));
    status.emplace_back(row.done ? done_text : failed_text);
    reasons.push_back(row.reason);
  }
  write_numbers(file, "case", numbers);
  make_ordered_group(file, factors_group);
  make_ordered_group(file, quantities_group);
  for (std::size_t f = 0; f < table.factors.size(); ++f) write_factor(file, table, f);
  for (std::size_t q = 0; q < table.quantities.size(); ++q) {
    std::vector<double> values;
    for (const CaseRow& row : table.rows) values.push_back(row.quantities[q]);
    const Handle dataset =
        write_numbers(file, fmt::format("{}/{}", quantities_group, link_name(table.quantities[q])), values);
    results::hdf5::write_attribute(dataset, "unit", table.units[q]);
  }
  results::hdf5::write_texts(file, "status", status);
  results::hdf5::write_texts(file, "reason", reasons);
  if (trajectories != nullptr) join_trajectories(file, table, *trajectories);
}

/// The values of a factor, as texts.
std::vector<std::string> read_values(hid_t file, const std::string& path) {
  const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose), type(H5Dget_type(dataset), H5Tclose);
  if (H5Tget_class(type) == H5T_STRING) return results::hdf5::read_texts(file, path);
  std::vector<std::string> texts;
  for (const double number : read_numbers(file, path)) texts.push_back(fmt::format("{}", number));
  return texts;
}

void take(StudyTable& table, hid_t file) {
  const std::vector<double> numbers = read_numbers(file, "case");
  const std::vector<std::string> status = results::hdf5::read_texts(file, "status"),
                                 reasons = results::hdf5::read_texts(file, "reason");
  if (status.size() != numbers.size() || reasons.size() != numbers.size()) throw results::hdf5::Error();
  for (std::size_t i = 0; i < numbers.size(); ++i)
    table.rows.push_back({static_cast<std::size_t>(numbers[i]), {}, {}, status[i] == done_text, reasons[i]});
  table.factors = names_in(file, factors_group);
  table.quantities = names_in(file, quantities_group);
  for (const std::string& factor : table.factors) {
    const std::vector<std::string> values = read_values(file, fmt::format("{}/{}", factors_group, factor));
    if (values.size() != numbers.size()) throw results::hdf5::Error();
    for (std::size_t i = 0; i < values.size(); ++i) table.rows[i].values.push_back(values[i]);
    table.factor_units.push_back(unit_of(file, fmt::format("{}/{}", factors_group, factor)));
  }
  for (const std::string& quantity : table.quantities) {
    const std::string path = fmt::format("{}/{}", quantities_group, quantity);
    const std::vector<double> values = read_numbers(file, path);
    if (values.size() != numbers.size()) throw results::hdf5::Error();
    for (std::size_t i = 0; i < values.size(); ++i) table.rows[i].quantities.push_back(values[i]);
    table.units.push_back(unit_of(file, path));
  }
}

}  // namespace

void StudyTable::sort() {
  std::ranges::sort(rows, {}, &CaseRow::number);
  const auto twice = std::ranges::adjacent_find(rows, {}, &CaseRow::number);
  if (twice != rows.end())
    throw Failure(Exit::bad_input, fmt::format("case {} is there twice", twice->number),
                  "Each shard holds cases of its own; give each of them once.");
}

std::string header_line(const StudyTable& table) {
  std::string line = "case";
  for (const auto* names : {&table.factors, &table.quantities})
    for (const std::string& name : *names) line += ',' + quoted_in_csv(name);
  return line + ",status,reason\n";
}

std::string row_line(const CaseRow& row) {
  std::string line = fmt::format("{}", row.number);
  for (const std::string& value : row.values) line += ',' + quoted_in_csv(value);
  // The sign of what is no number depends on the machine.
  for (const double quantity : row.quantities) line += std::isnan(quantity) ? ",nan" : fmt::format(",{}", quantity);
  std::string reason = row.reason;
  std::ranges::replace(reason, '\n', ' ');
  std::ranges::replace(reason, '\r', ' ');
  return line + fmt::format(",{},{}\n", row.done ? done_text : failed_text, quoted_in_csv(reason));
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  if (quoted) fields.clear();
  return fields;
}

bool read_row(const std::vector<std::string>& fields, std::size_t factors, std::size_t quantities, CaseRow& row) {
  if (fields.size() != factors + quantities + 3 || !whole_number(fields[0], row.number)) return false;
  row.values.assign(fields.begin() + 1, fields.begin() + 1 + static_cast<std::ptrdiff_t>(factors));
  row.quantities.assign(quantities, 0);
  for (std::size_t q = 0; q < quantities; ++q)
    if (!whole_number(fields[1 + factors + q], row.quantities[q])) return false;
  const std::string& status = fields[1 + factors + quantities];
  if (status != done_text && status != failed_text) return false;
  row.done = status == done_text;
  row.reason = fields.back();
  return true;
}

StudyTable read_csv_table(const std::string& file) {
  const std::optional<std::string> content = file_content(file);
  const auto refuse = [&](const std::string& why) {
    throw Failure(Exit::bad_input, fmt::format("{}: {}", file, why), "Give a table that polyform study wrote as CSV.");
  };
  if (!content || content->empty()) refuse("it cannot be read");
  StudyTable table;
  std::string_view text = *content;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) refuse(fmt::format("line {} has no end", number));
    const std::vector<std::string> fields = fields_of(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (number == 1) {
      const std::size_t columns = fields.size();
      if (columns < 3 || fields[0] != "case" || fields[columns - 2] != "status" || fields[columns - 1] != "reason")
        refuse("its first line is not that of a study");
      table.factors.assign(fields.begin() + 1, fields.end() - 2);
    } else if (!read_row(fields, table.factors.size(), 0, table.rows.emplace_back())) {
      refuse(fmt::format("line {} is no row of the table", number));
    }
  }
  if (table.factors.empty()) refuse("it is empty");
  return table;
}

bool is_hdf5_table(const std::string& file) {
  results::hdf5::set_up();
  if (H5Fis_hdf5(file.c_str()) <= 0) return false;
  try {
    const Handle open(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    return check(H5Lexists(open, quantities_group, H5P_DEFAULT)) > 0 && check(H5Lexists(open, "case", H5P_DEFAULT)) > 0;
  } catch (const results::hdf5::Error&) {
    return false;
  }
}

StudyTable read_hdf5_table(const std::string& file, RecordFields& record) {
  results::hdf5::set_up();
  StudyTable table;
  try {
    const Handle open(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    record = results::hdf5::read_fields(open);
    take(table, open);
  } catch (const results::hdf5::Error& error) {
    throw Failure(Exit::bad_input, fmt::format("{} is no whole table of a study: {}", file, error.what()),
                  "Give a file that polyform study wrote.");
  }
  return table;
}

void write_table(OutputFile& file, const StudyTable& table, const RecordFields& record,
                 const TrajectoryParts* trajectories) {
  const std::string extension = std::filesystem::path(file.path()).extension().string();
  if (extension == ".h5" || extension == ".hdf5")
    write_hdf5_file(file, [&](hid_t open) { fill(open, table, record, trajectories); });
  else
    write_csv(file, table);
}

}  // namespace polyform::host::inline studies
