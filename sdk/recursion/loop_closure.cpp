#include "polyform/loop_closure.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {
namespace {

/// A size of a vector that costs no root.
double size(const Vec3& v) { return std::abs(v.x) + std::abs(v.y) + std::abs(v.z); }

}  // namespace

void LoopClosure::evaluate(std::span<const BodyMotion> bodies, std::span<double> q, std::span<double> v) noexcept {
  position_violation_ = velocity_violation_ = 0;
  size_ = speed_ = 1;
  for (const BodyIndex b : tied_) {
    const BodyMotion& m = bodies[at(b)];
    size_ = std::max(size_, norm(m.p));
    speed_ = std::max({speed_, norm(m.V.linear), norm(m.V.angular)});
  }
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    JointConstraint& c = constraints_[i];
    joint_constraint(cut, motion_of(cut.base, bodies), motion_of(cut.moving, bodies), q.data() + cut.q_offset,
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
/// A body's share of a row is −E: the wrench of a unit multiplier stands on the other side of z_a + T λ = S z_b + e.
void LoopClosure::start_column(std::size_t loop, std::size_t row, std::size_t passage, BodyIndex body,
                               const Spatial& about_origin, double lever, std::span<const Vec3> to_P) noexcept {
  if (is_ground(body)) return;
  const Vec3 &moment = about_origin.angular, &force = about_origin.linear, &arm = to_P[at(body)];
  Column6& column = columns_[passages_[passage].first + row];
  const double reach = size(moment) + (lever + size(arm)) * size(force);
  column.add({cross(arm, force) - moment, -force}, reach, size(force));
  column.reach += reach;
  matrix_.right(loop)[row] += dot(force, ground_);
}

void LoopClosure::begin(Level level, std::span<const BodyMotion> bodies, std::span<const Vec3> to_P,
                        const Vec3& ground) noexcept {
  ground_ = ground;
  matrix_.clear();
  std::fill(columns_.begin(), columns_.end(), Column6{});
  if (level != Level::acceleration && shows_dependence())
    std::fill(left_out_.begin(), left_out_.end(), 0u);
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const BodyMotion& base = motion_of(cut.base, bodies);
    const BodyMotion& moving = motion_of(cut.moving, bodies);
    const JointConstraint& c = constraints_[i];
    Spatial terms;
    if (level == Level::acceleration) {
      // Of the frame origin when P and the body have no acceleration.
      const auto of_origin = [&](BodyIndex b, const BodyMotion& m) -> Spatial {
        if (is_ground(b)) return {};
        return {{}, -cross(m.V.angular, cross(m.V.angular, to_P[at(b)]))};
      };
      terms = c.motion.bias - relative_acceleration(cut, base, of_origin(cut.base, base), moving,
                                                    of_origin(cut.moving, moving));
    }
    const Vec3 M = moving.p + moving.R * cut.p_moving;
    const double base_lever = size(M - base.p), moving_lever = size(M - moving.p);
    double* right = matrix_.right(i);
    for (std::size_t r = 0; r < c.rows; ++r) {
      right[r] = level == Level::position   ? -c.residual[r]
                 : level == Level::velocity ? -dot(c.T[r], c.relative.twist)
                                            : dot(c.T[r], terms) - 2 * alpha_ * dot(c.T[r], c.relative.twist) -
                                                  beta_ * beta_ * c.residual[r];
      const ConstraintRow row = constraint_row(cut, base, moving, c.T[r]);
      start_column(i, r, loops_[i].base, cut.base, row.base, base_lever, to_P);
      start_column(i, r, loops_[i].moving, cut.moving, row.moving, moving_lever, to_P);
    }
  }
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
  matrix_.eliminate(closing.loop, left_out_[closing.loop]);
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
    add_compliance(body, k, 1 / h.inverse);
  }
}

