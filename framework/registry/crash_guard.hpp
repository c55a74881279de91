// What happens when a plugin ends the program while it is loaded.
#pragma once

#include <signal.h>

#include <array>
#include <exception>
#include <filesystem>

namespace polyform::host {

/// Time after which a plugin hangs, s.
inline constexpr unsigned longest_load = 20;

/// While it lives, a crash (abort, segmentation fault …, or std::terminate, as when an exception leaves a noexcept
/// function such as polyform_register), or a load that takes too long, names the plugin on the error stream and ends
/// the program with Exit::plugin.
/// Not to be nested; the file name must outlive it.
class CrashGuard {
 public:
  explicit CrashGuard(const std::filesystem::path& file) noexcept;
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

 private:
  static constexpr std::array<int, 6> signals = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGALRM};

  std::terminate_handler terminate_before_;
  std::array<struct sigaction, signals.size()> actions_before_{};
};

}  // namespace polyform::host
