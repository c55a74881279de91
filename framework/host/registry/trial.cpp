#include "framework/host/registry/trial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "framework/host/process/process.hpp"
#include "framework/host/registry/crash_guard.hpp"
#include "framework/host/registry/library.hpp"
#include "framework/streams.hpp"
#include "framework/supervision.hpp"

namespace polyform::host::inline registry {

namespace {

void silence_output() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  leave_streams();
  for (const int stream : {::fileno(output()), STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
}

/// `state`: "loaded" or "unloaded". Empty if the process did its work. Empty too where no process could be made:
/// then the load in this process decides.
std::string finding_of(const ProcessEnd& end, const ProcessLimits& limits, std::string_view state) {
  using How = ProcessEnd::How;
  switch (end.how) {
    case How::threw: return thrown_while(state, end.message);
    case How::memory:
      return fmt::format("needs more than {:.3g} GiB of memory while it is {}",
                         static_cast<double>(limits.memory) / 0x1p30, state);
    case How::time_limit: return fmt::format("is not {} within {:g} s", state, limits.seconds);
    case How::signal:
      return fmt::format("ends the program with signal {} ({}) when it is {}", end.number, ::strsignal(end.number),
                         state);
    case How::exit: return fmt::format("ends the program with status {} when it is {}", end.number, state);
    case How::done:
    case How::failed:
    case How::interrupted:
    case How::not_started: return {};
  }
  return {};
}

}  // namespace

std::string crash_in_trial(const std::filesystem::path& file, const PluginManifest& expected) {
  std::string_view state = "loaded";
  const ProcessJob job{[&](const Messenger& back) {
                         silence_output();
                         try {
                           const Library library(file, expected);
                           back.send({});  // what follows is the unloading
                         } catch (const LoadFailure&) {
                           // The load in this program finds it again.
                         }
                       },
                       [&](std::string_view) { state = "unloaded"; },
                       {}};
  whereabouts().set_work("the loading of ", file.native());
  const ProcessLimits limits{longest_load, largest_load()};
  const ProcessEnd end = run_in_processes(std::span(&job, 1), limits, 1).front();
  whereabouts() = {};
  return finding_of(end, limits, state);
}

}  // namespace polyform::host::registry
