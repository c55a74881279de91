#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/columns/body_axes_columns.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/workbench/studies/quantity.hpp"

namespace polyform::host::inline studies {

namespace {

using Kind = Aggregate::Kind;

/// The columns alone, each by its name.
Columns columns_of(const Quantities& quantities) {
  Columns columns = Columns::none();
  columns.euler_angles = quantities.euler_angles();
  columns.names_differ = true;  // a study looks at all names once, before its cases
  for (const Aggregate& aggregate : quantities.aggregates())
    if (aggregate.column != "time" && std::ranges::find(columns.patterns, aggregate.column) == columns.patterns.end())
      columns.patterns.push_back(aggregate.column);
  return columns;
}

/// Failure (bad_input) that names a column which is not there, with what may be meant.
[[noreturn]] void refuse_column(const System& system, const std::string& name) {
  const RowMaker all(system, Columns::all());
  std::vector<std::string_view> known;
  for (const Channel& channel : all.channels()) known.push_back(channel.name);
  throw Failure(Exit::bad_input, fmt::format("a quantity needs the column {}, which is not there", show(name)),
                did_you_mean(name, known) +
                    "Columns are named in full, as in the first line of a CSV of polyform run: rod.x, pin.q.");
}

/// Rows with the columns that the quantities need.
RowMaker rows_of(const System& system, const Quantities& quantities) {
  body_angles(system, quantities.euler_angles());
  for (const Aggregate& aggregate : quantities.aggregates())
    if (aggregate.column.find_first_of("*?") != std::string::npos) refuse_column(system, aggregate.column);
  const Columns columns = columns_of(quantities);
  try {
    return {system, columns};
  } catch (const Failure&) {
    for (const std::string& name : columns.patterns) {
      Columns one = columns;
      one.patterns = {name};
      try {
        const RowMaker found(system, one);
      } catch (const Failure&) {
        refuse_column(system, name);
      }
    }
    throw;
  }
}

/// The square of a straight line between two values, on the average.
double mean_square(double a, double b) { return (a * a + a * b + b * b) / 3; }

}  // namespace

AggregateSink::AggregateSink(const System& system, const Quantities& quantities)
    : quantities_(quantities), rows_(rows_of(system, quantities)) {
  for (const Aggregate& aggregate : quantities.aggregates()) {
    const std::size_t column = find_channel(rows_.channels(), aggregate.column);
    if (column == rows_.channels().size()) refuse_column(system, aggregate.column);
    sums_.push_back({.column = column});
  }
}

void AggregateSink::row(double time, const Observation& now) {
  const std::span<const double> values = rows_.make(time, now, work_);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    Sum& sum = sums_[i];
    const double x = values[sum.column], level = quantities_.aggregates()[i].value;
    sum.least = std::min(sum.least, x);
    sum.greatest = std::max(sum.greatest, x);
    if (!begun_) {
      sum.first = x;
      if (x == level) sum.crossing = time;
    } else {
      const double span = time - time_;
      sum.integral += span * (sum.last + x) / 2;
      sum.integral_of_square += span * mean_square(sum.last, x);
      if (std::isnan(sum.crossing) && (sum.last - level) * (x - level) <= 0 && sum.last != x)
        sum.crossing = time_ + span * (level - sum.last) / (x - sum.last);
    }
    sum.last = x;
  }
  if (!begun_) begin_ = time;
  begun_ = true;
  time_ = time;
}

double AggregateSink::value(const Aggregate& aggregate, const Sum& sum) const {
  const double span = time_ - begin_;
  switch (aggregate.kind) {
    case Kind::minimum: return sum.least;
    case Kind::maximum: return sum.greatest;
    case Kind::initial: return sum.first;
    case Kind::final: return sum.last;
    case Kind::mean: return span > 0 ? sum.integral / span : sum.last;
    case Kind::rms: return span > 0 ? std::sqrt(sum.integral_of_square / span) : std::abs(sum.last);
    case Kind::amplitude: return (sum.greatest - sum.least) / 2;
    case Kind::integral: return sum.integral;
    case Kind::difference: return sum.difference;
    case Kind::crossing: break;
  }
  return sum.crossing;
}

std::vector<double> AggregateSink::values() const {
  std::vector<double> values;
  for (std::size_t i = 0; i < sums_.size(); ++i) values.push_back(value(quantities_.aggregates()[i], sums_[i]));
  return values;
}

}  // namespace polyform::host::inline studies
