// Work in a child process, so that a crash, a hang or a hunger for memory ends the child alone.
#pragma once

#include <functional>
#include <string>

namespace polyform::host {

/// How a child ended.
struct ChildEnd {
  int status = 0;          ///< as of waitpid
  bool timed_out = false;
  unsigned time_limit = 0;  ///< s

  bool sound() const { return !timed_out && status == 0; }
  /// "crashed with signal 11 (Segmentation fault)", "did not finish within 60 s".
  std::string what() const;
};

/// Forks, does the work there, hands every line that it sends to on_line in this process, and waits. The child is ended
/// after the time limit, gets no more than 8 GiB of memory, and writes nothing to the output and error streams.
/// Failure (simulation_failed) when no process can be made.
ChildEnd run_child(unsigned time_limit, const std::function<void(const std::function<void(const std::string&)>& send)>& work,
                   const std::function<void(const std::string&)>& on_line);

}  // namespace polyform::host
