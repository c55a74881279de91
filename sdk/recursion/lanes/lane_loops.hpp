// Closed loops in lanes: LoopClosure of cut joints, for accelerations. What is laid out once, the paths
// of the loops and the places in the sparse matrix, is that of the scalar closure; the numbers are those of the lanes.
//
// Rows that depend on others are left out as each world's own closure has found them. Rows stay in their order. A pivot
// that is small compared with its usual size marks its lane; then the world's own solver, which looks for the best
// pivots and judges, does the evaluation.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "lane_modes.hpp"
#include "polyform/solvers/loop_closure.hpp"

namespace polyform::lanes {

template <class T>
T greater_of(const T& a, const T& b) {
  using std::max;
  return max(a, b);
}

/// One cut joint: its rows in F axes, their right-hand sides, and the place of its M.
template <class T>
struct Cut {
  SpatialVector<T> rows[6];
  SpatialVector<T> bias;       ///< Ḣ v
  Vector3<T> p_moving;
};
/// In a Cut: the rows and the bias, then the rest.
inline constexpr std::size_t cut_numbers = 45, cut_row_numbers = 42;

/// Where a cut joint sits: the axis of its primitive, of one that has one, in F; the origin of F in the base frame, and
/// the orientation of the moving frame in the base frame as drawn.
template <class T>
struct CutPlace {
  Vector3<T> axis, p_base;
  Matrix3<T> R_drawn;
};

template <class T>
class Loops {
 public:
  explicit Loops(const LoopClosure& like)
      : layout_(like.layout()), matrix_(like.matrix()), cuts(layout_.count()), keep_(layout_.sizes().rows),
        columns_(layout_.sizes().columns), through_(layout_.sizes().widest), gains_(layout_.sizes().gains),
        modal_(layout_.sizes().modal),
        values_(matrix_.count()), right_(layout_.sizes().rows), usual_(right_), weights_(right_), inverse_(right_),
        lambda_(right_), first_target_(layout_.count()) {
    for (std::size_t i = 0; i < layout_.count(); ++i) {
      first_target_[i] = targets_.size();
      const auto near = matrix_.neighbours(i);
      for (std::size_t a = 0; a < near.size(); ++a)
        for (std::size_t b = a; b < near.size(); ++b)
          targets_.push_back(matrix_.place(near[a].block, near[b].block));
    }
  }
  Loops(Loops&&) noexcept = default;

  /// Which rows of a loop a lane leaves out, a bit each.
  void leave_out(std::size_t lane, std::size_t loop, unsigned rows) noexcept {
    for (std::size_t r = 0; r < layout_.loop(loop).rows; ++r)
      LanesOf<T>::set(keep_[layout_.loop(loop).first_row + r], lane, (rows >> r & 1u) != 0 ? 0.0 : 1.0);
  }

  /// Starts columns and right-hand sides. base and moving: of the frames that each cut ties, arm: to P of these.
  void clear() noexcept {
    std::fill(columns_.begin(), columns_.end(), LoopColumn{});
    std::fill(values_.begin(), values_.end(), T{});
    std::fill(modal_.begin(), modal_.end(), T{});
    std::fill(right_.begin(), right_.end(), T{});
    std::fill(usual_.begin(), usual_.end(), T{});
    std::fill(weights_.begin(), weights_.end(), T{});
  }

  std::size_t rows() const noexcept { return right_.size(); }
  /// A part of a row's right-hand side, after clear().
  void ask(std::size_t row, const T& part) noexcept { right_[row] += part; }

