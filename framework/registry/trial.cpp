#include "framework/registry/trial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "framework/process/process.hpp"
#include "framework/registry/crash_guard.hpp"
#include "framework/registry/library.hpp"
#include "framework/streams.hpp"

namespace polyform::host {

namespace {

void silence_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  for (const int stream : {::fileno(output()), STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
}

/// Empty where the process did its work, or could not be made: then the load in this process has to do.
std::string finding_of(const ProcessEnd& end, const ProcessLimits& limits) {
  using How = ProcessEnd::How;
  switch (end.how) {
    case How::threw:
      return thrown_while_loaded(end.message);
    case How::memory:
      return fmt::format("needs more than {:.3g} GiB of memory while it is loaded",
                         static_cast<double>(limits.memory) / 0x1p30);
    case How::time_limit:
      return fmt::format("does not finish loading within {:g} s", limits.seconds);
    case How::signal:
      return fmt::format("ends the program with signal {} ({}) when it is loaded", end.number,
                         ::strsignal(end.number));
    case How::exit:
      return fmt::format("ends the program with status {} when it is loaded", end.number);
    case How::done:
    case How::failed:
    case How::interrupted:
    case How::not_started:
      return {};
  }
  return {};
}

}  // namespace

std::string crash_in_trial(const std::filesystem::path& file, const PluginManifest& expected) {
  const ProcessJob job{[&](const Messenger&) {
                         silence_output();
                         try {
                           const Library library(file, expected);
                         } catch (const LoadFailure&) {
                           // The load in this program finds it again.
                         }
                       },
                       {},
                       {}};
  const ProcessLimits limits{longest_load, largest_load()};
  return finding_of(run_in_processes(std::span(&job, 1), limits, 1).front(), limits);
}

}  // namespace polyform::host
