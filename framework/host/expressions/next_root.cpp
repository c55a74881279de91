#include "framework/host/expressions/next_root.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "framework/host/expressions/interval.hpp"

namespace polyform::host::inline expressions {

namespace {

constexpr double no_root = std::numeric_limits<double>::infinity();

/// One search, from left to right through parts of the time in which each root has a sign that bounds prove. A root
/// changes its sign between two parts with different ones; where it is rounding, as a sum of large terms that touches
/// zero, it has none. Registers are made once for it.
class RootSearch {
 public:
  explicit RootSearch(const TimeRoots& roots)
      : program_(roots.functions),
        rates_(roots.rates),
        bounds_(program_.registers()),
        rate_bounds_(rates_.registers()),
        work_(program_.registers()),
        signs_(program_.roots()),
        sure_until_(program_.roots()) {}

  double after(double t) {
    constexpr double end_of_time = 1e100;
    for (std::size_t k = 0; k < program_.roots(); ++k) is_open_.push_back(k);
    const double begin = t + resolution(t);
    keep_open({begin, no_root});
    evaluate(Interval(begin));
    for (const std::size_t k : is_open_) signs_[k] = sign_of(bounds_[program_.root(k)]), sure_until_[k] = begin;
    for (double from = begin, width = std::max(1.0, std::abs(t)); !is_open_.empty() && from < end_of_time; width *= 2) {
      const double found = first_in(from, from + width, 0);
      if (found < no_root) return found;
      from += width;
      if (is_exhausted()) return from;
      keep_open({from, no_root});
    }
    return no_root;
  }

 private:
  static constexpr int most_evaluations = 4000, deepest = 60;
  /// A part of the time. In a wider interval, both ends and the middle may happen to be zeros of a sine.
  static constexpr double noise_width = 1e-6;
  static constexpr double least_time = 1e-3;  ///< s
  static double resolution(double t) {
    return 64 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), least_time);
  }
  bool is_exhausted() const { return evaluations_ > most_evaluations; }

  /// Zero counts as positive; 0 if bounds tell none.
  static int sign_of(const Interval& g) { return g.low >= 0 ? 1 : g.high < 0 ? -1 : 0; }

  /// Leaves those roots out that do not change their sign in a range.
  void keep_open(const Interval& range) {
    evaluate(range);
    std::erase_if(is_open_, [&](std::size_t k) {
      const int sign = sign_of(bounds_[program_.root(k)]);
      return sign != 0 && (signs_[k] == 0 || sign == signs_[k]);
    });
  }
  void evaluate(const Interval& range) {
    ++evaluations_;
    program_.prepare(std::span(bounds_));
    bounds_[0] = range;
    program_.run(std::span(bounds_));
  }
  double value(std::size_t k, double t) {
    program_.prepare(std::span(work_));
    work_[0] = t;
    program_.run(std::span(work_));
    return work_[program_.root(k)];
  }

  /// Signs of all open roots in a range. What is within a distance of the middle differs from the value there by the
  /// largest rate times that distance: where a sum of large terms is nearly zero this is nearer than the bounds of
  /// these. Returns whether all are known.
  bool find_signs(const Interval& range, std::vector<int>& out) {
    evaluate(range);
    bool all = true;
    out.clear();
    for (const std::size_t k : is_open_) {
      out.push_back(sign_of(bounds_[program_.root(k)]));
      all = all && out.back() != 0;
    }
    if (all) return true;
    const double middle = range.low + (range.high - range.low) / 2, distance = range.high - middle;
    rates_.prepare(std::span(rate_bounds_));
    rate_bounds_[0] = range;
    rates_.run(std::span(rate_bounds_));
    evaluate(Interval(middle));
    all = true;
    for (std::size_t i = 0; i < is_open_.size(); ++i) {
      const Interval& rate = rate_bounds_[rates_.root(is_open_[i])];
      const Interval& there = bounds_[program_.root(is_open_[i])];
      const double change = distance * std::max(std::abs(rate.low), std::abs(rate.high));
      if (out[i] == 0 && (there.low > change || there.high < -change)) out[i] = there.low > change ? 1 : -1;
      all = all && out[i] != 0;
    }
    return all;
  }
  /// Whether roots without a sign in a range are rounding in its middle, where find_signs() has left the bounds, and at
  /// its ends.
  bool is_noise(const Interval& range, const std::vector<int>& signs) {
    const auto is_here = [&] {
      for (std::size_t i = 0; i < is_open_.size(); ++i)
        if (signs[i] == 0 && sign_of(bounds_[program_.root(is_open_[i])]) != 0) return false;
      return true;
    };
    if (range.high - range.low > noise_width * std::abs(range.high) || !is_here()) return false;
    for (const double end : {range.low, range.high}) {
      evaluate(Interval(end));
      if (!is_here()) return false;
    }
    return true;
  }

