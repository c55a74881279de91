// The sweeps of flexible bodies in lanes: FlexibleLinks::condense() and rates().
#pragma once

#include "lane_flexible.hpp"

namespace polyform::lanes {

/// Nothing hangs on the frames yet but the wrenches on them. loads: of all frames about their origins, or nullptr.
template <class T>
[[gnu::noinline]] void begin_frames(const FlexibleRoom<T>& room, const SpatialVector<T>* loads) {
  const FlexibleTree& tree = room.tree;
  for (std::size_t i = 0; i < tree.count; ++i)
    for (std::size_t a = tree.elements[i].first; a < tree.elements[i].end; ++a) {
      room.frames[a].sum = {};
      if (loads != nullptr) room.frames[a].sum.e -= loads[tree.frames[a].frame];
    }
}

template <class T>
Matrix3<T> block_in_ground(const Matrix3<T>& R, const T* m, std::size_t n, std::size_t row, std::size_t column) {
  Matrix3<T> out;
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) out.m[3 * r + c] = m[(row + r) * n + column + c];
  return R * times_transpose(out, R);
}

/// Adds the body itself: its inertia at the body frame, its modes, and their coupling.
template <class T>
void add_flexible(const FlexibleRoom<T>& room, std::size_t element) {
  const FlexibleElement& e = room.tree.elements[element];
  FrameWork<T>& frame = room.frames[e.first];
  const SpatialVector<T>* B = room.B + room.tree.frames[e.first].columns;
  const Matrix3<T>& R = frame.R;
  const std::size_t m = e.modes, n = 6 + m;
  const T *M = room.mass + e.mass, *f = room.force + e.force;
  const auto symmetric = [](const Matrix3<T>& a) {
    return Symmetric3<T>{a.m[0], a.m[4], a.m[8], a.m[1], a.m[2], a.m[5]};
  };
  frame.sum.aa += symmetric(block_in_ground(R, M, n, 0, 0));
  frame.sum.au += block_in_ground(R, M, n, 0, 3);
  frame.sum.uu += symmetric(block_in_ground(R, M, n, 3, 3));
  frame.sum.e -= turned(R, SpatialVector<T>{{f[0], f[1], f[2]}, {f[3], f[4], f[5]}});
  SpatialVector<T>* A_pm = room.coupling + e.mode;
  T *A_mm = room.lower + e.lower, *e_m = room.modal + e.mode;
  for (std::size_t k = 0; k < m; ++k) {
    const T* row = M + (6 + k) * n;
    const SpatialVector<T> c = turned(R, SpatialVector<T>{{row[0], row[1], row[2]}, {row[3], row[4], row[5]}});
    A_pm[k] += referred(c, frame.r);
    e_m[k] += dot(c, frame.beta) - f[6 + k];
    for (std::size_t l = 0; l < m; ++l) {
      const T mixed = dot(c, B[l]);
      A_mm[k > l ? k * m + l : l * m + k] += k == l ? T(2) * mixed : mixed;
      if (l <= k) A_mm[k * m + l] += row[6 + l];
    }
  }
}

/// Adds what each frame carries to the body and its modes.
template <class T>
void add_frames(const FlexibleRoom<T>& room, std::size_t element, Transfer<T>& s) {
  const FlexibleElement& e = room.tree.elements[element];
  const std::size_t m = e.modes;
  SpatialVector<T>* A_pm = room.coupling + e.mode;
  T *A_mm = room.lower + e.lower, *e_m = room.modal + e.mode;
  for (std::size_t a = e.first; a < e.end; ++a) {
    const FrameWork<T>& t = room.frames[a];
    const SpatialVector<T>* B = room.B + room.tree.frames[a].columns;
    Transfer<T> sum = t.sum;
    sum.e += multiply(sum, t.beta);
    for (std::size_t k = 0; k < m; ++k) {
      const SpatialVector<T> w = multiply(sum, B[k]);
      A_pm[k] += referred(w, t.r);
      e_m[k] += dot(B[k], sum.e);
      for (std::size_t l = 0; l <= k; ++l) A_mm[k * m + l] += dot(B[l], w);
    }
    s += shift(sum, t.r);
  }
}

