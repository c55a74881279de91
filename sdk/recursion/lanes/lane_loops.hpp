// Closed loops in lanes: LoopClosure of cut joints, for accelerations. What is laid out once, the paths of the loops
// and the places in the sparse matrix, is that of the scalar closure; the numbers are those of the lanes.
//
// Rows that depend on others are left out as each world's own closure has found them. Rows stay in their order. A pivot
// that is small compared with its usual size marks its lane; then the world's own solver, which looks for the best
// pivots and judges, does the evaluation.
#pragma once

#include <algorithm>
#include <span>

#include "lane_modes.hpp"

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
  SpatialVector<T> bias;  ///< Ḣ v
  Vector3<T> p_moving;
};
/// In a Cut: the rows and the bias, then the rest.
inline constexpr std::size_t cut_numbers = 45, cut_row_numbers = 42;

/// The paths of the loops and the places of their numbers, the same in all worlds: of LoopLayout and MultiplierMatrix
/// what the kernels read.
struct LoopTables {
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  static constexpr std::size_t most_rows = 6;  ///< of a loop
  struct Loop {
    std::uint32_t rows, first_row;
    std::uint32_t place;                         ///< of its own block in the matrix
    std::uint32_t neighbour, neighbours;         ///< the first, and how many
    std::uint32_t target;                        ///< the first of the targets of pairs of neighbours
    std::uint32_t base_passage, moving_passage;  ///< of its ends; none at ground
  };
  struct Passage {
    std::uint32_t loop, rows, first_row, first, gain, next, modal;  ///< as in LoopLayout::Passage
  };
  struct Body {
    std::uint32_t first, count, closing;  ///< passages: those that close in the body stand first
    std::uint32_t pair, modal_pair;
  };
  struct Neighbour {
    std::uint32_t block, size, place;
  };
  std::span<const Passage> all_in(std::size_t body) const {
    return {passages + bodies[body].first, bodies[body].count};
  }
  std::span<const Passage> closing(std::size_t body) const {
    return {passages + bodies[body].first, bodies[body].closing};
  }
  std::span<const Passage> passing(std::size_t body) const {
    const Body& b = bodies[body];
    return {passages + b.first + b.closing, b.count - b.closing};
  }
  std::span<const Neighbour> near(std::size_t loop) const {
    return {neighbours + loops[loop].neighbour, loops[loop].neighbours};
  }

  const Loop* loops = nullptr;
  const Passage* passages = nullptr;
  const Body* bodies = nullptr;
  const Neighbour* neighbours = nullptr;
  const std::uint32_t *pairs = nullptr, *modal_pairs = nullptr, *targets = nullptr, *in_ground = nullptr;
  std::uint32_t count = 0, ground_count = 0;
  std::uint32_t rows = 0, columns = 0, widest = 0, gains = 0, modal = 0, values = 0;
};

template <class T>
struct LoopColumn {
  SpatialVector<T> E;
  T reach{};
};

/// The numbers of the loops in some worlds, side by side, and what is done with them.
template <class T>
class Loops {
 public:
  LoopTables tables;
  Cut<T>* cuts = nullptr;
  T* keep = nullptr;  ///< per row: 1, or 0 if it is left out
  LoopColumn<T>*columns = nullptr, *through = nullptr;
  T *gains = nullptr, *modal = nullptr, *values = nullptr, *right = nullptr, *usual = nullptr, *weights = nullptr,
    *inverse = nullptr, *lambda = nullptr;
  const FlexibleRoom<T>* flexible = nullptr;  ///< of a system that has any

  /// Which rows of a loop a lane leaves out, a bit each.
  void leave_out(std::size_t lane, std::size_t loop, unsigned rows) noexcept {
    for (std::size_t r = 0; r < tables.loops[loop].rows; ++r)
      LanesOf<T>::set(keep[tables.loops[loop].first_row + r], lane, (rows >> r & 1u) != 0 ? 0.0 : 1.0);
  }

  /// Starts columns and right-hand sides. base and moving: of the frames that each cut ties, arm: to P of these.
  void clear() noexcept {
    for (std::size_t i = 0; i < tables.columns; ++i) columns[i] = {};
    for (std::size_t i = 0; i < tables.values; ++i) values[i] = {};
    for (std::size_t i = 0; i < tables.modal; ++i) modal[i] = {};
    for (std::size_t i = 0; i < tables.rows; ++i) right[i] = usual[i] = weights[i] = T{};
  }

  std::size_t rows() const noexcept { return tables.rows; }
  /// A part of a row's right-hand side, after clear().
  void ask(std::size_t row, const T& part) noexcept { right[row] += part; }

