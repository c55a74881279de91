// Diagnostics, and the progress of a long run, for people at a terminal. All of it goes to the error stream; only
// results go to output().
#pragma once

#include <chrono>
#include <cstdint>
#include <cstddef>
#include <memory>
#include <string>

#include "framework/diagnostics.hpp"
#include "framework/streams.hpp"

namespace polyform::apps {

using host::output;

/// Message of a Failure whose reasons were printed before: nothing more is printed.
inline constexpr const char* already_said = "";

void print(const Diagnostic&);
void print(const host::Diagnostics&);
void print(Severity, std::string_view message, std::string_view remedy = {});

/// Paragraphs on the output stream, in lines that fit a terminal.
void print_paragraphs(std::string_view text);

/// While it lives, messages of its thread are kept here in place of being printed: those of one of many cases, or those
/// that the library hands on. If there are several, the innermost keeps the messages.
class HeldMessages {
 public:
  HeldMessages();
  ~HeldMessages();
  HeldMessages(const HeldMessages&) = delete;
  HeldMessages& operator=(const HeldMessages&) = delete;

  void keep(const Diagnostic& message) { messages_.report(message); }
  /// The first error: its path and message on one line; "" if there was none.
  std::string first_error() const;
  const host::Diagnostics& all() const { return messages_; }

 private:
  HeldMessages* outer_;
  host::Diagnostics messages_;
};
/// The first error of some messages, as above.
std::string first_error(const host::Diagnostics&);

/// A bar with the time left, if the error stream is a terminal and the run takes over half a second. Elsewhere one
/// warning about a run that, at its pace, has hours to go.
class ProgressBar {
 public:
  explicit ProgressBar(bool enabled);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(double time, double duration);
  /// Shows the done part of a whole, and what is going on.
  void update(double done, double whole, std::string_view what);

 private:
  using Clock = std::chrono::steady_clock;
  void clear();
  /// Without a bar, one call in 256 looks at the clock.
  bool due() { return enabled_ && (bar_ || ++calls_ == 0) && Clock::now() >= next_; }
  void tell_pace(double share, double spent, std::string_view what);

  bool enabled_, bar_, drawn_ = false;
  std::uint8_t calls_ = 0;
  Clock::time_point start_ = Clock::now(), next_;
};

/// A progress bar along the periods over which Floquet's multipliers are found; copies share the bar.
class FloquetBar {
 public:
  explicit FloquetBar(bool shown) : bar_(std::make_shared<ProgressBar>(shown)) {}
  void operator()(std::size_t done, std::size_t steps) const;

 private:
  std::shared_ptr<ProgressBar> bar_;
};

}  // namespace polyform::apps