/// A_mm = L D Lᵀ, with D on the diagonal.
template <class T>
void factorize_modes(T* A, std::size_t m, Mask<T>& bad) {
  for (std::size_t k = 0; k < m; ++k) {
    T* row = A + k * m;
    const T whole = row[k];
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < l; ++j) row[l] -= row[j] * A[l * m + j];
    for (std::size_t l = 0; l < k; ++l) {
      const T scaled = row[l] / A[l * m + l];
      row[k] -= scaled * row[l];
      row[l] = scaled;
    }
    bad |= not_greater(row[k], T(smallest_pivot) * whole);
  }
}

/// Multiplies modal forces, which stand `stride` apart, by L⁻¹.
template <class T>
void decouple(const FlexibleRoom<T>& room, std::size_t element, T* forces, std::size_t stride) {
  const FlexibleElement& e = room.tree.elements[element];
  const T* L = room.lower + e.lower;
  for (std::size_t k = 1; k < e.modes; ++k)
    for (std::size_t l = 0; l < k; ++l) forces[k * stride] -= L[k * e.modes + l] * forces[l * stride];
}

/// S and e of a body with all that hangs on it, at P, without its modes.
template <class T>
void condense_modes(const FlexibleRoom<T>& room, std::size_t element, Transfer<T>& s, Mask<T>& bad) {
  const FlexibleElement& e = room.tree.elements[element];
  const std::size_t m = e.modes;
  SpatialVector<T>* A_pm = room.coupling + e.mode;
  T *L = room.lower + e.lower, *e_m = room.modal + e.mode;
  for (std::size_t k = 0; k < m; ++k) {
    A_pm[k] = {};
    e_m[k] = T{};
  }
  for (std::size_t k = 0; k < m * m; ++k) L[k] = T{};
  s = {};
  add_flexible(room, element);
  add_frames(room, element, s);
  factorize_modes(L, m, bad);
  decouple(room, element, e_m, 1);
  Column<T>* direction = room.directions + e.mode;
  for (std::size_t k = 0; k < m; ++k) {
    direction[k].U = A_pm[k];
    for (std::size_t l = 0; l < k; ++l) direction[k].U -= L[k * m + l] * direction[l].U;
    direction[k].inverse = T(1) / L[k * m + k];
    direction[k].free = -e_m[k];
    condense(s, direction[k]);
  }
}

/// η̈ of a body from z at P, and the accelerations of its frames. taken(k): what multipliers of loops take from the
/// rate of direction k.
template <class T, class Taken>
[[gnu::noinline]] void find_modal_rates(const FlexibleRoom<T>& room, std::size_t element, SpatialVector<T>* z,
                                        const Rates<T>& out, const Taken& taken) {
  const FlexibleTree& tree = room.tree;
  const FlexibleElement& e = tree.elements[element];
  const SpatialVector<T>& at_P = z[e.body];
  const T* L = room.lower + e.lower;
  T* rates = room.etaddot + e.mode;
  for (std::size_t k = e.modes; k-- > 0;) {
    rates[k] = room.directions[e.mode + k].rate(at_P) - taken(k);
    for (std::size_t l = k + 1; l < e.modes; ++l) rates[k] -= L[l * e.modes + k] * rates[l];
    out.put(tree.eta + tree.modes + e.mode + k, rates[k]);
  }
  for (std::size_t a = e.first; a < e.end; ++a) {
    SpatialVector<T> of_frame = shifted(at_P, room.frames[a].r) + room.frames[a].beta;
    const SpatialVector<T>* B = room.B + tree.frames[a].columns;
    for (std::size_t k = 0; k < e.modes; ++k) of_frame += rates[k] * B[k];
    z[tree.bodies + a] = of_frame;
  }
}

}  // namespace polyform::lanes
