// What happens when a plugin ends the program while it is loaded.
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <new>

namespace polyform::host::inline registry {

/// Time after which a plugin hangs, as it uses it (used_time.hpp), s.
inline constexpr unsigned longest_load = 20;
/// Memory that a plugin may take while it is loaded, bytes: 16 GiB, or what can be had now where that is less.
std::uint64_t largest_load();

/// While it lives, a crash (abort, segmentation fault …), a call of exit, an exception that nobody catches (as when it
/// leaves a noexcept function such as polyform_register), a load that takes too long or too much memory names the
/// plugin and the reason on the error stream and ends the program with Exit::plugin. Not to be nested; the file name
/// must outlive it.
class CrashGuard {
 public:
  explicit CrashGuard(const std::filesystem::path& file);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

 private:
  static constexpr std::array<int, 6> signals = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGALRM};

  rlimit memory_before_{};
  std::new_handler hunger_before_;
  std::terminate_handler terminate_before_;
  std::array<struct sigaction, signals.size()> actions_before_{};
};

}  // namespace polyform::host::registry
