#include "apps/text/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "apps/text/wrapping.hpp"
#include "framework/printable.hpp"
#include "framework/supervision.hpp"

namespace polyform::apps {

namespace {

bool on_terminal() {
  static const bool answer = isatty(STDERR_FILENO) != 0;
  return answer;
}

bool with_color() {
  static const bool answer = on_terminal() && std::getenv("NO_COLOR") == nullptr;
  return answer;
}

std::string clock_text(double seconds) {
  const auto s = static_cast<long>(std::min(seconds, 1e8));
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60)
                  : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

thread_local HeldMessages* holder = nullptr;

}  // namespace

HeldMessages::HeldMessages() : outer_(holder) { holder = this; }
HeldMessages::~HeldMessages() { holder = outer_; }
std::string HeldMessages::first_error() const { return apps::first_error(messages_); }

std::string first_error(const host::Diagnostics& messages) {
  for (const Diagnostic& d : messages.all())
    if (d.severity == Severity::error)
      return d.path.empty() ? std::string(d.message) : fmt::format("{}: {}", d.path, d.message);
  return {};
}

void print(const Diagnostic& d) {
  if (holder != nullptr) return holder->keep(d);
  // Results printed so far come first where both streams end in one place.
  std::fflush(output());
  const auto plain = [](std::string_view text) { return host::printable(text, true); };
  const std::string message = plain(d.message), remedy = plain(d.remedy), path = plain(d.path), file = plain(d.file);
  std::string text = host::format({.severity = d.severity,
                                   .message = message,
                                   .remedy = remedy,
                                   .path = path,
                                   .file = file,
                                   .line = d.line,
                                   .column = d.column},
                                  with_color()) +
                     '\n';
  if (on_terminal()) text = wrapped_lines(text);
  // A message that cannot be printed is no reason to fail; where plugins closed the stream, the process that watches
  // has another.
  host::mend_streams();
  if (host::has_error_stream())
    std::fputs(text.c_str(), stderr);
  else
    host::hand_over(text);
}

void print(const host::Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) print(d);
}

void print_paragraphs(std::string_view text) { fmt::print(output(), "{}\n", wrapped_paragraphs(text)); }

void print(Severity severity, std::string_view message, std::string_view remedy) {
  print(Diagnostic{.severity = severity, .message = message, .remedy = remedy});
}

namespace {

// The first look at the pace of a run, and the time left from which on it is told.
constexpr std::chrono::seconds first_look_at_pace{30};
constexpr double told_from = 3 * 3600;  // s

}  // namespace

ProgressBar::ProgressBar(bool enabled)
    : enabled_(enabled),
      bar_(on_terminal()),
      next_(start_ + (bar_ ? std::chrono::milliseconds(500) : std::chrono::milliseconds(first_look_at_pace))) {}

ProgressBar::~ProgressBar() { clear(); }

void ProgressBar::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void ProgressBar::tell_pace(double share, double spent, std::string_view what) {
  next_ += std::chrono::minutes(1);
  const double left = spent * (1 - share) / share;
  if (left < told_from) return;
  enabled_ = false;  // once
  print(Severity::warning,
        fmt::format("after {} the run is at {}: at this pace it takes {} more", clock_text(spent),
                    host::printable(what), share > 0 ? clock_text(left) : "for ever"),
        "Ctrl+C ends it, keeps its rows, and tells what holds its steps down.");
}

void ProgressBar::update(double time, double duration) {
  if (due()) update(time, duration, fmt::format("t = {:.4g} s", time));
}

void ProgressBar::update(double done, double whole, std::string_view what) {
  if (!due()) return;
  const Clock::time_point now = Clock::now();
  next_ = now + std::chrono::milliseconds(100);
  const double share = std::clamp(done / whole, 0.0, 1.0);
  const double spent = std::chrono::duration<double>(now - start_).count();
  if (!bar_) return tell_pace(share, spent, what);
  const std::string told = fmt::format("{:5.1f} %  {}  {} left", 100 * share, host::printable(what),
                                       share > 0 ? clock_text(spent * (1 - share) / share) : "?");
  // A longer line would break, and its first part would stay on the terminal.
  const int width = std::clamp(static_cast<int>(line_width) - 3 - static_cast<int>(columns_of(told)), 5, 30);
  const int full = static_cast<int>(share * width);
  const std::string line = fmt::format("\r\033[K[{:#<{}}{:.<{}}] {}", "", full, "", width - full, told);
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void FloquetBar::operator()(std::size_t done, std::size_t steps) const {
  bar_->update(static_cast<double>(done), static_cast<double>(steps),
               fmt::format("A along the period in {} steps", steps));
}

}  // namespace polyform::apps