  struct Tied {
    const FrameMotion<T>* motion;   ///< never null
    Vector3<T> arm;                 ///< to P; zero of ground and of frames of flexible bodies
    bool is_ground;
    std::size_t attachment = LoopLayout::none;   ///< of a frame of a flexible body: its place among these
  };
  [[gnu::noinline]] void start(std::size_t i, const Tied& base, const Tied& moving, const Vector3<T>& ground) noexcept {
    const Cut<T>& cut = cuts[i];
    const FrameMotion<T>&b = *base.motion, &m = *moving.motion;
    const Vector3<T> to_M = m.R * cut.p_moving, r = m.p + to_M - b.p;
    const Vector3<T>&wb = b.V.angular, &wm = m.V.angular;
    const auto of_origin = [](const Tied& tied) {
      const Vector3<T>& w = tied.motion->V.angular;
      return tied.is_ground ? Vector3<T>{} : -cross(w, cross(w, tied.arm));
    };
    const Vector3<T> v_rel = m.V.linear + cross(wm, to_M) - b.V.linear - cross(wb, r);
    const Vector3<T> a_M = of_origin(moving) + cross(wm, cross(wm, to_M));
    const Vector3<T> a_base = of_origin(base) + cross(wb, cross(wb, r));
    const SpatialVector<T> relative{transpose_times(b.R, -cross(wb, wm - wb)),
                                    transpose_times(b.R, a_M - a_base - T(2) * cross(wb, v_rel))};
    const LoopLayout::Loop& loop = layout_.loop(i);
    const auto ends = layout_.ends(i);
    for (std::size_t row = 0; row < loop.rows; ++row) {
      const std::size_t place = loop.first_row + row;
      right_[place] = right_[place] + dot(cut.rows[row], cut.bias - relative);
      const Vector3<T> couple = b.R * cut.rows[row].angular, force = b.R * cut.rows[row].linear;
      if (!moving.is_ground)
        start_column(place, layout_.passage(ends[1].passage).first + row, {couple + cross(to_M, force), force},
                     moving, size(to_M), ground, ends[1].passage, row);
      if (!base.is_ground)
        start_column(place, layout_.passage(ends[0].passage).first + row, {-(couple + cross(r, force)), -force},
                     base, size(r), ground, ends[0].passage, row);
    }
  }

  /// Condenses the loops that close in a body.
  [[gnu::noinline]] void gather(std::size_t body, Transfer<T>& s, Mask<T>& bad) noexcept {
    for (const LoopLayout::Passage& closing : layout_.closing(body)) {
      eliminate(closing.loop, bad);
      condense(closing, body, s);
    }
  }

  /// Through the hinge of a body and on to the parent's P. hinge: directions with what is eliminated of each.
  [[gnu::noinline]] void pass(std::size_t body, const Column<T>* hinge, std::size_t directions, const SpatialVector<T>& beta,
            const Vector3<T>& r, const Vector3<T>& gamma, const Vector3<T>& ground,
            std::size_t attachment = LoopLayout::none) noexcept {
    const auto passages = layout_.passing(body);
    if (passages.empty()) return;
    LoopColumn* column = through_.data();
    for (const LoopLayout::Passage& p : passages)
      for (std::size_t row = 0; row < p.rows; ++row) {
        *column = columns_[p.first + row];
        right_[p.first_row + row] += dot(column++->E, beta);
      }
    for (std::size_t k = directions; k-- > 0;) {
      const Column<T>& h = hinge[k];
      const T H_angular = size(h.H.angular), H_linear = size(h.H.linear);
      column = through_.data();
      for (const LoopLayout::Passage& p : passages)
        for (std::size_t row = 0; row < p.rows; ++row, ++column) {
          const T u = dot(h.H, column->E);
          const T most = H_angular * column->reach + H_linear * size(column->E.linear);
          T& gain = gains_[p.gain + k * p.rows + row];
          gain = h.inverse * u;
          right_[p.first_row + row] += gain * h.free;
          weights_[p.first_row + row] += gain * u;
          usual_[p.first_row + row] = greater_of(usual_[p.first_row + row], h.inverse * most * most);
          column->E -= gain * h.U;
        }
      add_compliance(passages, layout_.pairs(body), gains_, &LoopLayout::Passage::gain, k, T(1) / h.inverse);
    }
    column = through_.data();
    const T reach = size(r);
    for (const LoopLayout::Passage& p : passages)
      for (std::size_t row = 0; row < p.rows; ++row, ++column) {
        const SpatialVector<T>& E = column->E;
        if (p.next == LoopLayout::none) {
          right_[p.first_row + row] += dot(E.linear, ground);
          continue;
        }
        right_[p.first_row + row] += dot(E.linear, gamma);
        if (attachment != LoopLayout::none) {
          to_flexible(layout_.passage(p.next), row, attachment, {E.angular + cross(r, E.linear), E.linear});
          continue;
        }
        LoopColumn& next = columns_[layout_.passage(p.next).first + row];
        next.E += SpatialVector<T>{E.angular + cross(r, E.linear), E.linear};
        next.reach += size(E.angular) + reach * size(E.linear);
      }
  }

