#include "apps/text/influence_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "framework/workbench/studies/design.hpp"
#include "framework/workbench/studies/sobol_indices.hpp"

namespace polyform::apps {

std::string influence_text(const host::StudyTable& table, std::string_view method) {
  std::string text;
  if (method != host::name_of(host::Method::saltelli) || table.quantities.empty()) return text;
  const auto out = std::back_inserter(text);
  std::size_t width = 8, factor_width = 6;
  for (const std::string& name : table.quantities) width = std::max(width, name.size());
  for (const std::string& name : table.factors) factor_width = std::max(factor_width, name.size());
  fmt::format_to(out, "\nshare of the variance, with 95 % intervals\n{:<{}} {:<{}} {:>7} {:<16} {:>7}\n", "quantity",
                 width, "factor", factor_width, "alone", "", "in all");
  const std::vector<host::SobolIndices> all = host::sobol_indices(table, method);
  for (std::size_t q = 0; q < all.size(); ++q) {
    if (!all[q].why_not.empty()) {
      fmt::format_to(out, "{:<{}} none: {}\n", table.quantities[q], width, all[q].why_not);
      continue;
    }
    for (std::size_t f = 0; f < all[q].factors.size(); ++f) {
      const auto interval = [](const host::Estimate& e) { return fmt::format("[{:.3f}, {:.3f}]", e.low, e.high); };
      const auto& [first, total] = all[q].factors[f];
      fmt::format_to(out, "{:<{}} {:<{}} {:>7.3f} {:<16} {:>7.3f} {}\n", f == 0 ? table.quantities[q] : "", width,
                     table.factors[f], factor_width, first.value, interval(first), total.value, interval(total));
    }
    if (all[q].left_out > 0)
      fmt::format_to(out, "{:<{}} {} of {} samples are left out: a case of theirs has no number\n", "", width,
                     all[q].left_out, all[q].samples + all[q].left_out);
  }
  return text;
}

Json influence_json(const host::StudyTable& table, std::string_view method) {
  const auto estimate = [](const host::Estimate& e) { return Json::array({e.value, e.low, e.high}); };
  Json all = Json::array();
  for (const host::SobolIndices& indices : host::sobol_indices(table, method)) {
    Json factors = Json::array();
    for (const host::FactorIndices& factor : indices.factors)
      factors.push_back({{"first", estimate(factor.first)}, {"total", estimate(factor.total)}});
    all.push_back({{"factors", factors},
                   {"samples", indices.samples},
                   {"left_out", indices.left_out},
                   {"why_not", indices.why_not}});
  }
  return all;
}

}  // namespace polyform::apps
