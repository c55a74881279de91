#include "apps/session/stability_crossing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "framework/workbench/linearization/known_digits.hpp"

namespace polyform::apps {

using host::Mode;
using host::Modes;

namespace {

/// Samples on both sides of the middle, in parts of the width: the least order that leaves rounding at half a percent.
constexpr std::array<double, 6> places{-1, -2. / 3, -1. / 3, 1. / 3, 2. / 3, 1};
/// The width of the first samples, as a part of the size of the values; each time they come nearer by this factor.
constexpr double first_width = 0.005, nearer = 1. / 8;
/// At a single value eigenvalues may be taken for zero, or zero ones for others: samples at other values then do.
constexpr double narrower = 0.75;
constexpr int most_times = 4;
/// More digits than this nobody reads, and eigenvalues do not have.
constexpr double enough = 1e-12;
/// An interval this narrow, as a part of the size, is the end of halving alone.
constexpr double narrowest = 1e-11;

bool is_rigid(const Mode& mode) { return mode.kind == Mode::Kind::rigid; }

std::vector<std::complex<double>> growing_of(const Modes& modes) {
  std::vector<std::complex<double>> growing;
  for (const Mode& mode : modes.all)
    if (mode.trend == Mode::Trend::growing) growing.push_back(mode.eigenvalue);
  return growing;
}

/// The growing eigenvalues of one point that are left when those of the other are paired with the nearest of them.
std::vector<std::complex<double>> growing_in_one(const Modes& more, const Modes& fewer) {
  std::vector<std::complex<double>> left = growing_of(more);
  for (const std::complex<double>& known : growing_of(fewer)) {
    const auto nearest = std::ranges::min_element(left, {}, [&](const auto& e) { return std::abs(e - known); });
    if (nearest != left.end()) left.erase(nearest);
  }
  return left;
}

/// Whether errors alone may have parted it from zero.
bool may_be_zero(const Mode& mode) {
  return std::abs(mode.eigenvalue) <= host::uncertainty(mode.error, std::abs(mode.eigenvalue));
}

std::size_t most_zeros(const Modes& modes) {
  std::size_t count = modes.zero_eigenvalues;
  for (const Mode& mode : modes.all)
    if (!is_rigid(mode) && may_be_zero(mode)) count += mode.eigenvalues();
  return count;
}

/// Modes beside so many eigenvalues zero: of fewer rigid ones, the slowest modes that may be zero count among these.
/// Nothing where there are more or still fewer.
std::optional<std::vector<const Mode*>> modes_beside(std::size_t zeros, const Modes& modes) {
  std::vector<const Mode*> found;
  for (const Mode& mode : modes.all)
    if (!is_rigid(mode)) found.push_back(&mode);
  std::ranges::sort(found, {}, [](const Mode* mode) { return std::abs(mode->eigenvalue); });
  std::size_t known = modes.zero_eigenvalues, parted = 0;
  while (known < zeros && parted < found.size() && may_be_zero(*found[parted])) known += found[parted++]->eigenvalues();
  if (known != zeros) return std::nullopt;
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(parted));
  return found;
}

/// Of the sizes of eigenvalues.
double logarithm_of_product(const std::vector<const Mode*>& modes) {
  double sum = 0;
  for (const Mode* mode : modes) sum += static_cast<double>(mode->eigenvalues()) * std::log(std::abs(mode->eigenvalue));
  return sum;
}

/// Eigenvalues on the axis within their errors.
std::size_t on_axis(const Modes& modes) {
  return modes.zero_eigenvalues + static_cast<std::size_t>(std::ranges::count_if(modes.all, [](const Mode& mode) {
           return !is_rigid(mode) && mode.trend == Mode::Trend::neutral;
         }));
}

/// Halvings after which what moves with the value has come nearer to its neighbour, to a quarter at least; and those
/// that tell the value of a jump.
constexpr int first_halvings = 5, all_halvings = 24;
constexpr double stays_apart = 0.5, no_distance = 1e-9;

StabilityChange change_between(const LinearStudyPoint& below, const LinearStudyPoint& above) {
  return {below.value + (above.value - below.value) / 2, above.value - below.value, below.growing, above.growing, {}};
}

}  // namespace

double apart(const LinearStudyPoint& a, const LinearStudyPoint& b) {
  double size = 0;
  const auto look = [&](const std::vector<double>& p, const std::vector<double>& q) {
    for (std::size_t k = 0; k < p.size() && k < q.size(); ++k) size = std::max(size, std::abs(p[k] - q[k]));
  };
  look(a.equilibrium.q, b.equilibrium.q);
  look(a.equilibrium.eta, b.equilibrium.eta);
  return size;
}

