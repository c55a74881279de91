#include "framework/host/process/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "framework/host/process/available_memory.hpp"
#include "framework/host/process/worker.hpp"
#include "framework/supervision.hpp"
#include "framework/used_time.hpp"

namespace polyform::host::inline process {

namespace {

using Clock = std::chrono::steady_clock;
using How = ProcessEnd::How;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A process while it runs, seen from outside.
class Process {
 public:
  Process(const ProcessJob& job, const ProcessLimits& limits) : job_(job), limits_(limits) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      give_up();
      return;
    }
    std::fflush(nullptr);  // or the copy would print it again
    id_ = ::fork();
    if (id_ == 0) {
      ::close(ends[0]);
      work_and_exit(job, limits, ends[1]);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
    if (id_ > 0) used_ = UsedTime(id_);
    if (id_ < 0)
      give_up();
    else
      ::fcntl(pipe_, F_SETFL, O_NONBLOCK);
  }
  ~Process() {
    if (running()) {
      ::kill(id_, SIGKILL);
      ::waitpid(id_, nullptr, 0);
    }
    if (pipe_ >= 0) ::close(pipe_);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  bool running() const { return id_ > 0; }
  int pipe() const { return open_ ? pipe_ : -1; }
  const ProcessEnd& end() const { return end_; }

  void interrupt() {
    if (interrupted_) return;
    interrupted_ = true;
    interrupted_at_ = Clock::now();
    ::kill(id_, SIGTERM);
  }

  /// Takes what has come through the pipe, sees whether the process is gone or over its time.
  void look() {
    read();
    int status = 0;
    const pid_t gone = ::waitpid(id_, &status, WNOHANG);
    if (gone == id_) return finish(status);
    if (!late() && !(interrupted_ && seconds_since(interrupted_at_) > grace_seconds)) return;
    ::kill(id_, SIGKILL);
    ::waitpid(id_, &status, 0);
    end_.how = interrupted_ ? How::interrupted : How::time_limit;
    settle();
  }

 private:
  /// No more time is used than passes, so the time used is read only when the limit has passed on the clock.
  bool late() const {
    return limits_.seconds > 0 && seconds_since(counted_) > limits_.seconds && used_.seconds() > limits_.seconds;
  }

  void give_up() {
    end_.how = How::not_started;
    end_.message = std::strerror(errno);
    id_ = -1;
    if (job_.ended) job_.ended(end_);
  }

  void read() {
    char block[1u << 16];
    while (open_) {
      const ssize_t n = ::read(pipe_, block, sizeof block);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return;
      if (n == 0) open_ = false;
      received_.append(block, static_cast<std::size_t>(n));
      deliver();
    }
  }

  /// Hands on the messages that are whole.
  void deliver() {
    constexpr std::size_t head = 1 + sizeof(std::uint64_t);
    std::size_t done = 0;
    while (received_.size() - done >= head) {
      std::uint64_t size = 0;
      std::memcpy(&size, received_.data() + done + 1, sizeof size);
      if (received_.size() - done - head < size) break;
      take(received_[done], std::string_view(received_).substr(done + head, size));
      done += head + size;
    }
    received_.erase(0, done);
  }

  void take(char kind, std::string_view text) {
    switch (kind) {
      case Messenger::ours:
        if (limits_.since_message) {
          counted_ = Clock::now();
          used_ = UsedTime(id_);
        }
        if (job_.receive) job_.receive(text);
        return;
      case Messenger::finished: end_.how = How::done; break;
      case Messenger::out_of_memory: end_.how = How::memory; break;
      case Messenger::uncaught:
        end_.how = How::threw;
        end_.message = text;
        break;
      default: end_.how = How::failed; unpack(text, end_);
    }
    said_ = true;
  }

  void finish(int status) {
    read();
    if (!said_) {
      end_.how = WIFSIGNALED(status) ? How::signal : How::exit;
      end_.number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
      if (interrupted_ && end_.how == How::signal && (end_.number == SIGTERM || end_.number == SIGINT))
        end_.how = How::interrupted;
    }
    settle();
  }

  void settle() {
    end_.seconds = seconds_since(start_);
    id_ = 0;
    if (job_.ended) job_.ended(end_);
  }

  const ProcessJob& job_;
  const ProcessLimits& limits_;
  Clock::time_point start_ = Clock::now(), counted_ = start_, interrupted_at_;
  UsedTime used_;
  pid_t id_ = 0;
  int pipe_ = -1;
  bool open_ = true, said_ = false, interrupted_ = false;
  std::string received_;
  ProcessEnd end_;
};

/// Waits until something may have happened. A process that has closed its pipe is about to end, or hangs.
void wait_for(const std::vector<std::unique_ptr<Process>>& running) {
  std::vector<pollfd> pipes;
  int milliseconds = 50;
  for (const auto& process : running) {
    if (process->pipe() >= 0)
      pipes.push_back({process->pipe(), POLLIN, 0});
    else
      milliseconds = 1;
  }
  ::poll(pipes.data(), pipes.size(), milliseconds);
}

/// Addresses that this process has taken, bytes.
std::uint64_t taken_memory() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

std::uint64_t default_memory_limit(std::size_t processes) {
  constexpr double least = 0x1p26;  // for a message, if nothing is left
  const auto all = 0.9 * static_cast<double>(available_memory());
  return static_cast<std::uint64_t>(std::max(all / static_cast<double>(std::max<std::size_t>(processes, 1)), least));
}

void limit_memory(std::uint64_t bytes) {
  if (bytes == 0) return;
  const rlim_t all = bytes + taken_memory();
  rlimit memory{};
  ::getrlimit(RLIMIT_AS, &memory);
  memory.rlim_cur = std::min(memory.rlim_cur, all);
  ::setrlimit(RLIMIT_AS, &memory);
}

void allow_all_addresses() {
  rlimit memory{};
  ::getrlimit(RLIMIT_AS, &memory);
  memory.rlim_cur = memory.rlim_max;
  ::setrlimit(RLIMIT_AS, &memory);
}

std::uint64_t free_memory() {
  rlimit memory{};
  ::getrlimit(RLIMIT_AS, &memory);
  const std::uint64_t taken = taken_memory();
  const std::uint64_t allowed = memory.rlim_cur == RLIM_INFINITY ? available_memory()
                                : memory.rlim_cur > taken        ? memory.rlim_cur - taken
                                                                 : 0;
  return std::min(allowed, available_memory());
}

std::string describe(const ProcessEnd& end, const ProcessLimits& limits) {
  switch (end.how) {
    case How::done: return {};
    case How::failed: return end.message;
    case How::threw: return "threw an exception: " + end.message;
    case How::signal:
      return fmt::format("ended by signal {} ({}){}", end.number, ::strsignal(end.number),
                         end.number == SIGKILL ? ", perhaps because the machine ran out of memory" : "");
    case How::exit:
      return end.number == Messenger::lost_way
                 ? "could not report what it found: a plugin closed a file descriptor that is not its own"
                 : fmt::format("ended the program with exit status {}", end.number);
    case How::time_limit: return fmt::format("not done within the time limit of {:g} s", limits.seconds);
    case How::memory:
      return fmt::format("needs more memory than the limit of {:.3g} GiB", static_cast<double>(limits.memory) / 0x1p30);
    case How::interrupted: return "interrupted";
    case How::not_started: return "could not be started: " + end.message;
  }
  return {};
}

std::vector<ProcessEnd> run_in_processes(std::span<const ProcessJob> jobs, const ProcessLimits& limits,
                                         std::size_t at_once, const volatile std::sig_atomic_t* interrupted) {
  std::vector<ProcessEnd> ends(jobs.size());
  for (ProcessEnd& end : ends) end.how = How::interrupted;
  std::vector<std::unique_ptr<Process>> running;
  std::vector<std::size_t> which;
  std::size_t next = 0;
  const auto stop = [&] { return interrupted != nullptr && *interrupted != 0; };
  while (!running.empty() || (next < jobs.size() && !stop())) {
    if (stop()) heed_wish();
    while (running.size() < std::max<std::size_t>(at_once, 1) && next < jobs.size() && !stop()) {
      running.push_back(std::make_unique<Process>(jobs[next], limits));
      which.push_back(next++);
    }
    wait_for(running);
    if (limits.meanwhile) limits.meanwhile();
    for (std::size_t k = running.size(); k-- > 0;) {
      if (running[k]->running() && stop()) running[k]->interrupt();
      if (running[k]->running()) running[k]->look();
      if (running[k]->running()) continue;
      ends[which[k]] = running[k]->end();
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(k));
      which.erase(which.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  return ends;
}

}  // namespace polyform::host::process
