#include "apps/session/process_arguments.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "apps/session/arguments.hpp"

namespace polyform::apps {

namespace {

/// The largest limits: some 30 years, or more memory than there is.
CLI::Validator limit() {
  return CLI::Validator([](std::string& text) { return check_limit(text, 0, 1e9); }, "");
}

}  // namespace

void add_memory_limit(CLI::App& app, std::optional<double>& gibibytes, const char* shared) {
  app.add_option("--memory-limit", gibibytes,
                 fmt::format("Memory that one run may take, GiB; 0: any [0.9 of what can be had now{}]", shared))
      ->check(limit())
      ->type_name("NUMBER");
}

std::uint64_t memory_limit_of(const std::optional<double>& gibibytes, std::size_t jobs) {
  return gibibytes ? static_cast<std::uint64_t>(*gibibytes * 0x1p30) : host::default_memory_limit(jobs);
}

void add_process_arguments(CLI::App& app, ProcessArguments& processes) {
  app.add_option(
         "--time-limit", processes.time_limit,
         fmt::format("Time after which one run is given up, s, without what it waits for a processor; 0: never [{}]",
                     processes.time_limit))
      ->check(limit())
      ->type_name("NUMBER");
  add_memory_limit(app, processes.memory_limit, ", shared by the jobs");
  app.add_option("--jobs", processes.jobs, "Runs at a time; more than one disturb each other's wall times [1]")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1024}))
      ->type_name("N");
}

host::ProcessLimits limits_of(const ProcessArguments& processes) {
  return {processes.time_limit, memory_limit_of(processes.memory_limit, processes.jobs)};
}

host::ProcessLimits limits_before_jobs(const ProcessArguments& processes) {
  return {processes.time_limit, memory_limit_of(processes.memory_limit)};
}

}  // namespace polyform::apps
