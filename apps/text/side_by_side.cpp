#include "apps/text/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/text/terminal.hpp"
#include "apps/text/wrapping.hpp"

namespace polyform::apps {
namespace {

constexpr std::size_t page_width = 80, unit_width = 8;
constexpr std::size_t widest_value = 20, narrowest_value = 12;
/// Values below this part of the largest one of their kind are rounding.
constexpr double vanishing = 1e-13;

host::Columns accelerations_and_reactions() {
  host::Columns columns = host::Columns::none();
  columns.reactions = columns.accelerations = true;
  return columns;
}

}  // namespace

SideBySide::SideBySide(const host::System& system)
    : start_time_(system.start_time()),
      rows_(system, accelerations_and_reactions()),
      gravity_(norm(system.view().gravity)) {
  for (const host::Channel& channel : rows_.channels())
    is_reaction_.push_back(host::place_of(channel).group == "reactions");
}

void SideBySide::add(std::string title, const Observation& now) {
  const std::span<const double> values = rows_.make(start_time_, now);
  columns_.push_back({std::move(title), {values.begin(), values.end()}});
}

SideBySide::Sizes SideBySide::sizes() const {
  Sizes all{.reaction = 0, .acceleration = gravity_};
  for (const Column& column : columns_)
    for (std::size_t row = 1; row < column.values.size(); ++row) {
      double& size = is_reaction_[row] ? all.reaction : all.acceleration;
      size = std::max(size, std::abs(column.values[row]));
    }
  return all;
}

double SideBySide::difference(std::size_t column) const {
  const Sizes all = sizes();
  double worst = 0;
  for (std::size_t row = 1; row < is_reaction_.size(); ++row) {
    const double apart = std::abs(columns_[column].values[row] - columns_.front().values[row]);
    if (!std::isfinite(apart)) return std::numeric_limits<double>::infinity();
    if (apart > 0) worst = std::max(worst, apart / size_at(row, all));
  }
  return worst;
}

void SideBySide::print(std::string_view heading) const {
  std::size_t name_width = 8;
  for (const host::Channel& channel : rows_.channels()) name_width = std::max(name_width, channel.name.size());
  const std::size_t used = std::min(page_width, name_width + unit_width + 2);
  const std::size_t width = std::clamp((page_width - used) / columns_.size(), narrowest_value, widest_value);
  const int digits = static_cast<int>(width) - 8;
  fmt::print(output(), "{}\n{:{}}  {:{}}", wrapped(heading, 0, 2), "", name_width, "unit", unit_width);
  for (const Column& column : columns_) fmt::print(output(), "{:>{}}", column.title, width);
  fmt::print(output(), "\n");
  const Sizes all = sizes();
  const auto vanishes = [&](std::size_t row) {
    const double least = vanishing * size_at(row, all);
    return std::ranges::all_of(columns_, [&](const Column& c) { return std::abs(c.values[row]) <= least; });
  };
  bool left_out = false;
  for (std::size_t row = 1; row < rows_.channels().size(); ++row) {
    if (vanishes(row)) {
      left_out = true;
      continue;
    }
    const host::Channel& channel = rows_.channels()[row];
    fmt::print(output(), "{:{}}  {:{}}", channel.name, name_width, channel.unit, unit_width);
    for (const Column& column : columns_) fmt::print(output(), "{:>{}.{}g}", column.values[row], width, digits);
    fmt::print(output(), "\n");
  }
  if (left_out) fmt::print(output(), "Rows that vanish in all columns are left out.\n");
  for (std::size_t k = 1; k < columns_.size(); ++k)
    fmt::print(output(), "largest difference of {} from {}  {:.1e} of the largest of its kind\n", columns_[k].title,
               columns_.front().title, difference(k));
}

}  // namespace polyform::apps
