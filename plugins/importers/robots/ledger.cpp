#include "ledger.hpp"

#include <algorithm>
#include <vector>

namespace polyform::importers {

void Ledger::add(Treatment treatment, const std::string& what, std::string_view remark, Place place,
                 std::size_t count) {
  const auto [found, first] = entries_.try_emplace({what, treatment, std::string(remark)});
  if (first) found->second = {entries_.size(), 0, place};
  found->second.count += count;
}

void Ledger::tell(ConversionSink& sink) const {
  std::vector<decltype(entries_)::const_pointer> all;
  for (const auto& entry : entries_) all.push_back(&entry);
  std::ranges::sort(all, {}, [](const auto* entry) { return entry->second.order; });
  for (const auto* entry : all) {
    const auto& [what, treatment, remark] = entry->first;
    sink.finding({.treatment = treatment,
                  .what = what,
                  .remark = remark,
                  .count = entry->second.count,
                  .line = entry->second.first.line,
                  .column = entry->second.first.column});
  }
}

void Reporter::error(Place place, std::string_view message, std::string_view remedy) {
  if (++errors_ > most) return;
  sink_.report({.message = message, .remedy = remedy, .file = file_, .line = place.line, .column = place.column});
}

void Reporter::warning(Place place, std::string_view message, std::string_view remedy) {
  sink_.report({.severity = Severity::warning,
                .message = message,
                .remedy = remedy,
                .file = file_,
                .line = place.line,
                .column = place.column});
}

}  // namespace polyform::importers
