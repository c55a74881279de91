// What happens when a plugin ends the program.
#pragma once

#include <exception>
#include <filesystem>

namespace polyform::host {

/// While it lives, std::terminate (an exception that leaves a noexcept function such as polyform_register) names the
/// plugin on the error stream and ends the program with Exit::plugin instead of aborting. Not to be nested; the file
/// name must outlive it.
class TerminateGuard {
 public:
  explicit TerminateGuard(const std::filesystem::path& file) noexcept;
  ~TerminateGuard();
  TerminateGuard(const TerminateGuard&) = delete;
  TerminateGuard& operator=(const TerminateGuard&) = delete;

 private:
  std::terminate_handler before_;
};

}  // namespace polyform::host
