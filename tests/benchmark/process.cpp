#include "tests/benchmark/process.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>

namespace polyform::benchmark {
namespace {

constexpr char good_mark = '+', bad_mark = '-';

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += static_cast<std::size_t>(n);
  }
}

[[noreturn]] void work_and_exit(const std::function<std::string()>& work, const Limits& limits, int file) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto bytes = static_cast<rlim_t>(limits.gibibytes * 0x1p30);
  const rlimit memory{bytes, bytes};
  ::setrlimit(RLIMIT_AS, &memory);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::string text;
  try {
    text = good_mark + work();
  } catch (const std::bad_alloc&) {
    text = fmt::format("{}needs more than {:g} GiB of memory", bad_mark, limits.gibibytes);
  } catch (const std::exception& problem) {
    text = bad_mark + std::string(problem.what());
  }
  write_all(file, text);
  ::_exit(0);
}

/// Everything until the other end closes; false when that takes longer than the limit.
bool read_all(int file, double seconds, std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  char block[65536];
  while (true) {
    int wait = -1;
    if (seconds > 0) {
      const double left = seconds - std::chrono::duration<double>(Clock::now() - start).count();
      if (left <= 0) return false;
      wait = static_cast<int>(left * 1000) + 1;
    }
    pollfd ready{file, POLLIN, 0};
    if (::poll(&ready, 1, wait) == 0) return false;
    const ssize_t n = ::read(file, block, sizeof block);
    if (n <= 0) return true;
    text.append(block, static_cast<std::size_t>(n));
  }
}

double status_bytes(const char* key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) return std::stod(line.substr(std::strlen(key))) * 1024;
  return 0;
}

}  // namespace

ProcessResult run_in_process(const std::function<std::string()>& work, const Limits& limits) {
  int ends[2];
  std::fflush(nullptr);
  if (::pipe(ends) != 0) return {false, "no pipe"};
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return {false, "no process"};
  }
  if (child == 0) {
    ::close(ends[0]);
    work_and_exit(work, limits, ends[1]);
  }
  ::close(ends[1]);
  ProcessResult result;
  const bool in_time = read_all(ends[0], limits.seconds, result.text);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!in_time) return {false, fmt::format("takes more than {:g} s", limits.seconds)};
  if (result.text.empty())
    return {false,
            WIFSIGNALED(status) ? fmt::format("crashes: {}", ::strsignal(WTERMSIG(status))) : "ends the program"};
  result.good = result.text[0] == good_mark;
  result.text.erase(0, 1);
  return result;
}

MemoryCount::MemoryCount() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // sets the peak to what is held now
  before_ = status_bytes("VmRSS:");
}
double MemoryCount::bytes() const { return std::max(status_bytes("VmHWM:") - before_, 0.0); }

}  // namespace polyform::benchmark
