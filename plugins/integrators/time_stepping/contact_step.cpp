#include "contact_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::time_stepping {

namespace {

// What smooth forces give to a rate in a step is what they can take, too: a flight that ends within two steps.
constexpr double steps_of_flight = 2;
// Parts of the largest rate: what is slower rests; a change of rates by less asks for no other impulses.
constexpr double rests = 1e-9, unchanged = 1e-10;
// A part of the largest rate of the run: a smaller change is rounding of what has come to rest.
constexpr double rounding = 1e-16;
// A force of friction that is smaller than its bound by this part is not at it.
constexpr double below_bound = 1e-9;
// A part of the product of two responses: the square of what couples two rows that act against each other along one
// motion is less than the product by their rounding.
constexpr double opposed_rows = 1e-10;

}  // namespace

double ContactStep::sliding_at_start(std::size_t p) const {
  const double x = start_[three * p + 1], y = start_[three * p + 2];
  return std::sqrt(x * x + y * y);
}

Status ContactStep::begin(double t, double h, std::span<const double> middle, std::span<const double> free) noexcept {
  h_ = h;
  disagreement_ = 0;
  if (system_.find_points(t, free, h) != Status::ok) return Status::failed;
  points_ = system_.point_count();
  of_.assign(points_, UnilateralPoint{});
  for (std::size_t p = 0; p < points_; ++p) system_.describe_point(p, of_[p]);
  for (auto* part : {&gap_, &holding_, &sliding_}) part->assign(points_, 0.0);
  for (auto* part : {&start_, &free_, &end_, &forces_, &impulses_}) part->assign(three * points_, 0.0);
  UnilateralOutput out;
  out.gap = gap_;
  out.holding = holding_;
  out.sliding = sliding_;
  // Rates are asked for after the response, by which the host knows which rows no force moves.
  if (system_.evaluate(t, middle, out) != Status::ok || system_.find_response(t, middle) != Status::ok ||
      system_.rates_at(t, middle, start_) != Status::ok || system_.rates_at(t, free, free_) != Status::ok)
    return Status::failed;
  const std::span<const double> last = system_.last_forces();
  for (std::size_t r = 0; r < impulses_.size(); ++r) impulses_[r] = h * last[r];
  set_laws();
  return Status::ok;
}

void ContactStep::find_opposed() {
  opposed_.clear();
  const std::span<const std::size_t> starts = system_.starts(), columns = system_.columns();
  const std::span<const double> blocks = system_.blocks();
  const auto is_plain = [&](std::size_t p) { return of_[p].has_normal && of_[p].tangents == 0; };
  const auto rubs_alone = [&](std::size_t p) { return !of_[p].has_normal && of_[p].tangents == 1; };
  const auto row_of = [&](std::size_t p) { return three * p + (is_plain(p) ? 0 : 1); };
  for (std::size_t p = 0; p < points_; ++p) {
    if (!is_plain(p)) continue;
    for (std::size_t c = starts[p]; c < starts[p + 1]; ++c) {
      const std::size_t q = columns[c];
      if (!(is_plain(q) && q > p) && !rubs_alone(q)) continue;
      const double between = blocks[three * three * c + row_of(q) - three * q];
      if (between == 0 || (is_plain(q) && between > 0)) continue;
      const double one = problem_.own(row_of(p)), other = problem_.own(row_of(q));
      if (between * between >= (1 - opposed_rows) * one * other)
        opposed_.push_back({row_of(p), row_of(q), -between / one, rubs_alone(q)});
    }
  }
}

/// Impulses that two opposed rows give each other move nothing. Those of the step before, from which they are sought,
/// would leave some behind.
void ContactStep::take_off_preload() {
  for (const Opposed& pair : opposed_) {
    double &one = impulses_[pair.one], &other = impulses_[pair.other];
    const double both = std::min(one, pair.ratio * other);
    if (!(both > 0)) continue;
    one -= both;
    other -= both / pair.ratio;
    if (!pair.rubs) other = std::max(0.0, other);
  }
}