  /// Passes the modes of a flexible body, whose directions are there.
  [[gnu::noinline]] void pass_modes(std::size_t body, std::size_t element) noexcept {
    const auto passages = layout_.all_in(body);
    for (const LoopLayout::Passage& p : passages)
      for (std::size_t r = 0; r < p.rows; ++r) decouple(*flexible, element, modal_.data() + p.modal + r, p.rows);
    const FlexibleElement& e = flexible->tree.elements[element];
    for (std::size_t k = 0; k < e.modes; ++k) {
      const Column<T>& d = flexible->directions[e.mode + k];
      for (const LoopLayout::Passage& p : passages)
        for (std::size_t r = 0; r < p.rows; ++r) {
          T& gain = modal_[p.modal + k * p.rows + r];
          const T u = gain;
          gain = d.inverse * u;
          right_[p.first_row + r] += gain * d.free;
          weights_[p.first_row + r] += gain * u;
          usual_[p.first_row + r] = greater_of(usual_[p.first_row + r], gain * u);
          columns_[p.first + r].E -= gain * d.U;
        }
      add_compliance(passages, layout_.modal_pairs(body), modal_, &LoopLayout::Passage::modal, k, T(1) / d.inverse);
    }
  }
  /// What the multipliers take from the rate of direction k of the modes.
  [[gnu::noinline]] T mode_rate(std::size_t body, std::size_t k) const noexcept {
    T sum{};
    for (const LoopLayout::Passage& p : layout_.all_in(body))
      for (std::size_t r = 0; r < p.rows; ++r) sum += modal_[p.modal + k * p.rows + r] * lambda_[p.first_row + r];
    return sum;
  }

  [[gnu::noinline]] void close_ground(Mask<T>& bad) noexcept {
    const auto loops = layout_.in_ground();
    for (const std::size_t i : loops) eliminate(i, bad);
    for (std::size_t k = loops.size(); k-- > 0;) solve(loops[k], nullptr);
  }
  [[gnu::noinline]] void close(std::size_t body, const SpatialVector<T>& z) noexcept {
    const auto closing = layout_.closing(body);
    for (std::size_t k = closing.size(); k-- > 0;) {
      T y[MultiplierMatrix::most_rows];
      for (std::size_t r = 0; r < closing[k].rows; ++r) y[r] = dot(columns_[closing[k].first + r].E, z);
      solve(closing[k].loop, y);
    }
  }
  /// What the multipliers take from the rate of direction k of a hinge.
  [[gnu::noinline]] T rate(std::size_t body, std::size_t k) const noexcept {
    T sum{};
    for (const LoopLayout::Passage& p : layout_.passing(body))
      for (std::size_t r = 0; r < p.rows; ++r) sum += gains_[p.gain + k * p.rows + r] * lambda_[p.first_row + r];
    return sum;
  }

 private:
  struct LoopColumn {
    SpatialVector<T> E;
    T reach{};
  };
  /// Below this part of its usual size a pivot is of a row near a singular position.
  static constexpr double least_usual = 1e-3;

