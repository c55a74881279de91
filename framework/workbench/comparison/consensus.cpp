#include "framework/workbench/comparison/consensus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace polyform::host::inline comparison {

namespace {

using Kind = TraceItem::Kind;
constexpr double turn = 2 * std::numbers::pi;

Quat quaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }
Vec3 vector(const double* v) { return {v[0], v[1], v[2]}; }

/// How far apart two angles are, up to whole turns. Each is brought into one turn exactly, however many it has made.
double turned(double a, double b) { return std::remainder(std::remainder(a, turn) - std::remainder(b, turn), turn); }

/// Brings a quaternion or a turn next to another.
void align(Kind kind, const double* to, double* other) {
  if (kind == Kind::turn) *other = *to + turned(*other, *to);
  if (kind == Kind::quaternion && dot(quaternion(to), quaternion(other)) < 0)
    for (std::size_t c = 0; c < 4; ++c) other[c] = -other[c];
}

/// The run from which all others are least far in sum, by their weights. On a circle that is its median, which the
/// order of the runs does not move, and one run that is turned away from the others is not it.
std::size_t innermost(Kind kind, std::span<const double> numbers, std::span<const double> weights) {
  const std::size_t runs = weights.size(), n = numbers.size() / runs;
  const auto apart = [&](std::size_t a, std::size_t b) {
    const double *x = numbers.data() + a * n, *y = numbers.data() + b * n;
    return kind == Kind::turn ? std::abs(turned(*x, *y)) : 1 - std::abs(dot(quaternion(x), quaternion(y)));
  };
  std::size_t found = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < runs; ++a) {
    double sum = 0;
    for (std::size_t b = 0; b < runs; ++b) sum += weights[b] * apart(a, b);
    if (sum < least) least = sum, found = a;
  }
  return found;
}

bool all_finite(const double* numbers, std::size_t count) {
  return std::all_of(numbers, numbers + count, [](double x) { return std::isfinite(x); });
}

/// The box in which points lie.
class Extent {
 public:
  void add(const Vec3& v) {
    low_ = {std::min(low_.x, v.x), std::min(low_.y, v.y), std::min(low_.z, v.z)};
    high_ = {std::max(high_.x, v.x), std::max(high_.y, v.y), std::max(high_.z, v.z)};
  }
  /// 0 without points.
  double diagonal() const { return high_.x >= low_.x ? norm(high_ - low_) : 0; }

 private:
  static constexpr double far = std::numeric_limits<double>::infinity();
  Vec3 low_{far, far, far}, high_{-far, -far, -far};
};

double median(std::span<const double> values, std::span<const std::size_t> votes) {
  const std::vector<double> weights = weights_of(votes);
  std::vector<Weighted> all;
  for (std::size_t k = 0; k < values.size(); ++k) all.push_back({values[k], weights[k]});
  return median(all);
}

/// Compares one row of all runs.
class RowJudge {
 public:
  RowJudge(std::span<const Witness> witnesses, const Scales& scales, double tolerance)
      : whole_(scales),
        scales_(scales),
        tolerance_(tolerance),
        votes_{votes_of(witnesses, false), votes_of(witnesses, true)},
        extents_(witnesses.size()),
        now_(witnesses.size()),
        items_(witnesses.size()) {}

  /// at_event: of this row the motion alone is compared.
  void look(const TraceItems& layout, double time, const std::vector<std::vector<double>>& rows, bool at_event,
            Verdict& verdict) {
    for (std::optional<Parting>& parting : now_) parting.reset();
    if (whole_.reach > 0) see_size(layout, rows);
    for (const TraceItem& item : layout.items())
      if (!at_event || family_of(item.quantity) == Family::motion) compare(item, time, rows, verdict.deviations);
    if (at_event) verdict.at_events.push_back(time);
    const bool before = verdict.first.has_value();
    for (std::size_t s = 0; s < now_.size(); ++s) {
      if (!now_[s]) continue;
      if (!verdict.partings[s]) verdict.partings[s] = now_[s];
      if (!verdict.first || (verdict.first->time == time && verdict.first->relative < now_[s]->relative))
        verdict.first = now_[s];
    }
    if (verdict.first && !before) verdict.sides = sides(*verdict.first, rows);
  }

