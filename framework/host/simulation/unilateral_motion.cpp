#include "framework/host/simulation/unilateral_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/diagnostics.hpp"
#include "framework/host/simulation/evaluate.hpp"

namespace polyform::host::inline simulation {

using Eigen::Index;

namespace {

// Part of the sum of a rate's terms: a slower rate is rounding of one that was brought to rest.
constexpr double rest_share = 1e-9;
// The same for what is taken off the rates of rows that hold; and of the speed of contact_sizes.hpp.
constexpr double drift_share = 1e-13, least_drift = 3e-16;
// Gaps of rows that hold: what is wider is taken off, of the length of contact_sizes.hpp.
constexpr double least_gap = 1e-13;
// Forces below this share of the largest are rounding of the solution of redundant rows.
constexpr double force_share = 1e-9;
// Part of the largest scaled force: rounding of the solution.
constexpr double share_rounding = 3e-14;
// Part of the sum of the sizes of an acceleration's terms: a smaller acceleration is their rounding.
constexpr double cancelled = 1e-12;
// Part of the largest friction: friction is found when a round changes it by less. Each round shrinks the error by
// about the coefficient of friction, times the bearing's radius over the length of its lever.
constexpr double loaded_share = 1e-12;
constexpr int most_rounds = 200;

}  // namespace

UnilateralMotion::UnilateralMotion(const SystemView& view, double t, const ConstStateView& start, Solver& solver,
                                   Ode& ode, UnilateralUse use)
    : set_(view, t, start, solver, use == UnilateralUse::steps ? UnilateralUse::none : use),
      solver_(solver),
      ode_(ode),
      response_(view, set_, solver, ode),
      second_(ask<SecondOrderSystem>(solver)),
      tally_(set_),
      modes_(set_.points(), UnilateralMode::open),
      directions_(2 * set_.points()),
      span_(set_.points()),
      fastest_(set_.points()),
      overlap_(set_.points()),
      forces_(three * set_.points()),
      loads_(forces_),
      column_(forces_),
      probe_(forces_),
      slack_(functions_per_point * set_.points()),
      held_(forces_.size()),
      sizes_(ode.size()),
      sums_(ode.size()),
      moved_(ode.size()),
      rates_now_(ode.size()),
      rates_then_(ode.size()) {
  unknowns_.reserve(forces_.size());
  touching_.reserve(set_.points());
  if (!empty()) measure(view, t, start);
}

void UnilateralMotion::measure(const SystemView& view, double t, const ConstStateView& start) {
  units_ = contact_sizes(view, start, set_);
  std::vector<double> y(ode_.size());
  if (encode_at(t, solver_, start, std::span(y).first(solver_.state_size())) != Status::ok) return;  // the run says why
  set_.evaluate(t, y);
  refuse_overlaps(set_, units_);
}

void UnilateralMotion::keep(RunState& out) const {
  out.modes.clear();
  for (const UnilateralMode mode : modes_) out.modes.push_back(static_cast<std::int32_t>(mode));
  out.touching.clear();
  for (const std::vector<double>* numbers : {&directions_, &span_, &fastest_, &overlap_})
    out.touching.insert(out.touching.end(), numbers->begin(), numbers->end());
  tally_.keep(out.touching);
}

bool UnilateralMotion::begin_from(const RunState& from) {
  constexpr std::int32_t last_mode = static_cast<std::int32_t>(UnilateralMode::slip);
  const std::size_t own = directions_.size() + span_.size() + fastest_.size() + overlap_.size();
  if (from.modes.size() != modes_.size() || from.touching.size() != own + tally_.numbers() ||
      std::ranges::any_of(from.modes, [&](std::int32_t mode) { return mode < 0 || mode > last_mode; }))
    return false;
  for (std::size_t k = 0; k < modes_.size(); ++k) modes_[k] = static_cast<UnilateralMode>(from.modes[k]);
  const double* next = from.touching.data();
  for (std::vector<double>* numbers : {&directions_, &span_, &fastest_, &overlap_}) {
    std::copy_n(next, numbers->size(), numbers->begin());
    next += numbers->size();
  }
  tally_.begin_from(std::span(from.touching).subspan(own));
  return true;
}

/// What is slower than this rests.
double UnilateralMotion::least_speed(std::size_t row) const {
  return rest_share * set_.terms(row) + least_rest(row / three);
}

double UnilateralMotion::speed_along(std::size_t k) const {
  return set_.rate(three * k + 1) * directions_[2 * k] + set_.rate(three * k + 2) * directions_[2 * k + 1];
}

/// The direction in which a point slides. Through rest it goes on as before, so that nothing jumps there: the law of a
/// step is smooth, and the event tells where it ends.
void UnilateralMotion::direct(std::size_t k, double (&direction)[2]) const {
  const double v[2] = {has_tangent(k, 0) ? set_.rate(three * k + 1) : 0,
                       has_tangent(k, 1) ? set_.rate(three * k + 2) : 0};
  const double speed = std::hypot(v[0], v[1]);
  const double along = v[0] * directions_[2 * k] + v[1] * directions_[2 * k + 1];
  constexpr double no_direction = 0.1;  // of what rests: what is slower has the direction in which it began
  const bool known = speed > no_direction * least_rest(k);
  for (std::size_t i = 0; i < 2; ++i)
    direction[i] = known ? std::copysign(1 / speed, along) * v[i] : directions_[2 * k + i];
}

void UnilateralMotion::list_unknowns() {
  unknowns_.clear();
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (!is_closed(k)) continue;
    for (std::size_t i = 0; i < three; ++i) {
      const bool holds = i == 0 ? set_.point(k).has_normal : modes_[k] == UnilateralMode::stick && has_tangent(k, i - 1);
      if (holds && !held_[three * k + i]) unknowns_.push_back({three * k + i, k});
    }
  }
}

