#include "polyform/solvers/loop_closure.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {

void LoopClosure::evaluate(std::span<const BodyMotion> frames, std::span<double> q, std::span<double> v) noexcept {
  position_violation_ = velocity_violation_ = 0;
  size_ = speed_ = 1;
  for (const FrameIndex f : tied_) {
    const BodyMotion& m = frames[at(f)];
    size_ = std::max(size_, norm(m.p));
    speed_ = std::max({speed_, norm(m.V.linear), norm(m.V.angular)});
  }
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    JointConstraint& c = constraints_[i];
    joint_constraint(cut, motion_of(cut.base_frame, frames), motion_of(cut.moving_frame, frames), q.data() + cut.q_offset,
                     v.data() + cut.v_offset, c);
    // Where H loses rank there are more rows than the joint has room for: the first ones do.
    c.rows = std::min(c.rows, loops_[i].rows);
    for (std::size_t r = 0; r < c.rows; ++r) {
      velocity_violation_ = std::max(velocity_violation_, std::abs(dot(c.T[r], c.relative.twist)));
      if (std::abs(c.residual[r]) <= position_violation_) continue;  // what is no number counts as the worst
      position_violation_ = std::abs(c.residual[r]);
      worst_ = view_.bodies.size() + i;
    }
  }
}

/// lever: size of the arm from the frame origin to M.
/// A frame's share of a row is −E: the wrench of a unit multiplier stands on the other side of z_a + T λ = S z_b + e.
void LoopClosure::start_column(std::size_t loop, std::size_t row, std::size_t passage, FrameIndex frame,
                               const Spatial& about_origin, double lever, std::span<const Vec3> to_P) noexcept {
  if (is_ground(frame)) return;
  const Vec3 &moment = about_origin.angular, &force = about_origin.linear;
  if (const std::size_t a = flexible_.attachment_of(frame); a != FlexibleLinks::none) {
    Column6 at_frame;
    at_frame.reach = size(moment) + lever * size(force);
    // Where M and the node coincide, there is the rounding of their places.
    at_frame.add({-moment, -force}, at_frame.reach + size_ * size(force), size(force));
    to_flexible(passages_[passage], row, a, at_frame);
    matrix_.right(loop)[row] += dot(force, ground_);
    return;
  }
  const Vec3& arm = to_P[at(frame)];
  Column6& column = columns_[passages_[passage].first + row];
  const double reach = size(moment) + (lever + size(arm)) * size(force);
  column.add({cross(arm, force) - moment, -force}, reach, size(force));
  column.reach += reach;
  matrix_.right(loop)[row] += dot(force, ground_);
}

/// The columns of all rows of a loop, at both of its ends.
void LoopClosure::start_columns(std::size_t i, std::span<const BodyMotion> frames, std::span<const Vec3> to_P) noexcept {
  const JointData& cut = view_.cut_joints()[i];
  const BodyMotion& base = motion_of(cut.base_frame, frames);
  const BodyMotion& moving = motion_of(cut.moving_frame, frames);
  const Vec3 M = moving.p + moving.R * cut.p_moving;
  const double base_lever = size(M - base.p), moving_lever = size(M - moving.p);
  for (std::size_t r = 0; r < constraints_[i].rows; ++r) {
    const ConstraintRow row = constraint_row(cut, base, moving, constraints_[i].T[r]);
    start_column(i, r, loops_[i].base, cut.base_frame, row.base, base_lever, to_P);
    start_column(i, r, loops_[i].moving, cut.moving_frame, row.moving, moving_lever, to_P);
  }
}

void LoopClosure::clear() noexcept {
  matrix_.clear();
  std::fill(columns_.begin(), columns_.end(), Column6{});
}

/// A column at a frame of a flexible body, on to the body's hinge point and its modes.
void LoopClosure::to_flexible(const Passage& passage, std::size_t row, std::size_t attachment,
                              const Column6& at_frame) noexcept {
  const FlexibleLinks::Attachment& t = flexible_.attachment(attachment);
  const Spatial& E = at_frame.E;
  const double reach = size(t.r);
  Column6& column = columns_[passage.first + row];
  column.add({add_cross(E.angular, t.r, E.linear), E.linear}, at_frame.angular + reach * at_frame.linear, at_frame.linear);
  column.reach += size(E.angular) + reach * size(E.linear);
  matrix_.right(passage.loop)[row] += dot(E, t.beta);
  std::size_t place = passage.modal + row;
  for (const Spatial& B : flexible_.columns(attachment)) {
    modal_[place] += dot(E, B);
    modal_terms_[place] += at_frame.angular * size(B.angular) + at_frame.linear * size(B.linear);
    place += passage.rows;
  }
}