 private:
  /// The size up to now, of several runs the median.
  void see_size(const TraceItems& layout, const std::vector<std::vector<double>>& rows) {
    sizes_.clear();
    sized_.clear();
    for (std::size_t s = 0; s < rows.size(); ++s) {
      for (const TraceItem& item : layout.items())
        if (item.quantity == Quantity::position) extents_[s].add(vector(rows[s].data() + item.offset));
      if (const double size = extents_[s].diagonal(); std::isfinite(size)) {
        sizes_.push_back(size);
        sized_.push_back(*votes_[0].of(s));
      }
    }
    const double size = sizes_.empty() ? whole_.length : median(sizes_, sized_);
    scales_.length = std::min(whole_.length, std::max(size, whole_.reach));
  }

  void compare(const TraceItem& item, double time, const std::vector<std::vector<double>>& rows,
               std::vector<Deviation>& deviations) {
    asked_.clear();
    for (std::size_t s = 0; s < rows.size(); ++s)
      if (const auto vote = votes_for(item).of(s)) asked_.push_back({rows[s].data() + item.offset, *vote});
    if (asked_.size() < 2) return;
    double agreed[4] = {};
    consensus_of_finite(item.kind, asked_, box_, std::span(agreed, item.size()));
    for (std::size_t s = 0; s < rows.size(); ++s)
      if (votes_for(item).of(s))
        note(item, s, distance(item, rows[s].data() + item.offset, agreed), time, deviations[s]);
  }

  const Votes& votes_for(const TraceItem& item) const { return votes_[is_reaction(item.quantity) ? 1 : 0]; }

  /// The sides in the item of a parting: which runs are with each other. A number that is not finite is with none.
  std::vector<Side> sides(const Parting& parting, const std::vector<std::vector<double>>& rows) const {
    const TraceItem& item = *items_[parting.witness];
    const Votes& votes = votes_for(item);
    std::vector<std::size_t> left;
    for (std::size_t s = 0; s < rows.size(); ++s)
      if (votes.of(s)) left.push_back(s);
    std::vector<Side> all;
    while (!left.empty()) {
      Side side{{left.front()}, 0};
      left.erase(left.begin());
      for (std::size_t k = 0; k < side.runs.size(); ++k)
        std::erase_if(left, [&](std::size_t s) {
          const double* one = rows[side.runs[k]].data() + item.offset;
          const double apart = distance(item, one, rows[s].data() + item.offset);
          const bool with = std::isfinite(apart) && apart < 0.5 * parting.deviation;
          if (with) side.runs.push_back(s);
          return with;
        });
      std::ranges::sort(side.runs);
      side.votes = votes.weight(side.runs);
      all.push_back(std::move(side));
    }
    std::ranges::stable_sort(all, {}, &Side::votes);
    return all;
  }

  void note(const TraceItem& item, std::size_t run, double value, double time, Deviation& deviation) {
    std::optional<Departure>& largest = deviation[item.quantity];
    if (!largest || value > largest->value) largest = Departure{value, time, std::string(item.name), item.length};
    if (item.quantity == Quantity::output) return;
    const double relative = value / scales_.of(item);
    if (relative > tolerance_ && (!now_[run] || relative > now_[run]->relative)) {
      now_[run] = Parting{time, value, relative, scales_, run, item.quantity, std::string(item.name), item.length};
      items_[run] = &item;
    }
  }

  const Scales& whole_;  ///< of the whole run
  Scales scales_;        ///< up to the row at hand
  double tolerance_;
  std::array<Votes, 2> votes_;   ///< of all, and of those that give reactions
  std::vector<Extent> extents_;  ///< by run
  std::vector<double> sizes_;
  std::vector<std::size_t> sized_;           ///< the votes of these
  std::vector<std::optional<Parting>> now_;  ///< in this row
  std::vector<const TraceItem*> items_;      ///< of these
  std::vector<Ballot> asked_;                ///< the item in the runs that are asked for it
  BallotBox box_;
};

}  // namespace

