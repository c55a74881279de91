#include "framework/host/integration/event_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace polyform::host::inline integration {

namespace {

// Parts of a step in which a function comes near zero or does what its ends do not tell.
constexpr int parts_of_a_step = 16;
// Halvings of such a part: down to a millionth, where only what touches zero within rounding is left.
constexpr std::size_t deepest = 20;
// So many times more, a stretch that is not divided is looked at before a change that was located in it.
constexpr std::size_t looks_before = 4;
// By how much the values at the ends of a stretch may differ from what the rates there say, relative to the values. A
// polynomial of third degree with a turning point in the stretch is above it, one that only bends a little below.
constexpr double agreement = 0.1;
// A whole step is not divided when no function comes nearer to zero than half of what it is at the ends.
constexpr double comfortable = 0.5;
// Differences of positions and lengths of about the largest value are known to some thousand units in the last place.
constexpr double rounding = 1e-12;
// By how much a stretch may be longer than what the sample at its end allows: the motion becomes faster within it.
constexpr double faster = 1.5;
// Of a step: shorter stretches are not made. Steps that are many times longer than allowed are not tried; one in which
// a body comes to turn without bound would be looked at for hours.
constexpr double shortest_stretch = 1e-4;

// The largest value of a function over its largest rate is the time 1/ω of a sine: samples are not farther apart than
// an eighth of its period. What was fast counts half as much from step to step. For this alone a step is not divided
// into more than so many parts.
constexpr double share_of_pace = 0.785, fading = 0.5, most_parts_for_pace = 64;

// So many samples along a step, in which thousands of zeros would be found, are more than any motion needs: what still
// is not clear flickers by rounding, and is taken as it is.
constexpr std::size_t most_samples = 4096;

// Divisions along a step that a function which jumps may ask for: some three jumps. One that asks for more flickers by
// rounding, and from there on it divides parts of the step no more. In the step after it has so many left.
constexpr std::size_t most_jumps = 32, jumps_left = 4;

// Places of samples: the beginning of the step, the end of a part, the middles of parts by how often they were divided.
constexpr std::size_t beginning = 0, ending = 1, first_middle = 2;

bool positive(double value) { return value >= 0; }

}  // namespace

EventSearch::EventSearch(std::size_t functions, std::vector<std::size_t> kinds, double least_for_pace)
    : functions_(functions),
      kinds_(std::move(kinds)),
      least_for_pace_(least_for_pace),
      largest_(functions),
      widest_(functions),
      fastest_(functions),
      jumps_(functions),
      samples_(first_middle + deepest + looks_before) {
  if (kinds_.empty()) {
    kinds_.resize(functions);
    std::iota(kinds_.begin(), kinds_.end(), std::size_t{0});
  }
  for (Sample& s : samples_) s.values.resize(functions), s.rates.resize(functions);
  trial_ = samples_.front();
}

double EventSearch::noise(std::size_t k) const { return rounding * largest_[kinds_[k]]; }

void EventSearch::take(double t, Signals& signals, Sample& out) {
  out.time = t;
  out.reach = signals.sample(t, out.values, out.rates);
  if (left_ > 0) --left_;
  for (std::size_t k = 0; k < functions_; ++k)
    if (std::isfinite(out.values[k])) {
      widest_[k] = std::max(widest_[k], std::abs(out.values[k]));
      largest_[kinds_[k]] = std::max(largest_[kinds_[k]], widest_[k]);
    }
  for (std::size_t k = 0; k < functions_; ++k)
    if (std::isfinite(out.rates[k]) && (signals.counts(k, true) || signals.counts(k, false)))
      fastest_[k] = std::max(fastest_[k], std::abs(out.rates[k]));
}

double EventSearch::value_at(double t, std::size_t k, Signals& signals) {
  if (const std::optional<double> alone = signals.value(t, k)) return *alone;
  take(t, signals, trial_);
  return trial_.values[k];
}

void EventSearch::begin(double t, Signals& signals) { take(t, signals, samples_.front()); }

