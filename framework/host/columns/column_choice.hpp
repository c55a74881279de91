#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/columns/columns.hpp"

namespace polyform::host::inline columns {

/// Which columns of each group the patterns choose. Groups of which none is chosen have no place in the row.
class ColumnChoice {
 public:
  explicit ColumnChoice(const Columns& columns) : columns_(columns), used_(columns.patterns.size()) {}

  /// Whether a further group may have a column that a pattern names.
  bool is_open() const {
    const auto is_whole_name = [](const std::string& p) { return p.find_first_of("*?") == std::string::npos; };
    return !columns_.patterns.empty() && !(columns_.names_differ && std::ranges::find(used_, false) == used_.end() &&
                                           std::ranges::all_of(columns_.patterns, is_whole_name));
  }

  /// Whether a joint or body of that name may have a column that is chosen: one that a pattern names begins with it.
  bool may_have(std::string_view name) const {
    return std::ranges::any_of(columns_.patterns, [&](const std::string& pattern) {
      return pattern.find_first_of("*?") != std::string::npos ||
             (pattern.size() > name.size() && pattern[name.size()] == '.' && pattern.starts_with(name));
    });
  }

  /// The channels from the first on are a group; whether any is taken. whole: all are.
  bool take(const std::vector<Channel>& channels, std::size_t first, bool whole) {
    if (columns_.patterns.empty()) return whole;
    const std::size_t before = kept_.size();
    for (std::size_t c = first; c < channels.size(); ++c) {
      bool takes = whole;
      for (std::size_t p = 0; p < used_.size(); ++p)
        if (matches(columns_.patterns[p], channels[c].name) || is_own(columns_.patterns[p], channels, c))
          takes = used_[p] = true;
      if (!takes) continue;
      kept_.push_back(c);
      places_.push_back(row_ + c - first);
    }
    if (kept_.size() == before) return false;
    row_ += channels.size() - first;
    return true;
  }

  std::size_t row_size(const std::vector<Channel>& channels) const {
    return columns_.patterns.empty() ? channels.size() : row_;
  }
  /// Leaves the chosen channels alone, and gives their places in the row; none without patterns. Failure (bad_input)
  /// for a pattern that has matched nothing.
  std::vector<std::size_t> end(std::vector<Channel>& channels) {
    if (columns_.patterns.empty()) return {};
    if (const auto unused = std::ranges::find(used_, false); unused != used_.end())
      throw Failure(Exit::bad_input,
                    fmt::format("--columns: no column matches {}",
                                columns_.patterns[static_cast<std::size_t>(unused - used_.begin())]),
                    "Columns are named as in the CSV header, such as rod.x, pin.q or energy.total.");
    std::vector<Channel> kept;
    for (const std::size_t c : kept_) kept.push_back(std::move(channels[c]));
    channels = std::move(kept);
    return std::move(places_);
  }

  /// Whether the pattern is about the own name of a channel, and not the name of another one.
  static bool is_own(const std::string& pattern, const std::vector<Channel>& channels, std::size_t c) {
    return !channels[c].own_name.empty() && matches(pattern, own_path(channels[c])) &&
           std::ranges::find(channels, pattern, &Channel::name) == channels.end();
  }

 private:
  const Columns& columns_;
  std::vector<bool> used_;                        ///< per pattern
  std::vector<std::size_t> kept_{0}, places_{0};  ///< of channels, and of their numbers in the row: time first
  std::size_t row_ = 1;                           ///< numbers of the row so far
};

}  // namespace polyform::host::inline columns