void LoopClosure::begin(Level level, std::span<const BodyMotion> frames, std::span<const Vec3> to_P,
                        const Vec3& ground) noexcept {
  ground_ = ground;
  clear();
  std::fill(modal_.begin(), modal_.end(), 0.0);
  std::fill(modal_terms_.begin(), modal_terms_.end(), 0.0);
  if ((level == Level::position || level == Level::velocity) && shows_dependence())
    std::fill(left_out_.begin(), left_out_.end(), 0u);
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const BodyMotion& base = motion_of(cut.base_frame, frames);
    const BodyMotion& moving = motion_of(cut.moving_frame, frames);
    const JointConstraint& c = constraints_[i];
    double* right = matrix_.right(i);
    Spatial terms;
    if (level == Level::acceleration) {
      // Of the frame origin when P and the body have no acceleration; a flexible body's share is in to_flexible().
      const auto of_origin = [&](FrameIndex f, const BodyMotion& m) -> Spatial {
        if (is_ground(f) || flexible_.attachment_of(f) != FlexibleLinks::none) return {};
        return {{}, -cross(m.V.angular, cross(m.V.angular, to_P[at(f)]))};
      };
      terms = c.motion.bias - relative_acceleration(cut, base, of_origin(cut.base_frame, base), moving,
                                                    of_origin(cut.moving_frame, moving));
    }
    for (std::size_t r = 0; r < c.rows; ++r) {
      right[r] = level == Level::position   ? -c.residual[r]
                 : level == Level::velocity ? -dot(c.T[r], c.relative.twist)
                 : level == Level::rest     ? rest_[loops_[i].first_row + r]
                                            : dot(c.T[r], terms) - 2 * alpha_ * dot(c.T[r], c.relative.twist) -
                                                  beta_ * beta_ * c.residual[r];
      if (level == Level::acceleration) asked_[loops_[i].first_row + r] = right[r];
    }
    start_columns(i, frames, to_P);
  }
}

std::span<const LoopClosure::Passage> LoopClosure::all_in(std::size_t body) const noexcept {
  return std::span(passages_).subspan(passages_of_[body].first, passages_of_[body].count);
}

std::span<const LoopClosure::Passage> LoopClosure::passing(std::size_t body) const noexcept {
  const PassagesOf& of = passages_of_[body];
  return std::span(passages_).subspan(of.first + of.closing, of.count - of.closing);
}

void LoopClosure::gather(std::size_t body, Transfer<double>& s) noexcept {
  const PassagesOf& of = passages_of_[body];
  for (std::size_t k = of.first; k < of.first + of.closing; ++k) condense(passages_[k], body, s);
}

/// Eliminates λ of a loop: S += E G⁺ Eᵀ, e += E G⁺ g, and E_j −= E G⁺ G_ij of the loops that it shares hinges with.
void LoopClosure::condense(const Passage& closing, std::size_t body, Transfer<double>& s) noexcept {
  eliminate(closing.loop);
  const std::size_t n = closing.rows;
  const double* L = matrix_.lower(closing.loop);
  const double* inverse = matrix_.inverse(closing.loop);
  const double* c = matrix_.right(closing.loop);
  const std::size_t* row_at = matrix_.rows_of(closing.loop);
  Column6* E = columns_.data() + closing.first;
  Spatial Y[MultiplierMatrix::most_rows];
  for (std::size_t r = 0; r < n; ++r) {
    Y[r] = E[row_at[r]].E;
    for (std::size_t k = 0; k < r; ++k) Y[r] -= L[r * n + k] * Y[k];
    add_stiffness(s, Y[r], inverse[r]);
    s.e += (inverse[r] * c[r]) * Y[r];
  }
  for (std::size_t r = 0; r < n; ++r) E[r].E = Y[r];
  const PassagesOf& of = passages_of_[body];
  std::size_t k = of.first;
  for (const MultiplierMatrix::Neighbour& near : matrix_.neighbours(closing.loop)) {
    while (passages_[k].loop != near.block) ++k;  // both in the order of elimination
    Column6* column = columns_.data() + passages_[k].first;
    const double* X = matrix_.values() + near.place;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t m = 0; m < near.size; ++m) {
        const double x = X[r * near.size + m] * inverse[r];
        column[m].add(-x * Y[r], std::abs(x) * size(Y[r].angular), std::abs(x) * size(Y[r].linear));
      }
  }
}