std::optional<SignChange> EventSearch::find(double t_end, double resolution, Signals& signals) {
  resolution_ = resolution;
  left_ = most_samples;
  for (double& rate : fastest_) rate *= fading;
  for (std::size_t& jumps : jumps_) jumps = jumps < most_jumps ? 0 : most_jumps - jumps_left;
  finest_ = (t_end - samples_[beginning].time) / most_parts_for_pace;
  // No shorter than times can be told apart: a sample at the time of the one before would be taken for ever.
  const double shortest = std::max(shortest_stretch * (t_end - samples_[beginning].time), resolution);
  for (bool done = false; !done;) {
    done = end_of_stretch(t_end, shortest, signals) == t_end;
    if (const auto found = find_in_stretch(signals)) return found;
  }
  return std::nullopt;
}

double EventSearch::size_for_pace(std::size_t k) const {
  return std::max(widest_[k], least_for_pace_ * largest_[kinds_[k]]);
}

/// How far the next sample may be: what turns shows itself, and so does what goes up and down by itself.
double EventSearch::stretch(const Sample& from) const {
  double pace = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < functions_; ++k)
    if (const double largest = size_for_pace(k); largest > 0 && fastest_[k] > 0)
      pace = std::min(pace, share_of_pace * largest / fastest_[k]);
  return std::min(from.reach, std::max(pace, finest_));
}

/// Takes the sample there.
double EventSearch::end_of_stretch(double t_end, double shortest, Signals& signals) {
  const Sample &start = samples_[beginning], &end = samples_[ending];
  double length = std::max(stretch(start), shortest);
  for (;; length = std::max(0.5 * length, shortest)) {
    const bool last = !(start.time + length < t_end);
    if (last) length = t_end - start.time;
    const double t = last ? t_end : start.time + length;
    take(t, signals, samples_[ending]);
    if (length <= std::max(faster * stretch(end), shortest)) return t;
  }
}

/// Between the samples in the first two places; the latter is kept as the beginning where nothing is found.
std::optional<SignChange> EventSearch::find_in_stretch(Signals& signals) {
  Sample &start = samples_[beginning], &end = samples_[ending];
  const double from = start.time, t_end = end.time;
  if (judge(start, end, signals, true).clear) {
    std::swap(start, end);
    return std::nullopt;
  }
  for (int part = 1; part <= parts_of_a_step; ++part) {
    const double t = part == parts_of_a_step ? t_end : from + (t_end - from) * part / parts_of_a_step;
    if (!(t > start.time)) continue;
    take(t, signals, end);
    if (const auto found = first(beginning, ending, 0, signals)) return found;
    std::swap(start, end);
  }
  return std::nullopt;
}

bool EventSearch::changes(const Sample& a, const Sample& b, std::size_t k, const Signals& signals) const {
  const bool rising = positive(b.values[k]);
  return positive(a.values[k]) != rising && signals.counts(k, rising);
}

bool EventSearch::any_changes(const Sample& a, const Sample& b, const Signals& signals) const {
  for (std::size_t k = 0; k < functions_; ++k)
    if (changes(a, b, k, signals)) return true;
  return false;
}

EventSearch::Cut EventSearch::judge(const Sample& a, const Sample& b, std::size_t k, bool whole_step) const {
  const double sign = positive(a.values[k]) ? 1 : -1, length = b.time - a.time;
  const double from = sign * a.values[k], to = sign * b.values[k], down = sign * a.rates[k], up = sign * b.rates[k];
  // Without rates there is nothing to judge by: a step is divided, its parts are taken as they are.
  if (!std::isfinite(down) || !std::isfinite(up)) return {!whole_step, 0.5};
  const double nearest = std::min(from, to), mismatch = std::abs(to - from - 0.5 * (down + up) * length);
  Cut cut;
  double lowest = nearest;
  if (down < 0 && up > 0) {
    const double meeting = std::clamp((to - up * length - from) / (down - up), 0.0, length);
    lowest = std::min(lowest, from + down * meeting);
    const double share = meeting / length;
    if (share > 0.05 && share < 0.95) cut.share = share;
  }
  if (whole_step)
    cut.clear = mismatch <= agreement * nearest && lowest >= comfortable * nearest;
  else
    cut.clear = mismatch <= agreement * std::max(from, to) + noise(k) && (lowest >= 0 || lowest >= -noise(k)) &&
                (!(down < 0 && up > 0) || lowest + noise(k) >= mismatch);
  return cut;
}

