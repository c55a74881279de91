// Impacts: velocities that jump where a gap closes.
#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/unilateral/unilateral_motion.hpp"

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

// Bounces that are lower than this share of the widest gap are not followed any more: of a ball that loses a fifth of
// its speed that is the sixtieth or so, and what is left of all others lasts a millionth of the first.
constexpr double least_bounce = 1e-12;
// Impacts that pass on through a row of bodies: each pair of a row of hundreds is passed some times.
constexpr int most_passes = 2000;
// What closes so much slower than the fastest is at rest but for errors of the motion: the impact comes to it
// afterwards. Together with the fastest it would move as if it were joined.
constexpr double slower = 1e-6;
// Energy that an impact may gain by rounding, of what it moves.
constexpr double rounding_of_energy = 1e-9;
// A corner takes off where it is held and lands where its gap is below zero by its rounding: so a block that rocks from
// edge to edge gains that height in each flight. Heights that shrink by q from one flight to the next stay near
// q/(1 − q) times it; flights that are lower than so many times that are driven by rounding.
constexpr double times_driven = 4;
// One rounding of a gap may be so many times another. What overlaps by more, of the length of
// contact_sizes.hpp, is no rounding.
constexpr double times_overlap = 4, most_overlap = 1e-8;

}  // namespace

bool UnilateralMotion::allow_overlaps() {
  bool any = false;
  for (std::size_t k = 0; k < now_.modes.size(); ++k) {
    const bool is_open = !is_closed(k) && set_.point(k).has_normal && set_.point(k).has_gap && set_.has_place(k);
    const double overlap = is_open ? -set_.open_gap(k) : 0;
    if (!(overlap > gap_rounding_of(k)) || overlap > most_overlap * units_[k].length) continue;
    memory_[k].overlap = times_overlap * overlap;
    any = true;
  }
  return any;
}

/// What overlaps and is neither held nor stopped comes near slower than what rests, or passes by: its overlap is
/// rounding of its places too, or the same event would come again while no time passes.
void UnilateralMotion::widen_overlap(std::size_t k) {
  if (is_closed(k) || !set_.point(k).has_gap || gap_rounding_of(k) > most_overlap * units_[k].length) return;
  memory_[k].overlap = times_overlap * gap_rounding_of(k);
}

bool UnilateralMotion::opens(std::size_t function) const {
  const std::size_t k = function / functions_per_point;
  return function % functions_per_point == closing && set_.point(k).has_gap &&
         set_.rate(three * k) > least_speed(three * k);
}

/// Of a row that parts in an impact, with the forces of all that rests beside it: in free fall the rows of a stack have
/// none. What slides on after the impact rubs: friction may be all that brings a row back.
double UnilateralMotion::acceleration_after(std::size_t place, const Eigen::VectorXd& u) const {
  std::vector<std::size_t> resting_places;
  for (std::size_t p = 0; p < touching_.size(); ++p)
    if (p != place && std::abs(u[static_cast<Index>(three * p)]) <= least_speed(three * touching_[p]))
      resting_places.push_back(p);
  const Index row = static_cast<Index>(three * place);
  double acceleration = free_[row];
  if (resting_places.empty()) return acceleration;
  ConeProblem problem = problem_of(resting_places, free_);
  for (std::size_t p = 0; p < resting_places.size(); ++p) {
    const std::size_t k = touching_[resting_places[p]];
    const auto first = static_cast<Index>(three * resting_places[p]) + 1;
    const double speed = std::hypot(u[first], u[first + 1]);
    if (!has_tangent(k, 0) || !(speed > least_speed(three * k + 1) + least_speed(three * k + 2))) continue;
    problem.points[p].slides = true;
    problem.points[p].friction = set_.sliding(k);
    for (Index i = 0; i < 2; ++i) problem.points[p].direction[i] = u[first + i] / speed;
  }
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(problem.b.size());
  problem.solve(forces);
  for (std::size_t p = 0; p < resting_places.size(); ++p)
    for (Index i = 0; i < 3; ++i)
      acceleration +=
          W_(row, static_cast<Index>(three * resting_places[p]) + i) * forces[static_cast<Index>(three * p) + i];
  return std::isfinite(acceleration) ? acceleration : free_[row];
}

/// Whether a touching point that parts with a speed comes back from a height that is not followed. driven: up to so
/// many times the rounding of a gap drives flights on and on.
bool UnilateralMotion::stays_low(std::size_t place, double speed, const Eigen::VectorXd& u, double driven) const {
  const std::size_t k = touching_[place];
  const double back = -acceleration_after(place, u), rounding = gap_rounding_of(k);
  const double least = std::max(
      {least_bounce * memory_[k].span, rounding, std::min(driven * rounding, most_overlap * units_[k].length)});
  return back > 0 && speed * speed <= 2 * back * least;
}