void ContactStep::set_laws() {
  double fastest = 0;
  slow_ = 0;
  for (std::size_t p = 0; p < points_; ++p) {
    if (of_[p].has_normal) slow_ = std::max(slow_, steps_of_flight * std::abs(free_[three * p] - start_[three * p]));
    for (std::size_t r = three * p; r < three * (p + 1); ++r) fastest = std::max(fastest, std::abs(free_[r]));
  }
  rest_ = rests * fastest;
  least_.assign(points_, 0.0);
  is_held_.assign(points_, 0);
  problem_.points.resize(points_);
  problem_.take({system_.starts(), system_.columns(), system_.blocks()});
  find_opposed();
  problem_.b = free_;
  // What is closed lets nothing through, so what comes there bounces, in a step of any length.
  const auto is_closed = [&](std::size_t p) { return gap_[p] <= options_.overlap; };
  const auto bounces = [&](std::size_t p) {
    return of_[p].has_gap && of_[p].restitution > 0 && start_[three * p] < -slow_ &&
           (is_closed(p) || gap_[p] + 0.5 * h_ * free_[three * p] < 0);
  };
  bool any = false;
  for (std::size_t p = 0; p < points_; ++p) any = any || bounces(p);
  for (std::size_t p = 0; p < points_; ++p) {
    const UnilateralPoint& of = of_[p];
    const double start = start_[three * p], back = -of.restitution * start;
    least_[p] = of.has_gap && !is_closed(p) ? -2 * gap_[p] / h_ : 0;
    if (bounces(p))
      least_[p] = back;
    else if (any && of.has_gap && start > 0)
      least_[p] = std::min(least_[p], back);
  }
  // Nothing bounces back into what is closed behind it.
  for (const Opposed& pair : opposed_) {
    if (pair.rubs) continue;
    double &one = least_[pair.one / three], &other = least_[pair.other / three];
    if (one > 0) one = std::min(one, std::max(0.0, -other / pair.ratio));
    if (other > 0) other = std::min(other, std::max(0.0, -one * pair.ratio));
  }
  for (std::size_t p = 0; p < points_; ++p) {
    const UnilateralPoint& of = of_[p];
    is_held_[p] = sliding_at_start(p) <= rest_;
    ImpulseProblem::Point& point = problem_.points[p];
    point.has_normal = of.has_normal;
    point.tangents = of.tangents;
    point.friction = (is_held_[p] != 0 ? holding_[p] : sliding_[p]) * (of.has_normal ? 1 : h_);
    if (of.has_normal) problem_.b[three * p] -= least_[p];
  }
}

bool ContactStep::solve_problem() noexcept {
  solved_ = problem_.solve(impulses_, options_.tolerance, options_.iterations);
  take_off_preload();
  problem_.find_rates(impulses_, end_);
  for (std::size_t p = 0; p < points_; ++p)
    if (of_[p].has_normal) end_[three * p] += least_[p];
  return solved_;
}

/// Points that slide at the beginning and turn round or stop: friction at rest may hold them. Whether there are any
/// whose coefficients differ.
bool ContactStep::comes_to_rest() {
  bool any = false;
  for (std::size_t p = 0; p < points_; ++p) {
    if (is_held_[p] != 0 || of_[p].tangents == 0 || !(holding_[p] > sliding_[p])) continue;
    const double* const before = start_.data() + three * p;
    const double* const after = end_.data() + three * p;
    if (before[1] * after[1] + before[2] * after[2] > rest_ * sliding_at_start(p)) continue;
    is_held_[p] = 1;
    problem_.points[p].friction = holding_[p] * (of_[p].has_normal ? 1 : h_);
    any = true;
  }
  return any;
}

void ContactStep::solve() noexcept {
  solve_problem();
  if (comes_to_rest()) solve_problem();
}

