#include "apps/session/study_request.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "apps/text/terminal.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/workbench/studies/study_file.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

/// What the command line leaves open is that of the study file.
void fill(RunArguments& run, const host::SimulationItem& file) {
  const auto take = [](std::optional<double>& value, const std::optional<double>& written) {
    if (!value) value = written;
  };
  take(run.duration, file.duration);
  take(run.step, file.step);
  take(run.max_step, file.max_step);
  take(run.relative_tolerance, file.relative_tolerance);
  take(run.absolute_tolerance, file.absolute_tolerance);
  take(run.output_interval, file.output_interval);
  if (!run.integrator.empty() || !file.integrator) return;
  run.integrator = *file.integrator;
  for (const auto& [key, value] : file.integrator_options) run.integrator_options.push_back(key + "=" + value);
}

/// Arguments as entries of a record; those that are not given are not there.
void add_settings(const CaseSettings& cases, host::StudyRecord& record) {
  const auto number = [&](const char* name, const std::optional<double>& value) {
    if (value) record.emplace_back(name, host::number_text(*value));
  };
  number("duration", cases.run.duration);
  number("step", cases.run.step);
  number("max_step", cases.run.max_step);
  number("rtol", cases.run.relative_tolerance);
  number("atol", cases.run.absolute_tolerance);
  number("output_interval", cases.run.output_interval);
  if (!cases.run.integrator.empty()) record.emplace_back("integrator", cases.run.integrator);
  for (const std::string& option : cases.run.integrator_options) record.emplace_back("integrator option", option);
  if (cases.run.euler_angles != "zyx") record.emplace_back("euler angles", cases.run.euler_angles);
  if (!cases.solver.empty()) record.emplace_back("solver", cases.solver);
  for (const std::string& option : cases.options) record.emplace_back("solver option", option);
  if (cases.compile) record.emplace_back("compile", "true");
  if (!cases.device.empty()) record.emplace_back("device", cases.device);
  if (cases.lenient) record.emplace_back("lenient", "true");
  for (const std::string& value : cases.set) record.emplace_back("set", value);
  if (!cases.trajectories.empty()) record.emplace_back("trajectories", cases.trajectories);
  for (const std::string& option : cases.import_options) record.emplace_back("import option", option);
}

}  // namespace

StudyRequest request_of(const StudyArguments& arguments) {
  host::Diagnostics diagnostics;
  std::optional<host::StudyFile> file = host::read_study(arguments.file, diagnostics);
  print(diagnostics);
  if (diagnostics.failed()) throw Failure(Exit::bad_input, already_said);
  if (!file) {
    file.emplace();
    file->model = arguments.file;
  }
  for (const std::string& text : arguments.vary) file->factors.push_back(host::read_factor(text));
  if (file->factors.empty())
    throw Failure(Exit::bad_input, "the study varies nothing",
                  "Give --vary PATH=VALUES, for example --vary bodies.rod.mass=0.5:2:9, or 'vary' in a study file.");
  if (!arguments.method.empty()) file->design.method = host::method_named(arguments.method);
  if (arguments.samples) file->design.samples = *arguments.samples;
  if (arguments.seed) file->design.seed = *arguments.seed;
  host::Quantities quantities;
  for (const auto& [name, expression] : file->quantities) quantities.add(name, expression);
  for (const std::string& text : arguments.quantities) quantities.add(text);
  for (const host::Factor& factor : file->factors)
    for (const std::string& name : quantities.names())
      if (name == factor.name)
        throw Failure(Exit::bad_input, fmt::format("a factor and a quantity have the name {}", host::show(name)),
                      "Name the quantity otherwise.");
  CaseSettings cases = arguments.cases;
  quantities.set_euler_angles(cases.run.euler_angles);
  fill(cases.run, file->simulation);
  if (cases.solver.empty()) cases.solver = file->solver.value_or("");
  if (cases.trajectories.empty()) cases.trajectories = file->trajectories;
  if (cases.device.empty()) cases.device = file->device;
  if (arguments.isolate.value_or(false) && !cases.device.empty() && cases.device != no_device)
    throw Failure(Exit::bad_input, "--isolate runs each case in a process of its own, a device many in one",
                  "Leave out --isolate, or give --device none.");
  cases.lenient = arguments.lenient;
  return {file->model, host::Design(std::move(file->factors), file->design), std::move(quantities), std::move(cases)};
}

host::StudyTable empty_table(const StudyRequest& request, const StudyCases& cases) {
  host::StudyTable table;
  for (const host::Factor& factor : request.design.factors()) table.factors.push_back(factor.name);
  table.factor_units = cases.factor_units();
  table.quantities = request.quantities.names();
  for (std::size_t q = 0; q < request.quantities.size(); ++q)
    table.units.push_back(request.quantities.unit(q, cases.channels()));
  return table;
}

host::CaseRow row_of(const StudyRequest& request, host::CaseOutcome outcome) {
  host::CaseRow row{outcome.number, request.design.values(outcome.number), std::move(outcome.quantities), outcome.done,
                    std::move(outcome.reason)};
  if (!row.done) row.quantities.assign(request.quantities.size(), std::numeric_limits<double>::quiet_NaN());
  return row;
}

Shard read_shard(const std::string& text) {
  Shard shard;
  if (text.empty()) return shard;
  const char* const end = text.data() + text.size();
  const auto [slash, problem] = std::from_chars(text.data(), end, shard.index);
  const bool first = problem == std::errc() && slash != end && *slash == '/';
  const auto [stop, second] = std::from_chars(first ? slash + 1 : end, end, shard.count);
  if (!first || second != std::errc() || stop != end || shard.index < 1 || shard.index > shard.count)
    throw Failure(Exit::bad_input, fmt::format("--shard: expected I/N with I from 1 to N, found {}", host::show(text)),
                  "For example --shard 3/16 for the third of sixteen.");
  --shard.index;
  return shard;
}

host::StudyRecord record_of(const StudyRequest& request, const Shard& shard, const StudyCases& cases,
                            const std::vector<std::string>& files, const std::vector<host::PluginRecord>& plugins) {
  host::StudyRecord record{{"polyform", POLYFORM_VERSION}, {"model", cases.model_text()}};
  host::add_files(files, request.model, record);
  host::add_plugins(plugins_with(cases.types(), plugins), record);
  for (const host::Factor& factor : request.design.factors()) {
    std::string paths;
    for (const std::string& path : factor.paths) paths += (paths.empty() ? "" : ",") + path;
    record.emplace_back("factor " + paths, factor.given);
  }
  record.emplace_back("method", host::name_of(request.design.method()));
  record.emplace_back("samples", fmt::format("{}", request.design.samples()));
  record.emplace_back("seed", fmt::format("{}", request.design.seed()));
  if (const std::vector<double>& correlation = request.design.correlation(); !correlation.empty())
    record.emplace_back("correlation", fmt::format("{}", fmt::join(correlation, " ")));
  for (std::size_t q = 0; q < request.quantities.size(); ++q)
    record.emplace_back("quantity " + request.quantities.names()[q], request.quantities.expressions()[q]);
  record.emplace_back("cases", fmt::format("{}", shard.cases(request.design.cases())));
  add_settings(request.cases, record);
  record.emplace_back("evaluation", cases.evaluation());
  if (shard.count > 1) record.emplace_back("shard", fmt::format("{}/{}", shard.index + 1, shard.count));
  return record;
}

}  // namespace polyform::apps
