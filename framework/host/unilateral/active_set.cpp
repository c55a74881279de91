#include "framework/host/unilateral/active_set.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

// Part of the largest force or acceleration: a smaller one contradicts nothing.
constexpr double judged = 1e-9;
// The same at the point of an event, where force or speed is zero by the event.
constexpr double judged_at_event = 1e-5;
// What breaks away does so with this part of its friction. Where friction of rest is no larger than that of sliding it
// has no acceleration yet, and this tells where it will go.
constexpr double eased = 1 - 1e-6;

Index row_of(std::size_t p) { return static_cast<Index>(3 * p); }

}  // namespace

void ActiveSet::fire(std::size_t point, Event event) {
  fired_ = point;
  event_ = event;
}

UnilateralMode ActiveSet::closed_mode(std::size_t p) const {
  const bool held = problem_.points[p].tangents > 0 ? !problem_.points[p].slides : points_[p].locks;
  return held ? UnilateralMode::stick : UnilateralMode::slip;
}

double ActiveSet::friction_of(std::size_t p) const {
  return std::hypot(forces_[row_of(p) + 1], forces_[row_of(p) + 2]);
}

double ActiveSet::normal_motion() const { return std::max(problem_.b.lpNorm<Eigen::Infinity>(), pressed_); }

/// Against the friction that held it; without friction it goes where it is accelerated to.
void ActiveSet::slip(std::size_t p) {
  Point& point = points_[p];
  const Index row = row_of(p);
  const double held = friction_of(p), away = std::hypot(rates_[row + 1], rates_[row + 2]);
  for (Index i = 0; i < 2; ++i)
    point.direction[i] = held > 0 ? -forces_[row + 1 + i] / held : away > 0 ? rates_[row + 1 + i] / away : 0;
  point.mode = UnilateralMode::slip;
  point.guided = false;
}

bool ActiveSet::find() {
  const std::vector<Point> before = points_;
  if (event_ == Event::grips && break_away()) return true;
  points_ = before;
  if ((event_ == Event::pulls || event_ == Event::grips) && go_on()) return true;
  points_ = before;
  if (event_ != Event::grips && rest_all()) return true;
  points_ = before;
  begin_with_cones();
  const std::vector<Point> found = points_;
  if (guide_by_forces() && is_guided_rightly()) return true;
  points_ = found;
  if (!settle()) return false;
  guide_by_rates();
  return true;
}

/// Where some of what rests goes on to stick, the forces that would hold the rest do not tell where it goes: that is
/// where it is accelerated along its friction, which is found in turns. What is not found so slides without a guide.
void ActiveSet::guide_by_rates() {
  constexpr int most_turns = 40;
  std::vector<std::size_t> which;
  for (std::size_t p = 0; p < points_.size(); ++p)
    if (points_[p].mode == UnilateralMode::slip && !points_[p].guided && problem_.points[p].tangents == 2 &&
        problem_.points[p].has_normal && !problem_.points[p].slides)
      which.push_back(p);
  if (which.empty() || !shares_.is_unique()) return;
  const std::vector<Point> found = points_;
  for (int turn = 0; turn < most_turns; ++turn) {
    if (!turn_to_rates(which) || !solve_modes()) break;
    for (const std::size_t p : which) points_[p].guided = true;
    if (is_guided_rightly()) return;
    for (const std::size_t p : which) points_[p].guided = false;
  }
  points_ = found;
  solve_modes();
}

/// Turns the friction of points by what takes away their acceleration across it, each as if it were alone. False where
/// one has no friction.
bool ActiveSet::turn_to_rates(std::span<const std::size_t> which) {
  constexpr double farthest = 0.5;  // rad
  for (const std::size_t p : which) {
    const Index row = row_of(p);
    double* const d = points_[p].direction;
    const Eigen::Vector2d across(-d[1], d[0]);
    const double response = across.dot(problem_.W.block<2, 2>(row + 1, row + 1) * across),
                 friction = points_[p].sliding * forces_[row] * response;
    if (!(friction > 0)) return false;
    const double angle = std::clamp(across.dot(rates_.segment<2>(row + 1)) / friction, -farthest, farthest);
    const double x = d[0] + angle * across[0], y = d[1] + angle * across[1], size = std::hypot(x, y);
    d[0] = x / size;
    d[1] = y / size;
  }
  return true;
}