/// Whether a touching point that approaches with a speed bounces high enough to be followed.
bool UnilateralMotion::bounces(std::size_t place, double speed, const Eigen::VectorXd& u) const {
  const UnilateralPoint& point = set_.point(touching_[place]);
  return point.has_gap && point.restitution > 0 && !stays_low(place, point.restitution * speed, u);
}

/// How many times the rounding of a gap flights are driven by it that begin in an impact: by how much lower they are
/// than those before, as corners part and come together about the same edges.
double UnilateralMotion::driven_flights(const Impact& impact) const {
  double before = 0, after = 0;
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const UnilateralPoint& point = set_.point(touching_[p]);
    const auto row = static_cast<Index>(three * p);
    if (!point.has_gap || !point.has_normal) continue;
    before = std::max(before, -speeds_[row] / units_[touching_[p]].speed);
    after = std::max(after, impact.u[row] / units_[touching_[p]].speed);
  }
  const double lower = after * after, fall = before * before;
  return lower < fall ? times_driven * lower / (fall - lower) : 1;
}

/// Where a corner lands without bouncing, others may part. Their flights that are too low to follow end in the
/// impact: each would end where the gap is below zero by its rounding, which gives the speed for the next one, and
/// corners would land in turn without end. All that stays low is brought to rest together, which takes energy as it is
/// the nearest such motion in the metric of the inertia. What friction holds in the impact it holds here too: else a
/// block would slide off with what it rocked by, and friction would tip it anew.
void UnilateralMotion::end_low_flights(Impact& impact) {
  Eigen::VectorXd &u = impact.u, &impulses = impact.impulses;
  std::vector<Index> rows;
  std::vector<std::size_t> parting;
  const double driven = driven_flights(impact);
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    const auto row = static_cast<Index>(three * p);
    const bool rests = std::abs(u[row]) <= least_speed(three * k);
    if (!set_.point(k).has_gap || !set_.point(k).has_normal) continue;
    if (!rests && !(u[row] > 0 && stays_low(p, u[row], u, driven))) continue;
    rows.push_back(row);
    if (!rests) parting.push_back(p);
    for (Index i = 1; i <= static_cast<Index>(set_.point(k).tangents); ++i)
      if (rests && std::abs(u[row + i]) <= least_speed(three * k + static_cast<std::size_t>(i)))
        rows.push_back(row + i);
  }
  if (parting.empty()) return;
  const Eigen::MatrixXd W = W_(rows, rows);
  Eigen::VectorXd speeds(W.rows());
  for (Index i = 0; i < speeds.size(); ++i) speeds[i] = u[rows[static_cast<std::size_t>(i)]];
  const Eigen::VectorXd before = u, impulse = W.completeOrthogonalDecomposition().solve(-speeds);
  if (!impulse.allFinite()) return;
  for (Index i = 0; i < impulse.size(); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    impulses[row] += impulse[i];
    u += W_.col(row) * impulse[i];
  }
  for (Index i = 0; i < impulse.size(); ++i) {
    const Index row = rows[static_cast<std::size_t>(i)];
    impact.lost[static_cast<std::size_t>(row) / three] -= 0.5 * impulse[i] * (before[row] + u[row]);
  }
  for (const std::size_t p : parting) {
    impact.ends[p] = 1;
    memory_[touching_[p]].span = 0;
  }
}

/// Whether nothing bounces in an impact: neither the points that close nor others at the speed of the fastest of them.
bool UnilateralMotion::comes_to_rest(const std::vector<std::size_t>& closing_places,
                                     const std::vector<double>& restitution, const Eigen::VectorXd& u) const {
  double fastest = 0;
  for (const std::size_t p : closing_places) {
    if (restitution[p] > 0) return false;
    fastest = std::max(fastest, -u[static_cast<Index>(three * p)]);
  }
  for (std::size_t p = 0; p < touching_.size(); ++p)
    if (std::ranges::find(closing_places, p) == closing_places.end() && bounces(p, fastest, u)) return false;
  return true;
}

/// All gaps that close at once, each group of bodies that move each other for itself: how one comes to rest does not
/// depend on what another one touches. Whether there were any.
bool UnilateralMotion::collide(double t, std::span<double> y, std::optional<std::size_t> fired) {
  set_.evaluate(t, y);
  find_touching(t, fired);
  drop_passing(t, y);
  bool any = false;
  for (std::vector<std::size_t>& group : response_.islands().groups_of(touching_)) {
    const bool closes = std::ranges::any_of(group, [&](std::size_t k) {
      return set_.point(k).has_normal && set_.rate(three * k) < -least_speed(three * k);
    });
    if (!closes) continue;
    any = true;
    touching_ = std::move(group);
    collide_together(t, y);
    set_.evaluate(t, y);
  }
  return any;
}

