// Arguments of commands that run each solver in its own process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "framework/host/process/process.hpp"

namespace CLI {
class App;
}

namespace polyform::apps {

struct ProcessArguments {
  double time_limit = 600;             ///< s; 0: none
  std::optional<double> memory_limit;  ///< GiB; 0: none
  std::size_t jobs = 1;
};
void add_process_arguments(CLI::App&, ProcessArguments&);
/// --memory-limit alone, GiB. `shared`: how the default is divided, to follow its explanation.
void add_memory_limit(CLI::App&, std::optional<double>& gibibytes, const char* shared = "");
/// Bytes; 0: none.
std::uint64_t memory_limit_of(const std::optional<double>& gibibytes, std::size_t jobs = 1);
host::ProcessLimits limits_of(const ProcessArguments&);
/// Limits of the work that is done once, before the jobs, for all of them.
host::ProcessLimits limits_before_jobs(const ProcessArguments&);

}  // namespace polyform::apps
