#include "framework/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

namespace polyform::host {

std::string_view Diagnostics::keep(std::string_view text) {
  if (text.empty()) return {};
  return texts_.emplace_back(text);
}

namespace {

/// What one entry of a file says of each of many elements, such as one of contacts of all pairs.
bool is_same(const Diagnostic& a, const Diagnostic& b) {
  return a.severity == b.severity && a.line == b.line && a.column == b.column && a.file == b.file && a.path == b.path &&
         a.message == b.message;
}

}  // namespace

void Diagnostics::report(const Diagnostic& d) noexcept {
  if (!items_.empty() && d.line > 0 && is_same(items_.back(), d)) return;
  if (d.severity == Severity::error) ++errors_;
  try {
    Diagnostic copy = d;
    copy.message = keep(d.message);
    copy.remedy = keep(d.remedy);
    copy.path = keep(d.path);
    copy.file = keep(d.file);
    items_.push_back(copy);
  } catch (...) {
  }
}

std::string format(const Diagnostic& d, bool with_color) {
  const char* word = d.severity == Severity::error ? "error" : d.severity == Severity::warning ? "warning" : "note";
  const char* color = d.severity == Severity::error     ? "\033[1;31m"
                      : d.severity == Severity::warning ? "\033[1;33m"
                                                        : "\033[1;36m";
  std::string out;
  if (!d.file.empty()) {
    out += d.file;
    if (d.line > 0) out += fmt::format(":{}:{}", d.line, d.column);
    out += ": ";
  }
  out += with_color ? fmt::format("{}{}\033[0m: ", color, word) : fmt::format("{}: ", word);
  if (!d.path.empty()) out += fmt::format("{}: ", d.path);
  out += d.message;
  if (!d.remedy.empty()) out += fmt::format("\n  {}", d.remedy);
  return out;
}

namespace {
/// Number of insertions, removals, changes and swaps of neighbours that turn a into b.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0u : 1u)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last[b.size()];
}
}  // namespace

std::string_view nearest_name(std::string_view wrong, const std::vector<std::string_view>& known) {
  if (wrong.size() > 100) return {};
  const auto is_same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (const std::string_view name : known)
    if (std::ranges::equal(name, wrong, is_same)) return name;
  std::string_view best;
  std::size_t least = std::max<std::size_t>(1, wrong.size() / 3) + 1;
  for (const std::string_view name : known) {
    if (name.size() > wrong.size() + least || wrong.size() > name.size() + least) continue;
    const std::size_t d = edit_distance(wrong, name);
    if (d < least) {
      least = d;
      best = name;
    }
  }
  return best;
}

}  // namespace polyform::host
