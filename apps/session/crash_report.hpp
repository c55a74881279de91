// The message when a plugin ends the program: which plugin it was, what was being done, and at which time.
#pragma once

#include <functional>
#include <string_view>

#include "framework/host/process/process.hpp"
#include "framework/host/registry/registry.hpp"
#include "framework/supervision.hpp"

namespace polyform::apps {

/// While it lives, a crash signal, an exception that leaves a function which may not throw, and memory that runs out
/// there end the program with exit code 1 and a message that names the plugin whose code was running. One at a time.
class CrashReport {
 public:
  explicit CrashReport(const host::Registry&);
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

  /// What is being done from now on: "solver riccati"; the time is not known until reached().
  void set_work(std::string_view text) noexcept { host::whereabouts().set_work(text); }
  void reached(double time) noexcept;
  /// Called before the program ends after an exception or by exit(), when memory is as it should be: writes what is
  /// left to write. From now until it is empty, a call of exit() is a failure.
  void set_rescue(std::function<void()>);

  /// For the process of a ProcessJob. From now on an untimely end is reported here, as in the command, and then
  /// through `back` as a failure without a message. So is work that takes longer than so many
  /// seconds; 0: any.
  void follow(const host::Messenger& back, double seconds);
};

/// What is being done while it lives: a call of exit() meanwhile is a failure, but there are no results to save.
class WatchedWork {
 public:
  WatchedWork(CrashReport&, std::string_view text);
  ~WatchedWork();
  WatchedWork(const WatchedWork&) = delete;
  WatchedWork& operator=(const WatchedWork&) = delete;

 private:
  CrashReport& report_;
};

}  // namespace polyform::apps
