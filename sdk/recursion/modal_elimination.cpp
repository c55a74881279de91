#include "polyform/solvers/newton/modal_elimination.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/solvers/newton/small_inverse.hpp"

namespace polyform {

namespace {

/// The displacement (or rate) of the point at r from P, if z is that of P.
template <class T>
SpatialVector<T> moved_to(const SpatialVector<T>& z, const Vec3& r) {
  SpatialVector<T> out = z;
  out.linear -= cross_with(r, z.angular);
  return out;
}

}  // namespace

template <class T>
ModalElimination<T>::ModalElimination(const LinearizedTree& tree) : tree_(tree) {
  std::size_t modes = 0, largest = 0, numbers = 0;
  for (const Element& e : tree.flexible().elements()) {
    modes += e.modes;
    largest = std::max(largest, e.n());
    numbers += e.n() * e.n();
  }
  inverses_.resize(numbers);
  responses_.resize(6 * modes);
  couplings_.resize(6 * modes);
  loads_.resize(modes);
  whole_.resize(largest * largest);
  columns_.resize(6 * largest);
  modal_.resize(largest);
  modal_speed_.resize(largest);
  pivots_.resize(largest);
}

template <class T>
bool ModalElimination<T>::factorize(std::size_t element, const T& by_gamma, const T& by_square,
                                    std::span<Six<T>> S) noexcept {
  const Element& e = element_of(element);
  gather_body(e, by_gamma, by_square);
  gather_frames(e, S);
  return eliminate(e, S[e.body]);
}

/// The body by itself: from displacements of its frame and the modes to those at P.
template <class T>
void ModalElimination<T>::gather_body(const Element& e, const T& by_gamma, const T& by_square) noexcept {
  const LinearizedModes& modes = tree_.flexible();
  const std::size_t n = e.n();
  const double *M = modes.M(e), *G = modes.G(e), *K = modes.K(e), *levers = modes.levers(e);
  for (std::size_t k = 0; k < n * n; ++k) whole_[k] = by_square * M[k] + by_gamma * G[k] + K[k];
  const Station& frame = modes.stations(e).front();
  const Vec3& r = modes.r(frame);
  const std::span<const Spatial> B = modes.B(frame);
  for (std::size_t row = 0; row < n; ++row) {
    T* const x = whole_.data() + row * n;
    for (std::size_t k = 0; k < e.modes; ++k)
      for (std::size_t c = 0; c < 6; ++c) x[6 + k] += x[c] * B[k][c];
    x[0] -= x[4] * r.z - x[5] * r.y;
    x[1] -= x[5] * r.x - x[3] * r.z;
    x[2] -= x[3] * r.y - x[4] * r.x;
  }
  for (std::size_t column = 0; column < n; ++column) {
    T* const x = whole_.data() + column;
    for (std::size_t k = 0; k < e.modes; ++k)
      for (std::size_t c = 0; c < 6; ++c) x[(6 + k) * n] += B[k][c] * x[c * n];
    x[0] += r.y * x[5 * n] - r.z * x[4 * n];
    x[n] += r.z * x[3 * n] - r.x * x[5 * n];
    x[2 * n] += r.x * x[4 * n] - r.y * x[3 * n];
  }
  for (std::size_t k = 0; k < n * n; ++k) whole_[k] += levers[k];
}

/// What hangs on the frames.
template <class T>
void ModalElimination<T>::gather_frames(const Element& e, std::span<const Six<T>> S) noexcept {
  const LinearizedModes& modes = tree_.flexible();
  const std::size_t n = e.n();
  for (const Station& s : modes.stations(e)) {
    const Six<T>& of_frame = S[s.frame];
    const Vec3& r = modes.r(s);
    const std::span<const Spatial> B = modes.B(s);
    // Columns: the wrench on the frame, six numbers per displacement.
    Six<T> rigid_part = of_frame;
    shift_columns(rigid_part, r);
    for (std::size_t row = 0; row < 6; ++row) {
      for (std::size_t c = 0; c < 6; ++c) columns_[row * n + c] = rigid_part(row, c);
      for (std::size_t k = 0; k < e.modes; ++k) {
        T sum{};
        for (std::size_t c = 0; c < 6; ++c) sum += of_frame(row, c) * B[k][c];
        columns_[row * n + 6 + k] = sum;
      }
    }
    for (std::size_t c = 0; c < n; ++c) {
      T w[6];
      for (std::size_t row = 0; row < 6; ++row) w[row] = columns_[row * n + c];
      T* const x = whole_.data() + c;
      for (std::size_t k = 0; k < e.modes; ++k)
        for (std::size_t row = 0; row < 6; ++row) x[(6 + k) * n] += B[k][row] * w[row];
      w[0] += r.y * w[5] - r.z * w[4];
      w[1] += r.z * w[3] - r.x * w[5];
      w[2] += r.x * w[4] - r.y * w[3];
      for (std::size_t row = 0; row < 6; ++row) x[row * n] += w[row];
    }
  }
}

template <class T>
bool ModalElimination<T>::eliminate(const Element& e, Six<T>& S) noexcept {
  const std::size_t n = e.n(), m = e.modes;
  T* const inverse = inverses_.data() + e.matrix;
  T *const Y = responses_.data() + 6 * e.mode, *const P = couplings_.data() + 6 * e.mode;
  for (std::size_t row = 0; row < m; ++row) std::copy_n(whole_.data() + (6 + row) * n + 6, m, inverse + row * m);
  if (!invert(inverse, m, pivots_.data())) return false;
  for (std::size_t k = 0; k < m; ++k)
    for (std::size_t c = 0; c < 6; ++c) {
      T sum{};
      for (std::size_t l = 0; l < m; ++l) sum -= inverse[k * m + l] * whole_[(6 + l) * n + c];
      Y[6 * k + c] = sum;
      P[6 * k + c] = whole_[c * n + 6 + k];
    }
  for (std::size_t row = 0; row < 6; ++row)
    for (std::size_t c = 0; c < 6; ++c) {
      T sum = whole_[row * n + c];
      for (std::size_t k = 0; k < m; ++k) sum += P[6 * k + row] * Y[6 * k + c];
      S(row, c) = sum;
    }
  return true;
}

/// From P to all frames; modal: of the modes.
template <class T>
void ModalElimination<T>::place_frames(const Element& e, std::span<Vector> motions, const T* modal) const noexcept {
  const LinearizedModes& modes = tree_.flexible();
  const Vector at_P = motions[e.body];
  for (const Station& s : modes.stations(e)) {
    Vector& z = motions[s.frame];
    z = moved_to(at_P, modes.r(s));
    const std::span<const Spatial> B = modes.B(s);
    for (std::size_t k = 0; k < e.modes; ++k) add_scaled(z, modal[k], B[k]);
  }
}

template <class T>
void ModalElimination<T>::begin(std::size_t element, std::span<const T> steps, std::span<const T> rates,
                                const T& by_gamma, const T& by_square, std::span<Vector> accelerations,
                                std::span<Vector> speeds, std::span<Vector> loads) noexcept {
  const Element& e = element_of(element);
  const std::size_t n = e.n(), first = tree_.modes() + e.mode;
  for (std::size_t k = 0; k < e.modes; ++k) {
    modal_[k] = -(by_square * steps[first + k] + by_gamma * rates[first + k]);
    modal_speed_[k] = -(by_gamma * steps[first + k]);
  }
  place_frames(e, accelerations, modal_.data());
  place_frames(e, speeds, modal_speed_.data());
  const double *M = tree_.flexible().M(e), *G = tree_.flexible().G(e);
  const Vector &a = accelerations[e.body], &v = speeds[e.body];
  const auto row_of = [&](std::size_t row) {
    T sum{};
    for (std::size_t c = 0; c < 6; ++c) sum += M[row * n + c] * a[c] + G[row * n + c] * v[c];
    for (std::size_t k = 0; k < e.modes; ++k)
      sum += M[row * n + 6 + k] * modal_[k] + G[row * n + 6 + k] * modal_speed_[k];
    return sum;
  };
  for (std::size_t row = 0; row < 6; ++row) loads[e.body][row] += row_of(row);
  for (std::size_t k = 0; k < e.modes; ++k) loads_[e.mode + k] = row_of(6 + k);
}

template <class T>
void ModalElimination<T>::begin_at_rest() noexcept {
  std::ranges::fill(loads_, T{});
}

template <class T>
void ModalElimination<T>::find_inward(std::size_t element, std::span<Vector> loads, std::span<T> steps) noexcept {
  const Element& e = element_of(element);
  const LinearizedModes& modes = tree_.flexible();
  const std::size_t m = e.modes;
  Vector sum;
  T* const of_modes = loads_.data() + e.mode;
  for (const Station& s : modes.stations(e)) {
    const Vector& w = loads[s.frame];
    sum.angular += w.angular + cross_with(modes.r(s), w.linear);
    sum.linear += w.linear;
    const std::span<const Spatial> B = modes.B(s);
    for (std::size_t k = 0; k < m; ++k) of_modes[k] += dot_with(B[k], w);
  }
  const T *inverse = inverses_.data() + e.matrix, *P = couplings_.data() + 6 * e.mode;
  T* const y = steps.data() + tree_.modes() + e.mode;
  for (std::size_t k = 0; k < m; ++k) {
    T free{};
    for (std::size_t l = 0; l < m; ++l) free -= inverse[k * m + l] * of_modes[l];
    y[k] = free;
    for (std::size_t c = 0; c < 6; ++c) sum[c] += P[6 * k + c] * free;
  }
  loads[e.body] = sum;
}

template <class T>
void ModalElimination<T>::find_outward(std::size_t element, std::span<Vector> xi, std::span<T> steps) const noexcept {
  const Element& e = element_of(element);
  const T* const Y = responses_.data() + 6 * e.mode;
  T* const y = steps.data() + tree_.modes() + e.mode;
  for (std::size_t k = 0; k < e.modes; ++k)
    for (std::size_t c = 0; c < 6; ++c) y[k] += Y[6 * k + c] * xi[e.body][c];
  place_frames(e, xi, y);
}

template class ModalElimination<double>;
template class ModalElimination<std::complex<double>>;

}  // namespace polyform
