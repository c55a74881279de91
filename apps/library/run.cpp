#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/library/internal.hpp"
#include "apps/session/result_file.hpp"
#include "framework/host/evaluation/absent_constraints.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/registry/process_state.hpp"
#include "framework/host/simulation/mode_limits.hpp"
#include "framework/host/simulation/simulate.hpp"

namespace polyform::library {

namespace {

/// Takes the rows of a run into memory.
class MemorySink final : public host::RowSink {
 public:
  MemorySink(const host::System& system, const host::Columns& columns, Result::Parts& out)
      : rows_(system, columns), out_(out) {
    out_.channels = rows_.channels();
    out_.columns = columns_of(out_.channels);
  }
  void work(double work) override { work_ = work; }
  void row(double time, const Observation& now) override {
    const std::span<const double> values = rows_.make(time, now, work_);
    out_.data.insert(out_.data.end(), values.begin(), values.end());
    ++out_.rows;
  }

 private:
  host::RowMaker rows_;
  Result::Parts& out_;
  double work_ = 0;
};

/// The run with what it may be watched by. Nothing that a watch throws passes through plugins.
host::RunRecord watched_run(const host::System& system, polyform::Solver& solver, const host::RunSettings& settings,
                            std::span<host::RowSink* const> sinks, const Watch& watch) {
  Interruption interruption(watch);
  const FunctionCalls& calls = *FunctionCalls::current();
  host::RunControl control{&interruption.flag(), {}, true};
  control.progress = [&](double time) {
    interruption.look(time);
    if (calls.thrown()) control.row_at_interruption = false;
    if (calls.thrown() || !calls.ended_by().empty()) interruption.interrupt();
  };
  const host::ProcessState before;
  return host::simulate(system, solver, settings, sinks, control);
}

}  // namespace

void Interruption::look(double time) {
  try {
    if (watch_.progress) watch_.progress(time);
  } catch (...) {
    return fail("progress");
  }
  look();
}
void Interruption::look() {
  try {
    if (watch_.stop && watch_.stop()) interrupt();
  } catch (...) {
    fail("stop");
  }
}
void Interruption::fail(const char* function) noexcept {
  FunctionCalls::current()->keep(std::current_exception(), function);
  interrupt();
}

void check_positive(const char* name, const std::optional<double>& value) {
  if (value && !(*value > 0 && std::isfinite(*value)))
    refuse(fmt::format("{}: expected a positive number, found {}", name, *value));
}

void check_time_limit(double seconds) {
  if (!(seconds >= 0 && seconds <= 1e9))
    refuse(fmt::format("time_limit: expected a time in s from 0 to 1e9, found {}", seconds), "0 sets no limit.");
}

std::vector<std::string> typed(const Options& options) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : options) texts.push_back(name + "=" + value);
  return texts;
}

std::optional<double> start_time_of(const RunRequest& request) {
  if (request.start_time && !(*request.start_time >= 0 && std::isfinite(*request.start_time)))
    refuse(fmt::format("start_time: expected a time in s from 0 on, found {}", *request.start_time));
  return request.start_time;
}

apps::RunArguments arguments_of(const RunRequest& request) {
  check_positive("duration", request.duration);
  check_positive("step", request.step);
  check_positive("max_step", request.max_step);
  check_positive("relative_tolerance", request.relative_tolerance);
  check_positive("absolute_tolerance", request.absolute_tolerance);
  check_positive("output_interval", request.output_interval);
  apps::RunArguments run;
  run.duration = request.duration;
  run.step = request.step;
  run.max_step = request.max_step;
  run.relative_tolerance = request.relative_tolerance;
  run.absolute_tolerance = request.absolute_tolerance;
  run.output_interval = request.output_interval;
  run.integrator = request.integrator;
  run.integrator_options = typed(request.integrator_options);
  run.output = request.output;
  run.columns = request.columns;
  run.euler_angles = request.euler_angles;
  return run;
}

apps::SolverChoice choice_of(const Model::Parts& model, const SolverRequest& request) {
  return apps::choose_solver(model.catalog(), *model.system, request.name, typed(request.options));
}

std::vector<Column> columns_of(const std::vector<host::Channel>& channels) {
  std::vector<Column> columns;
  for (const host::Channel& channel : channels)
    columns.push_back({channel.name, channel.unit, host::place_of(channel).group});
  return columns;
}

Result Model::run(const RunRequest& request) const {
  if (!request.state.empty() || request.start_time) {
    RunRequest from_there = request;
    from_there.state.clear();
    from_there.start_time.reset();
    const auto time = calling(nullptr, [&] { return start_time_of(request); });
    return starting(request.state, time).run(from_there);
  }
  auto out = std::make_shared<Result::Parts>();
  out->model = parts_;
  std::vector<Message> said;
  calling(&said, [&] {
    const host::System& system = *parts_->system;
    const apps::RunArguments arguments = arguments_of(request);
    const host::RunSettings settings = apps::settle(parts_->catalog(), arguments, system.description());
    const apps::SolverChoice choice = choice_of(*parts_, request.solver);
    out->solver = choice.formulation->name();
    const host::SolverPointer solver = apps::compile(choice, system.view());
    const host::Columns columns = apps::columns_of(arguments);
    out->known = apps::known_of(system, out->solver, settings);
    MemorySink rows(system, columns, *out);
    const std::unique_ptr<host::RowSink> file =
        request.output.empty() ? nullptr : apps::open_result(system, request.output, columns, out->solver, settings);
    host::ModeLimits limits(system.view());
    std::vector<host::RowSink*> sinks{&rows};
    if (file) sinks.push_back(file.get());
    if (!limits.bodies().empty()) sinks.push_back(&limits);
    out->run = watched_run(system, *solver, settings, sinks, request.watch);
    FunctionCalls& calls = *FunctionCalls::current();
    out->thrown = calls.thrown();
    if (out->thrown) {
      const Error error = error_of_function(out->thrown, calls.whose());
      out->run.end = host::End::failed;
      out->run.failure = fmt::format("{}, at t = {:.9g} s", error.first().text, out->run.time);
      out->run.remedy = error.first().remedy;
      calls.forget();
    }
    const host::ConstraintCount count = system.count_constraints(system.start_time(), system.initial_state(),
                                                                 host::absent_constraints(system.view(), *solver));
    apps::Json record = apps::run_json(system, count.degrees_of_freedom, out->solver, out->run);
    if (!calls.ended_by().empty()) record["ended_by"] = calls.ended_by();
    out->record = value_of(record);
    out->status = static_cast<RunStatus>(static_cast<int>(out->run.end));
    for (const std::string& warning : out->run.warnings) apps::print(polyform::Severity::warning, warning);
    return 0;
  });
  out->warnings = std::move(said);
  return Result(std::move(out));
}

}  // namespace polyform::library