/// Whether all that is guided is accelerated along its direction, and not across it. A direction that is wrong by the
/// error of an iteration would hold what it has across, with forces that friction has not got.
bool ActiveSet::is_guided_rightly() {
  constexpr double across_allowed = 1e-6;  // of the acceleration along the direction
  if (!solve_modes() || contradiction(true)) return false;
  const double motion = problem_.b.lpNorm<Eigen::Infinity>();
  bool any = false;
  for (std::size_t p = 0; p < points_.size(); ++p) {
    if (!points_[p].guided || points_[p].mode != UnilateralMode::slip) continue;
    const double* const d = points_[p].direction;
    const double x = rates_[row_of(p) + 1], y = rates_[row_of(p) + 2], along = d[0] * x + d[1] * y;
    if (!(along > judged * motion) || !(std::abs(d[0] * y - d[1] * x) < across_allowed * along)) return false;
    any = true;
  }
  return any;
}

/// Lets all that rests slide against the forces that would hold it. Just above the limit of friction that is where it
/// goes, and these forces are known to rounding, which accelerations near zero are not. Whether there is any.
bool ActiveSet::guide_by_forces() {
  std::vector<char> rests(points_.size(), 0);
  bool any = false;
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const bool is_at_rest = is_closed(p) && problem_.points[p].tangents == 2 && !problem_.points[p].slides;
    any = any || (is_at_rest && points_[p].mode == UnilateralMode::slip);
    rests[p] = is_at_rest;
    if (is_at_rest) points_[p].mode = UnilateralMode::stick;
  }
  if (!any || !solve_modes()) return false;
  for (std::size_t p = 0; p < points_.size(); ++p) {
    if (!rests[p] || !(friction_of(p) > 0)) continue;
    slip(p);
    points_[p].guided = true;
  }
  return true;
}

/// Rates with a little less friction at these points, which begin to slide: at their limit they have none yet.
Eigen::VectorXd ActiveSet::eased_rates(const std::vector<char>& which) const {
  ConeProblem easier = problem_;
  for (std::size_t p = 0; p < points_.size(); ++p)
    if (which[p] && !problem_.points[p].slides)
      easier.points[p].friction = eased * std::min(problem_.points[p].friction, points_[p].sliding);
  Eigen::VectorXd forces = forces_;
  easier.solve(forces);
  return problem_.b + problem_.W * forces;
}

/// The points that share forces with one, and it: those that the null space connects, one by the next.
std::vector<char> ActiveSet::sharing_with(std::size_t point) const {
  constexpr double connected = 1e-6;  // of directions of unit length
  const Eigen::MatrixXd& null = shares_.null_space();
  std::vector<char> in(points_.size(), 0);
  in[point] = 1;
  for (bool more = null.cols() > 0; more;) {
    more = false;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      if (!in[static_cast<std::size_t>(rows_[r] / 3)]) continue;
      for (std::size_t c = 0; c < rows_.size(); ++c) {
        char& other = in[static_cast<std::size_t>(rows_[c] / 3)];
        if (other || !(std::abs(null.row(static_cast<Index>(r)).dot(null.row(static_cast<Index>(c)))) > connected))
          continue;
        other = 1;
        more = true;
      }
    }
  }
  return in;
}

/// Points that hold a body together break away together: those that the friction of sliding does not hold. They go
/// where they are accelerated to.
bool ActiveSet::break_away() {
  const ConeProblem::Point& fired = problem_.points[fired_];
  if (fired.slides || fired.tangents == 0 || points_[fired_].mode != UnilateralMode::stick) return false;
  slide_on();
  if (!solve_modes()) return false;
  // One point with one tangent goes against its friction.
  if (shares_.is_unique() && fired.tangents == 1) return false;
  const std::vector<char> sharing = sharing_with(fired_);
  const Eigen::VectorXd rates = eased_rates(sharing);
  if (!rates.allFinite()) return false;
  const double motion = problem_.b.lpNorm<Eigen::Infinity>();
  bool any = false;
  for (std::size_t p = 0; p < points_.size(); ++p) {
    Point& point = points_[p];
    const Index row = row_of(p);
    if (!sharing[p] || problem_.points[p].slides || point.mode != UnilateralMode::stick) continue;
    const double away = std::hypot(rates[row + 1], rates[row + 2]);
    if (!(away > judged * motion)) continue;
    for (Index i = 0; i < 2; ++i) point.direction[i] = rates[row + 1 + i] / away;
    point.mode = UnilateralMode::slip;
    point.guided = problem_.points[p].tangents == 2;
    any = true;
  }
  return any && settle();
}