  double first_in(double from, double to, int depth) {
    std::vector<int> signs;
    const bool all = find_signs({from, to}, signs);
    const bool is_short = is_exhausted() || to - from <= resolution(to) || depth > deepest;
    if (all || is_short || is_noise({from, to}, signs)) return take(from, to, signs);
    const double middle = from + (to - from) / 2, found = first_in(from, middle, depth + 1);
    return found < no_root ? found : first_in(middle, to, depth + 1);
  }

  /// A part that is not divided any more: the first change of a sign before it.
  double take(double from, double to, const std::vector<int>& signs) {
    double first = no_root;
    for (std::size_t i = 0; i < is_open_.size(); ++i) {
      const std::size_t k = is_open_[i];
      int sign = signs[i];
      double begin = from;
      if (sign == 0 && is_exhausted()) {  // without further effort its end tells
        sign = value(k, to) >= 0 ? 1 : -1;
        begin = to;
      }
      if (sign == 0) continue;
      if (signs_[k] != 0 && sign != signs_[k]) first = std::min(first, first_behind(k, sure_until_[k], begin));
      signs_[k] = sign;
      sure_until_[k] = to;
    }
    return first;
  }

  /// The first double with another sign behind zeros: there a formula has its value after the jump, also one that has a
  /// value of its own, or that before the jump, at the zero. If a knot were off by some digits, a part of the step
  /// before it would lie behind the jump.
  double first_behind(std::size_t k, double before, double behind) {
    const bool sign = signs_[k] > 0;
    for (;;) {
      const double middle = before + (behind - before) / 2;
      if (middle <= before || middle >= behind) break;
      ((value(k, middle) >= 0) == sign ? before : behind) = middle;
    }
    // A function that stays at zero longer than rounding does so on the whole: nothing is beyond it.
    double beyond = behind;
    for (int i = 0; i < 16 && value(k, beyond) == 0; ++i) beyond = std::nextafter(beyond, no_root);
    return value(k, beyond) == 0 ? behind : beyond;
  }

  const Program& program_;
  const Program& rates_;
  std::vector<Interval> bounds_, rate_bounds_;
  std::vector<double> work_;
  std::vector<std::size_t> is_open_;
  std::vector<int> signs_;          ///< of each root, in the last part in which it is known
  std::vector<double> sure_until_;  ///< the end of that part
  int evaluations_ = 0;
};

}  // namespace

TimeRoots::TimeRoots(Graph& graph, std::span<const NodeIndex> of) {
  const std::uint32_t time[] = {0};
  std::vector<NodeIndex> slopes;
  for (const NodeIndex node : of) {
    const NodeIndex slope = graph.derivative(node, 0);
    slopes.push_back(slope == Graph::none ? graph.constant(no_number) : slope);
  }
  functions = Program(graph, of, time);
  rates = Program(graph, slopes, time);
}

double next_root(const TimeRoots& functions, double t) noexcept {
  if (functions.functions.roots() == 0) return no_root;
  try {
    return RootSearch(functions).after(t);
  } catch (...) {  // no memory: no knot is known
    return no_root;
  }
}

}  // namespace polyform::host::inline expressions
