#include "framework/host/watches/singular_watch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace polyform::host::inline watches {

namespace {

/// Eigenvalues below this of the largest vanish: rounding, twice over, since the matrix is a square.
constexpr double vanishing = 1e-12;
/// Part of the time after which λ would vanish that may pass before the next look.
constexpr double share_of_way = 0.5;
/// No loop turns by more between looks, rad: a quarter of the way between two flat positions.
constexpr double longest_turn = 0.4;
/// λ below this is rounding, or too near to the singular position to tell falling from rising: 1e-5 rad.
constexpr double rounding = 1e-10;
/// The least λ within a step is sought down to a stretch of this part of the time: no two times within it differ.
constexpr double least_stretch = 1e-15;
/// No step sees that a singular position is missed by less, rad. A step whose error is not controlled sees no more than
/// its own way.
constexpr double near_by = 1e-3;
/// A loop whose lengths miss the singular position by an angle is open there by the square of it, as a part of its
/// length, where a step goes straight on; one that turns stays closed. Below this angle, rad, that is what
/// interpolation within a step leaves.
constexpr double exact = 1e-5;
/// Part of the energy that moves: passages that lose or win more are told.
constexpr double much_energy = 1e-5;
/// A way between looks, rad, beyond which a fall and a rise of λ are those of the way: the root of `rounding`. On a
/// shorter one, as of a loop at rest, both are rounding, and their quotient tells nothing.
constexpr double shortest_way = 1e-5;
/// A smooth motion turns its rates by less within a step, rad.
constexpr double sharp_turn = 0.5;
/// After so many looks and one in so many steps, jumps of the motion ask for no further ones.
constexpr std::size_t looks_at_jumps = 64, steps_per_jump = 16;
/// Steps of the search for the least λ within a step; each narrows the interval to 0.6 of it.
constexpr int narrowings = 60;
/// Part of a step on which the rate of λ is taken.
constexpr double probe = 0.02;
constexpr double never_again = std::numeric_limits<double>::infinity();

/// The time in which a steadily accelerated motion turns by `longest_turn`, s.
double time_to_turn(double speed, double acceleration) {
  const double by_both = speed + std::sqrt(speed * speed + 2 * acceleration * longest_turn);
  return by_both > 0 ? 2 * longest_turn / by_both : never_again;
}

}  // namespace

SingularWatch::SingularWatch(const SystemView& view, Solver& solver, double tolerance)
    : centred_(view),
      view_(centred_.view()),
      solver_(solver),
      controls_errors_(tolerance > 0),
      energy_(view, solver, tolerance),
      tree_(view_) {
  for (std::size_t j = view.bodies.size(); j < view.joints.size(); ++j) {
    const JointData& cut = view_.joints[j];
    if (cut.nv >= 6) continue;
    Loop loop;
    loop.cut = j;
    // Parents stand before their children: of two bodies the later one is no ancestor of the other.
    for (BodyIndex a = cut.base, b = cut.moving; a != b;) {
      BodyIndex& later = is_ground(a) || (!is_ground(b) && at(b) > at(a)) ? b : a;
      loop.path.push_back(at(later));
      later = view_.joints[at(later)].inboard();
    }
    loops_.push_back(std::move(loop));
  }
  q_.resize(view.nq);
  v_.resize(view.nv);
  eta_.resize(view.modes);
  etadot_.resize(view.modes);
  x_.resize(view.states);
}

/// The state of the last step at a time within it. False if it cannot be had; the next step says why.
bool SingularWatch::place(Integration& integrator, double t) {
  y_.resize(integrator.state().size());
  if (!integrator.state_at(t, y_)) return false;
  const StateView state{.q = q_, .v = v_, .eta = eta_, .etadot = etadot_, .x = x_};
  if (solver_.decode(std::span<const double>(y_).first(solver_.state_size()), state) != Status::ok) return false;
  tree_.evaluate(q_.data(), v_.data(), eta_.data(), etadot_.data());
  return true;
}

