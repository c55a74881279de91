#include "polyform/solvers/loop_columns.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/solvers/singular_inertia.hpp"

namespace polyform {

LoopColumns::LoopColumns(const LoopLayout& layout, FlexibleLinks& flexible, MultiplierMatrix& matrix,
                         const PostponedHinges& postponed)
    : layout_(layout),
      flexible_(flexible),
      matrix_(matrix),
      postponed_(postponed),
      columns_(layout.sizes().columns),
      through_(layout.sizes().widest),
      gains_(layout.sizes().gains),
      modal_(layout.sizes().modal),
      modal_terms_(layout.sizes().modal) {}

namespace {

/// Whether the outboard body of a tree joint by itself has inertia against every motion of the joint, in every state:
/// mass against slides, and inertia about the one axis of turning. A mass that lies off the only axis of a joint has
/// such inertia, too, because its distance stays.
bool moves_own_inertia(const JointData& joint, const BodyData& body) {
  if (!is_singular(body)) return true;
  if (joint.kernel != nullptr) return false;
  std::size_t turns = 0;
  for (const Primitive& p : joint.primitives) {
    if (!(body.mass > 0) || p.kind == Primitive::Kind::ball || (p.kind == Primitive::Kind::rotation && ++turns > 1))
      return false;
    if (p.kind != Primitive::Kind::rotation) continue;
    const Vec3 axis = joint.reversed ? p.axis : transpose_times(joint.R_drawn, p.axis);
    const Vec3 arm = body.center_of_mass - (joint.reversed ? joint.p_base : joint.p_moving);
    const Vec3 across = joint.primitives.size() == 1 ? cross(axis, arm) : Vec3{};
    const Sym3& J = body.inertia;
    const double terms = J.xx + J.yy + J.zz + body.mass * dot(arm, arm);
    if (!(dot(axis, J * axis) + body.mass * dot(across, across) > least_determinant * terms)) return false;
  }
  return true;
}

}  // namespace

void LoopColumns::hold_ground_rows(const SystemView& view) {
  // A body whose joint moves it against ground is the root of those that it carries. Parents stand before their
  // children.
  std::vector<std::size_t> root(view.bodies.size());
  std::vector<double> mass(view.bodies.size());
  std::vector<bool> needs(view.bodies.size());
  for (std::size_t b = 0; b < view.bodies.size(); ++b) {
    const BodyIndex inboard = view.joints[b].inboard();
    root[b] = is_ground(inboard) ? b : root[at(inboard)];
    mass[root[b]] += view.bodies[b].mass;
    // A flexible body has the inertia of its own mass in addition to that of its hub.
    if (flexible_.element_of(b) == FlexibleLinks::none && !moves_own_inertia(view.joints[b], view.bodies[b]))
      needs[root[b]] = true;
  }
  for (std::size_t i = 0; i < layout_.count(); ++i) {
    const LoopLayout::End* only = nullptr;
    std::size_t ends = 0;
    bool against_ground = layout_.is_absolute(i);
    for (const LoopLayout::End& end : layout_.ends(i)) {
      if (is_ground(end.frame)) {
        against_ground = true;
        continue;
      }
      only = &end;
      ++ends;
    }
    // If variables of a module take part in a row, E · z_b + g is not zero.
    if (ends != 1 || !against_ground || layout_.has_variables(i)) continue;
    if (flexible_.attachment_of(only->frame) != FlexibleLinks::none) continue;
    const std::size_t body = at(LoopLayout::body_of(view, only->frame));
    if (needs[root[body]] && mass[root[body]] > 0) held_.push_back({body, i, only->passage, mass[root[body]]});
  }
  std::ranges::stable_sort(held_, {}, &Held::body);
}

void LoopColumns::hold(std::size_t body, const DependentRows& rows, Transfer<double>& s) const noexcept {
  const double length = postponed_.length();
  auto next = std::ranges::lower_bound(held_, body, {}, &Held::body);
  for (; next != held_.end() && next->body == body; ++next) {
    const Held& held = *next;
    const LoopLayout::Passage& start = layout_.passage(held.passage);
    for (std::size_t r = 0; r < start.rows; ++r) {
      if (rows.left_out(held.loop) >> r & 1u) continue;
      const Spatial& E = columns_[start.first + r].E;
      const double angular = size(E.angular) / length, linear = size(E.linear);
      const double size_of_row = angular * angular + linear * linear;
      if (!(size_of_row > 0)) continue;
      const double factor = held.mass / size_of_row;
      add_stiffness(s, E, factor);
      s.e += (factor * matrix_.right(held.loop)[r]) * E;
    }
  }
}

void LoopColumns::clear(const Vec3& ground) noexcept {
  ground_ = ground;
  matrix_.clear();
  std::fill(columns_.begin(), columns_.end(), LoopColumn{});
  std::fill(modal_.begin(), modal_.end(), 0.0);
  std::fill(modal_terms_.begin(), modal_terms_.end(), 0.0);
}

/// E is the negative of a frame's share of a row: in z_a + T λ = S z_b + e, T λ stands on the side of z_a.
void LoopColumns::start_column(std::size_t loop, std::size_t row, const LoopLayout::End& end,
                               const FrameRows::Share& share, double size_of_system,
                               std::span<const Vec3> to_P) noexcept {
  if (is_ground(end.frame)) return;
  const Vec3 &moment = share.row.angular, &force = share.row.linear;
  if (const std::size_t a = flexible_.attachment_of(end.frame); a != FlexibleLinks::none) {
    LoopColumn at_frame;
    at_frame.reach = share.angular;
    // If M and the node coincide, their places still have rounding errors.
    at_frame.add({-moment, -force}, at_frame.reach + size_of_system * share.linear, share.linear);
    to_flexible(layout_.passage(end.passage), row, a, at_frame);
    matrix_.right(loop)[row] += dot(force, ground_);
    return;
  }
  const Vec3& arm = to_P[at(end.frame)];
  LoopColumn& column = columns_[layout_.passage(end.passage).first + row];
  const double reach = share.angular + size(arm) * share.linear;
  column.add({cross(arm, force) - moment, -force}, reach, share.linear);
  column.reach += reach;
  matrix_.right(loop)[row] += dot(force, ground_);
}

void LoopColumns::start_cut(std::size_t i, const ClosingConstraints& constraints, std::span<const BodyMotion> frames,
                            std::span<const Vec3> to_P) noexcept {
  const JointConstraint& c = constraints.joint(i);
  const JointData& cut = constraints.cut(i);
  const BodyMotion &base = motion_of(cut.base_frame, frames), &moving = motion_of(cut.moving_frame, frames);
  const Vec3 M = moving.p + moving.R * cut.p_moving;
  const double base_lever = size(M - base.p), moving_lever = size(M - moving.p);
  const auto share = [](const Spatial& row, double lever) -> FrameRows::Share {
    const double force = size(row.linear);
    return {row, size(row.angular) + lever * force, force};
  };
  for (std::size_t r = 0; r < c.rows; ++r) {
    const ConstraintRow row = constraint_row(cut, base, moving, c.T[r]);
    start_column(i, r, layout_.ends(i)[0], share(row.base, base_lever), constraints.errors().size(), to_P);
    start_column(i, r, layout_.ends(i)[1], share(row.moving, moving_lever), constraints.errors().size(), to_P);
  }
}

void LoopColumns::start_element(std::size_t i, const ClosingConstraints& constraints,
                                std::span<const Vec3> to_P) noexcept {
  const std::span<const LoopLayout::End> ends = layout_.ends(i);
  const FrameRows& solved = constraints.elements().solved();
  for (std::size_t r = 0; r < constraints.rows(i); ++r)
    for (std::size_t e = 0; e < ends.size(); ++e)
      start_column(i, r, ends[e], solved.share(constraints.element(i), r, e), constraints.errors().size(), to_P);
}

/// Carries a column from a frame of a flexible body to the body's hinge point and its modes.
void LoopColumns::to_flexible(const LoopLayout::Passage& passage, std::size_t row, std::size_t attachment,
                              const LoopColumn& at_frame) noexcept {
  const FlexibleLinks::Attachment& t = flexible_.attachment(attachment);
  const Spatial& E = at_frame.E;
  const double reach = size(t.r);
  LoopColumn& column = columns_[passage.first + row];
  column.add({add_cross(E.angular, t.r, E.linear), E.linear}, at_frame.angular + reach * at_frame.linear,
             at_frame.linear);
  column.reach += size(E.angular) + reach * size(E.linear);
  matrix_.right(passage.loop)[row] += dot(E, t.beta);
  std::size_t place = passage.modal + row;
  for (const Spatial& B : flexible_.columns(attachment)) {
    modal_[place] += dot(E, B);
    modal_terms_[place] += at_frame.angular * size(B.angular) + at_frame.linear * size(B.linear);
    place += passage.rows;
  }
}

void LoopColumns::condense(const LoopLayout::Passage& closing, std::size_t body, Transfer<double>& s) noexcept {
  const std::size_t n = closing.rows;
  const double* L = matrix_.lower(closing.loop);
  const double* inverse = matrix_.inverse(closing.loop);
  const double* c = matrix_.right(closing.loop);
  const std::size_t* row_at = matrix_.rows_of(closing.loop);
  LoopColumn* E = columns_.data() + closing.first;
  Spatial Y[MultiplierMatrix::most_rows];
  for (std::size_t r = 0; r < n; ++r) {
    Y[r] = E[row_at[r]].E;
    for (std::size_t k = 0; k < r; ++k) Y[r] -= L[r * n + k] * Y[k];
    add_stiffness(s, Y[r], inverse[r]);
    s.e += (inverse[r] * c[r]) * Y[r];
  }
  for (std::size_t r = 0; r < n; ++r) E[r].E = Y[r];
  const LoopLayout::Passage* shared = layout_.all_in(body).data();
  for (const MultiplierMatrix::Neighbour& near : matrix_.neighbours(closing.loop)) {
    while (shared->loop != near.block) ++shared;  // both in the order of elimination
    LoopColumn* column = columns_.data() + shared->first;
    const double* X = matrix_.values() + near.place;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t m = 0; m < near.size; ++m) {
        const double x = X[r * near.size + m] * inverse[r];
        column[m].add(-x * Y[r], std::abs(x) * size(Y[r].angular), std::abs(x) * size(Y[r].linear));
      }
  }
}

