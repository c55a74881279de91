// Puts the page together: the template, a description of the runs as compressed JSON, and blocks of columns in elements
// of their own, so that a browser unpacks only those that are looked at.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <sstream>

#include "apps/report/mechanism.hpp"
#include "apps/report/packed_column.hpp"
#include "apps/report/page_template.hpp"
#include "apps/report/report.hpp"
#include "framework/diagnostics.hpp"
#include "framework/simulation/row_maker.hpp"

namespace polyform::apps {

namespace {

constexpr std::string_view title_mark = "<!--title-->", data_mark = "<!--data-->";
// Browsers refuse strings and pages of some hundred megabytes.
constexpr std::size_t most_bytes = 512u << 20;

/// Text as it may stand in HTML.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

/// A block has about as many numbers, one column at least: many short columns compress better together, and are fewer
/// elements.
std::size_t columns_per_block(std::size_t rows) {
  constexpr std::size_t numbers = 1u << 13;
  return std::max<std::size_t>(1, numbers / std::max<std::size_t>(1, rows));
}

std::size_t rows_of(const host::Results& results) {
  return results.columns.empty() ? 0 : results.columns.front().values.size();
}

/// columns: group, name and unit of each.
Json run_json(const ReportRun& run) {
  Json record = Json::object(), columns = Json::array();
  for (const host::RecordField& field : run.results.record)
    std::visit([&](const auto& value) { record[field.name] = value; }, field.value);
  for (const host::ResultColumn& column : run.results.columns)
    columns.push_back(Json::array({host::place_of(column.channel).group, column.channel.name, column.channel.unit}));
  const std::size_t rows = rows_of(run.results);
  return {{"label", run.label},
          {"rows", rows},
          {"record", record},
          {"columns", columns},
          {"columns_per_block", columns_per_block(rows)}};
}

Json table_json(const ReportTable& table) {
  Json columns = Json::array();
  for (const ReportTable::Column& c : table.columns) columns.push_back({{"title", c.title}, {"unit", c.unit}});
  return {{"caption", table.caption}, {"columns", columns}, {"rows", table.rows}, {"notes", table.notes}};
}

Json sweep_json(const ReportSweep& sweep) {
  Json points = Json::array();
  for (const WorkPrecision& p : sweep.points)
    points.push_back({{"solver", p.solver},
                      {"setting", p.setting},
                      {"seconds", p.seconds},
                      {"evaluations", p.evaluations},
                      {"error", p.error}});
  return {{"setting", sweep.setting}, {"error", sweep.error}, {"points", points}};
}

/// The model file as it stands; nothing where it was no file, or is gone.
Json model_json(const host::System* system) {
  if (!system) return nullptr;
  const std::string& file = system->description().file;
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return {{"file", file}, {"text", text.str()}};
}

Json report_json(const Report& report) {
  Json runs = Json::array(), tables = Json::array();
  for (const ReportRun& run : report.runs) runs.push_back(run_json(run));
  for (const ReportTable& table : report.tables) tables.push_back(table_json(table));
  Json out{{"title", report.title},
           {"polyform", POLYFORM_VERSION},
           {"written", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
           {"runs", runs},
           {"mechanism", report.system ? mechanism_json(*report.system) : Json()},
           {"model", model_json(report.system)},
           {"tables", tables}};
  if (!report.sweep.points.empty()) out["sweep"] = sweep_json(report.sweep);
  return out;
}

/// `what` holds the numbers.
void check_size(double numbers, const char* what, const char* remedy) {
  const double bytes = numbers * sizeof(double);
  if (bytes > static_cast<double>(most_bytes))
    throw host::Failure(host::Exit::bad_input,
                        fmt::format("{} {:.0f} MB of numbers, more than a page of {} MB can", what, bytes / 0x1p20,
                                    most_bytes >> 20),
                        remedy);
}

void check_size(const Report& report) {
  double numbers = 0;
  for (const ReportRun& run : report.runs)
    numbers += static_cast<double>(rows_of(run.results)) * static_cast<double>(run.results.columns.size());
  check_size(numbers, "the results hold", "Run again with a longer --output-interval, or with fewer --columns.");
}

void write_columns(host::OutputFile& file, std::size_t run, const host::Results& results) {
  const std::size_t per_block = columns_per_block(rows_of(results)), all = results.columns.size();
  std::vector<double> block;
  for (std::size_t first = 0; first < all; first += per_block) {
    block.clear();
    for (std::size_t c = first; c < std::min(all, first + per_block); ++c)
      block.insert(block.end(), results.columns[c].values.begin(), results.columns[c].values.end());
    file.write(fmt::format("<script type=\"text/plain\" id=\"columns-{}-{}\">{}</script>\n", run, first / per_block,
                           pack_column(block)));
  }
}

}  // namespace

std::unique_ptr<host::OutputFile> open_report(const std::string& path) {
  if (page_template().empty())
    throw host::Failure(host::Exit::simulation_failed, "this polyform was built without the page of its reports",
                        "When it was built, npm or its packages could not be had: install nodejs and npm, then run "
                        "cmake again, which says what is missing.");
  return std::make_unique<host::OutputFile>(path);
}

void check_page(const host::System& system, const host::Columns& columns, const host::RunSettings& settings,
                std::size_t runs) {
  const double rows = std::floor(settings.duration / settings.output_interval) + 1;
  const auto width = static_cast<double>(host::RowMaker(system, columns).channels().size());
  check_size(rows * width * static_cast<double>(runs), "--report: the page would hold",
             "Give a longer --output-interval or fewer --columns; or write --output FILE.h5 without a page.");
}

void write_report(host::OutputFile& file, const Report& report) {
  check_size(report);
  const std::string_view page = page_template();
  const std::size_t title = page.find(title_mark), data = page.find(data_mark);
  file.replace();
  file.write(page.substr(0, title));
  file.write(escaped(report.title));
  file.write(page.substr(title + title_mark.size(), data - title - title_mark.size()));
  const std::string json = report_json(report).dump(-1, ' ', false, Json::error_handler_t::replace);
  file.write("<script type=\"text/plain\" id=\"report\">" + pack_text(json) + "</script>\n");
  for (std::size_t r = 0; r < report.runs.size(); ++r) write_columns(file, r, report.runs[r].results);
  file.write(page.substr(data + data_mark.size()));
  file.close();
}

}  // namespace polyform::apps
