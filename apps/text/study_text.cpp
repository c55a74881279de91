#include "apps/text/study_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "apps/text/text.hpp"

namespace polyform::apps {

namespace {

constexpr std::size_t most_reasons = 8;

}  // namespace

StudyCounts counts_of(const host::StudyTable& table, std::size_t cases) {
  StudyCounts counts{cases};
  for (const host::CaseRow& row : table.rows) counts.add(row);
  return counts;
}

std::vector<ReasonCount> reasons_of(const host::StudyTable& table) {
  std::map<std::string, ReasonCount> found;
  for (const host::CaseRow& row : table.rows) {
    if (row.done && row.reason.empty()) continue;
    std::string kind = row.done ? "done " : "failed ";
    for (const char c : row.reason)
      if (c < '0' || c > '9') kind += c;
    ReasonCount& reason = found[kind];
    if (reason.count++ == 0) reason = {row.reason, 1, row.number, row.done};
  }
  std::vector<ReasonCount> reasons;
  for (auto& [kind, reason] : found) reasons.push_back(std::move(reason));
  std::ranges::stable_sort(reasons, [](const ReasonCount& a, const ReasonCount& b) {
    return a.done != b.done ? b.done : a.count > b.count;
  });
  return reasons;
}

QuantityRange range_of(const host::StudyTable& table, std::size_t quantity) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  QuantityRange range{infinity, 0, -infinity, 0, 0, 0};
  for (const host::CaseRow& row : table.rows) {
    const double x = row.done ? row.quantities[quantity] : std::numeric_limits<double>::quiet_NaN();
    if (!std::isfinite(x)) continue;
    ++range.numbers;
    range.mean += (x - range.mean) / static_cast<double>(range.numbers);
    if (x < range.least) {
      range.least = x;
      range.least_case = row.number;
    }
    if (x > range.greatest) {
      range.greatest = x;
      range.greatest_case = row.number;
    }
  }
  return range;
}

std::string study_text(const host::StudyTable& table, const StudyCounts& counts) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "cases        {}: {} done, {} failed{}; {:.3g} s\n", counts.cases, counts.done, counts.failed,
                 counts.resumed > 0 ? fmt::format(", {} of them from before", counts.resumed) : "", counts.seconds);
  if (counts.warned > 0)
    fmt::format_to(out, "warnings     {}; the column `reason` has them\n",
                   counted(counts.warned, "case") + (counts.warned == 1 ? " warns" : " warn"));
  if (!table.quantities.empty())
    fmt::format_to(out, "\n{:<23} {:>12} {:>8} {:>12} {:>12} {:>8}\n", "quantity", "least", "in case", "mean",
                   "greatest", "in case");
  for (std::size_t q = 0; q < table.quantities.size(); ++q) {
    const QuantityRange range = range_of(table, q);
    const std::string name =
        table.units[q].empty() ? table.quantities[q] : fmt::format("{} ({})", table.quantities[q], table.units[q]);
    if (range.numbers == 0)
      fmt::format_to(out, "{:<23} {:>12}\n", name, "none");
    else
      fmt::format_to(out, "{:<23} {:>12.6g} {:>8} {:>12.6g} {:>12.6g} {:>8}\n", name, range.least, range.least_case,
                     range.mean, range.greatest, range.greatest_case);
    if (range.numbers > 0 && range.numbers < counts.done)
      fmt::format_to(out, "{:<23} {} of {} cases have no such value\n", "", counts.done - range.numbers, counts.done);
  }
  std::vector<ReasonCount> reasons = reasons_of(table);
  std::erase_if(reasons, [](const ReasonCount& reason) { return reason.done; });
  if (!reasons.empty()) fmt::format_to(out, "\nfailed\n");
  for (std::size_t i = 0; i < std::min(reasons.size(), most_reasons); ++i)
    fmt::format_to(out, "{:>8}  {} (case {})\n", reasons[i].count, reasons[i].text, reasons[i].first);
  if (reasons.size() > most_reasons) fmt::format_to(out, "{:>8}  other reasons\n", reasons.size() - most_reasons);
  return text;
}

Json study_json(const host::StudyTable& table, const StudyCounts& counts) {
  Json quantities = Json::object();
  for (std::size_t q = 0; q < table.quantities.size(); ++q) {
    const QuantityRange range = range_of(table, q);
    Json& entry = quantities[table.quantities[q]] = {{"unit", table.units[q]}, {"numbers", range.numbers}};
    if (range.numbers == 0) continue;
    entry["least"] = range.least;
    entry["least_case"] = range.least_case;
    entry["mean"] = range.mean;
    entry["greatest"] = range.greatest;
    entry["greatest_case"] = range.greatest_case;
  }
  return {{"cases", counts.cases},     {"done", counts.done},     {"failed", counts.failed},
          {"resumed", counts.resumed}, {"warned", counts.warned}, {"wall_seconds", counts.seconds},
          {"factors", table.factors},  {"quantities", quantities}};
}

}  // namespace polyform::apps
