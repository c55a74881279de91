#include "framework/comparison/result_comparison.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace polyform::host {

namespace {

using Kind = TraceItem::Kind;
using Values = std::vector<double>;

/// The columns that all results have, in the order of the first; reactions only where they are asked for.
struct CommonColumns {
  std::vector<const Channel*> channels;
  std::vector<std::vector<const Values*>> of;  ///< by result, then channel

  CommonColumns(std::span<const ComparedResult> all, bool reactions) : of(all.size()) {
    std::vector<std::unordered_map<std::string_view, const Values*>> named(all.size());
    for (std::size_t r = 0; r < all.size(); ++r)
      for (const ResultColumn& column : all[r].results->columns) named[r][column.channel.name] = &column.values;
    for (const ResultColumn& column : all.front().results->columns) {
      const std::string& name = column.channel.name;
      if (!std::ranges::all_of(named, [&](const auto& columns) { return columns.contains(name); })) continue;
      if (!reactions && place_of(column.channel).group == "reactions") continue;
      channels.push_back(&column.channel);
      for (std::size_t r = 0; r < all.size(); ++r) of[r].push_back(named[r].at(name));
    }
  }
};

/// Columns that belong together.
struct Together {
  Kind kind;
  std::size_t first, count;
  bool reaction;
};

/// What the columns mean, by their names and units: rows have a number per column.
class ResultItems final : public TraceItems {
 public:
  ResultItems(const std::vector<ResultColumn>& columns, const std::vector<std::string>& open)
      : columns_(columns), open_(open) {
    for (const ResultColumn& column : columns) places_.push_back(place_of(column.channel));
    while (width() < columns.size()) take();
  }

  const std::vector<Together>& together() const { return together_; }

 private:
  void take() {
    const ChannelPlace& place = places_[width()];
    if (place.group == "bodies" && take(Quantity::position, Kind::vector, true, {"x", "y", "z"})) return;
    if (place.group == "bodies" && take(Quantity::angle, Kind::quaternion, false, {"qw", "qx", "qy", "qz"})) return;
    if (place.group == "bodies" && place.component.starts_with("eta["))
      return put(Quantity::modal, Kind::number, false, 1);
    if (place.group == "joints" && place.component.substr(0, place.component.find('[')) == "q")
      return take_coordinate();
    if (place.group == "reactions" && std::ranges::find(open_, place.object) == open_.end() &&
        (take(Quantity::force, Kind::vector, false, {"fx", "fy", "fz"}) ||
         take(Quantity::moment, Kind::vector, false, {"mx", "my", "mz"})))
      return;
    together_.push_back({Kind::number, width(), 1, place.group == "reactions"});
    pass();
  }

  void take_coordinate() {
    const std::string& unit = columns_[width()].channel.unit;
    if (unit == "rad") return put(Quantity::joint, Kind::turn, false, 1);
    if (unit != "1") return put(Quantity::joint, Kind::number, unit == "m", 1);
    // Of coordinates only those of a ball joint have no unit.
    std::size_t k = width();
    while (k < places_.size() && k < width() + 4 && places_[k].object == places_[width()].object &&
           columns_[k].channel.unit == "1")
      ++k;
    if (k == width() + 4) return put(Quantity::joint, Kind::quaternion, false, 4);
    together_.push_back({Kind::number, width(), 1, false});
    pass();
  }

  /// Whether all of the components come next, of one object.
  bool take(Quantity quantity, Kind kind, bool length, std::initializer_list<std::string_view> components) {
    std::size_t k = width();
    for (const std::string_view component : components) {
      if (k == places_.size() || places_[k].component != component || places_[k].object != places_[width()].object)
        return false;
      ++k;
    }
    put(quantity, kind, length, components.size());
    return true;
  }

  void put(Quantity quantity, Kind kind, bool length, std::size_t count) {
    together_.push_back({kind, width(), count, is_reaction(quantity)});
    const std::string_view name = columns_[width()].channel.name;
    add(quantity, kind, length, name.substr(0, places_[width()].object.size()));
  }