  void start_column(std::size_t place, std::size_t column, const SpatialVector<T>& share, const Tied& tied,
                    const T& lever, const Vector3<T>& ground, std::size_t passage, std::size_t row) noexcept {
    const Vector3<T>&force = share.linear, &arm = tied.arm;
    const T of_force = size(force);
    if (tied.attachment != LoopLayout::none) {
      to_flexible(layout_.passage(passage), row, tied.attachment, {-share.angular, -force});
      right_[place] += dot(force, ground);
      return;
    }
    columns_[column].E += SpatialVector<T>{cross(arm, force) - share.angular, -force};
    columns_[column].reach += size(share.angular) + (lever + size(arm)) * of_force;
    right_[place] += dot(force, ground);
  }

  /// Carries a column from a frame of a flexible body to the body's hinge point and its modes.
  void to_flexible(const LoopLayout::Passage& p, std::size_t row, std::size_t attachment,
                   const SpatialVector<T>& E) noexcept {
    const FrameWork<T>& t = flexible->frames[attachment];
    LoopColumn& column = columns_[p.first + row];
    column.E += referred(E, t.r);
    column.reach += size(E.angular) + size(t.r) * size(E.linear);
    right_[p.first_row + row] += dot(E, t.beta);
    const SpatialVector<T>* B = flexible->B + flexible->tree.frames[attachment].columns;
    const std::size_t modes = flexible->tree.elements[flexible->tree.frames[attachment].element].modes;
    for (std::size_t k = 0; k < modes; ++k) modal_[p.modal + k * p.rows + row] += dot(E, B[k]);
  }

  /// Adds u D u of direction k of a hinge or of modes, with u among these gains, for every pair of loops.
  void add_compliance(std::span<const LoopLayout::Passage> passages, const std::size_t* pair,
                      const std::vector<T>& gains, std::size_t LoopLayout::Passage::*first, std::size_t k,
                      const T& D) noexcept {
    for (std::size_t a = 0; a < passages.size(); ++a) {
      const T* gain = gains.data() + passages[a].*first + k * passages[a].rows;
      for (std::size_t b = a; b < passages.size(); ++b) {
        T* G = values_.data() + *pair++;
        const std::size_t columns = passages[b].rows;
        const T* of_b = gains.data() + passages[b].*first + k * columns;
        for (std::size_t r = 0; r < passages[a].rows; ++r) {
          const T u = gain[r] * D;
          for (std::size_t m = 0; m < (a == b ? r + 1 : columns); ++m) G[r * columns + m] += u * of_b[m];
        }
      }
    }
  }

  /// L D Lᵀ of a block; rows that are left out have D⁺ = 0.
  void factorize(std::size_t i, Mask<T>& bad) noexcept {
    const std::size_t n = layout_.loop(i).rows, first = layout_.loop(i).first_row;
    T* A = values_.data() + matrix_.place(i, i);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < r; ++k) A[k * n + r] = A[r * n + k];
    for (std::size_t c = 0; c < n; ++c) {
      // A row that is left out gets a huge pivot.
      const T pivot = A[c * n + c] + (T(1) - keep_[first + c]) * T(1e200);
      bad |= not_greater(pivot, T(least_usual) * greater_of(usual_[first + c], weights_[first + c]));
      const T inverse = keep_[first + c] / pivot;
      inverse_[first + c] = inverse;
      for (std::size_t r = c + 1; r < n; ++r) {
        const T l = A[r * n + c] * inverse;
        for (std::size_t k = c + 1; k < n; ++k) A[r * n + k] -= l * A[c * n + k];
      }
      for (std::size_t r = c + 1; r < n; ++r) A[r * n + c] *= inverse;
    }
  }

