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

/// The processor time (used_time.hpp) after which a plugin counts as hanging, s.
inline constexpr unsigned longest_load = 20;
/// Memory that a plugin may take while it is loaded, bytes: 16 GiB, or what is available if that is less.
std::uint64_t largest_load();

/// While it lives, the program ends with Exit::plugin, and the error stream names the plugin and the reason, after: a
/// crash (abort, segmentation fault …), a call of exit, an exception that nobody catches (as when it leaves a noexcept
/// function such as polyform_register), a load that takes too long or too much memory. Guards cannot be nested. The
/// file name must outlive the guard.
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
