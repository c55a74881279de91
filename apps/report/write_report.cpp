// Puts the page together: the template, a description of the runs as compressed JSON, and blocks of columns in elements
// of their own, so that a browser unpacks only those that are looked at.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <functional>
#include <span>

#include "apps/report/mechanism.hpp"
#include "apps/report/packed_column.hpp"
#include "apps/report/page_template.hpp"
#include "apps/report/report.hpp"
#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::apps {

namespace {

// Browsers refuse strings and pages of some hundred megabytes.
constexpr std::size_t most_bytes = 512u << 20;

/// A block has about as many numbers, one column at least: many short columns compress better together, and are fewer
/// elements.
std::size_t columns_per_block(std::size_t rows) {
  constexpr std::size_t numbers = 1u << 13;
  return std::max<std::size_t>(1, numbers / std::max<std::size_t>(1, rows));
}

/// Where the numbers of a run come from.
struct ColumnSource {
  std::vector<const host::Channel*> channels;
  std::size_t rows, at_once;  ///< at_once: how many columns to read at a time
  /// The values of some neighbouring columns, one column after the other.
  std::function<std::vector<double>(std::size_t first, std::size_t columns)> read;

  double numbers() const { return static_cast<double>(rows) * static_cast<double>(channels.size()); }
};

ColumnSource source_of(const host::ResultFile& file) {
  ColumnSource source{{}, file.rows(), file.columns_at_once(), [&file](std::size_t first, std::size_t columns) {
                        return file.read(first, columns);
                      }};
  for (const host::Channel& channel : file.channels()) source.channels.push_back(&channel);
  return source;
}

ColumnSource source_of(const host::Results& results) {
  const std::size_t rows = results.columns.empty() ? 0 : results.columns.front().values.size();
  ColumnSource source{{}, rows, 1, [&results](std::size_t first, std::size_t columns) {
                        std::vector<double> values;
                        for (std::size_t c = first; c < first + columns; ++c)
                          values.insert(values.end(), results.columns[c].values.begin(),
                                        results.columns[c].values.end());
                        return values;
                      }};
  for (const host::ResultColumn& column : results.columns) source.channels.push_back(&column.channel);
  return source;
}

/// columns: group, name, unit and own name of each.
Json report_run_json(const std::string& label, const ColumnSource& source, const host::RecordFields& fields) {
  Json record = Json::object(), columns = Json::array();
  for (const host::RecordField& field : fields)
    std::visit([&](const auto& value) { record[field.name] = value; }, field.value);
  for (const host::Channel* channel : source.channels)
    columns.push_back(Json::array({host::place_of(*channel).group, channel->name, channel->unit, channel->own_name}));
  return {{"label", label},
          {"rows", source.rows},
          {"record", record},
          {"columns", columns},
          {"columns_per_block", columns_per_block(source.rows)}};
}

Json table_json(const ReportTable& table) {
  Json columns = Json::array();
  for (const ReportTable::Column& c : table.columns) columns.push_back({{"title", c.title}, {"unit", c.unit}});
  return {{"caption", table.caption}, {"columns", columns}, {"rows", table.rows}, {"notes", table.notes}};
}

Json sweep_json(const ReportSweep& sweep) {
  Json points = Json::array();
  for (const WorkPrecision& p : sweep.points) {
    Json errors = Json::array();
    for (const std::optional<double>& error : p.errors) errors.push_back(error ? Json(*error) : Json());
    points.push_back({{"solver", p.solver},
                      {"setting", p.setting},
                      {"seconds", p.seconds},
                      {"evaluations", p.evaluations},
                      {"errors", errors}});
  }
  Json kinds = Json::array();
  for (const ReportSweep::Error& error : sweep.errors)
    kinds.push_back({{"title", error.title}, {"reference", error.reference}});
  return {{"setting", sweep.setting}, {"errors", kinds}, {"points", points}};
}

/// The model file as it stands; nothing if it was no file, or is gone.
Json model_json(const host::System* system) {
  if (!system) return nullptr;
  const std::string& file = system->description().file;
  return {{"file", file}, {"text", host::file_content(file).value_or("")}};
}

Json report_json(const Report& report) {
  Json runs = Json::array(), tables = Json::array();
  for (const ReportRun& run : report.runs)
    runs.push_back(report_run_json(run.label, source_of(run.file), run.file.record()));
  for (const ReportTable& table : report.tables) tables.push_back(table_json(table));
  Json out{{"title", report.title},
           {"polyform", POLYFORM_VERSION},
           {"written", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))},
           {"runs", runs},
           {"mechanism", report.system ? mechanism_json(*report.system) : Json()},
           {"model", model_json(report.system)},
           {"tables", tables}};
  if (report.comparison) out["consensus"] = report_run_json("consensus", source_of(report.comparison->consensus), {});
  if (!report.sweep.points.empty()) out["sweep"] = sweep_json(report.sweep);
  return out;
}