void UnilateralMotion::put_column(const Unknown& u, double force, std::span<double> forces) const {
  forces[u.row] = force;
  if (u.row != three * u.point || modes_[u.point] != UnilateralMode::slip) return;
  double direction[2];
  direct(u.point, direction);
  for (std::size_t i = 0; i < 2; ++i)
    if (has_tangent(u.point, i)) forces[u.row + 1 + i] = -set_.sliding(u.point) * direction[i] * force;
}

/// Forces of all rows at a state, with the present modes; then the response holds base and columns of the unknowns.
/// Friction that grows with what a joint transmits, to which it belongs, by iteration.
bool UnilateralMotion::find_forces(double t, std::span<const double> y, Shares shares) {
  for (int round = 0;; ++round) {
    if (!find_forces_once(t, y, shares)) return false;
    if (!set_.is_loaded()) return true;
    const Observation* const now = response_.observe(t, y, forces_);
    if (now == nullptr) return false;
    if (!(set_.take_reactions(*now) > loaded_share)) return true;
    if (round == most_rounds)
      throw Failure(Exit::simulation_failed,
                    fmt::format("friction by the load of `{}`, or of another joint, has no solution near its last one "
                                "at t = {:.9g} s: the more it rubs the more it is loaded",
                                set_.element_name(0), t),
                    "Use a smaller coefficient, or a given effort.");
  }
}

bool UnilateralMotion::find_forces_once(double t, std::span<const double> y, Shares shares) {
  list_unknowns();
  set_.evaluate(t, y);
  std::ranges::fill(loads_, 0.0);
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (set_.point(k).has_normal || modes_[k] != UnilateralMode::slip) continue;
    double direction[2];
    direct(k, direction);
    for (std::size_t i = 0; i < 2; ++i)
      if (has_tangent(k, i)) loads_[three * k + 1 + i] = -set_.sliding(k) * direction[i];
  }
  if (!response_.find_base(t, y, loads_)) return false;
  response_.begin_columns();
  for (const Unknown& u : unknowns_) {
    std::ranges::fill(column_, 0.0);
    put_column(u, probe_[u.row] > 0 ? probe_[u.row] : 1, column_);
    if (!response_.add_column(t, y, column_)) return false;
  }
  solve_unknowns(t, shares);
  std::ranges::copy(loads_, forces_.begin());
  for (std::size_t c = 0; c < unknowns_.size(); ++c) {
    std::ranges::fill(column_, 0.0);
    put_column(unknowns_[c],
               found_[static_cast<Index>(c)] * (probe_[unknowns_[c].row] > 0 ? probe_[unknowns_[c].row] : 1), column_);
    for (std::size_t r = 0; r < forces_.size(); ++r) forces_[r] += column_[r];
  }
  return true;
}

