#include "polyform/solvers/loop_closure.hpp"

#include <algorithm>
#include <numeric>

#include "polyform/mechanics/scale.hpp"

namespace polyform {
namespace {

/// Adds the compliance of modules to the matrix. evenly: as if every variable had the same compliance.
void add_modules(const ClosingConstraints& constraints, MultiplierMatrix& matrix, bool evenly) noexcept {
  for (std::size_t i = constraints.cuts(); i < constraints.groups(); ++i) {
    const ElementRows::Group& a = constraints.element(i);
    if (a.module == ElementRows::none) continue;
    const ModuleRows& rows = constraints.elements().variables().of(a.module);
    const auto compliance = [&](std::size_t r, std::size_t s) {
      return evenly ? std::inner_product(rows.A(r).begin(), rows.A(r).end(), rows.A(s).begin(), 0.0)
                    : rows.compliance(r, s);
    };
    for (std::size_t r = 0; r < a.rows; ++r) {
      const double own = compliance(a.first + r, a.first + r);
      const double terms = evenly ? own : rows.compliance_terms(a.first + r);
      matrix.weigh(i, r, own, terms, terms);
    }
    for (std::size_t j = constraints.cuts(); j < constraints.groups(); ++j) {
      const ElementRows::Group& b = constraints.element(j);
      if (b.module != a.module || matrix.position(j) < matrix.position(i)) continue;
      double* G = matrix.values() + matrix.place(i, j);
      for (std::size_t r = 0; r < a.rows; ++r)
        for (std::size_t s = 0; s < (i == j ? r + 1 : b.rows); ++s)
          G[r * b.rows + s] += compliance(a.first + r, b.first + s);
    }
  }
}

}  // namespace

LoopClosure::LoopClosure(const SystemView& view, FlexibleLinks& flexible, const Vec3& origin,
                         std::span<const std::size_t> postponed)
    : view_(view),
      flexible_(flexible),
      constraints_(view, flexible, origin, postponed, matrix_),
      right_sides_(layout().sizes().rows),
      rows_(view, layout(), flexible),
      postponed_(view, layout(), SystemScales(view).largest_reach()),
      columns_(layout(), flexible, matrix_, postponed_),
      multipliers_(layout().sizes().rows) {}

void LoopClosure::begin_judging(Level level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P) noexcept {
  columns_.clear({});
  ElementRows& elements = constraints_.elements();
  if (level != elements.variables().level()) elements.prepare(level);
  rows_.begin_judging(level != Level::acceleration && constraints_.errors().shows_dependence());
  pass_over(level);
  for (std::size_t i = 0; i < layout().count(); ++i) columns_.start(i, constraints_, frames, to_P);
  if (elements.has_modules()) add_modules(constraints_, matrix_, true);
}

/// Passes over rows that the present solution does not need.
void LoopClosure::pass_over(Level level) noexcept {
  for (std::size_t i = constraints_.cuts(); i < layout().count(); ++i)
    rows_.pass_over(i, (level == Level::position ? constraints_.nonholonomic(i) : 0) |
                           constraints_.elements().variables().given_up(constraints_.element(i)));
}

void LoopClosure::begin_columns(Level level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P,
                                const Vec3& ground) noexcept {
  columns_.clear(ground);
  postponed_.begin();
  level_ = level;
  ElementRows& elements = constraints_.elements();
  if (level != Level::rest && level != elements.variables().level()) elements.prepare(level);
  if ((level == Level::position || level == Level::velocity) && constraints_.errors().shows_dependence())
    rows_.forget();
  pass_over(level);
  for (std::size_t i = 0; i < layout().count(); ++i) {
    right_sides_.set(level, i, constraints_, flexible_, frames, to_P, matrix_.right(i));
    columns_.start(i, constraints_, frames, to_P);
  }
  if (elements.has_modules()) add_modules(constraints_, matrix_, false);
}

void LoopClosure::gather(std::size_t body, Transfer<double>& s) noexcept {
  if (columns_.holds_ground_rows()) columns_.hold(body, rows_, s);
  for (const LoopLayout::Passage& closing : layout().closing(body)) {
    eliminate(closing.loop);
    columns_.condense(closing, body, s);
  }
}

/// A hinge that only rows of velocities give inertia (the shaft of a motor with a rotor, a wheel that rolls) has none
/// in a step of positions, and no position row asks it to move: the inertia that it was lent decides that it stays.
void LoopClosure::eliminate(std::size_t i) noexcept {
  if (i < layout().count())
    rows_.eliminate(i, matrix_);
  else if (!matrix_.eliminate_negative(i) && level_ != Level::position)
    postponed_.find_without_inertia(layout().postponed(i));
}

void LoopClosure::close_ground() noexcept {
  const std::span<const std::size_t> loops = layout().in_ground();
  for (const std::size_t i : loops) eliminate(i);
  for (std::size_t k = loops.size(); k-- > 0;) matrix_.solve(loops[k], nullptr, multipliers_.data());
}

void LoopClosure::close(std::size_t body, const Spatial& z) noexcept {
  const std::span<const LoopLayout::Passage> closing = layout().closing(body);
  for (std::size_t k = closing.size(); k-- > 0;) {
    double y[MultiplierMatrix::most_rows];
    columns_.meet(closing[k], z, y);
    matrix_.solve(closing[k].loop, y, multipliers_.data());
  }
}

Spatial LoopClosure::reaction(std::size_t i, const BodyMotion& base) const noexcept {
  const JointConstraint& c = constraints_.joint(i);
  const std::span<const double> lambda = multipliers_.all().subspan(layout().loop(i).first_row);
  Spatial wrench;
  for (std::size_t r = 0; r < c.rows; ++r) wrench += lambda[r] * c.T[r];
  return reaction_in_ground(base, wrench);
}

}  // namespace polyform