  struct Tied {
    const FrameMotion<T>* motion;  ///< never null
    Vector3<T> arm;                ///< to P; zero of ground and of frames of flexible bodies
    bool is_ground;
    std::uint32_t attachment = no_attachment;  ///< of a frame of a flexible body: its place among these
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
    const LoopTables::Loop& loop = tables.loops[i];
    for (std::size_t row = 0; row < loop.rows; ++row) {
      const std::size_t place = loop.first_row + row;
      right[place] = right[place] + dot(cut.rows[row], cut.bias - relative);
      const Vector3<T> couple = b.R * cut.rows[row].angular, force = b.R * cut.rows[row].linear;
      if (!moving.is_ground)
        start_column(place, tables.passages[loop.moving_passage], row, {couple + cross(to_M, force), force}, moving,
                     size(to_M), ground);
      if (!base.is_ground)
        start_column(place, tables.passages[loop.base_passage], row, {-(couple + cross(r, force)), -force}, base,
                     size(r), ground);
    }
  }

  /// Condenses the loops that close in a body.
  [[gnu::noinline]] void gather(std::size_t body, Transfer<T>& s, Mask<T>& bad) noexcept {
    for (const LoopTables::Passage& closing : tables.closing(body)) {
      eliminate(closing.loop, bad);
      condense(closing, body, s);
    }
  }

  /// Through the hinge of a body and on to the parent's P. hinge: directions with what is eliminated of each.
  /// attachment: of a hinge on a frame of a flexible body.
  [[gnu::noinline]] void pass(std::size_t body, const Column<T>* hinge, std::size_t directions,
                              const SpatialVector<T>& beta, const Vector3<T>& r, const Vector3<T>& gamma,
                              const Vector3<T>& ground, std::uint32_t attachment = no_attachment) noexcept {
    const auto passages = tables.passing(body);
    if (passages.empty()) return;
    LoopColumn<T>* column = through;
    for (const LoopTables::Passage& p : passages)
      for (std::size_t row = 0; row < p.rows; ++row) {
        *column = columns[p.first + row];
        right[p.first_row + row] += dot(column++->E, beta);
      }
    for (std::size_t k = directions; k-- > 0;) {
      const Column<T>& h = hinge[k];
      const T H_angular = size(h.H.angular), H_linear = size(h.H.linear);
      column = through;
      for (const LoopTables::Passage& p : passages)
        for (std::size_t row = 0; row < p.rows; ++row, ++column) {
          const T u = dot(h.H, column->E);
          const T most = H_angular * column->reach + H_linear * size(column->E.linear);
          T& gain = gains[p.gain + k * p.rows + row];
          gain = h.inverse * u;
          right[p.first_row + row] += gain * h.free;
          weights[p.first_row + row] += gain * u;
          usual[p.first_row + row] = greater_of(usual[p.first_row + row], h.inverse * most * most);
          column->E -= gain * h.U;
        }
      add_compliance(passages, tables.pairs + tables.bodies[body].pair, gains, &LoopTables::Passage::gain, k,
                     T(1) / h.inverse);
    }
    column = through;
    const T reach = size(r);
    for (const LoopTables::Passage& p : passages)
      for (std::size_t row = 0; row < p.rows; ++row, ++column) {
        const SpatialVector<T>& E = column->E;
        if (p.next == LoopTables::none) {
          right[p.first_row + row] += dot(E.linear, ground);
          continue;
        }
        right[p.first_row + row] += dot(E.linear, gamma);
        if (carries_flexible && attachment != no_attachment) {
          to_flexible(tables.passages[p.next], row, attachment, {E.angular + cross(r, E.linear), E.linear});
          continue;
        }
        LoopColumn<T>& next = columns[tables.passages[p.next].first + row];
        next.E += SpatialVector<T>{E.angular + cross(r, E.linear), E.linear};
        next.reach += size(E.angular) + reach * size(E.linear);
      }
  }

  /// Passes the modes of a flexible body, whose directions are there.
  [[gnu::noinline]] void pass_modes(std::size_t body, std::size_t element) noexcept {
    const auto passages = tables.all_in(body);
    for (const LoopTables::Passage& p : passages)
      for (std::size_t r = 0; r < p.rows; ++r) decouple(*flexible, element, modal + p.modal + r, p.rows);
    const FlexibleElement& e = flexible->tree.elements[element];
    for (std::size_t k = 0; k < e.modes; ++k) {
      const Column<T>& d = flexible->directions[e.mode + k];
      for (const LoopTables::Passage& p : passages)
        for (std::size_t r = 0; r < p.rows; ++r) {
          T& gain = modal[p.modal + k * p.rows + r];
          const T u = gain;
          gain = d.inverse * u;
          right[p.first_row + r] += gain * d.free;
          weights[p.first_row + r] += gain * u;
          usual[p.first_row + r] = greater_of(usual[p.first_row + r], gain * u);
          columns[p.first + r].E -= gain * d.U;
        }
      add_compliance(passages, tables.modal_pairs + tables.bodies[body].modal_pair, modal, &LoopTables::Passage::modal,
                     k, T(1) / d.inverse);
    }
  }
  /// What the multipliers take from the rate of direction k of the modes.
  [[gnu::noinline]] T mode_rate(std::size_t body, std::size_t k) const noexcept {
    T sum{};
    for (const LoopTables::Passage& p : tables.all_in(body))
      for (std::size_t r = 0; r < p.rows; ++r) sum += modal[p.modal + k * p.rows + r] * lambda[p.first_row + r];
    return sum;
  }

