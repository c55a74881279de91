#include "tests/benchmark/process.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "framework/host/process/process.hpp"
#include "tests/benchmark/engine.hpp"

namespace polyform::benchmark {
namespace {

double status_bytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stod(line.substr(std::strlen(key))) * 1024;
  return 0;
}

}  // namespace

ProcessResult run_in_process(const std::function<std::string()>& work, const Limits& limits) {
  std::string text;
  const host::ProcessJob job{.work =
                                 [&work](const host::Messenger& messenger) {
                                   try {
                                     messenger.send(work());
                                   } catch (const Cannot& reason) {
                                     throw host::Failure(host::Exit::simulation_failed, reason.what());
                                   }
                                 },
                             .receive = [&text](std::string_view message) { text = message; },
                             .ended = {}};
  const host::ProcessLimits host_limits{limits.seconds, static_cast<std::uint64_t>(limits.gibibytes * 0x1p30)};
  const host::ProcessEnd end = host::run_in_processes({&job, 1}, host_limits, 1).front();
  return end.done() ? ProcessResult{true, text} : ProcessResult{false, host::describe(end, host_limits)};
}

MemoryCount::MemoryCount() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // sets the peak to what is held now
  before_ = status_bytes("VmRSS:");
}
double MemoryCount::bytes() const { return std::max(status_bytes("VmHWM:") - before_, 0.0); }

}  // namespace polyform::benchmark