bool ContactStep::agrees(double t, std::span<const double> state) noexcept {
  disagreement_ = 0;
  if (system_.rates_at(t, state, free_) != Status::ok) return true;
  double change = 0, fastest = 0;
  for (std::size_t r = 0; r < free_.size(); ++r) {
    change = std::max(change, std::abs(free_[r] - end_[r]));
    fastest = std::max({fastest, std::abs(start_[r]), std::abs(problem_.b[r])});
  }
  fastest_so_far_ = std::max(fastest_so_far_, fastest);
  if (change > unchanged * fastest && change > rounding * fastest_so_far_) disagreement_ = change;
  return !(disagreement_ > 0);
}

void ContactStep::solve_again() noexcept {
  for (std::size_t r = 0; r < free_.size(); ++r) problem_.b[r] += free_[r] - end_[r];
  solve();
}

std::span<const double> ContactStep::forces() noexcept {
  for (std::size_t r = 0; r < forces_.size(); ++r) forces_[r] = impulses_[r] / h_;
  return forces_;
}

void ContactStep::end(double t, std::span<double> y) noexcept {
  const std::span<const double> last = system_.last_forces();
  modes_.assign(points_, UnilateralMode::open);
  losses_.assign(points_, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t p = 0; p < points_; ++p) {
    const double* const own = impulses_.data() + three * p;
    const double friction = std::hypot(own[1], own[2]), sliding = std::hypot(end_[three * p + 1], end_[three * p + 2]);
    const ImpulseProblem::Point& law = problem_.points[p];
    if (of_[p].has_normal && !(own[0] > 0)) continue;
    const double bound = law.has_normal ? law.friction * own[0] : law.friction;
    const bool holds = friction < bound * (1 - below_bound) || !(sliding > rest_);
    if (of_[p].tangents == 0)
      modes_[p] = of_[p].velocity == UnilateralPoint::none ? UnilateralMode::slip : UnilateralMode::stick;
    else
      modes_[p] = holds ? UnilateralMode::stick : UnilateralMode::slip;
    // What was closed before and is pressed on is no impact.
    if (!of_[p].has_normal || last[three * p] > 0 || !(start_[three * p] < -slow_)) continue;
    double work = 0;
    for (std::size_t i = 0; i < three; ++i) work += own[i] * 0.5 * (start_[three * p + i] + end_[three * p + i]);
    losses_[p] = -work;
  }
  system_.end_step(t, h_, forces(), modes_, losses_, std::max(problem_.residual(), disagreement_),
                   solved_ && !(disagreement_ > 0), y);
}

bool ContactStep::has_impact() const {
  return std::ranges::any_of(losses_, [](double loss) { return !std::isnan(loss); });
}

Status ContactStep::separate(double t, std::span<double> y, bool& moved) noexcept {
  moved = false;
  constexpr int most_rounds = 5;
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; points_ > 0 && round < most_rounds; ++round) {
    UnilateralOutput out;
    out.gap = gap_;
    out.holding = holding_;
    out.sliding = sliding_;
    if (system_.evaluate(t, y, out) != Status::ok) return Status::failed;
    double deepest = 0;
    gaps_.points.assign(points_, {});
    gaps_.b.assign(three * points_, 0.0);
    for (std::size_t p = 0; p < points_; ++p) {
      gaps_.points[p] = {of_[p].has_normal && of_[p].has_gap, 0, 0};
      if (!gaps_.points[p].has_normal) continue;
      gaps_.b[three * p] = gap_[p];
      deepest = std::max(deepest, -gap_[p]);
    }
    if (!(deepest > options_.overlap) || !(deepest < before)) return Status::ok;
    before = deepest;
    if (round == 0) gaps_.take({system_.starts(), system_.columns(), system_.blocks()});
    end_.assign(three * points_, 0.0);
    // What is wide apart must not set the scale of the tolerance.
    for (std::size_t p = 0; p < points_; ++p) gaps_.b[three * p] = std::min(gaps_.b[three * p], deepest);
    gaps_.solve(end_, options_.overlap / deepest, options_.iterations);
    if (system_.displace(t, end_, y) != Status::ok) return Status::failed;
    moved = true;
  }
  return Status::ok;
}

}  // namespace polyform::time_stepping
