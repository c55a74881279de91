#include "polyform/solvers/loop_closure.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "polyform/solvers/contradiction.hpp"

namespace polyform {
namespace {

/// The largest term of rows that tie only variables of a module to each other, so that no body determines their size.
double terms_of_variables(const ElementRows& elements, const ElementRows::Group& group) {
  if (group.module == ElementRows::none || group.frame_count > 0) return 0;
  const ModuleRows& rows = elements.rows_of(group.module);
  const double* A = rows.module().A.data() + group.first * rows.variables();
  double largest = 0;
  for (std::size_t r = 0; r < group.rows; ++r)
    for (const double rate : rows.rates()) largest = std::max(largest, std::abs(*A++ * rate));
  return largest;
}

}  // namespace

LoopClosure::LoopClosure(const SystemView& view, FlexibleLinks& flexible, const Vec3& origin,
                         std::span<const std::size_t> postponed)
    : view_(view),
      flexible_(flexible),
      system_scales_(view),
      elements_(view, origin),
      layout_(view, flexible, elements_, postponed, matrix_),
      constraints_(view, layout_, elements_),
      right_sides_(layout_.sizes().rows),
      rows_(view, layout_, flexible),
      postponed_(view, layout_, system_scales_.largest_reach()),
      columns_(layout_, flexible, matrix_, postponed_),
      multipliers_(layout_.sizes().rows) {}

void LoopClosure::hold_ground_rows() { columns_.hold_ground_rows(view_, system_scales_.largest_reach()); }

void LoopClosure::begin_judging(Level level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P) noexcept {
  columns_.clear({});
  if (level != elements_.level()) elements_.prepare(level);
  rows_.begin_judging(level != Level::acceleration && constraints_.shows_dependence());
  pass_over(level);
  for (std::size_t i = 0; i < layout_.count(); ++i) columns_.start(i, constraints_, frames, to_P);
  if (elements_.has_modules()) add_modules(true);
}

/// Passes over rows that the present solution does not need.
void LoopClosure::pass_over(Level level) noexcept {
  for (std::size_t i = constraints_.cuts(); i < layout_.count(); ++i)
    rows_.pass_over(i, (level == Level::position ? constraints_.nonholonomic(i) : 0) |
                           elements_.given_up(constraints_.element(i)));
}

/// Adds the compliance of modules. evenly: as if every variable had the same compliance.
void LoopClosure::add_modules(bool evenly) noexcept {
  for (std::size_t i = constraints_.cuts(); i < layout_.count(); ++i) {
    const ElementRows::Group& a = elements_.group(constraints_.element(i));
    if (a.module == ElementRows::none) continue;
    const ModuleRows& rows = elements_.rows_of(a.module);
    const auto compliance = [&](std::size_t r, std::size_t s) {
      return evenly ? std::inner_product(rows.A(r).begin(), rows.A(r).end(), rows.A(s).begin(), 0.0)
                    : rows.compliance(r, s);
    };
    for (std::size_t r = 0; r < a.rows; ++r) {
      const double own = compliance(a.first + r, a.first + r);
      const double terms = evenly ? own : rows.compliance_terms(a.first + r);
      matrix_.weigh(i, r, own, terms, terms);
    }
    for (std::size_t j = constraints_.cuts(); j < layout_.count(); ++j) {
      const ElementRows::Group& b = elements_.group(constraints_.element(j));
      if (b.module != a.module || matrix_.position(j) < matrix_.position(i)) continue;
      double* G = matrix_.values() + matrix_.place(i, j);
      for (std::size_t r = 0; r < a.rows; ++r)
        for (std::size_t s = 0; s < (i == j ? r + 1 : b.rows); ++s)
          G[r * b.rows + s] += compliance(a.first + r, b.first + s);
    }
  }
}

/// Passes a hinge as if it gave way by 1 rad, or by the size of the bodies, for a unit load.
void LoopClosure::pass_evenly(std::size_t body, std::span<const Column<double>> hinge, const Vec3& r) noexcept {
  Column<double> even[6];
  const double length = system_scales_.largest_reach();
  for (std::size_t k = 0; k < hinge.size(); ++k) {
    const Spatial& H = hinge[k].H;
    const double stiffness = dot(H.angular, H.angular) + dot(H.linear, H.linear) / (length * length);
    even[k] = {H, {}, stiffness > 0 ? 1 / stiffness : 0, 0};
  }
  columns_.pass(body, std::span(even, hinge.size()), {}, true);
  columns_.step(body, r, {}, FlexibleLinks::none);
}

void LoopClosure::begin_columns(Level level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P,
                                const Vec3& ground) noexcept {
  columns_.clear(ground);
  without_inertia_ = LoopLayout::none;
  level_ = level;
  if (level != Level::rest && level != elements_.level()) elements_.prepare(level);
  if ((level == Level::position || level == Level::velocity) && constraints_.shows_dependence()) rows_.forget();
  pass_over(level);
  for (std::size_t i = 0; i < layout_.count(); ++i) {
    if (constraints_.is_cut(i))
      begin_cut(i, level, frames, to_P);
    else
      begin_element(i, level, frames, to_P);
    columns_.start(i, constraints_, frames, to_P);
  }
  if (elements_.has_modules()) add_modules(false);
}

/// Sets the right-hand sides of a cut joint.
void LoopClosure::begin_cut(std::size_t i, Level level, std::span<const BodyMotion> frames,
                            std::span<const Vec3> to_P) noexcept {
  const JointData& cut = constraints_.cut(i);
  const BodyMotion& base = motion_of(cut.base_frame, frames);
  const BodyMotion& moving = motion_of(cut.moving_frame, frames);
  const JointConstraint& c = constraints_.joint(i);
  double* right = matrix_.right(i);
  Spatial bias;
  if (level == Level::acceleration) {
    // The acceleration of the frame origin if P and the body have none; the columns of a flexible body add its share.
    const auto of_origin = [&](FrameIndex f, const BodyMotion& m) -> Spatial {
      if (is_ground(f) || flexible_.attachment_of(f) != FlexibleLinks::none) return {};
      return {{}, -cross(m.V.angular, cross(m.V.angular, to_P[at(f)]))};
    };
    bias = c.motion.bias - relative_acceleration(cut, base, of_origin(cut.base_frame, base), moving,
                                                 of_origin(cut.moving_frame, moving));
  }
  for (std::size_t r = 0; r < c.rows; ++r)
    right[r] = right_sides_.find(level, c.residual[r], dot(c.T[r], c.relative.twist), dot(c.T[r], bias),
                                 layout_.loop(i).first_row + r);
}

/// Sets those of the rows of an element.
void LoopClosure::begin_element(std::size_t i, Level level, std::span<const BodyMotion> frames,
                                std::span<const Vec3> to_P) noexcept {
  const std::size_t g = constraints_.element(i);
  const std::span<const FrameIndex> tied = elements_.frames(g);
  double* right = matrix_.right(i);
  for (std::size_t r = 0; r < elements_.group(g).rows; ++r) {
    double asked = elements_.acceleration(g, r);
    for (std::size_t f = 0; f < tied.size(); ++f) {
      if (flexible_.attachment_of(tied[f]) != FlexibleLinks::none) continue;
      const Vec3& omega = frames[at(tied[f])].V.angular;
      asked += dot(elements_.share(g, r, f).row.linear, cross(omega, cross(omega, to_P[at(tied[f])])));
    }
    if (const std::size_t m = elements_.group(g).module; m != ElementRows::none)
      asked -= elements_.rows_of(m).own(elements_.group(g).first + r);
    right[r] = right_sides_.find(level, elements_.residual(g, r), elements_.rate(g, r), asked,
                                 layout_.loop(i).first_row + r);
  }
}

void LoopClosure::gather(std::size_t body, Transfer<double>& s) noexcept {
  if (columns_.holds_ground_rows()) columns_.hold(body, rows_, s);
  for (const LoopLayout::Passage& closing : layout_.closing(body)) {
    eliminate(closing.loop);
    columns_.condense(closing, body, s);
  }
}

/// A hinge that only rows of velocities give inertia (the shaft of a motor with a rotor, a wheel that rolls) has none
/// in a step of positions, and no position row asks it to move: the inertia that it was lent decides that it stays.
void LoopClosure::eliminate(std::size_t i) noexcept {
  if (i < layout_.count())
    rows_.eliminate(i, matrix_);
  else if (!matrix_.eliminate_negative(i) && level_ != Level::position)
    without_inertia_ = layout_.postponed(i);
}

void LoopClosure::close_in_ground(std::span<const std::size_t> loops) noexcept {
  for (const std::size_t i : loops) eliminate(i);
  for (std::size_t k = loops.size(); k-- > 0;) matrix_.solve(loops[k], nullptr, multipliers_.data());
}

void LoopClosure::close(std::size_t body, const Spatial& z) noexcept {
  const std::span<const LoopLayout::Passage> closing = layout_.closing(body);
  for (std::size_t k = closing.size(); k-- > 0;) {
    double y[MultiplierMatrix::most_rows];
    columns_.meet(closing[k], z, y);
    matrix_.solve(closing[k].loop, y, multipliers_.data());
  }
}

Spatial LoopClosure::reaction(std::size_t i, const BodyMotion& base) const noexcept {
  const JointConstraint& c = constraints_.joint(i);
  const std::span<const double> lambda = multipliers_.all().subspan(layout_.loop(i).first_row);
  Spatial wrench;
  for (std::size_t r = 0; r < c.rows; ++r) wrench += lambda[r] * c.T[r];
  return reaction_in_ground(base, wrench);
}

/// The accelerations of a body that stands still or turns evenly are rounding errors, of those that the multipliers
/// undo and of those that the bearings could ask for. So all bodies have one scale, which includes both.
double LoopClosure::largest_acceleration(std::span<const BodyMotion> frames,
                                         std::span<const Spatial> accelerations) const noexcept {
  double largest = least_acceleration;
  for (std::size_t b = 0; b < view_.bodies.size(); ++b) {
    if (!layout_.carries(b)) continue;
    const Vec3& omega = frames[b].V.angular;
    largest = std::max({largest, system_scales_.of_body(b, frames[b]).acceleration, dot(omega, omega)});
    for (std::size_t k = 0; k < view_.joints[b].nv && !layout_.passing(b).empty(); ++k)
      largest = std::max(largest, std::abs(rate(b, k)));
  }
  for (const FrameIndex f : layout_.tied_frames())
    largest = std::max({largest, size(accelerations[at(f)].angular), size(accelerations[at(f)].linear)});
  for (std::size_t i = 0; i < constraints_.cuts(); ++i) {
    const Spatial& bias = constraints_.joint(i).motion.bias;
    largest = std::max({largest, size(bias.angular), size(bias.linear)});
  }
  for (std::size_t g = 0; g < elements_.groups(); ++g)
    for (std::size_t r = 0; r < elements_.group(g).rows; ++r)
      largest = std::max(largest, std::abs(elements_.acceleration(g, r)));
  return largest;
}

LoopClosure::Contradiction LoopClosure::joint_accelerations(std::span<const BodyMotion> frames,
                                                            std::span<const Spatial> accelerations,
                                                            std::span<double> vdot) noexcept {
  Contradiction worst{0, constraints_.worst()};
  if (empty()) return worst;
  const double largest = largest_acceleration(frames, accelerations);
  for (std::size_t i = 0; i < layout_.count(); ++i) {
    const bool is_cut = constraints_.is_cut(i);
    const double missed = is_cut ? missed_by_cut(i, frames, accelerations, vdot)
                                 : elements_.missed_by(constraints_.element(i), accelerations);
    if (!(missed > 0)) continue;
    const double own = is_cut ? 0 : terms_of_variables(elements_, elements_.group(constraints_.element(i)));
    if (const double part = missed / std::max(largest, own); part > worst.part) worst = {part, i};
  }
  return worst;
}

/// Also sets the accelerations of the cut joint.
double LoopClosure::missed_by_cut(std::size_t i, std::span<const BodyMotion> frames,
                                  std::span<const Spatial> accelerations, std::span<double> vdot) const noexcept {
  const auto of = [&](FrameIndex f) { return is_ground(f) ? Spatial{} : accelerations[at(f)]; };
  const JointData& cut = constraints_.cut(i);
  const JointConstraint& c = constraints_.joint(i);
  const Spatial A = relative_acceleration(cut, motion_of(cut.base_frame, frames), of(cut.base_frame),
                                          motion_of(cut.moving_frame, frames), of(cut.moving_frame));
  const Spatial free = A - c.motion.bias;
  solve_least_squares(c.motion.H, cut.nv, free, vdot.data() + cut.v_offset);
  double missed = 0;
  for (std::size_t r = 0; r < c.rows; ++r) missed = std::max(missed, std::abs(dot(c.T[r], free)));
  return missed;
}

}  // namespace polyform