void ActiveSet::slide_on() {
  for (std::size_t p = 0; p < points_.size(); ++p)
    if (problem_.points[p].slides && is_closed(p)) {
      points_[p].mode = UnilateralMode::slip;
      std::ranges::copy(problem_.points[p].direction, points_[p].direction);
    }
}

/// From the modes before: of a force that has come to its limit the others know nothing yet.
bool ActiveSet::go_on() {
  slide_on();
  if (event_ == Event::grips && points_[fired_].mode == UnilateralMode::stick) {
    if (!solve_modes()) return false;
    slip(fired_);
  }
  if (event_ == Event::pulls) points_[fired_].mode = UnilateralMode::open;
  return settle();
}

/// Whether all that touches is pressed, and holds or slides on: then it is no question of choice.
bool ActiveSet::rest_all() {
  for (std::size_t p = 0; p < points_.size(); ++p) {
    points_[p].mode = is_fired(p, Event::pulls) ? UnilateralMode::open : closed_mode(p);
    std::ranges::copy(problem_.points[p].direction, points_[p].direction);
  }
  if (!solve_modes() || contradiction(true)) return false;
  const double force = forces_.lpNorm<Eigen::Infinity>();
  for (std::size_t p = 0; p < points_.size(); ++p) {
    if (is_closed(p) && problem_.points[p].has_normal && !(forces_[row_of(p)] > judged * force)) return false;
  }
  return true;
}

void ActiveSet::begin_with_cones() {
  forces_.setZero(problem_.b.size());
  problem_.solve(forces_);
  if (!forces_.allFinite()) forces_.setZero();
  rates_ = problem_.b + problem_.W * forces_;
  take_modes();
  if (event_ == Event::closes) points_[fired_].mode = closed_mode(fired_);
  if (event_ == Event::pulls) points_[fired_].mode = UnilateralMode::open;
  if (event_ == Event::grips && is_closed(fired_)) slip(fired_);
}

/// What is at rest and is not accelerated along the surface sticks, whatever share of the friction it has been given.
void ActiveSet::take_modes() {
  const double largest = forces_.lpNorm<Eigen::Infinity>(), motion = problem_.b.lpNorm<Eigen::Infinity>();
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const ConeProblem::Point& of = problem_.points[p];
    Point& point = points_[p];
    const Index row = row_of(p);
    point.mode = UnilateralMode::open;
    // If forces vanish, their rest is rounding; so they are compared with what would move the rows, too.
    if (of.has_normal && !(forces_[row] > judged * (largest + normal_motion() / problem_.W(row, row)))) continue;
    point.mode = closed_mode(p);
    std::ranges::copy(of.direction, point.direction);
    if (of.tangents == 0 || of.slides) continue;
    const double away = std::hypot(rates_[row + 1], rates_[row + 2]);
    if (!(away > judged * motion)) continue;
    slip(p);
  }
}

std::vector<UnilateralMode> ActiveSet::modes() const {
  std::vector<UnilateralMode> all;
  for (const Point& point : points_) all.push_back(point.mode);
  return all;
}

bool ActiveSet::settle() {
  std::set<std::vector<UnilateralMode>> seen;
  bool first = false;
  const std::size_t most = 40 + 8 * points_.size() * points_.size();
  for (std::size_t round = 0; round < most; ++round) {
    if (!solve_modes()) return false;
    const std::optional<Contradiction> found = contradiction(first);
    if (!found) return true;
    first = !seen.insert(modes()).second || first;
    if (found->next == UnilateralMode::slip && points_[found->point].mode == UnilateralMode::stick)
      slip(found->point);
    else
      points_[found->point].mode = found->next;
    points_[found->point].guided = false;
  }
  return false;
}

/// A force along the row of an unknown, with the friction of what slides.
void ActiveSet::push(Index row, double force, Eigen::VectorXd& forces) const {
  const auto p = static_cast<std::size_t>(row / 3);
  forces[row] += force;
  if (row % 3 != 0 || points_[p].mode != UnilateralMode::slip) return;
  for (std::size_t i = 0; i < problem_.points[p].tangents; ++i)
    forces[row + 1 + static_cast<Index>(i)] -= points_[p].sliding * points_[p].direction[i] * force;
}