/// Finds forces in parts of the probes, with which rows that hold have no acceleration. Rows and columns are scaled by
/// the response of each to itself.
void UnilateralMotion::solve_unknowns(double t, Shares shares) {
  const auto n = static_cast<Index>(unknowns_.size());
  found_.resize(n);
  if (n == 0) return;
  G_.resize(n, n);
  right_.resize(n);
  scale_.resize(n);
  const auto probe = [&](Index c) {
    const std::size_t row = unknowns_[static_cast<std::size_t>(c)].row;
    return probe_[row] > 0 ? probe_[row] : 1;
  };
  // A force in a probe accelerates a row along itself; the row's scale is the root of force over acceleration.
  for (Index c = 0; c < n; ++c) scale_[c] = std::sqrt(probe(c));
  for (Index c = 0; c < n; ++c) {
    const std::span<const double> rates = response_.rates(static_cast<std::size_t>(c));
    for (Index r = 0; r < n; ++r)
      G_(r, c) = scale_[r] * rates[unknowns_[static_cast<std::size_t>(r)].row] * scale_[c] / probe(c);
    right_[c] = -scale_[c] * response_.accelerations()[unknowns_[static_cast<std::size_t>(c)].row];
  }
  shares_.solve_least(G_, right_, found_);
  if (shares == Shares::within_limits || share_moves()) {
    list_limits();
    shares_.solve(G_, right_, scale_, limits_, found_);
  }
  // What is smaller is rounding of the solution, and would let a body creep along what nothing pushes it.
  const double rounding = share_rounding * found_.lpNorm<Eigen::Infinity>();
  for (Index c = 0; c < n; ++c) found_[c] = std::abs(found_[c]) > rounding ? found_[c] * scale_[c] / probe(c) : 0;
  if (!found_.allFinite())
    throw Failure(Exit::simulation_failed, fmt::format("the forces of contact are no numbers at t = {:.9g} s", t));
}

/// The limits of the unknowns, which stand point after point.
void UnilateralMotion::list_limits() {
  limits_.clear();
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    const std::size_t k = unknowns_[u].point, row = unknowns_[u].row - three * k;
    if (u == 0 || unknowns_[u - 1].point != k) limits_.emplace_back().friction = set_.holding(k);
    (row == 0 ? limits_.back().normal : limits_.back().tangents[row - 1]) = static_cast<Index>(u);
  }
}

/// Whether motion depends on how forces are shared: where friction slides it may, in the directions that are open.
bool UnilateralMotion::share_moves() {
  constexpr double least = 1e-9;  // of the sum of the sizes of what the forces do
  if (set_.is_loaded()) return true;
  const Eigen::MatrixXd& open = shares_.null_space();
  for (Index n = 0; n < open.cols(); ++n) {
    std::ranges::fill(sums_, 0.0);
    std::ranges::fill(sizes_, 0.0);
    for (std::size_t c = 0; c < unknowns_.size(); ++c) {
      const std::span<const double> change = response_.change(c);
      const double probe = probe_[unknowns_[c].row] > 0 ? probe_[unknowns_[c].row] : 1;
      const double part = scale_[static_cast<Index>(c)] / probe * open(static_cast<Index>(c), n);
      for (std::size_t i = 0; i < sums_.size(); ++i) {
        sums_[i] += part * change[i];
        sizes_[i] += std::abs(part * change[i]);
      }
    }
    double moved = 0, size = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      moved = std::max(moved, std::abs(sums_[i]));
      size = std::max(size, sizes_[i]);
    }
    if (moved > least * size) return true;
  }
  return false;
}

bool UnilateralMotion::derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept {
  try {
    const bool any = std::ranges::any_of(modes_, [](UnilateralMode m) { return m != UnilateralMode::open; });
    if (!any || !find_forces(t, y, Shares::that_move)) {
      failure_ = ode_.failure();
      if (any) return false;
      const bool done = ode_.derivative(t, y, ydot);
      failure_ = ode_.failure();
      return done;
    }
    std::ranges::copy(response_.base(), ydot.begin());
    for (std::size_t i = 0; i < ydot.size(); ++i) sizes_[i] = std::abs(ydot[i]);
    for (std::size_t c = 0; c < unknowns_.size(); ++c) {
      const std::span<const double> change = response_.change(c);
      for (std::size_t i = 0; i < ydot.size(); ++i) {
        const double part = found_[static_cast<Index>(c)] * change[i];
        ydot[i] += part;
        sizes_[i] += std::abs(part);
      }
    }
    // What forces hold has no acceleration: the rounding of a sum that cancels would let it creep.
    for (std::size_t i = 0; second_ != nullptr && i < second_->kinds().size(); ++i)
      if (second_->kinds()[i] == StateKind::velocity && std::abs(ydot[i]) < cancelled * sizes_[i]) ydot[i] = 0;
    return true;
  } catch (const Failure& problem) {
    failure_ = problem.message();
  } catch (const std::exception& problem) {
    failure_ = problem.what();
  }
  return false;
}