  [[gnu::noinline]] void close_ground(Mask<T>& bad) noexcept {
    for (std::size_t k = 0; k < tables.ground_count; ++k) eliminate(tables.in_ground[k], bad);
    for (std::size_t k = tables.ground_count; k-- > 0;) solve(tables.in_ground[k], nullptr);
  }
  [[gnu::noinline]] void close(std::size_t body, const SpatialVector<T>& z) noexcept {
    const auto closing = tables.closing(body);
    for (std::size_t k = closing.size(); k-- > 0;) {
      T y[LoopTables::most_rows];
      for (std::size_t r = 0; r < closing[k].rows; ++r) y[r] = dot(columns[closing[k].first + r].E, z);
      solve(closing[k].loop, y);
    }
  }
  /// What the multipliers take from the rate of direction k of a hinge.
  [[gnu::noinline]] T rate(std::size_t body, std::size_t k) const noexcept {
    T sum{};
    for (const LoopTables::Passage& p : tables.passing(body))
      for (std::size_t r = 0; r < p.rows; ++r) sum += gains[p.gain + k * p.rows + r] * lambda[p.first_row + r];
    return sum;
  }

 private:
  /// Below this part of its usual size a pivot is of a row near a singular position.
  static constexpr double least_usual = 1e-3;

  void start_column(std::size_t place, const LoopTables::Passage& p, std::size_t row, const SpatialVector<T>& share,
                    const Tied& tied, const T& lever, const Vector3<T>& ground) noexcept {
    const Vector3<T>&force = share.linear, &arm = tied.arm;
    right[place] += dot(force, ground);
    if (carries_flexible && tied.attachment != no_attachment) {
      to_flexible(p, row, tied.attachment, {-share.angular, -force});
      return;
    }
    const T of_force = size(force);
    LoopColumn<T>& column = columns[p.first + row];
    column.E += SpatialVector<T>{cross(arm, force) - share.angular, -force};
    column.reach += size(share.angular) + (lever + size(arm)) * of_force;
  }

  /// Carries a column from a frame of a flexible body to the body's hinge point and its modes.
  void to_flexible(const LoopTables::Passage& p, std::size_t row, std::size_t attachment,
                   const SpatialVector<T>& E) noexcept {
    const FrameWork<T>& t = flexible->frames[attachment];
    LoopColumn<T>& column = columns[p.first + row];
    column.E += referred(E, t.r);
    column.reach += size(E.angular) + size(t.r) * size(E.linear);
    right[p.first_row + row] += dot(E, t.beta);
    const SpatialVector<T>* B = flexible->B + flexible->tree.frames[attachment].columns;
    const std::size_t modes = flexible->tree.elements[flexible->tree.frames[attachment].element].modes;
    for (std::size_t k = 0; k < modes; ++k) modal[p.modal + k * p.rows + row] += dot(E, B[k]);
  }

  /// Adds u D u of direction k of a hinge or of modes, with u among these gains, for every pair of loops.
  void add_compliance(std::span<const LoopTables::Passage> passages, const std::uint32_t* pair, const T* all_gains,
                      std::uint32_t LoopTables::Passage::*first, std::size_t k, const T& D) noexcept {
    for (std::size_t a = 0; a < passages.size(); ++a) {
      const T* gain = all_gains + passages[a].*first + k * passages[a].rows;
      for (std::size_t b = a; b < passages.size(); ++b) {
        T* G = values + *pair++;
        const std::size_t wide = passages[b].rows;
        const T* of_b = all_gains + passages[b].*first + k * wide;
        for (std::size_t r = 0; r < passages[a].rows; ++r) {
          const T u = gain[r] * D;
          for (std::size_t m = 0; m < (a == b ? r + 1 : wide); ++m) G[r * wide + m] += u * of_b[m];
        }
      }
    }
  }

