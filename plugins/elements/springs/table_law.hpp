// Laws by tables: rows [x, force] of a field, with what is checked of them.
#pragma once

#include <string_view>
#include <vector>

#include "polyform/contract/force.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/spline.hpp"

namespace polyform::springs {

inline bool has_table(const FieldValue& table) noexcept { return table.given && table.rows > 0; }

/// The curve through the rows.
inline Spline curve_of(const FieldValue& table, bool cubic) {
  std::vector<double> x, y;
  for (std::size_t k = 0; k + 1 < table.numbers.size(); k += 2) {
    x.push_back(table.numbers[k]);
    y.push_back(table.numbers[k + 1]);
  }
  return {x, y, cubic ? Spline::Kind::natural : Spline::Kind::linear};
}

/// False after a report if a given table does not have two columns, has fewer than two rows or rows out of order.
inline bool check_table(const FieldValue& table, std::string_view what, std::size_t number, std::size_t field,
                        FieldSink& sink) noexcept {
  if (!table.given) return true;
  const auto refuse = [&](std::string_view message, std::string_view remedy) {
    sink.report(Severity::error, number, field, message, remedy);
    return false;
  };
  const std::size_t n = table.rows;
  if (n < 2 || table.numbers.size() != 2 * n)
    return refuse("a table has two rows of two numbers at least", Message("Write [[{}, force], ...].", what));
  for (std::size_t k = 1; k < n; ++k)
    if (!(table.numbers[2 * k] > table.numbers[2 * k - 2]))
      return refuse(Message("the first column does not increase from row {} to row {}", k, k + 1),
                    "Sort the rows, each value once.");
  return true;
}

}  // namespace polyform::springs
