#include "framework/workbench/comparison/result_comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "framework/workbench/comparison/open_reactions.hpp"
#include "framework/workbench/comparison/result_states.hpp"

namespace polyform::host::inline comparison {

namespace {

using Kind = TraceItem::Kind;
using Values = std::vector<double>;

/// The columns that all results have, in the order of the first; reactions only if they are asked for.
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

/// The meaning of the columns, by their names and units: rows have a number per column.
class ResultItems final : public TraceItems {
 public:
  /// values: of one result, by column.
  ResultItems(const std::vector<ResultColumn>& columns, const std::vector<const Values*>& values,
              const std::vector<OpenJoint>& open)
      : columns_(columns), values_(values), open_(open) {
    for (const ResultColumn& column : columns) places_.push_back(place_of(column.channel));
    while (width() < columns.size()) take();
  }

  const std::vector<Together>& together() const { return together_; }
  /// Whether there are reactions that are open in part, and the unique part of all of them is known.
  bool has_unique_parts() const { return !parts_.empty() && !leaves_out_; }
  /// Removes the open part from the reactions of a row.
  void keep_unique(std::span<double> row) const {
    for (const OpenPart& part : parts_) {
      double* f = row.data() + part.force;
      const double* q = part.orientation == none ? nullptr : row.data() + part.orientation;
      const Mat3 R = q == nullptr ? Mat3::identity() : rotation_matrix(normalized(Quat{q[0], q[1], q[2], q[3]}));
      const Spatial r = part.open.unique_part({{f[3], f[4], f[5]}, {f[0], f[1], f[2]}}, R);
      for (const Vec3& v : {r.linear, r.angular})
        for (const double value : {v.x, v.y, v.z}) *f++ = value;
    }
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// A reaction that is open in part.
  struct OpenPart {
    OpenReaction open;
    std::size_t force;        ///< its columns; those of the moment follow
    std::size_t orientation;  ///< columns of the body in whose axes it is; none: ground
  };

  void take() {
    const ChannelPlace& place = places_[width()];
    if (place.group == "bodies" && take(Quantity::position, Kind::vector, true, {"x", "y", "z"})) return;
    if (place.group == "bodies" && take(Quantity::angle, Kind::quaternion, false, {"qw", "qx", "qy", "qz"})) return;
    if (place.group == "bodies" && place.component.starts_with("eta["))
      return put(Quantity::modal, Kind::number, false, 1);
    if (place.group == "joints" && place.component.substr(0, place.component.find('[')) == "q")
      return take_coordinate();
    if (place.group == "reactions" && may_take_reaction() &&
        (take(Quantity::force, Kind::vector, false, {"fx", "fy", "fz"}) ||
         take(Quantity::moment, Kind::vector, false, {"mx", "my", "mz"})))
      return;
    if (place.group == "elements") return take_output();
    together_.push_back({Kind::number, width(), 1, place.group == "reactions"});
    pass();
  }

  void take_output() {
    together_.push_back({Kind::number, width(), 1, false});
    add(Quantity::output, Kind::number, false, columns_[width()].channel.name);
  }

  /// Whether the next reaction is unique, or has all its columns here, so that its unique part can be found.
  bool may_take_reaction() {
    const auto joint = std::ranges::find(open_, places_[width()].object, &OpenJoint::name);
    if (joint == open_.end()) return true;
    if (!parts_.empty() && width() == parts_.back().force + 3) return true;
    std::size_t orientation = none;
    for (std::size_t k = 0; k + 4 <= columns_.size() && !joint->axes.empty(); ++k)
      if (places_[k].object == joint->axes && has(k, {"qw", "qx", "qy", "qz"})) orientation = k;
    const bool known = joint->directions && has(width(), {"fx", "fy", "fz", "mx", "my", "mz"}) &&
                       (joint->axes.empty() || orientation != none);
    if (known)
      parts_.push_back({{0, BodyIndex::ground, *joint->directions}, width(), orientation});
    else
      leaves_out_ = true;
    return known;
  }

  /// Whether these components of one object stand in the columns from this one on.
  bool has(std::size_t column, std::initializer_list<std::string_view> components) const {
    std::size_t k = column;
    for (const std::string_view component : components) {
      if (k == places_.size() || places_[k].component != component || places_[k].object != places_[column].object)
        return false;
      ++k;
    }
    return true;
  }

  bool is_unit_quaternion(std::size_t column) const {
    constexpr double rounded = 1e-6;  // digits of a file
    for (std::size_t row = 0; row < values_[column]->size(); ++row) {
      double square = 0;
      for (std::size_t k = column; k < column + 4; ++k) square += (*values_[k])[row] * (*values_[k])[row];
      if (std::abs(square - 1) > rounded) return false;  // a row that is no number counts for nothing
    }
    return true;
  }

  void take_coordinate() {
    const std::string& unit = columns_[width()].channel.unit;
    if (unit == "rad") return put(Quantity::joint, Kind::turn, false, 1);
    if (unit == "m") return put(Quantity::joint, Kind::number, true, 1);
    if (unit != "1") return take_output();
    // The four parts of a quaternion have no unit, and the size 1 in all rows.
    std::size_t k = width();
    while (k < places_.size() && k < width() + 4 && places_[k].object == places_[width()].object &&
           columns_[k].channel.unit == "1")
      ++k;
    if (k == width() + 4 && is_unit_quaternion(width())) return put(Quantity::joint, Kind::quaternion, false, 4);
    take_output();
  }

  /// Takes the components if all of them come next, of one object; says whether it did.
  bool take(Quantity quantity, Kind kind, bool length, std::initializer_list<std::string_view> components) {
    if (!has(width(), components)) return false;
    put(quantity, kind, length, components.size());
    return true;
  }

  void put(Quantity quantity, Kind kind, bool length, std::size_t count) {
    together_.push_back({kind, width(), count, is_reaction(quantity)});
    const std::string_view name = columns_[width()].channel.name;
    add(quantity, kind, length, name.substr(0, places_[width()].object.size()));
  }

  const std::vector<ResultColumn>& columns_;
  const std::vector<const Values*>& values_;
  const std::vector<OpenJoint>& open_;
  std::vector<ChannelPlace> places_;
  std::vector<Together> together_;
  std::vector<OpenPart> parts_;
  bool leaves_out_ = false;
};

/// Rows whose reactions are reduced to their unique part.
class ResultRows final : public TraceRows {
 public:
  explicit ResultRows(const ResultItems& items) : TraceRows(items.width()), items_(items) {}

