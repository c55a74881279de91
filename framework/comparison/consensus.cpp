#include "framework/comparison/consensus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace polyform::host {

namespace {

using Kind = TraceItem::Kind;
constexpr double turn = 2 * std::numbers::pi;

/// The middle value; the mean of the two middle ones for an even number. Reorders the values.
double median(std::span<double> values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 != 0 ? *middle : 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

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

/// The run from which all others are least far in sum. On a circle that is its median, which the order of the runs
/// does not move, and one run that is turned away from the others is not it.
std::size_t innermost(Kind kind, std::span<const double> numbers, std::size_t runs) {
  const std::size_t n = numbers.size() / runs;
  const auto apart = [&](std::size_t a, std::size_t b) {
    const double *x = numbers.data() + a * n, *y = numbers.data() + b * n;
    return kind == Kind::turn ? std::abs(turned(*x, *y)) : 1 - std::abs(dot(quaternion(x), quaternion(y)));
  };
  std::size_t found = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < runs; ++a) {
    double sum = 0;
    for (std::size_t b = 0; b < runs; ++b) sum += apart(a, b);
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

/// Compares one row of all runs.
class RowJudge {
 public:
  RowJudge(std::span<const Witness> witnesses, const Scales& scales, double tolerance)
      : witnesses_(witnesses),
        whole_(scales),
        scales_(scales),
        tolerance_(tolerance),
        extents_(witnesses.size()),
        now_(witnesses.size()) {}

  void look(const TraceItems& layout, double time, const std::vector<std::vector<double>>& rows, Verdict& verdict) {
    for (std::optional<Parting>& parting : now_) parting.reset();
    if (whole_.reach > 0) see_size(layout, rows);
    for (const TraceItem& item : layout.items()) compare(item, time, rows, verdict.deviations);
    for (std::size_t s = 0; s < now_.size(); ++s) {
      if (!now_[s]) continue;
      if (!verdict.partings[s]) verdict.partings[s] = now_[s];
      if (!verdict.first || (verdict.first->time == time && verdict.first->relative < now_[s]->relative))
        verdict.first = now_[s];
    }
  }

 private:
  /// The size up to now, of several runs the median.
  void see_size(const TraceItems& layout, const std::vector<std::vector<double>>& rows) {
    sizes_.clear();
    for (std::size_t s = 0; s < rows.size(); ++s) {
      for (const TraceItem& item : layout.items())
        if (item.quantity == Quantity::position) extents_[s].add(vector(rows[s].data() + item.offset));
      if (const double size = extents_[s].diagonal(); std::isfinite(size)) sizes_.push_back(size);
    }
    const double size = sizes_.empty() ? whole_.length : median(sizes_);
    scales_.length = std::min(whole_.length, std::max(size, whole_.reach));
  }

  void compare(const TraceItem& item, double time, const std::vector<std::vector<double>>& rows,
               std::vector<Deviation>& deviations) {
    asked_.clear();
    for (std::size_t s = 0; s < rows.size(); ++s)
      if (!is_reaction(item.quantity) || witnesses_[s].reactions) asked_.push_back(rows[s].data() + item.offset);
    if (asked_.size() < 2) return;
    double agreed[4] = {};
    consensus_of_finite(item.kind, asked_, room_, std::span(agreed, item.size()));
    for (std::size_t s = 0; s < rows.size(); ++s)
      if (!is_reaction(item.quantity) || witnesses_[s].reactions)
        note(item, s, distance(item, rows[s].data() + item.offset, agreed), time, deviations[s]);
  }

  void note(const TraceItem& item, std::size_t run, double value, double time, Deviation& deviation) {
    std::optional<Departure>& largest = deviation[item.quantity];
    if (!largest || value > largest->value) largest = {value, time, item.name, item.length};
    const double relative = value / scales_.of(item);
    if (relative > tolerance_ && (!now_[run] || relative > now_[run]->relative))
      now_[run] = {time, value, relative, scales_, run, item.quantity, item.name, item.length};
  }

  std::span<const Witness> witnesses_;
  const Scales& whole_;  ///< of the whole run
  Scales scales_;        ///< up to the row at hand
  double tolerance_;
  std::vector<Extent> extents_;  ///< by run
  std::vector<double> sizes_;
  std::vector<std::optional<Parting>> now_;  ///< in this row
  std::vector<const double*> asked_;         ///< the item in the runs that are asked for it
  std::vector<double> room_;
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

/// Of one run; NaN or infinite where the run went there.
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
  for (const Witness& witness : witnesses) of_runs.push_back(raw_scales(layout, reach, acting, *witness.trace));
  Scales result;
  result.reach = reach;
  for (double Scales::*member : members) {
    std::vector<double> values;
    for (const Scales& s : of_runs)
      if (std::isfinite(s.*member)) values.push_back(s.*member);
    const double x = values.empty() ? 0 : median(values);
    result.*member = x > 0 ? x : 1;
  }
  return result;
}

void consensus(Kind kind, std::span<double> numbers, std::size_t runs, std::span<double> result) {
  const std::size_t n = result.size();
  if (kind == Kind::turn || kind == Kind::quaternion) {
    const std::size_t middle = runs > 2 ? innermost(kind, numbers, runs) : 0;
    for (std::size_t s = 0; s < runs; ++s)
      if (s != middle) align(kind, numbers.data() + middle * n, numbers.data() + s * n);
  }
  std::vector<double> values(runs);
  for (std::size_t c = 0; c < n; ++c) {
    for (std::size_t s = 0; s < runs; ++s) values[s] = numbers[s * n + c];
    result[c] = median(values);
  }
  if (kind != Kind::quaternion) return;
  const Quat unit = normalized(quaternion(result.data()));
  result[0] = unit.w, result[1] = unit.x, result[2] = unit.y, result[3] = unit.z;
}

bool consensus_of_finite(Kind kind, std::span<const double* const> runs, std::vector<double>& room,
                         std::span<double> result) {
  room.clear();
  std::size_t finite = 0;
  for (const double* numbers : runs) {
    if (!all_finite(numbers, result.size())) continue;
    room.insert(room.end(), numbers, numbers + result.size());
    ++finite;
  }
  if (finite > 0) consensus(kind, room, finite, result);
  return finite > 0;
}

std::unique_ptr<Trace> consensus(const TraceLayout& layout, std::span<Trace* const> traces) {
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
      consensus(item.kind, numbers, rows.size(), std::span(agreed).subspan(item.offset, item.size()));
    }
    result->put(time, agreed);
  }
  return result;
}

double distance(const TraceItem& item, const double* a, const double* b) {
  if (!all_finite(a, item.size()) || !all_finite(b, item.size())) return std::numeric_limits<double>::infinity();
  switch (item.kind) {
    case Kind::vector:
      return norm(vector(a) - vector(b));
    case Kind::quaternion:
      return norm(rotation_vector(conjugate(quaternion(a)) * quaternion(b)));
    case Kind::turn:
      return std::abs(turned(*a, *b));
    case Kind::number:
      break;
  }
  return std::abs(*a - *b);
}

Verdict judge(const TraceItems& layout, std::span<const Witness> witnesses, const Scales& scales, double tolerance) {
  Verdict verdict;
  verdict.deviations.resize(witnesses.size());
  verdict.partings.resize(witnesses.size());
  std::vector<std::vector<double>> rows(witnesses.size(), std::vector<double>(layout.width()));
  std::size_t count = std::numeric_limits<std::size_t>::max();
  for (const Witness& witness : witnesses) count = std::min(count, witness.trace->rewind());
  RowJudge row_judge(witnesses, scales, tolerance);
  for (; count > 0; --count) {
    for (std::size_t s = 0; s < rows.size(); ++s) verdict.until = witnesses[s].trace->next(rows[s]);
    row_judge.look(layout, verdict.until, rows, verdict);
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

}  // namespace polyform::host
