#include "framework/conformance/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "framework/diagnostics.hpp"

namespace polyform::host {

namespace {

using Clock = std::chrono::steady_clock;
using Send = std::function<void(const std::string&)>;

constexpr int unfinished = 112;  ///< exit status of a child that an exception ended

void write_all(int to, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(to, text.data() + done, text.size() - done);
    if (written > 0) done += static_cast<std::size_t>(written);
    if (written < 0 && errno != EINTR) ::_exit(unfinished);
  }
}

[[noreturn]] void be_child(int to, const std::function<void(const Send&)>& work) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  ::dup2(nowhere, STDERR_FILENO);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
#if !defined(__SANITIZE_ADDRESS__)
  const rlimit memory{8ull << 30, 8ull << 30};
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);
  try {
    work([to](const std::string& line) { write_all(to, line + "\n"); });
  } catch (...) {
    ::_exit(unfinished);
  }
  ::_exit(0);
}

/// Reads whole lines until the other end closes; false when the deadline passes before.
bool read_lines(int from, Clock::time_point deadline, const std::function<void(const std::string&)>& on_line) {
  std::string waiting;
  char buffer[4096];
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready{from, POLLIN, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(left));
    if (found <= 0) continue;
    const ssize_t count = ::read(from, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    waiting.append(buffer, static_cast<std::size_t>(count));
    for (std::size_t end; (end = waiting.find('\n')) != std::string::npos; waiting.erase(0, end + 1))
      on_line(waiting.substr(0, end));
  }
}

}  // namespace

std::string ChildEnd::what() const {
  if (timed_out) return fmt::format("did not finish within {} s", time_limit);
  if (WIFSIGNALED(status))
    return fmt::format("crashed with signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) == unfinished) return "threw an exception, or memory ran out";
  return fmt::format("ended the process with status {}", WEXITSTATUS(status));
}

ChildEnd run_child(unsigned time_limit, const std::function<void(const Send&)>& work,
                   const std::function<void(const std::string&)>& on_line) {
  int ends[2];
  const pid_t child = ::pipe2(ends, O_CLOEXEC) == 0 ? ::fork() : -1;
  if (child < 0)
    throw Failure(Exit::simulation_failed, fmt::format("no process can be started: {}", std::strerror(errno)));
  if (child == 0) be_child(ends[1], work);
  ::close(ends[1]);
  ChildEnd end;
  end.time_limit = time_limit;
  end.timed_out = !read_lines(ends[0], Clock::now() + std::chrono::seconds(time_limit), on_line);
  ::close(ends[0]);
  if (end.timed_out) ::kill(child, SIGKILL);
  while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
  }
  return end;
}

}  // namespace polyform::host