/// The impact of one group, with Newton's or Poisson's restitution. What the gaps that close set in motion may close
/// others, which follow: impacts pass on through a row of bodies one after the other, as through stiff ones. Where
/// nothing bounces, all that touches takes part at once: else the corners of what lands flat would hand the impact on
/// to each other without end.
void UnilateralMotion::collide_together(double t, std::span<double> y) {
  respond(t, y);
  refuse_driven(t);
  Impact impact = begin_impact();
  const Eigen::VectorXd& u = impact.u;
  std::vector<double> restitution(touching_.size());
  for (std::size_t p = 0; p < touching_.size(); ++p) restitution[p] = set_.point(touching_[p]).restitution;
  for (int pass = 0;; ++pass) {
    std::vector<std::size_t> closing_places;
    const auto closing_speed = [&](std::size_t p) {
      const std::size_t k = touching_[p];
      const double speed = -u[static_cast<Index>(three * p)];
      return set_.point(k).has_normal && speed > least_speed(three * k) ? speed : 0.0;
    };
    double fastest = 0;
    for (std::size_t p = 0; p < touching_.size(); ++p)
      fastest = std::max(fastest, closing_speed(p) / units_[touching_[p]].speed);
    for (std::size_t p = 0; p < touching_.size(); ++p) {
      const std::size_t k = touching_[p];
      const double speed = closing_speed(p);
      if (!(speed > slower * fastest * units_[k].speed)) continue;
      closing_places.push_back(p);
      restitution[p] = bounces(p, speed, u) ? set_.point(k).restitution : 0;
      if (!set_.point(k).has_gap || restitution[p] == set_.point(k).restitution) continue;
      impact.ends[p] = 1;
      memory_[k].span = 0;
    }
    if (closing_places.empty()) break;
    if (pass == most_passes) tally_.pass_on(touching_[closing_places.front()], t);
    const bool rests = comes_to_rest(closing_places, restitution, u);
    if (pass == most_passes || rests) {
      closing_places.clear();
      for (std::size_t p = 0; p < touching_.size(); ++p)
        if (set_.point(touching_[p]).has_normal) closing_places.push_back(p);
      std::ranges::fill(restitution, 0.0);
    }
    impact_of(closing_places, restitution, impact, t);
    if (rests) end_low_flights(impact);
    if (pass >= most_passes) break;
  }
  apply(impact, t, y);
  tally_impact(impact, t);
}

/// Whether an impact has acted at a touching point: its impulses alone would give the point a speed that is no
/// rounding. What rests beside an impact that does not reach it has impulses of rounding.
bool UnilateralMotion::takes_part(const Impact& impact, std::size_t place) const {
  for (std::size_t i = 0; i < three; ++i) {
    const auto row = static_cast<Index>(three * place + i);
    if (W_(row, row) * std::abs(impact.impulses[row]) > least_speed(three * touching_[place] + i)) return true;
  }
  return false;
}

/// One impact for each point, however often it was passed on.
void UnilateralMotion::tally_impact(const Impact& impact, double t) {
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    if (takes_part(impact, p)) tally_.impact(touching_[p], t, impact.lost[p]);
    if (impact.ends[p] != 0) tally_.close(touching_[p], t);
  }
}

