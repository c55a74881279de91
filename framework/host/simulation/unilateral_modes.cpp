// Which rows hold from an event on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/simulation/unilateral_motion.hpp"

namespace polyform::host::inline simulation {

using Eigen::Index;

namespace {

// Part of the largest force or acceleration: a smaller one contradicts nothing.
constexpr double judged = 1e-9;
// The same at the point of an event, where force or speed is zero by the event.
constexpr double judged_at_event = 1e-5;
// Part of the fastest sliding since it began: slower sliding has come to rest.
constexpr double come_to_rest = 1e-5;
// A multiple of the speed that counts as rest: the event is located where sliding has passed it.
constexpr double at_rest = 10;

}  // namespace

void UnilateralMotion::renew(double t, std::span<double> y) {
  collide(t, y);
  choose(t, y, std::nullopt);
}

/// Lets points turn round that slide against the direction of their friction at the evaluated state. If several turn
/// round at once, only one has the event.
void UnilateralMotion::turn_round() {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (modes_[k] != UnilateralMode::slip || set_.point(k).tangents == 0 || speed_along(k) > -least_rest(k)) continue;
    const double v[2] = {set_.rate(three * k + 1), has_tangent(k, 1) ? set_.rate(three * k + 2) : 0};
    const double speed = std::hypot(v[0], v[1]);
    for (std::size_t i = 0; i < 2; ++i) directions_[2 * k + i] = v[i] / speed;
  }
}

void UnilateralMotion::pass(double t, std::span<double> y, std::size_t function) {
  const std::size_t k = function / functions_per_point;
  set_.evaluate(t, y);
  if (function % functions_per_point == resting) {
    const double speed = std::hypot(set_.rate(three * k + 1), has_tangent(k, 1) ? set_.rate(three * k + 2) : 0);
    // The sliding has only turned round since the last step.
    if (speed > come_to_rest * fastest_[k] + at_rest * least_speed(three * k + 1)) return turn_round();
  }
  if (function % functions_per_point == closing) collide(t, y, function);
  choose(t, y, function);
}

/// Chooses the modes from here on. If friction grows with the loads of joints, the modes hold for the loads that follow
/// from them.
void UnilateralMotion::choose(double t, std::span<double> y, std::optional<std::size_t> fired) {
  decide(t, y, fired);
  constexpr int most_choices = 20;
  for (int round = 0; set_.is_loaded() && round < most_choices; ++round) {
    const std::vector<UnilateralMode> before = modes_;
    if (!find_forces(t, y))
      throw Failure(Exit::simulation_failed,
                    fmt::format("the forces of contact could not be computed at t = {:.9g} s: {}", t, ode_.failure()));
    decide(t, y, fired);
    if (modes_ == before) break;
  }
  turn_round();
}

void UnilateralMotion::decide(double t, std::span<double> y, std::optional<std::size_t> fired) {
  set_.evaluate(t, y);
  find_touching(t, fired);
  // Surfaces that move apart do not touch. A freewheel at its event does: its speed is zero by the event.
  std::erase_if(touching_, [&](std::size_t k) {
    const bool at_event = fired == functions_per_point * k + closing && !set_.point(k).has_gap;
    return set_.point(k).has_normal && !at_event && set_.rate(three * k) > least_speed(three * k);
  });
  std::vector<UnilateralMode> before = modes_;
  std::ranges::fill(modes_, UnilateralMode::open);
  if (touching_.empty()) {
    set_.put_modes(modes_, y);
    return;
  }
  respond(t, y);
  slides_.assign(touching_.size(), false);
  std::vector<std::size_t> all(touching_.size());
  for (std::size_t p = 0; p < all.size(); ++p) all[p] = p;
  ConeProblem problem = problem_of(all, free_);
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    const double v[2] = {set_.rate(three * k + 1), has_tangent(k, 1) ? set_.rate(three * k + 2) : 0};
    const double speed = std::hypot(v[0], v[1]);
    const bool comes_to_rest = fired == functions_per_point * k + resting;
    if (set_.point(k).tangents == 0 || comes_to_rest ||
        !(speed > least_speed(three * k + 1) + least_speed(three * k + 2)))
      continue;
    slides_[p] = true;
    problem.points[p].slides = true;
    problem.points[p].friction = set_.sliding(k);
    for (std::size_t i = 0; i < 2; ++i) problem.points[p].direction[i] = directions_[2 * k + i] = v[i] / speed;
  }
  Eigen::VectorXd lambda = Eigen::VectorXd::Zero(problem.b.size()), rates(problem.b.size());
  problem.solve(lambda);
  if (!lambda.allFinite()) lambda.setZero();
  take_modes(problem, lambda);
  if (fired) {
    const std::size_t k = *fired / functions_per_point;
    const auto place = std::ranges::find(touching_, k);
    if (place != touching_.end() && *fired % functions_per_point == pulling) modes_[k] = UnilateralMode::open;
    if (place != touching_.end() && *fired % functions_per_point == gripping && is_closed(k)) {
      modes_[k] = UnilateralMode::slip;
      const Index row = 3 * (place - touching_.begin()) + 1;
      const double held = std::hypot(lambda[row], lambda[row + 1]);
      for (Index i = 0; held > 0 && i < 2; ++i)
        directions_[2 * k + static_cast<std::size_t>(i)] = -lambda[row + i] / held;
    }
  }
  for (std::size_t k = 0; k < modes_.size(); ++k)
    if (modes_[k] == UnilateralMode::slip && before[k] != UnilateralMode::slip) fastest_[k] = 0;
  for (std::size_t round = 0;; ++round) {
    const bool solved = solve_modes(problem, lambda, rates);
    if (solved && !flip_worst(problem, lambda, rates, fired)) break;
    if (solved && round < 20 + 8 * touching_.size()) continue;
    modes_ = before;
    if (jam(t, y)) return decide(t, y, std::nullopt);
    const bool rubs = std::ranges::any_of(touching_, [&](std::size_t k) { return set_.holding(k) > 0; });
    throw Failure(Exit::simulation_failed,
                  fmt::format("no forces of contact fit the motion at t = {:.9g} s, at {}: {}", t,
                              set_.name_of(touching_.front()),
                              rubs ? "rigid bodies with Coulomb's friction may have no accelerations there (Painlevé's "
                                     "paradox), or more contacts hold them than it takes"
                                   : "more contacts hold the bodies there than it takes, and which of them press is lost "
                                     "in rounding"),
                  rubs ? "Use less friction, or a compliant law there." : "Use a compliant law there.");
  }
  const std::size_t event = fired ? *fired % functions_per_point : closing;
  if (event == closing || event == resting) hold_at_limit(lambda, rates, problem.b.lpNorm<Eigen::Infinity>());
  set_.put_modes(modes_, y);
}

