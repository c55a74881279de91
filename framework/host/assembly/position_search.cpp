#include "framework/host/assembly/position_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "framework/host/assembly/keeping.hpp"
#include "framework/host/assembly/rate_equations.hpp"
#include "framework/host/assembly/row_factors.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::host::inline assembly {
namespace {

/// The largest residual in the end, relative to what a turn by 1 rad does.
constexpr double closed = 1e-10;
/// A careful step is at most this long, and shorter than the one before by this factor; others may lead elsewhere.
constexpr double longest_careful = 0.5, contraction = 0.6;
/// No joint moves further in one bold step, rad or its like.
constexpr double longest_bold = 0.7;
/// A careful step shorter than this is rounding and need not contract.
constexpr double least_step = 1e-7;
constexpr int most_halvings = 6;
/// Newton's method at one place gives up early, for there is a bolder pace, or a shorter part of the way, to try.
constexpr ClosingSteps::Limits limits{100, 8, 0.9};
/// Open by less than this, the rows are met to the last digit.
constexpr double nothing_open = 1e-16;
/// Below this residual a step that does not shrink it is rounding, and is not shortened.
constexpr double beside_rounding = 1e-8;
/// The shortest part of the way from the drawing, and the most Newton steps on it.
constexpr double shortest_part = 1.0 / 1024;
constexpr std::size_t most_rounds = 600;
/// How often a position between two sides is left, and by how much more each time, rad or its like.
constexpr int most_sides = 4;
constexpr double to_the_side = 0.2;
/// A row counts as dependent when its independent part is below so many times the residual, within these bounds.
constexpr double most_caution = 10, most_independent = 0.03;

}  // namespace

PositionSearch::PositionSearch(const SystemView& view, const Vec3& origin, double t, const std::vector<double>& given_q,
                               const std::vector<double>& given_eta, const StateView& state)
    : view_(view),
      given_q_(given_q),
      given_eta_(given_eta),
      state_(state),
      time_(t),
      drawn_(here()),
      jacobian_(view, ConstraintJacobian::Of::positions, {}, origin),
      metric_(view),
      kept_joint_(view.joints.size()) {
  if (!good()) return;
  std::ranges::fill(state_.v, 0.0);
  std::ranges::fill(state_.etadot, 0.0);
  target_ = drawn_.q;
  evaluate(1);
  for (std::size_t r = 0; r < residual_.size(); ++r)
    drawn_residual_.push_back(jacobian_.rows()[r].of_element ? residual_[r] : 0);
}

void PositionSearch::go_to(const Place& place) {
  std::ranges::copy(place.q, state_.q.begin());
  std::ranges::copy(place.eta, state_.eta.begin());
}

/// Starts from the given values of all joints if these nearly close the loops, otherwise from the drawn position; and
/// where no way leads from there, from the given values with bold steps.
bool PositionSearch::reach(const std::vector<std::size_t>& kept) {
  modes_kept_ = std::ranges::find(kept, Keeping::modes) != kept.end();
  std::ranges::fill(kept_joint_, false);
  for (const std::size_t one : kept)
    if (one != Keeping::modes) kept_joint_[one] = true;
  target_ = given_q_;
  const Place given{given_q_, given_eta_};
  rounds_ = 0;
  between_sides_.reset();
  for (const Pace pace : {Pace::careful, Pace::bold}) {
    go_to(given);
    if (close(1, pace)) return true;
    if (pace == Pace::careful && follow()) return true;
  }
  return leave_to_a_side();
}

/// Moves all that may move aside and closes the rows from there. Several times if it must, further each time: next to
/// such a position rows still seem to depend on others.
bool PositionSearch::leave_to_a_side() {
  const Place between = here();
  evaluate(1);
  const Open stalled = open_;
  for (int side = 1; side <= most_sides; ++side) {
    // Between two sides a column may be in no row although it is in one beside: first all move, then those that matter.
    kept_.assign(jacobian_.columns(), false);
    for (const bool all : {true, false}) {
      go_to(between);
      step_aside(to_the_side * side);
      evaluate(1);
      if (all) find_kept();
    }
    if (close(1, Pace::bold)) {
      between_sides_ = stalled;
      return true;
    }
  }
  go_to(between);
  open_ = stalled;
  return false;
}

/// Moves what is not kept by amounts without a pattern, up to this one of an amount like 1 rad.
void PositionSearch::step_aside(double most) {
  constexpr double golden = 0.6180339887498949;  // its multiples fill the unit interval evenly
  step_.assign(kept_.size(), 0.0);
  for (std::size_t c = 0; c < kept_.size(); ++c) {
    const double multiple = golden * static_cast<double>(c + 1);
    if (!kept_[c]) step_[c] = most * unit_[c] * (2 * (multiple - std::floor(multiple)) - 1);
  }
  move(1);
}