std::optional<StabilityChange> find_jump(const std::function<LinearStudyPoint(double)>& linearize,
                                         LinearStudyPoint below, LinearStudyPoint above) {
  const double first = apart(below, above);
  if (!(first > no_distance)) return std::nullopt;
  for (int time = 0; time < all_halvings; ++time) {
    const double value = below.value + (above.value - below.value) / 2;
    if (value <= below.value || value >= above.value) break;
    LinearStudyPoint middle = linearize(value);
    if (!middle.failure.empty()) return std::nullopt;
    (apart(below, middle) > apart(middle, above) ? above : below) = std::move(middle);
    if (time + 1 >= first_halvings && !(apart(below, above) > stays_apart * first)) return std::nullopt;
  }
  StabilityChange jump = change_between(below, above);
  jump.jumps = true;
  return jump;
}

StabilityChange find_end(const std::function<LinearStudyPoint(double)>& linearize, LinearStudyPoint below,
                         LinearStudyPoint above) {
  for (int time = 0; time < all_halvings; ++time) {
    const double value = below.value + (above.value - below.value) / 2;
    if (value <= below.value || value >= above.value) break;
    LinearStudyPoint middle = linearize(value);
    (middle.failure.empty() == below.failure.empty() ? below : above) = std::move(middle);
  }
  StabilityChange end = change_between(below, above);
  end.ends = true;
  return end;
}

/// Whether an eigenvalue is on the axis, within its error, that is not there at either neighbour.
bool StabilityCrossing::is_on_axis(const LinearStudyPoint& point) const {
  return on_axis(point.modes) > std::max(on_axis(below_.modes), on_axis(above_.modes));
}

/// Halves the interval until it is narrower than the width, or until an eigenvalue lies on the axis: near the axis
/// counts are uncertain, because an eigenvalue next to zero cannot be told from those that are zero. Returns whether
/// the counts could be followed so far.
bool StabilityCrossing::halve(double width) {
  while (above_.value - below_.value > width) {
    const double value = below_.value + (above_.value - below_.value) / 2;
    if (value <= below_.value || value >= above_.value) return true;
    LinearStudyPoint middle = linearize_(value);
    if (!middle.of_motion || is_on_axis(middle)) return false;
    (middle.growing != below_.growing ? above_ : below_) = std::move(middle);
  }
  return true;
}

StabilityChange StabilityCrossing::find(LinearStudyPoint below, LinearStudyPoint above) {
  const double range = above.value - below.value;
  const double size = std::max({range, std::abs(below.value), std::abs(above.value)});
  below_ = std::move(below);
  above_ = std::move(above);
  const double width = first_width * size;
  const bool followed = halve(0.2 * width);
  if (const auto jump = find_jump(linearize_, below_, above_); jump && jump->before != jump->after) return *jump;

  const bool rises = above_.growing > below_.growing;
  std::vector<std::complex<double>> crossing =
      growing_in_one((rises ? above_ : below_).modes, (rises ? below_ : above_).modes);
  // Where one pair takes the place of a growing pair of real ones, nothing is left but the one next to the axis.
  if (crossing.empty()) crossing = growing_of((rises ? above_ : below_).modes);
  std::ranges::sort(crossing, {}, [](const auto& e) { return e.real(); });
  crossing_ = crossing.front();
  crossing_modes_ = crossing.size();

  StabilityChange change{0, 0, below_.growing, above_.growing, {0, crossing_.imag()}};
  std::optional<Zero> best;
  const double start = below_.value + (above_.value - below_.value) / 2;
  const auto attempt = [&](TestFunction test) {
    const std::optional<Zero> found = zero_of(test, start, width);
    if (found && (!best || found->error < best->error)) best = found;
  };
  if (crossing_.imag() == 0) attempt(TestFunction::product);
  if (crossing_.imag() != 0) attempt(TestFunction::difference);
  if (!best || best->error > narrowest * size) attempt(TestFunction::real_part);
  if (best && best->error <= above_.value - below_.value) {
    change.value = std::abs(best->value) <= best->error ? 0 : best->value;
    change.error = best->error;
    change.eigenvalue = {0, best->frequency};
    return change;
  }
  // Nothing smooth tells the value: counts alone do.
  if (followed) halve(narrowest * size);
  change.value = below_.value + (above_.value - below_.value) / 2;
  change.error = above_.value - below_.value;
  change.after = above_.growing;
  return change;
}