void LoopColumns::pass(std::size_t body, std::span<const Column<double>> hinge, const Spatial& beta,
                       bool evenly) noexcept {
  const auto passages = layout_.passing(body);
  if (passages.empty()) return;
  LoopColumn* column = through_.data();
  for (const LoopLayout::Passage& p : passages) {
    double* right = matrix_.right(p.loop);
    for (std::size_t r = 0; r < p.rows; ++r) {
      *column = columns_[p.first + r];
      right[r] += dot(column++->E, beta);
    }
  }
  for (std::size_t k = hinge.size(); k-- > 0;) {
    const Column<double>& h = hinge[k];
    const double H_angular = size(h.H.angular), H_linear = size(h.H.linear);
    const double U_angular = size(h.U.angular), U_linear = size(h.U.linear);
    column = through_.data();
    for (const LoopLayout::Passage& p : passages) {
      double* right = matrix_.right(p.loop);
      double* gain = gains_.data() + p.gain + k * p.rows;
      const std::size_t own = p.own && !evenly ? k : LoopLayout::none;
      for (std::size_t r = 0; r < p.rows; ++r, ++column) {
        double u = dot(h.H, column->E);
        if (r == own) u += 1;
        const double terms = H_angular * column->angular + H_linear * column->linear;
        gain[r] = h.inverse * u;
        right[r] += gain[r] * h.free;
        const double most = H_angular * column->reach + H_linear * size(column->E.linear);
        matrix_.weigh(p.loop, r, gain[r] * u, h.inverse * terms * terms, h.inverse * most * most);
        column->add(-gain[r] * h.U, std::abs(gain[r]) * U_angular, std::abs(gain[r]) * U_linear);
      }
    }
    add_compliance(passages, layout_.pairs(body), k, 1 / h.inverse, false);
    if (layout_.postpones() && !evenly) take_back(body, passages, layout_.pairs(body), k);
  }
}