/// Moves the given values from the drawn to the wanted ones. share: of that way.
bool PositionSearch::follow() {
  double share = 0, earlier_share = 0, part = 0.5;
  Place last = drawn_, earlier = drawn_;
  while (part >= shortest_part && rounds_ < most_rounds) {
    const double next = std::min(1.0, share + part);
    place(next, share, last, earlier, earlier_share);
    if (!close(next, Pace::careful)) {
      part *= 0.25;
      continue;
    }
    if (next == 1) return true;
    earlier = std::exchange(last, here());
    earlier_share = std::exchange(share, next);
    part *= 2;
  }
  return false;
}

/// Sets given values at their share of the way, and extrapolates the others from the last part of the way.
void PositionSearch::place(double share, double before, const Place& last, const Place& earlier, double earlier_share) {
  const double more = before > earlier_share ? (share - before) / (before - earlier_share) : 0;
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const std::size_t first = joint.q_offset, end = first + joint.nq;
    // A quaternion and its negative are one orientation.
    double same = 0;
    for (std::size_t k = first; k < end; ++k) same += drawn_.q[k] * given_q_[k];
    const bool ball = joint.primitives.size() == 1 && joint.primitives[0].kind == Primitive::Kind::ball;
    const double sign = ball && same < 0 ? -1 : 1;
    for (std::size_t k = first; k < end; ++k) {
      if (keeps(j))
        state_.q[k] = target_[k] = share == 1 ? given_q_[k] : (1 - share) * drawn_.q[k] + share * sign * given_q_[k];
      else
        state_.q[k] = last.q[k] + more * (last.q[k] - earlier.q[k]);
    }
    if (keeps(j) && share == 1) continue;
    joint_normalize(joint, state_.q.data() + first);
    if (keeps(j)) std::copy_n(state_.q.data() + first, joint.nq, target_.data() + first);
  }
  for (std::size_t k = 0; k < view_.modes; ++k)
    state_.eta[k] = modes_kept_ ? share * given_eta_[k] : last.eta[k] + (share - before) * given_eta_[k];
}

/// Newton's method at a share of the way; the residuals of elements and modules are reduced by the same share.
bool PositionSearch::close(double share, Pace pace) {
  double open = evaluate(share), last_size = 0;
  double caution = most_caution;
  bool first = true;
  ClosingSteps steps(open, limits);
  for (; steps.go_on(); steps.made(open), first = false) {
    if (open_.relative <= nothing_open) return true;
    const double before = open;
    if (!find_step(caution)) return false;
    ++rounds_;
    const double size = step_size();
    if (!std::isfinite(size)) return false;
    if (pace == Pace::careful && size > least_step && size > (first ? longest_careful : contraction * last_size) &&
        open_.relative > closed)
      return false;
    last_size = size;
    const Place start = here();
    double fraction = std::min(1.0, longest_bold / std::max(size, std::numeric_limits<double>::min()));
    for (int halving = 0; halving < most_halvings; ++halving, fraction *= 0.5) {
      go_to(start);
      move(fraction);
      open = evaluate(share);
      if (open < before || before < beside_rounding) break;
    }
    if (open_.relative <= closed && !(open < 0.25 * before)) {  // rounding
      if (open > before) go_to(start);
      evaluate(share);
      return open_.relative <= closed;
    }
    if (open > 0.5 * before) caution *= 0.1;  // rows that were left out may be the ones that stay open
  }
  return open_.relative <= closed;
}

/// Evaluates the rows and their residual: the root of the sum of squares, in sizes of a turn by 1 rad.
double PositionSearch::evaluate(double share) {
  jacobian_.evaluate(time_, state_);
  const std::size_t own = jacobian_.rows().size();
  for (std::size_t j = view_.bodies.size(); j < view_.joints.size(); ++j)
    if (keeps(j))
      jacobian_.add_coordinates(j, std::span(target_).subspan(view_.joints[j].q_offset, view_.joints[j].nq));
  find_units();
  double far = 0;
  for (const BodyMotion& body : jacobian_.tree().bodies())
    far = std::max({far, std::abs(body.p.x), std::abs(body.p.y), std::abs(body.p.z)});
  residual_.clear();
  open_ = {};
  double sum = 0;
  for (std::size_t r = 0; r < jacobian_.rows().size(); ++r) {
    const ConstraintJacobian::Row& row = jacobian_.rows()[r];
    residual_.push_back(row.residual);
    if (r < own && r < drawn_residual_.size()) residual_[r] -= (1 - share) * drawn_residual_[r];
    const double size = std::abs(residual_[r]),
                 relative = std::max(0.0, size - position_rounding_part * far) / scale_[r];
    sum += relative * relative;
    if (relative > open_.relative || !std::isfinite(relative)) open_ = {row.name, row.kind, size, relative};
  }
  return std::sqrt(sum);
}