void UnilateralMotion::impact_of(const std::vector<std::size_t>& points, const std::vector<double>& restitution,
                                 Impact& impact, double t) {
  Eigen::VectorXd &u = impact.u, &all = impact.impulses;
  const auto n = static_cast<Index>(three * points.size());
  Eigen::VectorXd impulse = Eigen::VectorXd::Zero(n);
  ConeProblem problem = problem_of(points, u);
  for (std::size_t p = 0; p < points.size(); ++p) problem.points[p].friction = set_.sliding(touching_[points[p]]);
  // Newton's law: the rate after is at least −e times that before.
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Index row = static_cast<Index>(three * p);
    if (!set_.point(touching_[points[p]]).poisson && problem.b[row] < 0) problem.b[row] *= 1 + restitution[points[p]];
  }
  bool solved = problem.solve(impulse);
  // Poisson's law: the expansion gives back a part of the impulse of the compression.
  bool expands = false;
  for (std::size_t p = 0; p < points.size(); ++p) {
    const bool gives = set_.point(touching_[points[p]]).poisson && restitution[points[p]] > 0;
    problem.points[p].least = gives ? restitution[points[p]] * impulse[static_cast<Index>(three * p)] : 0;
    expands = expands || problem.points[p].least > 0;
  }
  if (expands) {
    problem.b += problem.W * impulse;
    Eigen::VectorXd more = Eigen::VectorXd::Zero(n);
    for (std::size_t p = 0; p < points.size(); ++p) more[static_cast<Index>(three * p)] = problem.points[p].least;
    solved = problem.solve(more) && solved;
    impulse += more;
  }
  if (!solved && !impulse.allFinite())
    throw Failure(Exit::simulation_failed,
                  fmt::format("the impulses of an impact at {} cannot be found at t = {:.9g} s",
                              set_.name_of(touching_[points.front()]), t),
                  "Use less friction, or a compliant law there.");
  Eigen::VectorXd before = u;
  for (std::size_t p = 0; p < points.size(); ++p)
    for (Index i = 0; i < 3; ++i) {
      const double part = impulse[static_cast<Index>(three * p) + i];
      const Index row = static_cast<Index>(three * points[p]) + i;
      all[row] += part;
      u += part * W_.col(row);
    }
  double gained = 0, moved = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    double work = 0;
    for (Index i = 0; i < 3; ++i) {
      const Index row = static_cast<Index>(three * points[p]) + i;
      const double part = impulse[static_cast<Index>(three * p) + i];
      work += part * 0.5 * (before[row] + u[row]);
      moved += std::abs(part) * (std::abs(before[row]) + std::abs(u[row]));
    }
    gained += work;
    impact.lost[points[p]] -= work;
  }
  if (gained > rounding_of_energy * moved) tally_.gain(touching_[points.front()], t, gained);
}

/// Adds impulses to y, and the energy that they take, which is work in addition to that of the forces.
void UnilateralMotion::apply(const Impact& impact, double t, std::span<double> y) {
  const Eigen::VectorXd &impulse = impact.impulses, &before = speeds_, &after = impact.u;
  const std::size_t states = solver_.state_size();
  std::size_t c = 0;
  double work = 0;
  std::vector<double> shares;
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    for (std::size_t i = 0; i < three; ++i) {
      const std::size_t k = touching_[p], row = three * k + i;
      if (i == 0 ? !set_.point(k).has_normal : !has_tangent(k, i - 1)) continue;
      const auto local = static_cast<Index>(three * p + i);
      const double probed = response_.rate(c++, row) / W_(local, local);  // the probe of the column
      shares.push_back(W_(local, local) != 0 ? impulse[local] / probed : 0);
      const double own = impulse[local] * 0.5 * (before[local] + after[local]);
      // The power of a force along a row is force times its rate before, and the power of prescribed motions is added.
      if (y.size() > states) work += own - impulse[local] * before[local];
    }
  }
  if (y.size() > states) {
    double change = 0;
    if (!response_.find_integrals(t, y, shares, {&change, 1})) fail_at(t);
    work += change;
  }
  for (c = 0; c < shares.size(); ++c) response_.jump(c, shares[c], y);
  for (std::size_t p = 0; p < touching_.size(); ++p)
    if (takes_part(impact, p)) set_.pass_impact(touching_[p], impact.lost[p], y);
  if (y.size() > states) y[states] += work;
}

/// If sliding friction leaves accelerations without a solution, an impulse of it ends the sliding while no time passes.
/// Returns whether there is such an impulse.
bool UnilateralMotion::jam(double t, std::span<double> y) {
  bool any = false;
  Impact impact = begin_impact();
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const std::size_t k = touching_[p];
    if (!slides_[p] || !set_.point(k).has_normal) continue;
    const auto rows = static_cast<Index>(1 + set_.point(k).tangents), first = static_cast<Index>(three * p);
    const Eigen::VectorXd impulse =
        W_.block(first, first, rows, rows).completeOrthogonalDecomposition().solve(-impact.u.segment(first, rows));
    const bool pushes = impulse[0] > 0 && impulse.tail(rows - 1).norm() <= set_.sliding(k) * impulse[0];
    if (!impulse.allFinite() || !pushes) continue;
    impact.impulses.segment(first, rows) += impulse;
    impact.u += W_.middleCols(first, rows) * impulse;
    tally_.jam(k, t);
    any = true;
  }
  for (std::size_t p = 0; p < touching_.size(); ++p) {
    const auto first = static_cast<Index>(three * p);
    impact.lost[p] =
        -0.5 *
        impact.impulses.segment(first, three).dot(speeds_.segment(first, three) + impact.u.segment(first, three));
  }
  if (any) apply(impact, t, y);
  return any;
}

}  // namespace polyform::host::inline unilateral
