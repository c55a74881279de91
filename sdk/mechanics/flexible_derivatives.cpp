#include "polyform/mechanics/flexible_derivatives.hpp"

#include <algorithm>
#include <cmath>

namespace polyform {

namespace {

constexpr double relative_step = 1e-7;

/// Turns the rows of forces and moments in a matrix with n numbers in a row, or its columns.
void turn_rows(double* m, std::size_t n, const Mat3& R) {
  for (std::size_t part = 0; part < 6; part += 3)
    for (std::size_t c = 0; c < n; ++c) {
      double* const x = m + part * n + c;
      const Vec3 turned = R * Vec3{x[0], x[n], x[2 * n]};
      for (std::size_t k = 0; k < 3; ++k) x[k * n] = turned[k];
    }
}
void turn_columns(double* m, std::size_t n, const Mat3& R) {
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t part = 0; part < 6; part += 3) {
      double* const x = m + row * n + part;
      const Vec3 turned = R * Vec3{x[0], x[1], x[2]};
      for (std::size_t k = 0; k < 3; ++k) x[k] = turned[k];
    }
}

/// Adds factor · (columns from `from` on of a) a×· to the columns of rotation of m.
void add_crossed(double* m, const double* a, std::size_t n, std::size_t from, const Vec3& v, double factor) {
  const Mat3 cross_v = skew(v);
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 3; ++k) m[row * n + c] += factor * a[row * n + from + k] * cross_v(k, c);
}

void add_block(double* m, std::size_t n, std::size_t row, std::size_t column, const Mat3& b) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) m[(row + r) * n + column + c] += b(r, c);
}

}  // namespace

FlexibleDerivatives::FlexibleDerivatives(const SystemView& view)
    : view_(view),
      set_(view),
      motions_(view.flexible.empty() ? 0 : view.bodies.size()),
      eta_(view.modes),
      etadot_(view.modes) {
  std::size_t numbers = 0, rows = 0;
  for (const FlexibleData& data : view.flexible) {
    const Element& e = elements_.emplace_back(Element{at(data.body), data.modes, data.mode_offset, numbers, rows});
    numbers += e.n() * e.n();
    rows += e.n();
  }
  for (std::vector<double>* matrices : {&M_, &G_, &K_}) matrices->resize(numbers);
  for (std::vector<double>* vectors : {&z_, &wrench_, &moved_}) vectors->resize(rows);
}

void FlexibleDerivatives::evaluate(std::span<const BodyMotion> frames, std::span<const Spatial> accelerations,
                                   std::span<const double> eta, std::span<const double> etadot,
                                   std::span<const double> etaddot) noexcept {
  if (elements_.empty()) return;
  std::copy_n(frames.begin(), motions_.size(), motions_.begin());
  std::ranges::copy(eta, eta_.begin());
  std::ranges::copy(etadot, etadot_.begin());
  for (const Element& e : elements_) {
    const Spatial& a = accelerations[e.body];
    const Mat3& R = frames[e.body].R;
    double* const z = z_.data() + e.row;
    const Vec3 angular = transpose_times(R, a.angular), linear = transpose_times(R, a.linear - view_.gravity);
    for (std::size_t k = 0; k < 3; ++k) {
      z[k] = angular[k];
      z[3 + k] = linear[k];
    }
    std::copy_n(etaddot.begin() + static_cast<std::ptrdiff_t>(e.mode), e.modes, z + 6);
  }
  evaluate_set();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& e = elements_[i];
    std::ranges::copy(set_.mass(i), M_.begin() + static_cast<std::ptrdiff_t>(e.matrix));
    find_wrench(e, wrench_.data() + e.row);
  }
  std::ranges::fill(G_, 0.0);
  std::ranges::fill(K_, 0.0);
  difference_all();
  for (const Element& e : elements_) turn_to_ground(e, frames[e.body], accelerations[e.body].linear - view_.gravity);
}

Spatial FlexibleDerivatives::wrench(const Element& e, const BodyMotion& body) const noexcept {
  const double* const w = wrench_.data() + e.row;
  return {body.R * Vec3{w[0], w[1], w[2]}, body.R * Vec3{w[3], w[4], w[5]}};
}

/// M z − f as of the last evaluation, body axes.
void FlexibleDerivatives::find_wrench(const Element& e, double* out) const noexcept {
  const auto i = static_cast<std::size_t>(&e - elements_.data());
  const double* const z = z_.data() + e.row;
  const std::span<const double> M = set_.mass(i), f = set_.force(i);
  for (std::size_t row = 0; row < e.n(); ++row) {
    double sum = -f[row];
    for (std::size_t c = 0; c < e.n(); ++c) sum += M[row * e.n() + c] * z[c];
    out[row] = sum;
  }
}

/// A column of all bodies. move: makes the step in an input of a body and gives its size (0: there is no such input),
/// or takes the step back.
template <class Move>
void FlexibleDerivatives::difference(std::vector<double>& matrix, std::size_t column, const Move& move) noexcept {
  for (const Element& e : elements_) move(e, 1);
  evaluate_set();
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    const Element& e = elements_[i];
    const double step = move(e, -1);
    if (step == 0) continue;
    const double *here = wrench_.data() + e.row, *moved = moved_.data() + e.row;
    find_wrench(e, moved_.data() + e.row);
    double* const out = matrix.data() + e.matrix + column;
    for (std::size_t row = 0; row < e.n(); ++row) out[row * e.n()] = (moved[row] - here[row]) / step;
  }
}

void FlexibleDerivatives::difference_all() noexcept {
  std::size_t most = 0;
  for (const Element& e : elements_) most = std::max(most, e.modes);
  // Steps that rounding does not touch on their way there and back.
  const auto step_of = [](double size) { return std::exp2(std::round(std::log2(relative_step * size))); };
  for (std::size_t k = 0; k < most; ++k) {
    const auto mode = [&](std::vector<double>& states, double least) {
      return [&states, least, k, step_of](const Element& e, int direction) {
        if (k >= e.modes) return 0.0;
        double& x = states[e.mode + k];
        const double step = step_of(least);
        x += direction * step;
        return step;
      };
    };
    difference(K_, 6 + k, mode(eta_, 1e-2));
    difference(G_, 6 + k, mode(etadot_, 1));
  }
  for (std::size_t k = 0; k < 3; ++k)
    difference(G_, k, [&](const Element& e, int direction) {
      BodyMotion& m = motions_[e.body];
      const double step = step_of(1.0);
      Vec3 axis;
      axis[k] = direction * step;
      m.V.angular += m.R * axis;
      return step;
    });
}

/// M, G and K from body to ground axes.
void FlexibleDerivatives::turn_to_ground(const Element& e, const BodyMotion& body, const Vec3& a) noexcept {
  const std::size_t n = e.n();
  double *M = M_.data() + e.matrix, *G = G_.data() + e.matrix, *K = K_.data() + e.matrix;
  for (double* m : {M, G, K}) {
    turn_rows(m, n, body.R);
    turn_columns(m, n, body.R);
  }
  const Spatial w = wrench(e, body);
  add_crossed(G, M, n, 0, body.V.angular, -1);
  add_crossed(K, M, n, 3, a, 1);
  add_block(K, n, 0, 0, -1.0 * skew(w.angular));
  add_block(K, n, 3, 0, -1.0 * skew(w.linear));
}

}  // namespace polyform