void LoopColumns::pass_evenly(std::size_t body, std::span<const Column<double>> hinge, const Vec3& r) noexcept {
  Column<double> even[6];
  const double length = postponed_.length();
  for (std::size_t k = 0; k < hinge.size(); ++k) {
    const Spatial& H = hinge[k].H;
    const double stiffness = dot(H.angular, H.angular) + dot(H.linear, H.linear) / (length * length);
    even[k] = {H, {}, stiffness > 0 ? 1 / stiffness : 0, 0};
  }
  pass(body, std::span(even, hinge.size()), {}, true);
  step(body, r, {}, FlexibleLinks::none);
}

/// The compliance of the row of direction k of a postponed hinge, which begins there.
void LoopColumns::take_back(std::size_t body, std::span<const LoopLayout::Passage> passages, const std::size_t* pair,
                            std::size_t k) noexcept {
  for (std::size_t a = 0; a < passages.size(); pair += passages.size() - a, ++a) {
    const LoopLayout::Passage& p = passages[a];
    if (!p.own) continue;
    const PostponedHinges::Kept& kept = postponed_.kept(body, k);
    matrix_.values()[*pair + k * p.rows + k] = kept.compliance();
    matrix_.weigh(p.loop, k, kept.size(), -kept.compliance(), 0);
  }
}