/// λ of a loop as placed.
double SingularWatch::measure(Loop& loop) {
  const JointData& cut = view_.joints[loop.cut];
  const BodyMotion &base = motion_of(cut.base_frame, tree_.frames()),
                   &moving = motion_of(cut.moving_frame, tree_.frames());
  JointConstraint c;
  double v[6];
  joint_constraint(cut, base, moving, q_.data() + cut.q_offset, v, c);
  if (c.rows == 0) return 1;
  const Vec3 M = moving.p + moving.R * cut.p_moving;
  const auto place_of = [&](const JointData& joint) {
    const BodyMotion& m = motion_of(joint.moving_frame, tree_.frames());
    return m.p + m.R * joint.p_moving;
  };
  if (loop.length == 0)
    for (const std::size_t j : loop.path) loop.length = std::max(loop.length, norm(M - place_of(view_.joints[j])));
  const double length = loop.length > 0 ? loop.length : 1;
  Eigen::Matrix<double, 6, 6> gram = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 1> column = Eigen::Matrix<double, 6, 1>::Zero();
  for (const std::size_t j : loop.path) {
    const JointData& joint = view_.joints[j];
    const Mat3& R = motion_of(joint.base_frame, tree_.frames()).R;
    const Vec3 arm = M - place_of(joint);
    for (std::size_t k = 0; k < joint.nv; ++k) {
      const Spatial& h = tree_.joints()[j].H[k];
      const Vec3 turn = R * h.angular, move = R * h.linear + cross(turn, arm);
      const Spatial in_F{transpose_times(base.R, turn), transpose_times(base.R, move)};
      const double unit = dot(turn, turn) > 0 ? 1 : length;  // a displacement, in lengths of the loop
      for (std::size_t r = 0; r < c.rows; ++r) {
        const double weight = norm(c.T[r].angular) + length * norm(c.T[r].linear);
        column[static_cast<Eigen::Index>(r)] = unit * dot(c.T[r], in_F) / weight;
      }
      gram += column * column.transpose();
    }
  }
  const auto rows = static_cast<Eigen::Index>(c.rows);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram.topLeftCorner(rows, rows));
  const auto& values = eigen.eigenvalues();  // ascending
  const double largest = values[rows - 1];
  if (!(largest > 0)) return 1;
  std::size_t rank = 0;
  while (rank < c.rows && values[rows - 1 - static_cast<Eigen::Index>(rank)] > vanishing * largest) ++rank;
  loop.rank = std::max(loop.rank, rank);
  const Eigen::Index last = rows - static_cast<Eigen::Index>(loop.rank);
  double opening = 0;
  for (std::size_t r = 0; r < c.rows; ++r)
    opening += eigen.eigenvectors()(static_cast<Eigen::Index>(r), last) * c.residual[r] /
               (norm(c.T[r].angular) + length * norm(c.T[r].linear));
  loop.opening = std::abs(opening);
  return std::max(0.0, values[last] / largest);
}

/// Rates of the joints of a loop as placed.
void SingularWatch::find_rates(Loop& loop) const {
  loop.rates.clear();
  loop.speed = 0;
  for (const std::size_t j : loop.path) {
    const JointData& joint = view_.joints[j];
    for (std::size_t k = 0; k < joint.nv; ++k) {
      const Spatial& h = tree_.joints()[j].H[k];
      const double unit = dot(h.angular, h.angular) > 0 || loop.length == 0 ? 1 : 1 / loop.length;
      loop.rates.push_back(unit * v_[joint.v_offset + k]);
      loop.speed = std::max(loop.speed, std::abs(loop.rates.back()));
    }
  }
}

void SingularWatch::begin_anew() { begins_ = looks_ <= looks_at_jumps + steps_ / steps_per_jump; }

