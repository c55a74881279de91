#include "apps/session/result_file.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "framework/diagnostics.hpp"
#include "framework/host/simulation/row_times.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

host::RecordFields known_of(const host::System& system, std::string_view solver, const host::RunSettings& settings) {
  host::RecordFields known{{"polyform", std::string(POLYFORM_VERSION)},
                           {"model", system.description().name},
                           {"model_file", system.description().file},
                           {"solver", std::string(solver)},
                           {"integrator", std::string(settings.integrator.name())},
                           {"step", settings.step},
                           {"relative_tolerance", settings.relative_tolerance},
                           {"absolute_tolerance", settings.absolute_tolerance},
                           {"start_time", settings.start_time},
                           {"duration", settings.duration},
                           {"output_interval", settings.output_interval},
                           {"started", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))}};
  if (!settings.integrator.given.empty()) known.push_back({"integrator_options", settings.integrator.given});
  if (std::isfinite(settings.max_step)) known.push_back({"max_step", settings.max_step});
  return known;
}

std::string file_of(const std::string& output, std::string_view solver) {
  std::filesystem::path file(output);
  const std::string extension = file.extension().string();
  return file.replace_extension(fmt::format(".{}{}", solver, extension)).string();
}

void check_outputs(const std::string& output, const std::vector<host::Contender>& all) {
  if (output.empty()) return;
  for (const host::Contender& contender : all) host::make_writer(file_of(output, contender.formulation->name()));
}

std::unique_ptr<host::RowSink> open_result(const host::System& system, const std::string& path,
                                           const host::Columns& columns, std::string_view solver,
                                           const host::RunSettings& settings) {
  if (path.empty()) return nullptr;
  return std::make_unique<host::ResultSink>(system, columns, host::make_writer(path),
                                            known_of(system, solver, settings));
}

std::unique_ptr<host::RowSink> reopen_result(const host::System& system, const std::string& path,
                                             const host::Columns& columns, std::string_view solver,
                                             const host::RunSettings& settings, double from, std::size_t rows) {
  if (path.empty()) return nullptr;
  auto sink =
      std::make_unique<host::ResultSink>(system, columns, host::make_writer(path), known_of(system, solver, settings),
                                         from * (1 + host::rounding_of_row_times));
  if (sink->earlier_rows() != rows)
    throw Failure(Exit::bad_input,
                  fmt::format("{} has {} rows up to t = {:.9g} s, and the run had written {}", path,
                              sink->earlier_rows(), from, rows),
                  "The file was changed since the checkpoint: begin the run anew.");
  return sink;
}

}  // namespace polyform::apps