/// Moves positions and velocities as forces along the rows would, the least in the metric of the inertia.
bool UnilateralMotion::project(double t, std::span<double> y) noexcept {
  try {
    for (int round = 0; round < 3; ++round) {
      list_unknowns();
      if (unknowns_.empty()) return true;
      set_.evaluate(t, y);
      bool wide = false, fast = false;
      for (const Unknown& u : unknowns_) {
        const bool has_gap = u.row == three * u.point && set_.point(u.point).has_gap;
        wide = wide || (has_gap && std::abs(set_.gap(u.point)) > least_gap * units_[u.point].length);
        fast = fast || std::abs(set_.rate(u.row)) >
                           drift_share * set_.terms(u.row) + least_drift * units_[u.point].speed;
      }
      if (!wide && !fast) return true;
      std::ranges::fill(loads_, 0.0);
      if (!response_.find_base(t, y, loads_)) return true;  // the next step says why
      response_.begin_columns();
      for (const Unknown& u : unknowns_) {
        std::ranges::fill(column_, 0.0);
        column_[u.row] = probe_[u.row] > 0 ? probe_[u.row] : 1;
        if (!response_.add_column(t, y, column_)) return true;
      }
      const auto solve_for = [&](const auto& value) {
        const auto n = static_cast<Index>(unknowns_.size());
        G_.resize(n, n);
        right_.resize(n);
        for (Index r = 0; r < n; ++r) {
          const std::size_t row = unknowns_[static_cast<std::size_t>(r)].row;
          for (Index c = 0; c < n; ++c) G_(r, c) = response_.rates(static_cast<std::size_t>(c))[row];
          right_[r] = -value(unknowns_[static_cast<std::size_t>(r)]);
        }
        shares_.solve_least(G_, right_, found_);
      };
      if (wide && second_ != nullptr) {
        solve_for([&](const Unknown& u) {
          return u.row == three * u.point && set_.point(u.point).has_gap ? set_.gap(u.point) : 0;
        });
        std::ranges::copy(y, moved_.begin());
        for (std::size_t c = 0; c < unknowns_.size(); ++c) response_.jump(c, found_[static_cast<Index>(c)], moved_);
        const std::size_t states = solver_.state_size();
        if (second_->position_rates(t, y.first(states), std::span(rates_now_).first(states)) != Status::ok ||
            second_->position_rates(t, std::span(moved_).first(states), std::span(rates_then_).first(states)) !=
                Status::ok)
          return true;
        for (std::size_t i = 0; i < states; ++i)
          if (second_->kinds()[i] == StateKind::position) y[i] += rates_then_[i] - rates_now_[i];
      }
      if (fast) {
        solve_for([&](const Unknown& u) { return set_.rate(u.row); });
        for (std::size_t c = 0; c < unknowns_.size(); ++c) response_.jump(c, found_[static_cast<Index>(c)], y);
      }
      if (wide && !ode_.correct(t, y)) {
        failure_ = ode_.failure();
        return false;
      }
    }
    return true;
  } catch (const std::exception& problem) {
    failure_ = problem.what();
  }
  return false;
}

/// Tells whose forces the last search for forces within limits left open.
void UnilateralMotion::see_shares() {
  constexpr double least = 1e-6;  // of a direction of unit length: less is rounding
  const Eigen::MatrixXd& open = shares_.null_space();
  if (static_cast<std::size_t>(open.rows()) != unknowns_.size()) return;
  for (Index n = 0; n < open.cols(); ++n) {
    std::ranges::fill(column_, 0.0);
    for (std::size_t u = 0; u < unknowns_.size(); ++u)
      if (const auto c = static_cast<Index>(u); std::abs(open(c, n)) > least)
        put_column(unknowns_[u], column_[unknowns_[u].row] + scale_[c] * open(c, n), column_);
    for (std::size_t e = 0, k = 0; e < set_.elements(); ++e) {
      bool any = false;
      for (; k < modes_.size() && set_.element_of(k) == e; ++k)
        for (std::size_t row = three * k; row < three * (k + 1); ++row) any = any || column_[row] != 0;
      if (any) tally_.share(e, set_.has_resultant(e, column_));
    }
  }
}

