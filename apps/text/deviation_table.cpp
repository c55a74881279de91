#include "apps/text/deviation_table.hpp"

#include <algorithm>

#include "apps/text/comparison_text.hpp"

namespace polyform::apps {

using host::Quantity;

ReportTable deviation_table(const std::string& of, std::span<const DeviationRow> rows) {
  ReportTable table{"Largest deviation from the consensus, where and when", {{of, ""}}, {}, {}};
  std::vector<Quantity> present;
  for (const Quantity q : host::quantities)
    if (std::ranges::any_of(rows, [&](const DeviationRow& row) { return (*row.deviation)[q].has_value(); }))
      present.push_back(q);
  for (const Quantity q : present) {
    const std::string unit(q == Quantity::joint ? " m or rad" : unit_of(q, false));
    table.columns.insert(table.columns.end(),
                         {{std::string(title_of(q)), unit.empty() ? "" : unit.substr(1)}, {"of", ""}, {"at", "s"}});
  }
  for (const DeviationRow& row : rows) {
    std::vector<Json>& entries = table.rows.emplace_back(std::vector<Json>{row.name});
    for (const Quantity q : present) {
      const auto& d = (*row.deviation)[q];
      entries.push_back(d ? Json(d->value) : Json());
      entries.push_back(d && d->value > 0 ? Json(d->where) : Json());
      entries.push_back(d && d->value > 0 ? Json(d->time) : Json());
    }
  }
  return table;
}

}  // namespace polyform::apps