void LoopClosure::pass(std::size_t body, std::span<const Column<double>> hinge, const Spatial& beta) noexcept {
  const auto passages = passing(body);
  if (passages.empty()) return;
  Column6* column = through_.data();
  for (const Passage& p : passages) {
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
    for (const Passage& p : passages) {
      double* right = matrix_.right(p.loop);
      double* gain = gains_.data() + p.gain + k * p.rows;
      for (std::size_t r = 0; r < p.rows; ++r, ++column) {
        const double u = dot(h.H, column->E), terms = H_angular * column->angular + H_linear * column->linear;
        gain[r] = h.inverse * u;
        right[r] += gain[r] * h.free;
        const double most = H_angular * column->reach + H_linear * size(column->E.linear);
        matrix_.weigh(p.loop, r, gain[r] * u, h.inverse * terms * terms, h.inverse * most * most);
        column->add(-gain[r] * h.U, std::abs(gain[r]) * U_angular, std::abs(gain[r]) * U_linear);
      }
    }
    add_compliance(passages, pairs_.data() + passages_of_[body].pair, k, 1 / h.inverse, false);
  }
}

/// G += u D⁻¹ uᵀ of direction k of a hinge or of the modes of a body, for every pair of loops that pass it.
void LoopClosure::add_compliance(std::span<const Passage> passages, const std::size_t* pair, std::size_t k, double D,
                                 bool modal) noexcept {
  const auto gain_of = [&](const Passage& p) {
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
        const std::size_t most = a == b ? r + 1 : columns;  // of a diagonal block the lower triangle
        for (std::size_t m = 0; m < most; ++m) G[r * columns + m] += u * of_b[m];
      }
    }
  }
}

void LoopClosure::pass_modes(std::size_t body, std::size_t element) noexcept {
  const auto passages = all_in(body);
  const std::span<const Column<double>> directions = flexible_.directions(element);
  for (const Passage& p : passages)
    for (std::size_t r = 0; r < p.rows; ++r) {
      flexible_.decouple(element, modal_.data() + p.modal + r, p.rows);
      flexible_.decouple_sizes(element, modal_terms_.data() + p.modal + r, p.rows);
    }
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const Column<double>& d = directions[k];
    const double U_angular = size(d.U.angular), U_linear = size(d.U.linear);
    for (const Passage& p : passages) {
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
    add_compliance(passages, modal_pairs_.data() + passages_of_[body].modal_pair, k, 1 / d.inverse, true);
  }
}

void LoopClosure::step(std::size_t body, const Vec3& r, const Vec3& gamma, std::size_t attachment) noexcept {
  const Column6* column = through_.data();
  const double reach = size(r);
  for (const Passage& p : passing(body)) {
    double* right = matrix_.right(p.loop);
    for (std::size_t k = 0; k < p.rows; ++k, ++column) {
      const Spatial& E = column->E;
      if (p.next == none) {
        right[k] += dot(E.linear, ground_);
        continue;
      }
      right[k] += dot(E.linear, gamma);
      Column6 at_parent;
      at_parent.add({E.angular + cross(r, E.linear), E.linear}, column->angular + reach * column->linear, column->linear);
      at_parent.reach = size(E.angular) + reach * size(E.linear);
      if (attachment != FlexibleLinks::none) {
        to_flexible(passages_[p.next], k, attachment, at_parent);
        continue;
      }
      Column6& next = columns_[passages_[p.next].first + k];
      next.add(at_parent.E, at_parent.angular, at_parent.linear);
      next.reach += at_parent.reach;
    }
  }
}

}  // namespace polyform