/// Friction exactly at its limit holds a point that is at rest and is not accelerated. If all points of an element
/// would slip so, the one that is pressed most sticks.
void UnilateralMotion::hold_at_limit(const Eigen::VectorXd& lambda, const Eigen::VectorXd& rates, double motion) {
  for (std::size_t p = 0, next = 0; p < touching_.size(); p = next) {
    const std::size_t element = set_.element_of(touching_[p]);
    std::size_t pressed = touching_.size();
    bool rests = true;
    for (next = p; next < touching_.size() && set_.element_of(touching_[next]) == element; ++next) {
      const std::size_t k = touching_[next];
      if (!is_closed(k)) continue;
      const auto row = static_cast<Index>(three * next);
      const double away = std::hypot(rates[row + 1], rates[row + 2]);
      rests = rests && modes_[k] == UnilateralMode::slip && !slides_[next] && set_.point(k).tangents > 0 &&
              set_.holding(k) > 0 && !(away > judged * motion);
      if (pressed == touching_.size() || lambda[row] > lambda[static_cast<Index>(three * pressed)]) pressed = next;
    }
    if (rests && pressed < touching_.size()) modes_[touching_[pressed]] = UnilateralMode::stick;
  }
}

void UnilateralMotion::take_modes(const ConeProblem& problem, const Eigen::VectorXd& lambda) {
  const double largest = lambda.lpNorm<Eigen::Infinity>(), motion = problem.b.lpNorm<Eigen::Infinity>();
  const Eigen::VectorXd rates = problem.b + problem.W * lambda;
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    const ConeProblem::Point& point = problem.points[p];
    const Index row = static_cast<Index>(three * p);
    // If forces vanish, their rest is rounding; so they are compared with what would move the rows, too.
    if (point.has_normal && !(lambda[row] > judged * (largest + motion / problem.W(row, row)))) continue;
    if (point.tangents == 0) {
      modes_[k] = set_.point(k).velocity == UnilateralPoint::none ? UnilateralMode::slip : UnilateralMode::stick;
      continue;
    }
    const double held = std::hypot(lambda[row + 1], lambda[row + 2]), bound = point.bound(lambda[row]);
    // Without friction a point at rest goes where it is accelerated to, or stays.
    const double away = std::hypot(rates[row + 1], rates[row + 2]);
    const bool holds = held < bound * (1 - judged) || (held == 0 && !(away > judged * motion));
    modes_[k] = slides_[p] || !holds ? UnilateralMode::slip : UnilateralMode::stick;
    if (modes_[k] == UnilateralMode::slip && !slides_[p])
      for (Index i = 1; i < 3; ++i)
        directions_[2 * k + static_cast<std::size_t>(i) - 1] = held > 0   ? -lambda[row + i] / held
                                                               : away > 0 ? rates[row + i] / away
                                                                          : 0;
  }
}