  const std::vector<ResultColumn>& columns_;
  const std::vector<std::string>& open_;
  std::vector<ChannelPlace> places_;
  std::vector<Together> together_;
};

/// Walks over the times that all have.
class CommonRows {
 public:
  explicit CommonRows(std::span<const ComparedResult> all) : here_(all.size(), 0) {
    for (const ComparedResult& one : all) times_.push_back(&one.results->find("time")->values);
    for (std::size_t r = 0; r < times_.size(); ++r)
      if (times_[r]->size() < shortest().size()) fewest_ = r;
    constexpr double same = 1e-9;
    double span = std::numeric_limits<double>::infinity();
    for (const Values* times : times_) span = std::min(span, times->empty() ? 0 : times->back() - times->front());
    rounding_ = same * span;
  }

  /// On to the next such time; false after the last.
  bool next() {
    while (next_ < shortest().size()) {
      const double time = shortest()[next_++];
      bool all = true;
      for (std::size_t r = 0; r < times_.size(); ++r) {
        const Values& times = *times_[r];
        while (here_[r] < times.size() && times[here_[r]] < time - rounding_) ++here_[r];
        all = all && here_[r] < times.size() && times[here_[r]] <= time + rounding_;
      }
      if (all) return true;
    }
    return false;
  }
  double time() const { return shortest()[next_ - 1]; }
  std::size_t row(std::size_t result) const { return here_[result]; }

 private:
  const Values& shortest() const { return *times_[fewest_]; }

  std::vector<const Values*> times_;
  std::vector<std::size_t> here_;
  std::size_t fewest_ = 0, next_ = 0;
  double rounding_ = 0;
};

/// Adds a row.
void agree(const ResultItems& items, std::span<const ComparedResult> all, const std::vector<Values>& rows,
           std::vector<ResultColumn>& consensus) {
  std::vector<const double*> asked;
  Values room;
  for (const Together& together : items.together()) {
    asked.clear();
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (!together.reaction || all[r].reactions) asked.push_back(rows[r].data() + together.first);
    double agreed[4];
    std::ranges::fill(agreed, std::numeric_limits<double>::quiet_NaN());
    consensus_of_finite(together.kind, asked, room, std::span(agreed, together.count));
    for (std::size_t c = 0; c < together.count; ++c) consensus[together.first + c].values.push_back(agreed[c]);
  }
}

}  // namespace

std::optional<ResultComparison> compare(std::span<const ComparedResult> all,
                                        const std::optional<ComparedSystem>& system, double tolerance) {
  if (all.size() < 2) return {};
  const CommonColumns columns(all, system.has_value());
  ResultComparison result;
  for (const Channel* channel : columns.channels) result.consensus.columns.push_back({*channel, {}});
  const ComparedSystem known = system.value_or(ComparedSystem());
  const ResultItems items(result.consensus.columns, known.open);
  std::vector<std::unique_ptr<TraceRows>> traces;
  std::vector<Witness> witnesses;
  for (const ComparedResult& one : all) {
    traces.push_back(std::make_unique<TraceRows>(items.width()));
    witnesses.push_back({traces.back().get(), one.reactions});
  }
  std::vector<Values> rows(all.size(), Values(items.width()));
  CommonRows common(all);
  bool any = false;
  for (; common.next(); any = true) {
    for (std::size_t r = 0; r < all.size(); ++r) {
      for (std::size_t c = 0; c < items.width(); ++c) rows[r][c] = (*columns.of[r][c])[common.row(r)];
      traces[r]->put(common.time(), rows[r]);
    }
    agree(items, all, rows, result.consensus.columns);
  }
  if (!any) return {};
  Verdict verdict = judge(items, witnesses, scales_of(items, known.reach, known.acting, witnesses), tolerance);
  result.deviations = std::move(verdict.deviations);
  result.first = verdict.first;
  result.until = verdict.until;
  return result;
}

}  // namespace polyform::host