void SingularWatch::look(Integration& integrator) {
  ++steps_;
  beside_ = false;
  const double now = integrator.time(), before = integrator.previous_time(), length = now - before;
  if (std::exchange(begins_, false)) {
    began_ = before;
    next_ = now;
  }
  if (now < next_) return;
  ++looks_;
  const bool followed = seen_until_ == before;
  const double part = probe * length;
  if (!place(integrator, now - part)) return;
  for (Loop& loop : loops_) {
    loop.shortly_before = measure(loop);
    find_rates(loop);
    loop.rates_shortly_before = loop.rates;
  }
  if (!place(integrator, now)) return;
  energy_.look(now, y_);
  next_ = now + (now - began_);
  seen_until_ = now;
  for (Loop& loop : loops_) {
    loop.measure = measure(loop);
    loop.slope = (loop.measure - loop.shortly_before) / part;
    find_rates(loop);
    loop.acceleration = 0;
    for (std::size_t k = 0; k < loop.rates.size(); ++k)
      loop.acceleration = std::max(loop.acceleration, std::abs(loop.rates[k] - loop.rates_shortly_before[k]) / part);
    follow(loop, now);
    loop.near = 2 * loop.measure <= length * std::abs(loop.slope);
    beside_ = beside_ || loop.near || loop.passes || !(loop.measure > rounding);
    double way = time_to_turn(loop.speed, loop.acceleration);
    if (loop.slope < 0) way = std::min(way, share_of_way * 2 * loop.measure / -loop.slope);
    if (loop.approaches && loop.measure < rounding) way = 0;
    next_ = std::min(next_, now + way);
  }
  energy_.tell(beside_);
  for (Loop& loop : loops_) {
    // A step that ends just beyond the singular position may seem to approach it still.
    if ((loop.passes && followed) || (loop.approaches && loop.near)) find_least(integrator, loop);
    if (loop.passes) pass(loop, now, length);
  }
}

/// Whether λ falls or rises at the look just had.
void SingularWatch::follow(Loop& loop, double now) {
  if (loop.measure > rounding && loop.slope < 0) {
    loop.approaches = true;
    loop.measure_before = loop.least = loop.measure;
    loop.opening_of_least = loop.opening;
    loop.time_before = loop.time_of_least = now;
    loop.balance_before = energy_.balance();
    loop.rates_before = loop.rates;
    loop.speed_before = loop.speed;
  } else if (loop.measure < loop.least) {
    loop.least = loop.measure;
    loop.opening_of_least = loop.opening;
    loop.time_of_least = now;
  }
  loop.passes = loop.approaches && loop.measure > rounding && loop.slope > 0;
  if (loop.passes) loop.approaches = false;
}

/// The least λ within the last step, by golden sections.
void SingularWatch::find_least(Integration& integrator, Loop& loop) {
  constexpr double golden = 0.6180339887498949;
  double from = integrator.previous_time(), to = integrator.time();
  double low = to - golden * (to - from), high = from + golden * (to - from);
  const auto at_time = [&](double t) { return place(integrator, t) ? measure(loop) : never_again; };
  double at_low = at_time(low), at_high = at_time(high);
  for (int i = 0; i < narrowings && to - from > least_stretch * std::abs(to); ++i) {
    if (at_low < at_high) {
      to = std::exchange(high, low);
      at_high = std::exchange(at_low, at_time(low = to - golden * (to - from)));
    } else {
      from = std::exchange(low, high);
      at_low = std::exchange(at_high, at_time(high = from + golden * (to - from)));
    }
  }
  if (!(std::min(at_low, at_high) < loop.least)) return;
  loop.time_of_least = 0.5 * (from + to);
  loop.least = std::min({at_low, at_high, at_time(loop.time_of_least)});
  loop.opening_of_least = loop.opening;
}

