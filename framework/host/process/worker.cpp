#include "framework/host/process/worker.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <new>

#include "framework/original_process.hpp"
#include "framework/streams.hpp"
#include "polyform/helpers/guarded.hpp"

namespace polyform::host::inline process {

namespace {

/// For handlers, which take no argument. One process does one job.
const Messenger* messenger = nullptr;

constexpr const char* unknown_type = "of a type unknown here";

[[noreturn]] void end_without_memory() {
  messenger->send(Messenger::out_of_memory, {});
  ::_exit(1);
}

/// Ends the process for an exception that left a noexcept function, such as those of a solver.
[[noreturn]] void end_uncaught() {
  if (const std::exception_ptr problem = std::current_exception()) {
    try {
      std::rethrow_exception(problem);
    } catch (const std::bad_alloc&) {
      end_without_memory();
    } catch (const ElementBreach& breach) {
      messenger->send(Messenger::failure, pack(Failure(Exit::simulation_failed, breach.what())));
      ::_exit(1);
    } catch (const std::exception& known) {
      messenger->send(Messenger::uncaught, known.what());
      ::_exit(1);
    } catch (...) {
      messenger->send(Messenger::uncaught, unknown_type);
      ::_exit(1);
    }
  }
  std::abort();
}

void set_up(const ProcessLimits& limits) {
  claim_process();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::dup2(STDERR_FILENO, ::fileno(output()));
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  // If the machine runs out of memory, the system should end this process and not the one that waits for it.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  limit_memory(limits.memory);
  for (const int crash : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) std::signal(crash, SIG_DFL);
  std::signal(SIGPIPE, SIG_IGN);
  std::set_new_handler(end_without_memory);
  std::set_terminate(end_uncaught);
}

}  // namespace

void Messenger::send(char kind, std::string_view message) const noexcept {
  char head[1 + sizeof(std::uint64_t)] = {kind};
  const std::uint64_t size = message.size();
  std::char_traits<char>::copy(head + 1, reinterpret_cast<const char*>(&size), sizeof size);
  end_copies();
  for (std::string_view left : {std::string_view(head, sizeof head), message})
    while (!left.empty()) {
      const ssize_t written = ::write(pipe_, left.data(), left.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) ::_exit(lost_way);  // the process that waits has gone
      left.remove_prefix(static_cast<std::size_t>(written));
    }
}

std::string pack(const Failure& failure) {
  return static_cast<char>('0' + static_cast<int>(failure.code()) % 10) + failure.message() + '\0' + failure.remedy();
}

void unpack(std::string_view text, ProcessEnd& end) {
  if (text.empty()) return;
  end.code = text[0] == '2' ? Exit::bad_input : text[0] == '3' ? Exit::plugin : Exit::simulation_failed;
  const std::size_t zero = text.find('\0');
  end.message = text.substr(1, zero - 1);
  if (zero != std::string_view::npos) end.remedy = text.substr(zero + 1);
}

void work_and_exit(const ProcessJob& job, const ProcessLimits& limits, int pipe) noexcept {
  const Messenger ours(pipe);
  messenger = &ours;
  set_up(limits);
  try {
    job.work(ours);
    ours.send(Messenger::finished, {});
  } catch (const Failure& failure) {
    ours.send(Messenger::failure, pack(failure));
  } catch (const std::bad_alloc&) {
    ours.send(Messenger::out_of_memory, {});
  } catch (const std::exception& problem) {
    ours.send(Messenger::uncaught, problem.what());
  } catch (...) {
    ours.send(Messenger::uncaught, unknown_type);
  }
  std::fflush(nullptr);
  ::_exit(0);
}

}  // namespace polyform::host::process
