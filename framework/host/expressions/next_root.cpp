#include "framework/host/expressions/next_root.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "framework/host/expressions/interval.hpp"

namespace polyform::host::inline expressions {

namespace {

constexpr double no_root = std::numeric_limits<double>::infinity();

/// One search. Registers are made once for it.
class RootSearch {
 public:
  explicit RootSearch(const Program& program)
      : program_(program), bounds_(program.registers()), work_(program.registers()) {}

  double after(double t, std::size_t roots) {
    for (std::size_t k = 0; k < roots; ++k) is_open_.push_back(k);
    const double begin = t + resolution(t);
    keep_open({begin, no_root});
    for (double from = begin, width = std::max(1.0, std::abs(t)); !is_open_.empty(); width *= 2) {
      const double found = first_in(from, from + width, 0);
      if (found < no_root) return found;
      from += width;
      keep_open({from, no_root});
    }
    return no_root;
  }

 private:
  static constexpr int most_evaluations = 4000, deepest = 60;
  static double resolution(double t) {
    return 64 * std::numeric_limits<double>::epsilon() * std::max(std::abs(t), 1e-3);
  }

  /// Leaves those roots out that do not change their sign in a range.
  void keep_open(const Interval& range) {
    evaluate(range);
    std::erase_if(is_open_, [&](std::size_t k) {
      const Interval& g = bounds_[program_.root(k)];
      return g.low > 0 || g.high < 0 || (g.low == 0 && g.high == 0);
    });
  }
  void evaluate(const Interval& range) {
    ++evaluations_;
    program_.prepare(std::span(bounds_));
    bounds_[0] = range;
    program_.run(std::span(bounds_));
  }
  bool may_change(const Interval& range) {
    evaluate(range);
    for (const std::size_t k : is_open_) {
      const Interval& g = bounds_[program_.root(k)];
      if (!(g.low > 0 || g.high < 0 || (g.low == 0 && g.high == 0))) return true;
    }
    return false;
  }
  /// Signs at an instant, zero counting as positive.
  void signs(double t, std::vector<char>& out) {
    program_.prepare(std::span(work_));
    work_[0] = t;
    program_.run(std::span(work_));
    out.clear();
    for (const std::size_t k : is_open_) out.push_back(work_[program_.root(k)] >= 0 ? 1 : 0);
  }
  double first_in(double from, double to, int depth) {
    if (!may_change({from, to})) return no_root;
    if (evaluations_ > most_evaluations) return to;
    if (to - from <= resolution(to) || depth > deepest) {
      const double before = from - resolution(from), behind = to + resolution(to);
      signs(before, before_);
      signs(behind, behind_);
      return before_ != behind_ ? first_behind(before, behind) : no_root;
    }
    const double middle = from + (to - from) / 2, found = first_in(from, middle, depth + 1);
    return found < no_root ? found : first_in(middle, to, depth + 1);
  }

  /// The first double whose signs differ from those before: what a formula is there it is after the jump. A knot that
  /// is off by some digits would leave a part of the step before it behind the jump.
  double first_behind(double before, double behind) {
    for (;;) {
      const double middle = before + (behind - before) / 2;
      if (middle <= before || middle >= behind) return behind;
      signs(middle, behind_);
      (behind_ == before_ ? before : behind) = middle;
    }
  }

  const Program& program_;
  std::vector<Interval> bounds_;
  std::vector<double> work_;
  std::vector<std::size_t> is_open_;
  std::vector<char> before_, behind_;
  int evaluations_ = 0;
};

}  // namespace

double next_root(const Program& switches, double t) noexcept {
  const std::size_t roots = switches.roots();
  if (roots == 0) return no_root;
  try {
    return RootSearch(switches).after(t, roots);
  } catch (...) {  // no memory: no knot is known
    return no_root;
  }
}

}  // namespace polyform::host::inline expressions