/// Judges all functions; the first one that is not clear tells where to divide.
EventSearch::Cut EventSearch::judge(const Sample& a, const Sample& b, const Signals& signals, bool whole_step,
                                    std::size_t depth) {
  for (std::size_t k = 0; k < functions_; ++k) {
    if (!signals.counts(k, true) && !signals.counts(k, false)) continue;
    if (positive(a.values[k]) != positive(b.values[k])) {
      if (whole_step && changes(a, b, k, signals)) return {false, 0.5};
      continue;
    }
    const std::size_t halvings = signals.halvings(k);
    const bool jumps = halvings < deepest && !whole_step;
    if (depth > halvings || (jumps && jumps_[k] >= most_jumps)) continue;
    if (const Cut cut = judge(a, b, k, whole_step); !cut.clear) {
      if (jumps) ++jumps_[k];
      return cut;
    }
  }
  return {};
}

/// Between the samples in two places.
std::optional<SignChange> EventSearch::first(std::size_t a, std::size_t b, std::size_t depth, Signals& signals) {
  const Sample &from = samples_[a], &to = samples_[b];
  const double length = to.time - from.time;
  const Cut cut = judge(from, to, signals, false, depth);
  if (!cut.clear && depth < deepest && left_ > 0 && length > 2 * resolution_) {
    const std::size_t middle = first_middle + depth;
    take(from.time + cut.share * length, signals, samples_[middle]);
    if (const auto found = first(a, middle, depth + 1, signals)) return found;
    return first(middle, b, depth + 1, signals);
  }
  std::optional<SignChange> earliest;
  double before = to.time;
  for (std::size_t k = 0; k < functions_; ++k) {
    if (!changes(from, to, k, signals)) continue;
    const SignChange found = locate(from, to, k, signals);
    if (!earliest || found.time < earliest->time) earliest = found;
    // One that comes less than the resolution later may have its new sign where the earliest still has its old one.
    before = std::min(before, found.before);
  }
  if (!earliest) return std::nullopt;
  earliest->before = before;
  const std::optional<SignChange> sooner = sooner_than(*earliest, a, depth, signals);
  return sooner ? sooner : earliest;
}

/// A function may change its sign three times between two samples, and any of the three changes may have been located:
/// two more before it show like those in a stretch whose ends have the same sign. Another function may change its sign
/// on either side of the located change, as abs(x) - width does beside the zero of x: it has its new sign there.
std::optional<SignChange> EventSearch::sooner_than(const SignChange& found, std::size_t a, std::size_t depth,
                                                   Signals& signals) {
  const bool may_look = depth < deepest + looks_before && left_ > 0;
  if (!may_look || !(found.before - samples_[a].time > 2 * resolution_)) return std::nullopt;
  const std::size_t middle = first_middle + depth;
  take(found.before, signals, samples_[middle]);
  const Sample &from = samples_[a], &to = samples_[middle];
  if (judge(from, to, signals, false, depth).clear && !any_changes(from, to, signals)) return std::nullopt;
  return first(a, middle, depth + 1, signals);
}

/// The Illinois variant of the false position, which keeps the root between its ends.
SignChange EventSearch::locate(const Sample& a, const Sample& b, std::size_t k, Signals& signals) {
  const bool sign = positive(a.values[k]);
  double low = a.time, high = b.time, at_low = a.values[k], at_high = b.values[k];
  int same_side = 0;
  for (int round = 0; round < 200 && high - low > resolution_; ++round) {
    const double middle = 0.5 * (low + high);
    double t = round < 100 ? (low * at_high - high * at_low) / (at_high - at_low) : middle;
    // Half a resolution inside, so that the other end follows once the root is known.
    if (!(t > low + 0.4 * resolution_)) t = low + 0.4 * resolution_;
    if (!(t < high - 0.4 * resolution_)) t = high - 0.4 * resolution_;
    if (!(t > low && t < high)) t = middle;
    if (!(t > low && t < high)) break;
    const double value = value_at(t, k, signals);
    if (positive(value) == sign) {
      low = t, at_low = value;
      if (same_side < 0) at_high *= 0.5;
      same_side = -1;
    } else {
      high = t, at_high = value;
      if (same_side > 0) at_low *= 0.5;
      same_side = 1;
    }
  }
  return {high, low, k};
}

}  // namespace polyform::host::integration