double Scales::of(const TraceItem& item) const {
  if (item.quantity == Quantity::force) return force;
  if (item.quantity == Quantity::moment) return moment;
  if (item.quantity == Quantity::acceleration) return acceleration;
  if (item.quantity == Quantity::angular_acceleration) return angular_acceleration;
  if (item.quantity == Quantity::joint_acceleration) return item.length ? acceleration : angular_acceleration;
  return item.length ? length : 1;
}

namespace {

/// The scales of one run; NaN or infinite if the run went there.
Scales raw_scales(const TraceItems& layout, double reach, const Scale& acting, TraceRows& trace) {
  std::vector<double> row(layout.width());
  Extent extent;
  double force = acting.force, moment = acting.moment, acceleration = acting.acceleration;
  double turning = acting.angular_acceleration, heaviest = 0, time = 0;
  for (std::size_t left = trace.rewind(); left > 0; --left) {
    time = trace.next(row);
    for (const TraceItem& item : layout.items()) {
      if (item.kind != Kind::vector) continue;
      const Vec3 v = vector(row.data() + item.offset);
      const double size = norm(v);
      if (item.quantity == Quantity::position) extent.add(v);
      if (item.quantity == Quantity::force) force = std::max(force, size);
      if (item.quantity == Quantity::moment) moment = std::max(moment, size);
      if (item.quantity == Quantity::acceleration) {
        acceleration = std::max(acceleration, size);
        force = std::max(force, item.inertia * size);
        heaviest = std::max(heaviest, item.inertia);
      }
      if (item.quantity == Quantity::angular_acceleration) {
        turning = std::max(turning, size);
        moment = std::max(moment, item.inertia * size);
      }
    }
  }
  const double length = std::max(extent.diagonal(), reach);
  if (time > 0) {
    acceleration = std::max(acceleration, length / (time * time));
    turning = std::max(turning, 1 / (time * time));
    force = std::max(force, heaviest * length / (time * time));
  }
  if (length > 0) turning = std::max(turning, acceleration / length);
  return {length, force, std::max(moment, force * length), reach, acceleration, turning};
}

}  // namespace

Scales scales_of(const TraceItems& layout, double reach, const Scale& acting, std::span<const Witness> witnesses) {
  constexpr double Scales::*members[] = {&Scales::length, &Scales::force, &Scales::moment, &Scales::acceleration,
                                         &Scales::angular_acceleration};
  std::vector<Scales> of_runs;
  const Votes votes = votes_of(witnesses, false);
  for (const Witness& witness : witnesses) of_runs.push_back(raw_scales(layout, reach, acting, *witness.trace));
  Scales result;
  result.reach = reach;
  for (double Scales::*member : members) {
    std::vector<double> values;
    std::vector<std::size_t> of_values;
    for (std::size_t s = 0; s < of_runs.size(); ++s)
      if (std::isfinite(of_runs[s].*member)) values.push_back(of_runs[s].*member), of_values.push_back(*votes.of(s));
    const double x = values.empty() ? 0 : median(values, of_values);
    result.*member = x > 0 ? x : 1;
  }
  return result;
}

Votes votes_of(std::span<const Witness> witnesses, bool reactions) {
  std::vector<std::vector<std::string>> kernels;
  std::vector<bool> counts;
  for (const Witness& witness : witnesses) {
    kernels.push_back(witness.kernels);
    counts.push_back(witness.reactions || !reactions);
  }
  return {kernels, counts};
}

void consensus(Kind kind, std::span<double> numbers, std::span<const std::size_t> votes, std::span<double> result) {
  const std::size_t n = result.size(), runs = votes.size();
  const std::vector<double> weights = weights_of(votes);
  if (kind == Kind::turn || kind == Kind::quaternion) {
    const std::size_t middle = runs > 2 ? innermost(kind, numbers, weights) : 0;
    for (std::size_t s = 0; s < runs; ++s)
      if (s != middle) align(kind, numbers.data() + middle * n, numbers.data() + s * n);
  }
  std::vector<Weighted> values(runs);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t s = 0; s < runs; ++s) values[s] = {numbers[s * n + c], weights[s]};
    result[c] = median(values);
  }
  if (kind != Kind::quaternion) return;
  const Quat unit = normalized(quaternion(result.data()));
  result[0] = unit.w, result[1] = unit.x, result[2] = unit.y, result[3] = unit.z;
}