  void eliminate(std::size_t i, Mask<T>& bad) noexcept {
    factorize(i, bad);
    const std::size_t n = layout_.loop(i).rows, first = layout_.loop(i).first_row;
    const T* L = values_.data() + matrix_.place(i, i);
    const auto near = matrix_.neighbours(i);
    for (const MultiplierMatrix::Neighbour& one : near) {
      T* X = values_.data() + one.place;
      for (std::size_t r = 1; r < n; ++r)
        for (std::size_t s = 0; s < r; ++s)
          for (std::size_t k = 0; k < one.size; ++k) X[r * one.size + k] -= L[r * n + s] * X[s * one.size + k];
    }
    const std::size_t* target = targets_.data() + first_target_[i];
    for (std::size_t a = 0; a < near.size(); ++a)
      for (std::size_t b = a; b < near.size(); ++b) {
        const T *Xa = values_.data() + near[a].place, *Xb = values_.data() + near[b].place;
        T* to = values_.data() + *target++;
        for (std::size_t r = 0; r < n; ++r)
          for (std::size_t p = 0; p < near[a].size; ++p) {
            const T x = Xa[r * near[a].size + p] * inverse_[first + r];
            for (std::size_t k = 0; k < near[b].size; ++k) to[p * near[b].size + k] -= x * Xb[r * near[b].size + k];
          }
      }
    T* c = right_.data() + first;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t s = 0; s < r; ++s) c[r] -= L[r * n + s] * c[s];
    for (const MultiplierMatrix::Neighbour& one : near) {
      const T* X = values_.data() + one.place;
      T* of_near = right_.data() + layout_.loop(one.block).first_row;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t p = 0; p < one.size; ++p) of_near[p] -= X[r * one.size + p] * inverse_[first + r] * c[r];
    }
  }

  /// S += E G⁺ Eᵀ, e += E G⁺ g, and E_j −= E G⁺ G_ij of the loops that it shares hinges with.
  void condense(const LoopLayout::Passage& closing, std::size_t body, Transfer<T>& s) noexcept {
    const std::size_t n = closing.rows;
    const T* L = values_.data() + matrix_.place(closing.loop, closing.loop);
    const T* inverse = inverse_.data() + closing.first_row;
    const T* c = right_.data() + closing.first_row;
    LoopColumn* Y = columns_.data() + closing.first;
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t k = 0; k < r; ++k) Y[r].E -= L[r * n + k] * Y[k].E;
      add_stiffness(s, Y[r].E, inverse[r]);
      s.e += (inverse[r] * c[r]) * Y[r].E;
    }
    const LoopLayout::Passage* shared = layout_.all_in(body).data();
    for (const MultiplierMatrix::Neighbour& near : matrix_.neighbours(closing.loop)) {
      while (shared->loop != near.block) ++shared;  // both in the order of elimination
      LoopColumn* column = columns_.data() + shared->first;
      const T* X = values_.data() + near.place;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t m = 0; m < near.size; ++m) column[m].E -= (X[r * near.size + m] * inverse[r]) * Y[r].E;
    }
  }

  void solve(std::size_t i, const T* y) noexcept {
    const std::size_t n = layout_.loop(i).rows, first = layout_.loop(i).first_row;
    const T* L = values_.data() + matrix_.place(i, i);
    T* out = lambda_.data() + first;
    for (std::size_t r = 0; r < n; ++r) out[r] = y != nullptr ? right_[first + r] + y[r] : right_[first + r];
    for (const MultiplierMatrix::Neighbour& near : matrix_.neighbours(i)) {
      const T* X = values_.data() + near.place;
      const T* of_near = lambda_.data() + layout_.loop(near.block).first_row;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t k = 0; k < near.size; ++k) out[r] -= X[r * near.size + k] * of_near[k];
    }
    for (std::size_t r = 0; r < n; ++r) out[r] *= inverse_[first + r];
    for (std::size_t r = n; r-- > 0;)
      for (std::size_t s = r + 1; s < n; ++s) out[r] -= L[s * n + r] * out[s];
  }

  const LoopLayout& layout_;
  const MultiplierMatrix& matrix_;   ///< for its places alone

 public:
  std::vector<Cut<T>> cuts;
  const FlexibleRoom<T>* flexible = nullptr;   ///< of a system that has any

 private:
  std::vector<T> keep_;              ///< per row: 1, or 0 if it is left out
  std::vector<LoopColumn> columns_, through_;
  std::vector<T> gains_, modal_, values_, right_, usual_, weights_, inverse_, lambda_;
  std::vector<std::size_t> first_target_, targets_;
};

}  // namespace polyform::lanes