/// Interpolates through samples that come nearer and nearer until the zero stays where it is. The last change is the
/// error or, where nearer samples cannot be told from zero, what the last order of the interpolation changes.
std::optional<StabilityCrossing::Zero> StabilityCrossing::zero_of(TestFunction test, double start, double width) {
  std::optional<Zero> zero = interpolate(test, start, width);
  for (int time = 1; time < most_times && !zero; ++time) zero = interpolate(test, start, width *= narrower);
  if (!zero) return std::nullopt;
  for (int time = 0; time < most_times; ++time) {
    width *= nearer;
    std::optional<Zero> next = interpolate(test, zero->value, width);
    if (!next) break;
    next->error = std::max(std::abs(next->value - zero->value), enough * std::abs(next->value));
    if (time > 0 && !(next->error < zero->error)) break;
    zero = next;
    if (zero->error <= enough * std::abs(zero->value)) break;
  }
  return zero;
}

/// The zero of one function by Neville's scheme for the value as a polynomial in the function.
std::optional<StabilityCrossing::Zero> StabilityCrossing::interpolate(TestFunction test, double middle, double width) {
  const double low = std::max(middle - width, least_), high = std::min(middle + width, most_);
  std::array<Sample, places.size()> s;
  for (std::size_t k = 0; k < places.size(); ++k) {
    const LinearStudyPoint point = linearize_(low + (high - low) * (1 + places[k]) / 2);
    const std::optional<Sample> found = point.of_motion ? sample(test, point) : std::nullopt;
    if (!found) return std::nullopt;
    s[k] = *found;
  }
  const bool rises = s.back().test > s.front().test;
  for (std::size_t k = 1; k < s.size(); ++k)
    if ((s[k].test > s[k - 1].test) != rises || s[k].test == s[k - 1].test) return std::nullopt;
  if (s.front().test * s.back().test >= 0) return std::nullopt;
  double apart = 0;  // of the two values by all samples but one
  for (std::size_t order = 1; order < s.size(); ++order)
    for (std::size_t k = 0; k + order < s.size(); ++k) {
      apart = std::abs(s[k + 1].value - s[k].value);
      const double share = s[k].test / (s[k].test - s[k + order].test);
      s[k].value += share * (s[k + 1].value - s[k].value);
      s[k].frequency += share * (s[k + 1].frequency - s[k].frequency);
    }
  return Zero{s.front().value, s.front().frequency, apart};
}

std::optional<StabilityCrossing::Sample> StabilityCrossing::sample(TestFunction test,
                                                                   const LinearStudyPoint& point) const {
  const std::size_t zeros = std::min(most_zeros(below_.modes), most_zeros(above_.modes));
  std::optional<std::vector<const Mode*>> found = modes_beside(zeros, point.modes);
  if (!found && test != TestFunction::product) found = modes_beside(point.modes.zero_eigenvalues, point.modes);
  if (!found || found->empty()) return std::nullopt;
  std::vector<const Mode*>& near = *found;
  const std::complex<double> place{0, crossing_.imag()};
  std::ranges::sort(near, {}, [&](const Mode* mode) { return std::abs(mode->eigenvalue - place); });
  const std::complex<double> e = near.front()->eigenvalue;
  switch (test) {
    case TestFunction::real_part: return Sample{point.value, e.real(), e.imag()};
    case TestFunction::difference: {
      if (near.size() < 2) return std::nullopt;
      const std::complex<double> f = near[1]->eigenvalue, d = e * e - f * f;
      return Sample{point.value, (d * d).real(), (e.imag() + f.imag()) / 2};
    }
    case TestFunction::product: break;
  }
  double sign = 1;
  for (const Mode* mode : near)
    if (mode->eigenvalue.imag() == 0 && mode->eigenvalue.real() < 0) sign = -sign;
  // Where several modes cross at once, the product has a zero of that order: its root has a simple one.
  const auto order = static_cast<double>(crossing_modes_);
  if (crossing_modes_ > 1) sign = point.growing == below_.growing ? -1 : 1;
  const double relative = logarithm_of_product(near) -
                          logarithm_of_product(modes_beside(zeros, below_.modes).value_or(std::vector<const Mode*>{}));
  return Sample{point.value, sign * std::exp(relative / order), 0};
}

}  // namespace polyform::apps