 private:
  void refine(std::span<double> row) const override { items_.keep_unique(row); }

  const ResultItems& items_;
};

/// Walks over the times that all results have.
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

  /// Goes on to the next such time; false after the last.
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

/// Adds a row to the agreement.
void agree(const ResultItems& items, std::span<const Votes, 2> votes, const std::vector<Values>& rows,
           std::vector<ResultColumn>& consensus) {
  std::vector<Ballot> asked;
  BallotBox box;
  for (const Together& together : items.together()) {
    asked.clear();
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (const auto vote = votes[together.reaction ? 1 : 0].of(r))
        asked.push_back({rows[r].data() + together.first, *vote});
    double agreed[4];
    std::ranges::fill(agreed, std::numeric_limits<double>::quiet_NaN());
    consensus_of_finite(together.kind, asked, box, std::span(agreed, together.count));
    for (std::size_t c = 0; c < together.count; ++c) consensus[together.first + c].values.push_back(agreed[c]);
  }
}

}  // namespace

std::vector<OpenJoint> open_joints(const System& system, const Results& results) {
  const auto name = [&](std::size_t joint) { return std::string(system.view().joints[joint].name); };
  ResultStates states(system, results);
  OpenReactions open(system);
  std::vector<OpenJoint> all;
  for (const std::string& joint : system.count_constraints().redundant_joints) all.push_back({joint, {}, {}});
  if (all.empty() || !states.complete() || states.rows() == 0) return all;
  all.clear();
  constexpr std::size_t samples = OpenReactions::states;
  const std::size_t last = states.rows() - 1;
  for (std::size_t k = 0; k < std::min(samples, states.rows()); ++k) {
    const std::size_t row = states.rows() <= samples ? k : k * last / (samples - 1);
    if (const std::optional<ConstStateView> state = states.state(row))
      open.add(*state, [&](BodyIndex b) { return states.orientation(b, row); });
  }
  for (const OpenReaction& reaction : open.found())
    all.push_back({name(reaction.joint),
                   is_ground(reaction.axes) ? std::string() : std::string(system.view().bodies[at(reaction.axes)].name),
                   reaction.directions});
  return all;
}

std::optional<ResultComparison> compare(std::span<const ComparedResult> all,
                                        const std::optional<ComparedSystem>& system, double tolerance) {
  if (all.size() < 2) return {};
  const CommonColumns columns(all, system.has_value());
  ResultComparison result;
  for (const Channel* channel : columns.channels) result.consensus.columns.push_back({*channel, {}});
  const ComparedSystem known = system.value_or(ComparedSystem());
  const ResultItems items(result.consensus.columns, columns.of.front(), known.open);
  std::vector<std::unique_ptr<TraceRows>> traces;
  std::vector<Witness> witnesses;
  for (const ComparedResult& one : all) {
    traces.push_back(std::make_unique<ResultRows>(items));
    witnesses.push_back({traces.back().get(), one.reactions, one.kernels});
  }
  const std::array votes{votes_of(witnesses, false), votes_of(witnesses, true)};
  std::vector<Values> rows(all.size(), Values(items.width()));
  CommonRows common(all);
  bool any = false;
  for (; common.next(); any = true) {
    for (std::size_t r = 0; r < all.size(); ++r) {
      for (std::size_t c = 0; c < items.width(); ++c) rows[r][c] = (*columns.of[r][c])[common.row(r)];
      traces[r]->put(common.time(), rows[r]);
    }
    agree(items, votes, rows, result.consensus.columns);
  }
  if (!any) return {};
  Verdict verdict = judge(items, witnesses, scales_of(items, known.reach, known.acting, witnesses), tolerance);
  result.deviations = std::move(verdict.deviations);
  result.votes = votes[0];
  result.first = verdict.first;
  result.sides = std::move(verdict.sides);
  result.until = verdict.until;
  result.unique_parts = items.has_unique_parts();
  return result;
}

}  // namespace polyform::host::comparison