/// At the first look beyond.
void SingularWatch::pass(Loop& loop, double now, double step) {
  // λ grows with the square of the angle, which the joints' rates tell.
  const double t = loop.time_of_least, least = loop.least;
  const bool earlier = t - loop.time_before > now - t;
  const double grown = (earlier ? loop.measure_before : loop.measure) - least;
  const double way = loop.speed * (earlier ? t - loop.time_before : now - t);
  if (!(grown > 0) || !(way > shortest_way)) return;
  const double angle = std::sqrt(least / grown) * way;
  const double way_of_step = controls_errors_ ? 0 : step * std::max(loop.speed, loop.speed_before);
  if (!(angle < std::max(near_by, way_of_step))) return;
  energy_.pass(loop.balance_before);
  if (passages_++ == 0) {
    first_passage_ = t;
    first_cut_ = loop.cut;
  }
  double product = 0, one = 0, other = 0;
  for (std::size_t k = 0; k < loop.rates.size(); ++k) {
    product += loop.rates[k] * loop.rates_before[k];
    one += loop.rates[k] * loop.rates[k];
    other += loop.rates_before[k] * loop.rates_before[k];
  }
  // A motion that turns back keeps its line.
  const double cosine = one > 0 && other > 0 ? std::abs(product) / std::sqrt(one * other) : 1;
  const double turned = std::acos(std::min(1.0, cosine));
  if (turned > sharp_turn) {
    if (loop.turnings++ == 0) loop.turning = {t, angle, turned};
  } else if (const double missed = std::sqrt(loop.opening_of_least); missed > exact) {
    if (loop.misses++ == 0) loop.miss = {t, missed, turned};
  }
}

bool SingularWatch::tells_energy(double moved) const {
  return passages_ > 0 && energy_.lost(moved) > much_energy * moved;
}

std::vector<std::string> SingularWatch::warnings(double moved) const {
  std::vector<std::string> all;
  if (tells_energy(moved))
    all.push_back(fmt::format(
        "the energy changes by {:.1e} of what moves where the run passes singular positions nearby, {} (first the loop "
        "of joint `{}` at t = {:.6g} s). Likely causes: next to a singular position rounding of positions is blown up "
        "in velocities and accelerations, and lengths that miss it by little make the motion turn there in a shorter "
        "time than a step. Compare with a smaller --max-step and with other solvers, or give lengths that make the "
        "position truly singular or avoid it",
        moved > 0 ? energy_.lost(moved) / moved : 1, passages_ == 1 ? "once" : fmt::format("{} times", passages_),
        view_.joints[first_cut_].name, first_passage_));
  for (const Loop& loop : loops_) {
    const std::string_view cut = view_.joints[loop.cut].name;
    std::vector<std::string_view> joints;
    for (const std::size_t j : loop.path) joints.push_back(view_.joints[j].name);
    const auto more = [](std::size_t n) {
      return n < 2 ? std::string() : n == 2 ? " and once more" : fmt::format(" and {} more times", n - 1);
    };
    if (loop.turnings > 0)
      all.push_back(fmt::format(
          "at t = {:.6g} s{} the loop of joint `{}` passes a singular position ({:.1e} rad from it) and leaves it on "
          "another branch than the one it came on: the rates of the joints {} turn by {:.0f} degrees within a step. "
          "If its lengths miss the position by that much, the motion does turn there, in a shorter time than a step: "
          "a smaller --max-step shows how. If they meet it, rounding has chosen between the branches: compare with "
          "other solvers and tolerances",
          loop.turning.time, more(loop.turnings), cut, loop.turning.angle, fmt::join(joints, ", "),
          loop.turning.turned * 180 / std::numbers::pi));
    if (loop.misses > 0)
      all.push_back(fmt::format(
          "at t = {:.6g} s{} the loop of joint `{}` passes {:.1e} rad beside a singular position and goes straight on, "
          "on the branch it came on. If its lengths miss the position by that much, it would turn onto the other "
          "branch there, in a shorter time than a step; if they meet it, the miss is one of the integration. A smaller "
          "--max-step tells which, and lengths that make the position truly singular",
          loop.miss.time, more(loop.misses), cut, loop.miss.angle));
  }
  return all;
}

}  // namespace polyform::host::inline watches