  /// L D Lᵀ of a block; rows that are left out have D⁺ = 0.
  void factorize(std::size_t i, Mask<T>& bad) noexcept {
    const std::size_t n = tables.loops[i].rows, first = tables.loops[i].first_row;
    T* A = values + tables.loops[i].place;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t k = 0; k < r; ++k) A[k * n + r] = A[r * n + k];
    for (std::size_t c = 0; c < n; ++c) {
      // A row that is left out gets a huge pivot.
      const T pivot = A[c * n + c] + (T(1) - keep[first + c]) * T(1e200);
      bad |= not_greater(pivot, T(least_usual) * greater_of(usual[first + c], weights[first + c]));
      const T of_row = keep[first + c] / pivot;
      inverse[first + c] = of_row;
      for (std::size_t r = c + 1; r < n; ++r) {
        const T l = A[r * n + c] * of_row;
        for (std::size_t k = c + 1; k < n; ++k) A[r * n + k] -= l * A[c * n + k];
      }
      for (std::size_t r = c + 1; r < n; ++r) A[r * n + c] *= of_row;
    }
  }

  void eliminate(std::size_t i, Mask<T>& bad) noexcept {
    factorize(i, bad);
    const std::size_t n = tables.loops[i].rows, first = tables.loops[i].first_row;
    const T* L = values + tables.loops[i].place;
    const auto near = tables.near(i);
    for (const LoopTables::Neighbour& one : near) {
      T* X = values + one.place;
      for (std::size_t r = 1; r < n; ++r)
        for (std::size_t s = 0; s < r; ++s)
          for (std::size_t k = 0; k < one.size; ++k) X[r * one.size + k] -= L[r * n + s] * X[s * one.size + k];
    }
    const std::uint32_t* target = tables.targets + tables.loops[i].target;
    for (std::size_t a = 0; a < near.size(); ++a)
      for (std::size_t b = a; b < near.size(); ++b) {
        const T *Xa = values + near[a].place, *Xb = values + near[b].place;
        T* to = values + *target++;
        for (std::size_t r = 0; r < n; ++r)
          for (std::size_t p = 0; p < near[a].size; ++p) {
            const T x = Xa[r * near[a].size + p] * inverse[first + r];
            for (std::size_t k = 0; k < near[b].size; ++k) to[p * near[b].size + k] -= x * Xb[r * near[b].size + k];
          }
      }
    T* c = right + first;
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t s = 0; s < r; ++s) c[r] -= L[r * n + s] * c[s];
    for (const LoopTables::Neighbour& one : near) {
      const T* X = values + one.place;
      T* of_near = right + tables.loops[one.block].first_row;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t p = 0; p < one.size; ++p) of_near[p] -= X[r * one.size + p] * inverse[first + r] * c[r];
    }
  }

  /// S += E G⁺ Eᵀ, e += E G⁺ g, and E_j −= E G⁺ G_ij of the loops that it shares hinges with.
  void condense(const LoopTables::Passage& closing, std::size_t body, Transfer<T>& s) noexcept {
    const std::size_t n = closing.rows;
    const T* L = values + tables.loops[closing.loop].place;
    const T* of_row = inverse + closing.first_row;
    const T* c = right + closing.first_row;
    LoopColumn<T>* Y = columns + closing.first;
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t k = 0; k < r; ++k) Y[r].E -= L[r * n + k] * Y[k].E;
      add_stiffness(s, Y[r].E, of_row[r]);
      s.e += (of_row[r] * c[r]) * Y[r].E;
    }
    const LoopTables::Passage* shared = tables.all_in(body).data();
    for (const LoopTables::Neighbour& near : tables.near(closing.loop)) {
      while (shared->loop != near.block) ++shared;  // both in the order of elimination
      LoopColumn<T>* column = columns + shared->first;
      const T* X = values + near.place;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t m = 0; m < near.size; ++m) column[m].E -= (X[r * near.size + m] * of_row[r]) * Y[r].E;
    }
  }

  void solve(std::size_t i, const T* y) noexcept {
    const std::size_t n = tables.loops[i].rows, first = tables.loops[i].first_row;
    const T* L = values + tables.loops[i].place;
    T* out = lambda + first;
    for (std::size_t r = 0; r < n; ++r) out[r] = y != nullptr ? right[first + r] + y[r] : right[first + r];
    for (const LoopTables::Neighbour& near : tables.near(i)) {
      const T* X = values + near.place;
      const T* of_near = lambda + tables.loops[near.block].first_row;
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t k = 0; k < near.size; ++k) out[r] -= X[r * near.size + k] * of_near[k];
    }
    for (std::size_t r = 0; r < n; ++r) out[r] *= inverse[first + r];
    for (std::size_t r = n; r-- > 0;)
      for (std::size_t s = r + 1; s < n; ++s) out[r] -= L[s * n + r] * out[s];
  }
};

}  // namespace polyform::lanes
