#include "framework/host/assembly/unmet_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "framework/host/assembly/row_factors.hpp"
#include "framework/host/assembly/sparse_qr.hpp"
#include "framework/host/expressions/formula.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::host::inline assembly {
namespace {

std::string title(const ConstraintJacobian::Row& row) { return fmt::format("{} `{}`", row.kind, row.name); }

/// Names of what else takes part in the combination of rows that contradicts a row.
std::string contradicting(const ConstraintJacobian& jacobian, std::size_t row) {
  constexpr double least_part = 1e-6;  // of the largest factor: less is rounding
  constexpr std::size_t most = 8;
  const auto rows = jacobian.rows();
  const RowScales scales(jacobian, jacobian.columns());
  std::vector<SparseQr::Entry> entries;
  std::vector<double> own(jacobian.columns());
  for (const ConstraintJacobian::Entry& e : jacobian.entries()) {
    const double value = scales.row[e.row] * e.value * scales.column[e.column];
    if (e.row == row)
      own[e.column] = value;
    else if (e.size > 0)
      entries.push_back({e.row, e.column, value});
  }
  SparseQr others;
  others.compute(rows.size(), jacobian.columns(), entries, least_independent);
  std::vector<double> right(others.rank()), factors(rows.size());
  for (std::size_t k = 0; k < right.size(); ++k) right[k] = own[others.column(k)];
  others.shortest(right, factors);
  double largest = 0;
  for (const double factor : factors) largest = std::max(largest, std::abs(factor));
  std::vector<std::string> names;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!(std::abs(factors[r]) > least_part * largest)) continue;
    std::string name = title(rows[r]);
    if (name != title(rows[row]) && std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  const std::size_t shown = std::min(names.size(), most);
  std::string text;
  for (std::size_t k = 0; k < shown; ++k) text += (k == 0 ? "" : k + 1 == names.size() ? " and " : ", ") + names[k];
  return shown < names.size() ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

/// Whether some velocity changes the row.
bool depends_on_velocities(const ConstraintJacobian& jacobian, std::size_t row) {
  return std::ranges::any_of(jacobian.entries(),
                             [row](const auto& e) { return e.row == row && e.size > 0 && e.value != 0; });
}

struct Refusal {
  std::string message;
  std::string_view remedy;
};

Refusal refusal(const Start& start, const ConstraintJacobian& jacobian, const NearestRates::Missed& missed, int steps) {
  const std::string row = title(jacobian.rows()[missed.row]);
  if (!std::isfinite(missed.left)) {
    // Only values are noted as trouble: a formula with a value may still have no derivative.
    const std::string cause = expressions::last_trouble(start.time());
    return {
        cause.empty() ? fmt::format("{} has no derivative at the start: at the initial position and velocities it "
                                    "or its change with the velocities is no finite number",
                                    row)
                      : fmt::format("{} has no value at the start: {}", row, cause),
        "let the motion begin with finite derivatives, for example by sqrt(t + 1e-3) in the place of sqrt(t), start "
        "later (--at-time), or give initial velocities at which it has one (initial.velocity of joints)"};
  }
  if (jacobian.rows()[missed.row].of_element && !depends_on_velocities(jacobian, missed.row))
    return {fmt::format("{} is off by {:.3g} {}, and no velocity changes it there: its derivatives are zero", row,
                        missed.left, steps > 1 ? "at the nearest velocities found" : "at the initial velocities"),
            "give initial velocities near those that it asks for (initial.velocity of joints)"};
  if (steps > 1)
    return {fmt::format("no velocities were found that respect all loops and constraints: after {} steps of Newton's "
                        "method from the initial velocities {} is off by {:.3g} and falls no further",
                        steps, row, missed.left),
            "it is nonlinear in velocities: give initial velocities near those that it asks for (initial.velocity of "
            "joints), or ask for what can be met"};
  const std::string others = contradicting(jacobian, missed.row);
  return {fmt::format("no velocities respect all loops and constraints at the initial position: {} is left with {:.3g} "
                      "(m/s or rad/s){}",
                      row, missed.left, others.empty() ? "" : " by what it and " + others + " ask for together"),
          "a prescribed motion asks for what the mechanism cannot do in this position, or for something else than "
          "another one does: change it, or start from another position"};
}

}  // namespace

void report_unmet(Start& start, const ConstraintJacobian& jacobian, const NearestRates::Missed& missed, int steps) {
  const Refusal why = refusal(start, jacobian, missed, steps);
  start.diagnostics.report({.message = why.message, .remedy = why.remedy, .file = start.parts.description.file});
}

}  // namespace polyform::host::inline assembly
