// A command in a process of its own, seen from outside: however plugins end it, nobody takes that for success.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "framework/diagnostics.hpp"

namespace polyform::host {

/// Runs the work, which returns an exit code, in a copy of this program and gives back its code. Where the copy ended
/// otherwise, by exit(), _exit(), a signal, or because the machine ran out of memory, a message says so and the code is
/// simulation_failed. Signals that ask for the end of the program are handed on. Where the copy neither ends nor calls
/// heed_wish() within its time, because a plugin keeps it from that or somebody stopped it, it is killed; the code of
/// both is interrupted, with a word on what was being done. A program that is traced, as by a debugger, does the work
/// itself.
int supervise(const std::function<int()>& work);

/// Sets the handler of the signals by which people and terminals ask for the end of a program (interrupt, terminate,
/// hang up), but not of those that the program was started to ignore.
void on_wish_to_end(void (*handler)(int)) noexcept;

/// Tells that a wish to end has been noticed, and the work is coming to its end by itself.
void heed_wish() noexcept;
/// Prints a text on the error stream when this process has ended, which has none itself any more; short ones are kept.
void hand_over(std::string_view text) noexcept;

/// Ends the program at once with this code, after a message that says why. Safe in a signal handler.
[[noreturn]] void leave(Exit) noexcept;

/// What is being done, and the time that was reached, for messages about an untimely end.
struct Whereabouts {
  char work[1024] = "";                  ///< "solver riccati"
  char time[32] = "";                    ///< s; empty: not known
  Exit blame = Exit::simulation_failed;  ///< the code of an untimely end
  std::int64_t deadline = 0;             ///< by which the work must be done, in its used_milliseconds(); 0: none

  /// The work is what is said here, one after the other; cut where it is too long.
  void set_work(std::string_view first, std::string_view second = {}) noexcept;
};
/// The monotonic clock, ms.
std::int64_t clock_milliseconds() noexcept;
/// Where this process keeps them; supervise() reads those of the copy.
Whereabouts& whereabouts() noexcept;

/// Prints to the error stream. Safe in a signal handler.
void say(const char* text) noexcept;
/// Prints ", in solver riccati after t = 0.25 s", as far as it is known. Safe in a signal handler.
void say_whereabouts() noexcept;

}  // namespace polyform::host