/// Amounts of the columns that turn bodies by about 1 rad, or shift them by as much as that would; sizes of the rows.
void PositionSearch::find_units() {
  const TreeKinematics& tree = jacobian_.tree();
  unit_.assign(jacobian_.columns(), 1.0);
  const auto amount = [](const Spatial& h, double length) {
    const double most = std::max(norm(h.angular), norm(h.linear) / length);
    return most > 0 ? 1 / most : 1;
  };
  for (std::size_t j = 0; j < view_.bodies.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const double arms = norm(joint.p_base) + norm(joint.p_moving);
    const double length = arms > 0 && !is_ground(joint.base) ? arms : metric_.length();
    for (std::size_t k = 0; k < joint.nv; ++k) unit_[joint.v_offset + k] = amount(tree.joints()[j].H[k], length);
  }
  for (std::size_t c = view_.nv_tree; c < view_.nv_tree + view_.modes; ++c) unit_[c] = jacobian_.unit(c);
  scale_.assign(jacobian_.rows().size(), 0.0);
  for (const ConstraintJacobian::Entry& e : jacobian_.entries())
    scale_[e.row] = std::max(scale_[e.row], e.reach * unit_[e.column]);
  for (std::size_t r = 0; r < scale_.size(); ++r) {  // rows that nothing moves
    if (scale_[r] > 0) continue;
    for (const auto& [frame, wrench] : jacobian_.rows()[r].wrenches)
      scale_[r] = std::max(scale_[r], norm(wrench.linear) * metric_.length());
    if (scale_[r] == 0) scale_[r] = 1;
  }
}

/// Columns that must not move: those of kept joints and modes, and those that are in no row.
void PositionSearch::find_kept() {
  kept_.assign(jacobian_.columns(), true);
  for (const ConstraintJacobian::Entry& e : jacobian_.entries()) kept_[e.column] = false;
  for (std::size_t j = 0; j < view_.bodies.size(); ++j)
    if (keeps(j))
      std::fill_n(kept_.begin() + static_cast<std::ptrdiff_t>(view_.joints[j].v_offset), view_.joints[j].nv, true);
  if (modes_kept_) std::fill(kept_.begin() + static_cast<std::ptrdiff_t>(view_.nv_tree), kept_.end(), true);
}

/// The nearest step that closes the rows which count as independent here. In a mechanism that moves only because of its
/// proportions, rows depend on each other where it is closed; elsewhere they are independent by a part of the size of
/// the residual.
bool PositionSearch::find_step(double caution) {
  find_kept();
  const RowScales scales(jacobian_, jacobian_.columns());
  RowFactors factors(jacobian_, scales, kept_);
  factors.factorize(std::clamp(caution * open_.relative, rounding_of_rows, most_independent));
  if (factors.rank() == 0) return false;
  std::vector<double> left(residual_.size()), change(jacobian_.columns());
  for (std::size_t r = 0; r < left.size(); ++r) left[r] = -residual_[r];
  metric_.evaluate(jacobian_.tree().frames(), {state_.eta.begin(), state_.eta.end()});
  const RateEquations equations(view_, jacobian_, metric_, kept_, factors.independent());
  step_.assign(jacobian_.columns(), 0.0);
  if (equations.solve(left, {}, change)) step_ = change;
  // The least change of coordinates closes what rounding in the metric leaves, or all where the equations are singular.
  for (const ConstraintJacobian::Entry& e : jacobian_.entries()) left[e.row] -= e.value * step_[e.column];
  factors.least_change(left, change);
  for (std::size_t c = 0; c < step_.size(); ++c) step_[c] += change[c];
  return true;
}

std::vector<char> PositionSearch::settled() {
  evaluate(1);
  find_kept();
  const RowScales scales(jacobian_, jacobian_.columns());
  RowFactors factors(jacobian_, scales, kept_);
  factors.factorize(least_independent);
  return factors.settled();
}

double PositionSearch::step_size() const {
  double most = 0;
  for (std::size_t c = 0; c < step_.size(); ++c) most = std::max(most, std::abs(step_[c]) / unit_[c]);
  return std::isfinite(std::accumulate(step_.begin(), step_.end(), 0.0)) ? most
                                                                         : std::numeric_limits<double>::infinity();
}

void PositionSearch::move(double fraction) {
  for (std::size_t j = 0; j < view_.bodies.size(); ++j) {
    const JointData& joint = view_.joints[j];
    if (keeps(j)) continue;
    double d[6]{}, rates[most_joint_positions]{};
    bool moves = false;
    for (std::size_t k = 0; k < joint.nv; ++k) {
      d[k] = fraction * step_[joint.v_offset + k];
      moves = moves || d[k] != 0;
    }
    if (!moves) continue;
    double* q = state_.q.data() + joint.q_offset;
    joint_position_step(joint, q, d, rates);
    for (std::size_t k = 0; k < joint.nq; ++k) q[k] += rates[k];
    joint_normalize(joint, q);
  }
  for (std::size_t k = 0; k < view_.modes; ++k) state_.eta[k] += fraction * step_[view_.nv_tree + k];
}

}  // namespace polyform::host::assembly