/// Finds the forces of the modes, and the rates with them. False if there are none.
bool ActiveSet::solve_modes() {
  rows_.clear();
  limits_.clear();
  forces_.setZero(problem_.b.size());
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const ConeProblem::Point& of = problem_.points[p];
    const Point& point = points_[p];
    if (!is_closed(p)) continue;
    ForceShares::Limits& own = limits_.emplace_back();
    own.friction = of.friction;
    const auto add = [&](Index row) {
      rows_.push_back(row);
      return static_cast<Index>(rows_.size()) - 1;
    };
    if (of.has_normal && moves(row_of(p))) own.normal = add(row_of(p));
    for (std::size_t i = 0; i < of.tangents; ++i) {
      const Index row = row_of(p) + 1 + static_cast<Index>(i);
      if (point.mode == UnilateralMode::stick && moves(row)) own.tangents[i] = add(row);
      if (point.mode == UnilateralMode::slip && !of.has_normal) forces_[row] = -point.sliding * point.direction[i];
    }
  }
  const Eigen::VectorXd base = problem_.b + problem_.W * forces_;
  const auto n = static_cast<Index>(rows_.size());
  Eigen::MatrixXd own(n, n);
  Eigen::VectorXd right(n), scale(n), found(n);
  for (Index c = 0; c < n; ++c) {
    const double response = problem_.W(rows_[static_cast<std::size_t>(c)], rows_[static_cast<std::size_t>(c)]);
    scale[c] = response > 0 ? 1 / std::sqrt(response) : 1;
  }
  for (Index c = 0; c < n; ++c) {
    Eigen::VectorXd unit = Eigen::VectorXd::Zero(problem_.b.size());
    push(rows_[static_cast<std::size_t>(c)], scale[c], unit);
    const Eigen::VectorXd column = problem_.W * unit;
    for (Index r = 0; r < n; ++r) own(r, c) = scale[r] * column[rows_[static_cast<std::size_t>(r)]];
  }
  for (Index r = 0; r < n; ++r) right[r] = -scale[r] * base[rows_[static_cast<std::size_t>(r)]];
  if (n > 0 && !shares_.solve(own, right, scale, limits_, found)) return false;
  for (Index c = 0; c < n; ++c) push(rows_[static_cast<std::size_t>(c)], scale[c] * found[c], forces_);
  rates_ = problem_.b + problem_.W * forces_;
  return true;
}

/// The mode that contradicts its forces and rates most, or the first one that does.
std::optional<ActiveSet::Contradiction> ActiveSet::contradiction(bool first) const {
  const double force = forces_.lpNorm<Eigen::Infinity>(), motion = problem_.b.lpNorm<Eigen::Infinity>();
  double worst = 0;
  std::optional<Contradiction> found;
  const auto see = [&](std::size_t p, double share, double least, UnilateralMode next) {
    if (!(share > least) || !(share > worst) || (first && found && found->point < p)) return;
    worst = share;
    found = {p, next};
  };
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const ConeProblem::Point& of = problem_.points[p];
    const Point& point = points_[p];
    const Index row = row_of(p);
    const bool loses_grip = event_ == Event::grips && point.mode == UnilateralMode::slip && !of.slides;
    const bool at_event = loses_grip || (fired_ == p && event_ != Event::none && event_ != Event::closes);
    const double least = at_event ? judged_at_event : judged;
    // A force or speed that an event has let go was zero there: its sign is rounding.
    const bool let_go = at_event && event_ != Event::rests;
    if (!is_closed(p)) {
      if (motion > 0 && !let_go) see(p, -rates_[row] / normal_motion(), least, closed_mode(p));
      continue;
    }
    const double pushes = force + normal_motion() / problem_.W(row, row);
    if (of.has_normal && force > 0) see(p, -forces_[row] / pushes, least, UnilateralMode::open);
    if (of.tangents == 0 || of.slides) continue;
    if (point.mode == UnilateralMode::stick) {
      for (Index i = row + 1; i < row + 3; ++i)
        if (const double size = std::max(motion, point.alone); !moves(i) && size > 0)
          see(p, std::abs(rates_[i]) / size, judged, UnilateralMode::slip);
      if (force > 0) see(p, (friction_of(p) - of.bound(forces_[row])) / force, 2 * judged, UnilateralMode::slip);
    } else {
      const double along = rates_[row + 1] * point.direction[0] + rates_[row + 2] * point.direction[1];
      if (motion > 0 && !let_go) see(p, -along / motion, least, UnilateralMode::stick);
    }
  }
  return found;
}

}  // namespace polyform::host::inline unilateral
