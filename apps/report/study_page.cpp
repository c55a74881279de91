#include "apps/report/study_page.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "apps/report/packed_column.hpp"
#include "apps/report/page_template.hpp"
#include "apps/text/influence_text.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/study_text.hpp"

namespace polyform::apps {

namespace {

/// A number with as many digits as a picture shows: its other bits are zero, and cost nothing once it is packed.
double rounded(double x) { return static_cast<double>(static_cast<float>(x)); }

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Adds the numbers of a factor; for a factor of words, their numbers in the order in which the words first stand.
Json add_factor(const host::StudyTable& table, std::size_t factor, std::vector<double>& numbers) {
  Json column = {{"name", table.factors[factor]}, {"kind", "factor"}};
  if (factor < table.factor_units.size()) column["unit"] = table.factor_units[factor];
  const bool has_words =
      std::ranges::any_of(table.rows, [&](const host::CaseRow& row) { return !number_of(row.values[factor]); });
  std::vector<std::string> words;
  for (const host::CaseRow& row : table.rows) {
    const std::string& text = row.values[factor];
    if (!has_words) {
      numbers.push_back(rounded(*number_of(text)));
      continue;
    }
    const auto known = std::ranges::find(words, text);
    numbers.push_back(static_cast<double>(known - words.begin()));
    if (known == words.end()) words.push_back(text);
  }
  if (has_words) column["words"] = words;
  return column;
}

/// The factor that chooses the solver; the number of factors if there is none.
std::size_t solver_factor(const host::StudyTable& table) {
  const auto found = std::ranges::find_if(
      table.factors, [](const std::string& name) { return name == "solver" || name == "solver.name"; });
  return static_cast<std::size_t>(found - table.factors.begin());
}

/// Rows that differ in the solver alone, and how far the values of each quantity lie apart in them.
Json solver_groups(const host::StudyTable& table) {
  const std::size_t solver = solver_factor(table);
  if (solver == table.factors.size()) return Json::array();
  std::map<std::vector<std::string>, std::vector<std::size_t>> rows;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<std::string> others = table.rows[i].values;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(solver));
    rows[std::move(others)].push_back(i);
  }
  Json groups = Json::array();
  for (const auto& [others, members] : rows) {
    if (members.size() < 2) continue;
    Json spreads = Json::array();
    for (std::size_t q = 0; q < table.quantities.size(); ++q) {
      double least = std::numeric_limits<double>::infinity(), greatest = -least;
      for (const std::size_t i : members) {
        if (!std::isfinite(table.rows[i].quantities[q])) continue;
        least = std::min(least, table.rows[i].quantities[q]);
        greatest = std::max(greatest, table.rows[i].quantities[q]);
      }
      spreads.push_back(least <= greatest ? Json(greatest - least) : Json(nullptr));
    }
    groups.push_back({{"cases", members}, {"spreads", spreads}});
  }
  return groups;
}

/// The method of the study; "" if the record names none.
std::string method_of(const host::RecordFields& record) {
  for (const host::RecordField& field : record)
    if (const auto* text = std::get_if<std::string>(&field.value); text != nullptr && field.name == "method")
      return *text;
  return {};
}

/// Fans without their numbers, which follow one after the other: times, quantiles, lines.
Json fans_json(const host::Fans& fans, std::vector<double>& numbers) {
  Json all = Json::array();
  const auto put = [&](const std::vector<double>& values) {
    for (const double x : values) numbers.push_back(rounded(x));
  };
  for (const host::Fan& fan : fans.fans) {
    all.push_back({{"name", fan.name}, {"unit", fan.unit}, {"times", fan.times.size()}, {"cases", fan.numbers}});
    put(fan.times);
    for (const std::vector<double>& level : fan.quantiles) put(level);
    for (const std::vector<double>& line : fan.lines) put(line);
  }
  return {{"fans", all},       {"levels", host::Fan::levels}, {"cases", fans.cases},
          {"used", fans.used}, {"columns", fans.columns},     {"missing", fans.missing}};
}

}  // namespace

void write_study_page(host::OutputFile& file, const std::string& title, const host::StudyTable& table,
                      const host::RecordFields& record, const host::Fans& fans) {
  Json columns = Json::array(), reasons = Json::array(), fields = Json::object();
  std::vector<double> numbers, fan_numbers;
  for (std::size_t f = 0; f < table.factors.size(); ++f) columns.push_back(add_factor(table, f, numbers));
  for (std::size_t q = 0; q < table.quantities.size(); ++q) {
    columns.push_back({{"name", table.quantities[q]}, {"unit", table.units[q]}, {"kind", "quantity"}});
    for (const host::CaseRow& row : table.rows) numbers.push_back(rounded(row.quantities[q]));
  }
  for (const host::CaseRow& row : table.rows) numbers.push_back(static_cast<double>(row.number));
  for (const host::CaseRow& row : table.rows) numbers.push_back(row.done ? 1 : 0);
  for (const ReasonCount& reason : reasons_of(table))
    reasons.push_back({{"text", reason.text}, {"count", reason.count}, {"first", reason.first}, {"done", reason.done}});
  for (const host::RecordField& field : record)
    std::visit([&](const auto& value) { fields[field.name] = value; }, field.value);
  Json study = {{"title", title},
                {"polyform", POLYFORM_VERSION},
                {"written", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
                {"cases", table.rows.size()},
                {"columns", columns},
                {"reasons", reasons},
                {"groups", solver_groups(table)},
                {"indices", influence_json(table, method_of(record))},
                {"trajectories", fans_json(fans, fan_numbers)},
                {"record", fields}};
  if (solver_factor(table) < table.factors.size()) study["solver"] = table.factors[solver_factor(table)];
  write_page(file, study_page(), title, [&] {
    const std::string json = study.dump(-1, ' ', false, Json::error_handler_t::replace);
    file.write("<script type=\"text/plain\" id=\"study\">" + pack_text(json) + "</script>\n");
    file.write("<script type=\"text/plain\" id=\"columns\">" + pack_column(numbers) + "</script>\n");
    file.write("<script type=\"text/plain\" id=\"fan-numbers\">" + pack_column(fan_numbers) + "</script>\n");
  });
}

}  // namespace polyform::apps