/// G += u D⁻¹ uᵀ of one direction of a hinge, for every pair of loops that pass it.
void LoopClosure::add_compliance(std::size_t body, std::size_t k, double D) noexcept {
  const auto passages = passing(body);
  const std::size_t* pair = pairs_.data() + passages_of_[body].pair;
  for (std::size_t a = 0; a < passages.size(); ++a) {
    const double* gain = gains_.data() + passages[a].gain + k * passages[a].rows;
    for (std::size_t b = a; b < passages.size(); ++b) {
      double* G = matrix_.values() + *pair++;
      const double* of_b = gains_.data() + passages[b].gain + k * passages[b].rows;
      const std::size_t columns = passages[b].rows;
      for (std::size_t r = 0; r < passages[a].rows; ++r) {
        const double u = gain[r] * D;
        const std::size_t most = a == b ? r + 1 : columns;  // of a diagonal block the lower triangle
        for (std::size_t m = 0; m < most; ++m) G[r * columns + m] += u * of_b[m];
      }
    }
  }
}

void LoopClosure::step(std::size_t body, const Vec3& r, const Vec3& gamma) noexcept {
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
      Column6& next = columns_[passages_[p.next].first + k];
      next.add({E.angular + cross(r, E.linear), E.linear}, column->angular + reach * column->linear, column->linear);
      next.reach += size(E.angular) + reach * size(E.linear);
    }
  }
}

void LoopClosure::close_ground() noexcept {
  for (const std::size_t i : in_ground_) matrix_.eliminate(i, left_out_[i]);
  for (std::size_t k = in_ground_.size(); k-- > 0;) matrix_.solve(in_ground_[k], nullptr, lambda_.data());
}

double LoopClosure::rate(std::size_t body, std::size_t k) const noexcept {
  double sum = 0;
  for (const Passage& p : passing(body)) {
    const double* gain = gains_.data() + p.gain + k * p.rows;
    for (std::size_t r = 0; r < p.rows; ++r) sum += gain[r] * lambda_[p.first_row + r];
  }
  return sum;
}

void LoopClosure::close(std::size_t body, const Spatial& z) noexcept {
  const PassagesOf& of = passages_of_[body];
  for (std::size_t k = of.first + of.closing; k-- > of.first;) {
    const Passage& p = passages_[k];
    double y[MultiplierMatrix::most_rows];
    for (std::size_t r = 0; r < p.rows; ++r) y[r] = dot(columns_[p.first + r].E, z);
    matrix_.solve(p.loop, y, lambda_.data());
  }
}

Spatial LoopClosure::hinge_wrench(std::size_t body) const noexcept {
  Spatial sum;
  for (const Passage& p : passing(body))
    for (std::size_t r = 0; r < p.rows; ++r) sum += lambda_[p.first_row + r] * columns_[p.first + r].E;
  return sum;
}

Spatial LoopClosure::reaction(std::size_t i, const BodyMotion& base) const noexcept {
  Spatial wrench;
  for (std::size_t r = 0; r < constraints_[i].rows; ++r)
    wrench += lambda_[loops_[i].first_row + r] * constraints_[i].T[r];
  return reaction_in_ground(base, wrench);
}

double LoopClosure::joint_accelerations(std::span<const BodyMotion> bodies, std::span<const Spatial> accelerations,
                                        std::span<double> vdot) noexcept {
  const auto of = [&](BodyIndex b) { return is_ground(b) ? Spatial{} : accelerations[at(b)]; };
  // One yardstick for all: what stands still has rounding only, of what the multipliers undo.
  double largest = 1e-8 * (1 + size(view_.gravity)), contradiction = 0;
  for (std::size_t b = 0; b < passages_of_.size(); ++b)
    for (std::size_t k = 0; k < view_.joints[b].nv && !passing(b).empty(); ++k)
      largest = std::max(largest, std::abs(rate(b, k)));
  for (const BodyIndex b : tied_) largest = std::max({largest, size(of(b).angular), size(of(b).linear)});
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const JointConstraint& c = constraints_[i];
    const Spatial A = relative_acceleration(cut, motion_of(cut.base, bodies), of(cut.base), motion_of(cut.moving, bodies),
                                            of(cut.moving));
    const Spatial free = A - c.motion.bias;
    solve_least_squares(c.motion.H, cut.nv, free, vdot.data() + cut.v_offset);
    largest = std::max({largest, size(c.motion.bias.angular), size(c.motion.bias.linear)});
    for (std::size_t r = 0; r < c.rows; ++r) {
      if (std::abs(dot(c.T[r], free)) <= contradiction) continue;
      contradiction = std::abs(dot(c.T[r], free));
      worst_ = view_.bodies.size() + i;
    }
  }
  return contradiction / largest;
}

}  // namespace polyform