/// `what` holds the numbers.
void check_size(double numbers, const char* what, const char* remedy) {
  const double bytes = numbers * sizeof(double);
  if (bytes > static_cast<double>(most_bytes))
    throw host::Failure(
        host::Exit::bad_input,
        fmt::format("{} {:.0f} MB of numbers, more than a page of {} MB can", what, bytes / 0x1p20, most_bytes >> 20),
        remedy);
}

void check_size(const std::vector<ReportRun>& runs, double further) {
  for (const ReportRun& run : runs) further += source_of(run.file).numbers();
  check_size(further, "the results hold", "Run again with a longer --output-interval, or with fewer --columns.");
}

void write_columns(host::OutputFile& file, std::size_t run, const ColumnSource& source) {
  const std::size_t per_block = columns_per_block(source.rows), all = source.channels.size();
  // Whole blocks.
  const std::size_t at_once = std::max<std::size_t>(1, source.at_once / per_block) * per_block;
  for (std::size_t first = 0; first < all; first += at_once) {
    const std::size_t columns = std::min(at_once, all - first);
    const std::vector<double> values = source.read(first, columns);
    for (std::size_t c = 0; c < columns; c += per_block) {
      const std::size_t here = std::min(per_block, columns - c);
      const auto block = std::span(values).subspan(c * source.rows, here * source.rows);
      file.write(fmt::format("<script type=\"text/plain\" id=\"columns-{}-{}\">{}</script>\n", run,
                             (first + c) / per_block, pack_column(block)));
    }
  }
}

}  // namespace

std::unique_ptr<host::OutputFile> open_report(const std::string& path, std::string_view option) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (path != "-" && extension != ".html" && extension != ".htm")
    throw host::Failure(
        host::Exit::bad_input,
        fmt::format("{}: a page cannot be written to {}: expected a name that ends in .html", option, host::show(path)),
        "A browser opens it by that name; - writes it to the output stream.");
  if (runs_page().empty())
    throw host::Failure(host::Exit::simulation_failed, "this polyform was built without the page of its reports",
                        "When it was built, npm or its packages could not be had: install nodejs and npm, then run "
                        "cmake again, which says what is missing.");
  return std::make_unique<host::OutputFile>(path, option);
}

void check_streams(const std::string& page, const std::string& results) {
  if (page == "-" && results == "-")
    throw host::Failure(host::Exit::bad_input, "--report - and --output - would mix on the output stream",
                        "Give the page a name of its own: --report FILE.html.");
}

void check_page(const host::System& system, const host::Columns& columns, const host::RunSettings& settings,
                std::size_t runs) {
  const double rows = std::floor(settings.duration / settings.output_interval) + 1;
  const auto width = static_cast<double>(host::RowMaker(system, columns).channels().size());
  const std::size_t with_consensus = runs > 1 ? runs + 1 : runs;
  check_size(rows * width * static_cast<double>(with_consensus), "--report: the page would hold",
             "Give a longer --output-interval or fewer --columns; or write --output FILE.h5 without a page.");
}

void check_page(const std::vector<ReportRun>& runs) { check_size(runs, 0); }

void write_report(host::OutputFile& file, const Report& report) {
  try {
    check_size(report.runs, report.comparison ? source_of(report.comparison->consensus).numbers() : 0);
  } catch (const host::Failure&) {
    file.give_up();
    throw;
  }
  write_page(file, runs_page(), report.title, [&] {
    const std::string json = report_json(report).dump(-1, ' ', false, Json::error_handler_t::replace);
    file.write("<script type=\"text/plain\" id=\"report\">" + pack_text(json) + "</script>\n");
    for (std::size_t r = 0; r < report.runs.size(); ++r) write_columns(file, r, source_of(report.runs[r].file));
    if (report.comparison) write_columns(file, report.runs.size(), source_of(report.comparison->consensus));
  });
}

}  // namespace polyform::apps