bool consensus_of_finite(Kind kind, std::span<const Ballot> runs, BallotBox& box, std::span<double> result) {
  box.numbers.clear();
  box.votes.clear();
  for (const Ballot& run : runs) {
    if (!all_finite(run.numbers, result.size())) continue;
    box.numbers.insert(box.numbers.end(), run.numbers, run.numbers + result.size());
    box.votes.push_back(run.vote);
  }
  if (!box.votes.empty()) consensus(kind, box.numbers, box.votes, result);
  return !box.votes.empty();
}

std::unique_ptr<Trace> consensus(const TraceLayout& layout, std::span<Trace* const> traces,
                                 std::span<const std::size_t> votes) {
  auto result = std::make_unique<Trace>(layout);
  std::vector<std::vector<double>> rows(traces.size(), std::vector<double>(layout.width()));
  std::vector<double> agreed(layout.width()), numbers;
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (Trace* trace : traces) count = std::min(count, trace->rewind());
  for (; count > 0; --count) {
    double time = 0;
    for (std::size_t s = 0; s < rows.size(); ++s) time = traces[s]->next(rows[s]);
    for (const TraceItem& item : layout.items()) {
      numbers.clear();
      for (const std::vector<double>& row : rows)
        numbers.insert(numbers.end(), row.data() + item.offset, row.data() + item.offset + item.size());
      consensus(item.kind, numbers, votes, std::span(agreed).subspan(item.offset, item.size()));
    }
    result->put(time, agreed);
  }
  return result;
}

double distance(const TraceItem& item, const double* a, const double* b) {
  if (!all_finite(a, item.size()) || !all_finite(b, item.size())) return std::numeric_limits<double>::infinity();
  switch (item.kind) {
    case Kind::vector: return norm(vector(a) - vector(b));
    case Kind::quaternion: return norm(rotation_vector(conjugate(quaternion(a)) * quaternion(b)));
    case Kind::turn: return std::abs(turned(*a, *b));
    case Kind::number: break;
  }
  return std::abs(*a - *b);
}

namespace {

/// Whether a mode or a count is not the same in all runs.
bool modes_differ(const TraceItems& layout, const std::vector<std::vector<double>>& rows) {
  return std::ranges::any_of(layout.switches(), [&](std::size_t k) {
    return std::ranges::any_of(
        rows, [&](const std::vector<double>& row) { return std::abs(row[k] - rows.front()[k]) > 0.5; });
  });
}

}  // namespace

Verdict judge(const TraceItems& layout, std::span<const Witness> witnesses, const Scales& scales, double tolerance) {
  Verdict verdict;
  verdict.deviations.resize(witnesses.size());
  verdict.partings.resize(witnesses.size());
  std::vector<std::vector<double>> rows(witnesses.size(), std::vector<double>(layout.width()));
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (const Witness& witness : witnesses) count = std::min(count, witness.trace->rewind());
  RowJudge row_judge(witnesses, scales, tolerance);
  std::vector<std::vector<double>> following = rows;
  double time = 0;
  const auto read = [&] {
    for (std::size_t s = 0; s < rows.size(); ++s) time = witnesses[s].trace->next(following[s]);
    return modes_differ(layout, following);
  };
  bool before = true, next = count > 0 && read();
  for (; count > 0; --count) {
    rows.swap(following);
    verdict.until = time;
    const bool now = next, is_last = count == 1;
    next = is_last || read();
    row_judge.look(layout, verdict.until, rows, now && !before && !next, verdict);
    before = now;
  }
  return verdict;
}

std::vector<DistanceRow> distances(const TraceLayout& layout, Trace& a, Trace& b, const Scales& scales, Family family) {
  std::vector<double> row_a(layout.width()), row_b(layout.width());
  std::vector<DistanceRow> result;
  for (std::size_t left = std::min(a.rewind(), b.rewind()); left > 0; --left) {
    a.next(row_a);
    DistanceRow now{b.next(row_b), 0};
    for (const TraceItem& item : layout.items())
      if (family_of(item.quantity) == family)
        now.distance = std::max(
            now.distance, distance(item, row_a.data() + item.offset, row_b.data() + item.offset) / scales.of(item));
    result.push_back(now);
  }
  return result;
}

}  // namespace polyform::host::comparison