/// Finds the forces of the modes, and the rates with them. False if there are none.
bool UnilateralMotion::solve_modes(const ConeProblem& problem, Eigen::VectorXd& lambda, Eigen::VectorXd& rates) {
  std::vector<Index> rows;
  lambda.setZero();
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    const Index row = static_cast<Index>(three * p);
    if (!is_closed(k)) continue;
    if (problem.points[p].has_normal) rows.push_back(row);
    for (std::size_t i = 0; i < problem.points[p].tangents; ++i) {
      if (modes_[k] == UnilateralMode::stick) rows.push_back(row + 1 + static_cast<Index>(i));
      if (modes_[k] == UnilateralMode::slip && !problem.points[p].has_normal)
        lambda[row + 1 + static_cast<Index>(i)] = -set_.sliding(k) * directions_[2 * k + i];
    }
  }
  const Eigen::VectorXd base = problem.b + problem.W * lambda;
  const auto n = static_cast<Index>(rows.size());
  Eigen::MatrixXd columns(problem.b.size(), n);
  Eigen::MatrixXd own(n, n);
  Eigen::VectorXd right(n), scale(n);
  const auto pushed = [&](Index c, double force, Eigen::VectorXd& forces) {
    const Index row = rows[static_cast<std::size_t>(c)];
    const auto p = static_cast<std::size_t>(row / 3);
    forces[row] += force;
    if (row % 3 != 0 || modes_[touching_[p]] != UnilateralMode::slip) return;
    for (std::size_t i = 0; i < problem.points[p].tangents; ++i)
      forces[row + 1 + static_cast<Index>(i)] -= set_.sliding(touching_[p]) * directions_[2 * touching_[p] + i] * force;
  };
  for (Index c = 0; c < n; ++c) {
    Eigen::VectorXd forces = Eigen::VectorXd::Zero(problem.b.size());
    pushed(c, 1, forces);
    columns.col(c) = problem.W * forces;
    const double own_response = problem.W(rows[static_cast<std::size_t>(c)], rows[static_cast<std::size_t>(c)]);
    scale[c] = own_response > 0 ? 1 / std::sqrt(own_response) : 1;
  }
  for (Index r = 0; r < n; ++r) {
    for (Index c = 0; c < n; ++c) own(r, c) = scale[r] * columns(rows[static_cast<std::size_t>(r)], c) * scale[c];
    right[r] = -scale[r] * base[rows[static_cast<std::size_t>(r)]];
  }
  if (n > 0) {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors;
    factors.setThreshold(judged);
    factors.compute(own);
    const Eigen::VectorXd found = factors.solve(right);
    if (!found.allFinite()) return false;
    for (Index c = 0; c < n; ++c) pushed(c, scale[c] * found[c], lambda);
  }
  rates = problem.b + problem.W * lambda;
  return true;
}

/// Changes the mode that contradicts its forces and accelerations most. False if none does.
bool UnilateralMotion::flip_worst(const ConeProblem& problem, const Eigen::VectorXd& lambda,
                                  const Eigen::VectorXd& rates, std::optional<std::size_t> fired) {
  const double force = lambda.lpNorm<Eigen::Infinity>(), motion = problem.b.lpNorm<Eigen::Infinity>();
  double worst = 0;
  std::size_t which = touching_.size();
  UnilateralMode next = UnilateralMode::open;
  const auto see = [&](std::size_t p, double share, double least, UnilateralMode to) {
    if (!(share > least) || !(share > worst)) return;
    worst = share;
    which = p;
    next = to;
  };
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    const ConeProblem::Point& point = problem.points[p];
    const Index row = static_cast<Index>(three * p);
    const bool at_event = fired && *fired / functions_per_point == k && *fired % functions_per_point != closing;
    const double least = at_event ? judged_at_event : judged;
    // A force or speed that an event has let go was zero there: its sign is rounding.
    const bool let_go = at_event && *fired % functions_per_point != resting;
    const bool held_alone = point.tangents == 0 && set_.point(k).velocity != UnilateralPoint::none;
    if (!is_closed(k)) {
      const UnilateralMode to =
          held_alone || (point.tangents > 0 && !slides_[p]) ? UnilateralMode::stick : UnilateralMode::slip;
      if (motion > 0 && !let_go) see(p, -rates[row] / motion, least, to);
      continue;
    }
    const double pushes = force + motion / problem.W(row, row);
    if (point.has_normal && force > 0) see(p, -lambda[row] / pushes, least, UnilateralMode::open);
    if (point.tangents == 0 || slides_[p]) continue;
    const double held = std::hypot(lambda[row + 1], lambda[row + 2]);
    if (modes_[k] == UnilateralMode::stick) {
      const double bound = point.bound(lambda[row]);
      if (force > 0) see(p, (held - bound) / force, 2 * judged, UnilateralMode::slip);
    } else {
      const double along = rates[row + 1] * directions_[2 * k] + rates[row + 2] * directions_[2 * k + 1];
      if (motion > 0 && !let_go) see(p, -along / motion, least, UnilateralMode::stick);
    }
  }
  if (which == touching_.size()) return false;
  const std::size_t k = touching_[which];
  if (next == UnilateralMode::slip && modes_[k] == UnilateralMode::stick) {
    const Index row = static_cast<Index>(three * which) + 1;
    const double held = std::hypot(lambda[row], lambda[row + 1]);
    for (Index i = 0; i < 2; ++i)
      directions_[2 * k + static_cast<std::size_t>(i)] = held > 0 ? -lambda[row + i] / held : 0;
    fastest_[k] = 0;
  }
  modes_[k] = next;
  return true;
}

}  // namespace polyform::host::inline simulation
