#include "framework/host/reading/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/printable.hpp"

namespace polyform::host::inline reading {

std::string Path::text() const {
  std::string before = parent ? parent->text() : std::string{};
  if (index != no_index) return before + fmt::format("[{}]", index);
  if (key.empty()) return before;
  if (!before.empty()) before += '.';
  const std::string shown = show(key);
  return before + shown.substr(1, shown.size() - 2);
}

void Report::error(Place place, const Path& path, std::string_view message, std::string_view remedy) {
  if (++errors_ > most) return;
  while (remedy.ends_with(' ')) remedy.remove_suffix(1);
  entries_.push_back({Severity::error, place, path.text(), std::string(message), std::string(remedy)});
}

void Report::note(Place place, const Path& path, std::string_view message, std::string_view remedy) {
  entries_.push_back({Severity::note, place, path.text(), std::string(message), std::string(remedy)});
}

void Report::warning(Place place, const Path& path, std::string_view message, std::string_view remedy) {
  if (++warnings_ > most) return;
  entries_.push_back({Severity::warning, place, path.text(), std::string(message), std::string(remedy)});
}

void Report::missing_plugin(Place place, const Path& path, std::string_view message, std::string_view remedy) {
  ++missing_;
  error(place, path, message, remedy);
}

void Report::finish() {
  const auto before = [](const Entry& a, const Entry& b) {
    return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
  };
  std::stable_sort(entries_.begin(), entries_.end(), before);
  for (const Entry& e : entries_)
    diagnostics_.report({.severity = e.severity,
                         .message = e.message,
                         .remedy = e.remedy,
                         .path = e.path,
                         .file = file_,
                         .line = e.place.line,
                         .column = e.place.column});
  entries_.clear();
  if (warnings_ > most)
    diagnostics_.report({.severity = Severity::warning,
                         .message = fmt::format("… and {} more warnings", warnings_ - most),
                         .file = file_});
  if (errors_ <= most) return;
  const std::size_t left = errors_ - most;
  const std::string message = fmt::format("… and {} more error{}", left, left == 1 ? "" : "s");
  diagnostics_.report({.message = message, .remedy = "Correct those above first.", .file = file_});
}

std::string show(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  std::size_t n = std::min(text.size(), longest);
  // A cut must not split a character of several bytes.
  while (n < text.size() && n > 0 && (static_cast<unsigned char>(text[n]) & 0xC0u) == 0x80u) --n;
  out += printable(text.substr(0, n));
  if (n < text.size()) out += "…";
  return out + "'";
}

std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& known) {
  const std::string_view near = nearest_name(wrong, known);
  return near.empty() ? std::string{} : fmt::format("Did you mean {}? ", show(near));
}

std::string listing(const std::vector<std::string_view>& names) {
  constexpr std::size_t most_names = 20;
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i) {
    if (i > 0) out += ", ";
    out += names[i];
  }
  if (names.size() > most_names) out += fmt::format(", … ({} in all)", names.size());
  return out;
}

}  // namespace polyform::host::reading