void UnilateralMotion::put(double t, std::span<double> y) {
  moved_.assign(y.begin(), y.end());
  if (!find_forces(t, moved_))
    throw Failure(Exit::simulation_failed,
                  fmt::format("the forces of contact could not be computed at t = {:.9g} s: {}", t, ode_.failure()));
  tally_.see_row(t, modes_, units_);
  see_shares();
  set_.put_forces(forces_, y);
  set_.put_modes(modes_, y);
}

void UnilateralMotion::evaluate(double t, std::span<const double> y, std::span<double> values,
                                std::span<double> rates) {
  std::ranges::fill(values, 1.0);
  std::ranges::fill(rates, 0.0);
  const bool any = std::ranges::any_of(modes_, [](UnilateralMode m) { return m != UnilateralMode::open; });
  if (any && !find_forces(t, y))
    throw Failure(Exit::simulation_failed,
                  fmt::format("the forces of contact could not be computed at t = {:.9g} s: {}", t, ode_.failure()));
  if (!any) set_.evaluate(t, y);
  double largest = 0;
  for (const double force : forces_) largest = any ? std::max(largest, std::abs(force)) : 0;
  const double allowed = force_share * largest;
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const UnilateralPoint& point = set_.point(k);
    const std::size_t f = functions_per_point * k, row = three * k;
    const auto tell = [&](Function function, double value, double rate) {
      values[f + function] = value + slack_[f + function];
      rates[f + function] = rate;
    };
    if (!is_closed(k)) {
      if (!point.has_normal) continue;
      // What parts after an impact is farther from closing than the rounding of its gap.
      const double margin = (set_.rate(row) > 0 ? 2 : 1) * gap_rounding_of(k);
      if (point.has_gap)
        tell(closing, set_.gap(k) + margin, set_.rate(row));
      else
        // What is slower rests: less than that is no impact, and more than the rounding of rest.
        tell(closing, set_.rate(row) + 0.5 * least_speed(row), unknown);
      continue;
    }
    if (point.has_normal) tell(pulling, forces_[row] + allowed, unknown);
    if (point.tangents == 0) continue;
    if (modes_[k] == UnilateralMode::slip) {
      // Friction that begins where nothing moves has no direction yet.
      const bool has_direction = directions_[2 * k] != 0 || directions_[2 * k + 1] != 0;
      if (set_.sliding(k) > 0) tell(resting, has_direction ? speed_along(k) + least_rest(k) : -1, unknown);
    } else {
      const double bound = point.has_normal ? set_.holding(k) * forces_[row] : set_.holding(k);
      const double held = std::hypot(forces_[row + 1], has_tangent(k, 1) ? forces_[row + 2] : 0);
      tell(gripping, bound + 4 * allowed - held, unknown);
    }
  }
}

bool UnilateralMotion::allow_shortfalls(std::span<const double> values) {
  bool any = false;
  for (std::size_t f = 0; f < values.size(); ++f) {
    const std::size_t function = f % functions_per_point;
    if ((function != pulling && function != gripping) || !(values[f] < 0)) continue;
    slack_[f] -= 2 * values[f];
    any = true;
  }
  return any;
}

void UnilateralMotion::settle(double step) {
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (!is_closed(k)) {
      span_[k] = std::max(span_[k], set_.gap(k));
      continue;
    }
    if (modes_[k] != UnilateralMode::slip) continue;
    double direction[2];
    // Without friction, nothing would tell that the motion has turned round.
    if (!(set_.sliding(k) > 0)) directions_[2 * k] = directions_[2 * k + 1] = 0;
    direct(k, direction);
    directions_[2 * k] = direction[0];
    directions_[2 * k + 1] = direction[1];
    fastest_[k] = std::max(fastest_[k], std::abs(speed_along(k)));
  }
  for (std::size_t e = 0, k = 0; e < set_.elements(); ++e) {
    bool closed = false, stuck = false;
    for (; k < modes_.size() && set_.element_of(k) == e; ++k) {
      closed = closed || is_closed(k);
      stuck = stuck || modes_[k] == UnilateralMode::stick;
    }
    if (closed) tally_.touch(e, step);
    if (stuck) tally_.stick(e, step);
  }
}

}  // namespace polyform::host::inline simulation
