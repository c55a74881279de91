// Runs a command in a process of its own and watches it, so that no end that a plugin causes passes for success.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "framework/diagnostics.hpp"

namespace polyform::host {

/// Runs the work, which returns an exit code, in a copy of this program and returns its code. If the copy ends in
/// another way (exit(), _exit(), a signal, lack of memory), a message says so and the code is simulation_failed. The
/// copy gets the signals that ask for the end of the program. If they end it, or if it is killed because it neither
/// ends nor calls heed_wish() in time (a plugin or somebody has stopped it), the code is interrupted, and a message
/// says what was being done. A program that is traced, as by a debugger, does the work itself.
int supervise(const std::function<int()>& work);

/// Sets the handler of the signals by which people and terminals ask for the end of a program (interrupt, terminate,
/// hang up), but not of those that the program was started to ignore.
void on_wish_to_end(void (*handler)(int)) noexcept;

/// Tells that the wish to end has been noticed and that the work will end by itself.
void heed_wish() noexcept;
/// Has a text printed on the error stream after this process has ended, because it no longer has an error stream
/// itself. Only short texts are kept in full.
void hand_over(std::string_view text) noexcept;

/// Ends the program at once with this code, after a message that says why. Safe in a signal handler.
[[noreturn]] void leave(Exit) noexcept;

/// What is being done, and the time that the run has reached, for messages about an untimely end.
struct Whereabouts {
  char work[1024] = "";                  ///< "solver riccati"
  char time[32] = "";                    ///< s; empty: not known
  Exit blame = Exit::simulation_failed;  ///< the code of an untimely end
  std::int64_t deadline = 0;  ///< the work must be done by then, in used_milliseconds() of its process; 0: none

  /// Sets the work to both texts, one after the other; they are cut if they are too long.
  void set_work(std::string_view first, std::string_view second = {}) noexcept;
};
/// The monotonic clock, ms.
std::int64_t clock_milliseconds() noexcept;
/// Where this process keeps its Whereabouts; supervise() reads those of the copy.
Whereabouts& whereabouts() noexcept;

/// Prints to the error stream. Safe in a signal handler.
void say(const char* text) noexcept;
/// Prints ", in solver riccati after t = 0.25 s", as far as both are known. Safe in a signal handler.
void say_whereabouts() noexcept;

}  // namespace polyform::host
