#include "polar.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "polyform/contract/events.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::aerodynamics {
namespace {

std::size_t columns(const FieldValue& rows) { return rows.numbers.size() / rows.rows; }

}  // namespace

Polar::Polar(const FieldValue& rows) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const double* row = rows.numbers.data() + i * columns(rows);
    angles_.push_back(row[0]);
    values_.push_back({row[1], row[2], columns(rows) > 3 ? row[3] : 0});
  }
}

PolarValue Polar::operator()(double angle) const noexcept {
  const auto after = std::upper_bound(angles_.begin(), angles_.end(), angle);
  if (after == angles_.begin()) return values_.front();
  if (after == angles_.end()) return values_.back();
  const auto i = static_cast<std::size_t>(after - angles_.begin());
  const double s = (angle - angles_[i - 1]) / (angles_[i] - angles_[i - 1]);
  const PolarValue &a = values_[i - 1], &b = values_[i];
  return {a.lift + s * (b.lift - a.lift), a.drag + s * (b.drag - a.drag), a.moment + s * (b.moment - a.moment)};
}

double Polar::passing_time(double angle, double rate) const noexcept {
  if (rate == 0 || angles_.empty()) return never;
  constexpr double turn = 2 * std::numbers::pi, apart = 1e-6;  // rows at either end of a full turn are one
  const double up = rate > 0 ? 1 : -1;
  const auto ahead = [&](double knot) { return up * (knot - angle); };
  const auto next_beyond = [&](double distance) {
    double next = never;
    for (const double shift : {-turn, 0.0, turn}) {
      // The first row beyond angle ± distance, found in the order of the table.
      const double bound = angle + up * distance - shift;
      const auto at = up > 0 ? std::upper_bound(angles_.begin(), angles_.end(), bound)
                             : std::lower_bound(angles_.begin(), angles_.end(), bound);
      if (up > 0 ? at == angles_.end() : at == angles_.begin()) continue;
      next = std::min(next, ahead((up > 0 ? *at : *(at - 1)) + shift));
    }
    return next;
  };
  return next_beyond(next_beyond(0) + apart) / std::abs(rate);
}

bool Polar::check(const FieldValue& rows, std::size_t instance, std::size_t field, FieldSink& sink) noexcept {
  if (columns(rows) != 3 && columns(rows) != 4) {
    sink.report(
        Severity::error, instance, field,
        Message("rows of {} number{} given for the polar, expected 3 or 4", columns(rows), plural(columns(rows))),
        "Give rows [angle of attack, lift, drag] or [angle of attack, lift, drag, moment], angles in rad.");
    return false;
  }
  for (std::size_t i = 1; i < rows.rows; ++i) {
    const double before = rows.numbers[(i - 1) * columns(rows)], now = rows.numbers[i * columns(rows)];
    if (now > before) continue;
    sink.report(Severity::error, instance, field,
                Message("the angles of the polar do not increase: {:g} in row {} follows {:g}", now, i + 1, before),
                "Sort the rows by the angle of attack and give each angle once.");
    return false;
  }
  return true;
}

}  // namespace polyform::aerodynamics
