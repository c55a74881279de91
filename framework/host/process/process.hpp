// Work in processes of its own. Each is a copy of this program, made by fork: it sees all that is in memory, and its
// changes to memory are lost with it. A crash, an endless loop or a lack of memory ends that process alone, and the
// cause is reported. No other threads of this program may run meanwhile.
#pragma once

#include <csignal>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline process {

struct ProcessLimits {
  double seconds = 0;                 ///< used by one process, computing or asleep (used_time.hpp); 0: any
  std::uint64_t memory = 0;           ///< bytes that a process may take beyond what it starts with; 0: none
  bool since_message = false;         ///< the seconds count anew from each message of the process
  std::function<void()> meanwhile{};  ///< called some twenty times a second or more while processes run; may be empty
};

/// Nine tenths of the memory that can be had now, shared by so many processes, bytes.
std::uint64_t default_memory_limit(std::size_t processes);

/// From now on this process may take so many bytes beyond what it has; never more than it was allowed before. 0: all of
/// that.
void limit_memory(std::uint64_t bytes);

/// From now on this process may take all addresses again that the system grants it: drivers of devices reserve many
/// times the memory that they use.
void allow_all_addresses();

/// What this process may still take: what can be had now, within what it was allowed; bytes.
std::uint64_t free_memory();

/// How a process ended.
struct ProcessEnd {
  enum class How {
    done,    ///< its work returned
    failed,  ///< its work threw; code, message and remedy are those of a Failure
    threw,   ///< an exception nobody caught; message is its text
    signal,  ///< ended by a signal, `number`
    exit,    ///< something called exit; `number` is the status
    time_limit,
    memory,       ///< memory ran out
    interrupted,  ///< stopped by us after an interruption, or never started for one
    not_started   ///< the system has no process or pipe to spare; message is its reason
  };
  How how = How::not_started;
  int number = 0;
  Exit code = Exit::simulation_failed;
  std::string message, remedy;
  double seconds = 0;  ///< wall time of the process
  bool done() const { return how == How::done; }
};
/// Why a process did not do its work: a sentence without a full stop, such as "ended by signal 11 (Segmentation
/// fault)".
std::string describe(const ProcessEnd&, const ProcessLimits&);

/// Sends messages from inside a process to the one that waits for it.
class Messenger {
 public:
  explicit Messenger(int pipe) : pipe_(pipe) {}
  /// Sends a message of any bytes; waits while the pipe is full.
  void send(std::string_view message) const { send(ours, message); }

  static constexpr char ours = 'm', failure = 'f', uncaught = 'u', out_of_memory = 'o', finished = 'd';
  /// The exit status of a process that could not send its messages.
  static constexpr int lost_way = 113;
  /// A message of another kind than the work's own. Allocates nothing.
  void send(char kind, std::string_view message) const noexcept;

 private:
  int pipe_;
};

struct ProcessJob {
  std::function<void(const Messenger&)> work;             ///< done in the process
  std::function<void(std::string_view message)> receive;  ///< called here with each message, in order; may be empty
  std::function<void(const ProcessEnd&)> ended;           ///< called here when the process is gone; may be empty
};

/// Runs the jobs in order, `at_once` at a time, and returns how each ended. When the flag becomes non-zero no further
/// one is started, and those that run get SIGTERM, on which they should send what they have and return; after
/// `grace_seconds` they are killed. Should this program die, they die with it. What a process prints on the output
/// stream goes to the error stream.
inline constexpr double grace_seconds = 2;
std::vector<ProcessEnd> run_in_processes(std::span<const ProcessJob> jobs, const ProcessLimits&, std::size_t at_once,
                                         const volatile std::sig_atomic_t* interrupted = nullptr);

}  // namespace polyform::host::process
