#include "polyform/library/result.hpp"

#include <algorithm>

#include "apps/library/internal.hpp"
#include "apps/report/report.hpp"
#include "apps/session/temporary_folder.hpp"
#include "framework/file_content.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::library {

Result::Result(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

const std::vector<Column>& Result::columns() const noexcept { return parts_->columns; }
std::size_t Result::rows() const noexcept { return parts_->rows; }
std::span<const double> Result::data() const noexcept { return parts_->data; }
RunStatus Result::status() const noexcept { return parts_->status; }
const Value& Result::record() const noexcept { return parts_->record; }
const std::vector<Message>& Result::warnings() const noexcept { return parts_->warnings; }

std::size_t Result::index(std::string_view name) const {
  const std::vector<Column>& all = parts_->columns;
  const auto found = std::ranges::find(all, name, &Column::name);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  std::vector<std::string_view> names;
  for (const Column& column : all) names.push_back(column.name);
  throw Error(Error::Kind::bad_input, {{.text = "the result has no column " + host::show(name),
                                        .remedy = host::did_you_mean(name, names) + "Columns: " + host::listing(names) +
                                                  "; columns= of the run chooses among all that there are."}});
}

std::vector<double> Result::column(std::string_view name) const {
  const std::size_t first = index(name), width = parts_->columns.size();
  std::vector<double> values(parts_->rows);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = parts_->data[k * width + first];
  return values;
}

void Result::check() const {
  if (parts_->status != RunStatus::failed) return;
  std::vector<Message> messages = parts_->warnings;
  const host::RunRecord& run = parts_->run;
  messages.push_back({.text = run.failure,
                      .remedy = run.remedy.empty()
                                    ? "This was solver " + parts_->solver + "; a comparison tells whether others go on."
                                    : run.remedy});
  throw Error(Error::Kind::simulation_failed, std::move(messages), parts_->thrown);
}

std::string Result::page() const {
  return calling(nullptr, [&] {
    const apps::TemporaryFolder folder;
    const std::string rows = folder.file("rows.h5"), file = folder.file("page.html");
    const std::unique_ptr<host::OutputFile> page = apps::open_report(file, "the page");
    const std::unique_ptr<host::ResultWriter> writer = host::make_writer(rows);
    const std::size_t width = parts_->columns.size();
    writer->begin(parts_->channels, parts_->known);
    for (std::size_t k = 0; k < parts_->rows; ++k) writer->row(std::span(parts_->data).subspan(k * width, width));
    writer->finish(host::fields_of(parts_->run));
    const host::System& system = *parts_->model->system;
    apps::Report report{system.description().name, {}, &system, {}, {}, {}};
    report.runs.push_back({parts_->solver, host::ResultFile(rows)});
    apps::write_report(*page, report);
    return host::file_content(file).value_or("");
  });
}

}  // namespace polyform::library