/// Adds u D⁻¹ uᵀ of direction k of a hinge, or of the modes of a body, to G for every pair of loops that pass it.
void LoopColumns::add_compliance(std::span<const LoopLayout::Passage> passages, const std::size_t* pair, std::size_t k,
                                 double D, bool modal) noexcept {
  const auto gain_of = [&](const LoopLayout::Passage& p) {
    return (modal ? modal_.data() + p.modal : gains_.data() + p.gain) + k * p.rows;
  };
  for (std::size_t a = 0; a < passages.size(); ++a) {
    const double* gain = gain_of(passages[a]);
    for (std::size_t b = a; b < passages.size(); ++b) {
      double* G = matrix_.values() + *pair++;
      const double* of_b = gain_of(passages[b]);
      const std::size_t columns = passages[b].rows;
      for (std::size_t r = 0; r < passages[a].rows; ++r) {
        const double u = gain[r] * D;
        const std::size_t most = a == b ? r + 1 : columns;  // for a diagonal block the lower triangle
        for (std::size_t m = 0; m < most; ++m) G[r * columns + m] += u * of_b[m];
      }
    }
  }
}

void LoopColumns::pass_modes(std::size_t body, std::size_t element) noexcept {
  const auto passages = layout_.all_in(body);
  const std::span<const Column<double>> directions = flexible_.directions(element);
  for (const LoopLayout::Passage& p : passages)
    for (std::size_t r = 0; r < p.rows; ++r) {
      flexible_.decouple(element, modal_.data() + p.modal + r, p.rows);
      flexible_.decouple_sizes(element, modal_terms_.data() + p.modal + r, p.rows);
    }
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const Column<double>& d = directions[k];
    const double U_angular = size(d.U.angular), U_linear = size(d.U.linear);
    for (const LoopLayout::Passage& p : passages) {
      double* right = matrix_.right(p.loop);
      double* gain = modal_.data() + p.modal + k * p.rows;
      for (std::size_t r = 0; r < p.rows; ++r) {
        const double u = gain[r], terms = modal_terms_[p.modal + k * p.rows + r];
        gain[r] *= d.inverse;
        right[r] += gain[r] * d.free;
        matrix_.weigh(p.loop, r, gain[r] * u, d.inverse * terms * terms, gain[r] * u);
        columns_[p.first + r].add(-gain[r] * d.U, std::abs(gain[r]) * U_angular, std::abs(gain[r]) * U_linear);
      }
    }
    add_compliance(passages, layout_.modal_pairs(body), k, 1 / d.inverse, true);
  }
}

void LoopColumns::step(std::size_t body, const Vec3& r, const Vec3& gamma, std::size_t attachment) noexcept {
  const LoopColumn* column = through_.data();
  const double reach = size(r);
  for (const LoopLayout::Passage& p : layout_.passing(body)) {
    double* right = matrix_.right(p.loop);
    for (std::size_t k = 0; k < p.rows; ++k, ++column) {
      const Spatial& E = column->E;
      if (p.next == LoopLayout::none) {
        right[k] += dot(E.linear, ground_);
        continue;
      }
      right[k] += dot(E.linear, gamma);
      LoopColumn at_parent;
      at_parent.add({E.angular + cross(r, E.linear), E.linear}, column->angular + reach * column->linear,
                    column->linear);
      at_parent.reach = size(E.angular) + reach * size(E.linear);
      if (attachment != FlexibleLinks::none) {
        to_flexible(layout_.passage(p.next), k, attachment, at_parent);
        continue;
      }
      LoopColumn& next = columns_[layout_.passage(p.next).first + k];
      next.add(at_parent.E, at_parent.angular, at_parent.linear);
      next.reach += at_parent.reach;
    }
  }
}

double LoopColumns::rate(std::size_t body, std::size_t k, std::span<const double> lambda) const noexcept {
  double sum = 0;
  for (const LoopLayout::Passage& p : layout_.passing(body)) {
    const double* gain = gains_.data() + p.gain + k * p.rows;
    for (std::size_t r = 0; r < p.rows; ++r) sum += gain[r] * lambda[p.first_row + r];
  }
  return sum;
}

double LoopColumns::mode_rate(std::size_t body, std::size_t k, std::span<const double> lambda) const noexcept {
  double sum = 0;
  for (const LoopLayout::Passage& p : layout_.all_in(body))
    for (std::size_t r = 0; r < p.rows; ++r) sum += modal_[p.modal + k * p.rows + r] * lambda[p.first_row + r];
  return sum;
}

void LoopColumns::meet(const LoopLayout::Passage& closing, const Spatial& z, double* y) const noexcept {
  for (std::size_t r = 0; r < closing.rows; ++r) y[r] = dot(columns_[closing.first + r].E, z);
}

Spatial LoopColumns::wrench(std::size_t body, std::span<const double> lambda) const noexcept {
  Spatial sum;
  for (const LoopLayout::Passage& p : layout_.passing(body))
    for (std::size_t r = 0; r < p.rows; ++r) sum += lambda[p.first_row + r] * columns_[p.first + r].E;
  return sum;
}

}  // namespace polyform
