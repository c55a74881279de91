#include "polyform/solvers/newton/newton_sweep.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/solvers/newton/small_inverse.hpp"

namespace polyform {

namespace {

constexpr std::size_t most_directions = 6;

}  // namespace

template <class T>
NewtonSweep<T>::NewtonSweep(const LinearizedTree& tree, const StateCouplings<T>& states)
    : tree_(tree), states_(states), S_(tree.frames()), bodies_(tree.bodies()), modes_(tree) {
  std::size_t directions = 0, squares = 0;
  for (const LinearizedTree::Body& b : tree.bodies()) {
    directions += b.count;
    squares += b.count * b.count;
  }
  Y_.resize(directions);
  passed_.resize(directions);
  inverse_.resize(squares);
  for (std::vector<Vector>* of_frames : {&e_, &xi_, &speed_, &acceleration_}) of_frames->resize(tree.frames());
  effort_.resize(directions);
}

template <class T>
bool NewtonSweep<T>::factorize(const T& gamma) noexcept {
  by_gamma_ = T(1) / gamma;
  by_square_ = by_gamma_ * by_gamma_;
  for (std::size_t i = 0; i < S_.size(); ++i) {
    const Six<double>&G = tree_.G(i), &K = tree_.K(i);
    for (std::size_t k = 0; k < 36; ++k) S_[i].m[k] = by_gamma_ * G.m[k] + K.m[k];
    if (i < bodies_.size() && bodies_[i].element == LinearizedTree::none) S_[i].add(by_square_, tree_.M(i));
    if (!states_.empty()) S_[i] += states_.frame(i);
  }
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    const std::uint32_t element = bodies_[i].element;
    if (element != LinearizedTree::none && !modes_.factorize(element, by_gamma_, by_square_, S_)) return false;
    if (!eliminate(i)) return false;
  }
  return true;
}

template <class T>
bool NewtonSweep<T>::eliminate(std::size_t i) noexcept {
  const LinearizedTree::Body& b = bodies_[i];
  const LinearizedTree::Coupling* coupling = b.coupling == LinearizedTree::none ? nullptr : &tree_.coupling(b);
  const bool with_states = !states_.empty();
  const std::size_t n = b.count;
  const Six<T>& S = S_[i];
  const Spatial* H = tree_.H(b);
  const Vec3* turning = tree_.turning(b);
  Vector U[most_directions];
  for (std::size_t k = 0; k < n; ++k)
    U[k] = multiply(S, Vector{{T(H[k].angular.x), T(H[k].angular.y), T(H[k].angular.z)},
                              {T(H[k].linear.x), T(H[k].linear.y), T(H[k].linear.z)}});
  Six<T> W = S;
  shift_columns(W, b.r);
  if (coupling != nullptr) {
    W.add(T(1), coupling->inner_K);
    W.add(by_gamma_, coupling->inner_G);
    if (with_states) W += states_.inner(b.coupling);
  }
  // Conditions of the joint: A δ + R ξ_p = …
  T* A = inverse_.data() + b.square;
  const double *stiffness = tree_.stiffness(b), *damping = tree_.damping(b), *turn_rate = tree_.turn_rate(b);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t l = 0; l < n; ++l) {
      T a = dot_with(H[k], U[l]) - stiffness[k * n + l] - by_gamma_ * damping[k * n + l];
      for (std::size_t j = 0; j < n; ++j) a += damping[k * n + j] * turn_rate[j * n + l];
      if (with_states) a += states_.joint(b.square)[k * n + l];
      if (b.reversed) a += dot(turning[k], H[l].angular);
      A[k * n + l] = a;
    }
  std::size_t pivots[most_directions];
  if (!invert(A, n, pivots)) return false;
  Vector R[most_directions];
  for (std::size_t k = 0; k < n; ++k) {
    Vector row;
    for (std::size_t j = 0; j < 6; ++j) {
      T sum{};
      for (std::size_t m = 0; m < 6; ++m) sum += H[k][m] * W(m, j);
      row[j] = sum;
    }
    for (std::size_t j = 0; j < 3; ++j) row[j] += turning[k][j];
    R[k] = row;
  }
  Vector* Y = Y_.data() + b.v;
  for (std::size_t k = 0; k < n; ++k) {
    Y[k] = {};
    for (std::size_t l = 0; l < n; ++l)
      for (std::size_t j = 0; j < 6; ++j) Y[k][j] -= A[k * n + l] * R[l][j];
  }
  if (b.parent < 0) return true;
  // What the parent feels at its P: moved there, with the lever's change under the force that is there already, and
  // what acts between the two.
  Six<T>& up = S_[static_cast<std::size_t>(b.parent)];
  if (coupling != nullptr) {
    Six<T> outer;
    outer.add(T(1), coupling->outer_K);
    outer.add(by_gamma_, coupling->outer_G);
    if (with_states) outer += states_.outer(b.coupling);
    for (std::size_t k = 0; k < n; ++k) {
      Vector h;
      add_scaled(h, T(1), H[k]);
      passed_[b.v + k] = multiply(outer, h);
    }
    shift_columns(outer, b.r);
    up += outer;
  }
  shift_rows(W, b.r);
  const Mat3 lever = skew(b.force) * skew(b.r);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) W(r, c) += lever(r, c);
  for (std::size_t k = 0; k < n; ++k) {
    Vector& P = passed_[b.v + k];
    if (coupling == nullptr) P = {};
    P.linear += U[k].linear;
    P.angular += U[k].angular + cross_with(b.r, U[k].linear);
    const Vec3 swing = cross(H[k].linear, b.force);
    P.angular.x += swing.x;
    P.angular.y += swing.y;
    P.angular.z += swing.z;
    for (std::size_t r = 0; r < 6; ++r)
      for (std::size_t c = 0; c < 6; ++c) W(r, c) += P[r] * Y[k][c];
  }
  up += W;
  return true;
}

template <class T>
void NewtonSweep<T>::begin(std::span<const T> steps, std::span<const T> rates) noexcept {
  std::ranges::fill(e_, Vector{});
  // The right-hand sides as motions: with δ̇ = (δ − r_δ)/γ the rests of ξ̇ and of ξ̈ bring wrenches.
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const LinearizedTree::Body& b = bodies_[i];
    const std::size_t n = b.count;
    Vector a, v;
    if (b.parent >= 0) {
      const auto p = static_cast<std::size_t>(b.parent);
      a = acceleration_[p];
      a.linear -= cross_with(b.r, a.angular);
      v = speed_[p];
      v.linear -= cross_with(b.r, v.angular);
    }
    for (std::size_t k = 0; k < n; ++k) {
      T turned{}, damped{};
      for (std::size_t l = 0; l < n; ++l) {
        turned += tree_.turn_rate(b)[k * n + l] * steps[b.v + l];
        damped += tree_.damping(b)[k * n + l] * steps[b.v + l];
      }
      add_scaled(a, T(-(by_square_ * steps[b.v + k] + by_gamma_ * (rates[b.v + k] + turned))), tree_.H(b)[k]);
      add_scaled(v, T(-(by_gamma_ * steps[b.v + k])), tree_.H(b)[k]);
      effort_[b.v + k] = -by_gamma_ * damped;
    }
    acceleration_[i] = a;
    speed_[i] = v;
    if (b.element == LinearizedTree::none) {
      e_[i] += multiply(tree_.M(i), a);
      e_[i] += multiply(tree_.G(i), v);
    } else {
      modes_.begin(b.element, steps, rates, by_gamma_, by_square_, acceleration_, speed_, e_);
      for (const LinearizedModes::Station& s : tree_.flexible().stations(tree_.flexible().elements()[b.element]))
        e_[s.frame] += multiply(tree_.G(s.frame), speed_[s.frame]);
    }
    if (b.coupling != LinearizedTree::none && b.parent >= 0) {
      const auto p = static_cast<std::size_t>(b.parent);
      e_[i] += multiply(tree_.coupling(b).inner_G, speed_[p]);
      e_[p] += multiply(tree_.coupling(b).outer_G, v);
    }
  }
}

template <class T>
void NewtonSweep<T>::begin_at_rest() noexcept {
  std::ranges::fill(e_, Vector{});
  std::ranges::fill(effort_, T{});
  modes_.begin_at_rest();
}

template <class T>
void NewtonSweep<T>::find(std::span<T> steps) noexcept {
  for (std::size_t i = bodies_.size(); i-- > 0;) {
    const LinearizedTree::Body& b = bodies_[i];
    const std::size_t n = b.count;
    if (b.element != LinearizedTree::none) modes_.find_inward(b.element, e_, steps);
    const Vector& e = e_[i];
    T free[most_directions];
    for (std::size_t k = 0; k < n; ++k) free[k] = effort_[b.v + k] - dot_with(tree_.H(b)[k], e);
    for (std::size_t k = 0; k < n; ++k) {
      T y{};
      for (std::size_t l = 0; l < n; ++l) y += inverse_[b.square + k * n + l] * free[l];
      steps[b.v + k] = y;
    }
    if (b.parent < 0) continue;
    Vector& up = e_[static_cast<std::size_t>(b.parent)];
    up.linear += e.linear;
    up.angular += e.angular + cross_with(b.r, e.linear);
    for (std::size_t k = 0; k < n; ++k) {
      up.angular += steps[b.v + k] * passed_[b.v + k].angular;
      up.linear += steps[b.v + k] * passed_[b.v + k].linear;
    }
  }
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const LinearizedTree::Body& b = bodies_[i];
    Vector up;
    if (b.parent >= 0) up = xi_[static_cast<std::size_t>(b.parent)];
    Vector& xi = xi_[i];
    xi = up;
    xi.linear -= cross_with(b.r, up.angular);
    for (std::size_t k = 0; k < b.count; ++k) {
      steps[b.v + k] += dot(Y_[b.v + k], up);
      add_scaled(xi, steps[b.v + k], tree_.H(b)[k]);
    }
    if (b.element != LinearizedTree::none) modes_.find_outward(b.element, xi_, steps);
  }
}

template <class T>
void NewtonSweep<T>::finish(std::span<const T> found, std::span<T> steps, std::span<T> rates) noexcept {
  for (const LinearizedTree::Body& b : bodies_) {
    const std::size_t n = b.count;
    for (std::size_t k = 0; k < n; ++k) {
      T turned{};
      for (std::size_t l = 0; l < n; ++l) turned += tree_.turn_rate(b)[k * n + l] * found[b.v + l];
      rates[b.v + k] = by_gamma_ * (found[b.v + k] - steps[b.v + k]) - turned;
    }
    for (std::size_t k = 0; k < n; ++k) steps[b.v + k] = found[b.v + k];
  }
  for (std::size_t k = tree_.modes(); k < tree_.directions(); ++k) {
    rates[k] = by_gamma_ * (found[k] - steps[k]);
    steps[k] = found[k];
  }
}

template <class T>
void NewtonSweep<T>::load(const LinearizedTree::Pattern& p, const T& factor) noexcept {
  for (std::size_t k = 0; k < 2; ++k)
    if (p.frame[k] != LinearizedTree::none) add_scaled(e_[p.frame[k]], T(-factor), p.wrench[k]);
  if (p.v != LinearizedTree::none) effort_[p.v] += factor;
}

template <class T>
T NewtonSweep<T>::given_rate(const LinearizedTree::Pattern& p, std::span<const T> steps) const noexcept {
  T sum{};
  for (std::size_t k = 0; k < 2; ++k)
    if (p.frame[k] != LinearizedTree::none) sum += dot_with(p.wrench[k], speed_[p.frame[k]]);
  if (p.v != LinearizedTree::none) sum -= by_gamma_ * steps[p.v];
  return sum;
}

template <class T>
T NewtonSweep<T>::given_acceleration(const LinearizedTree::Pattern& p) const noexcept {
  T sum{};
  for (std::size_t k = 0; k < 2; ++k)
    if (p.frame[k] != LinearizedTree::none) sum += dot_with(p.wrench[k], acceleration_[p.frame[k]]);
  return sum;
}

template <class T>
void NewtonSweep<T>::move(std::span<const T> found) noexcept {
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const LinearizedTree::Body& b = bodies_[i];
    Vector& xi = xi_[i];
    xi = b.parent >= 0 ? xi_[static_cast<std::size_t>(b.parent)] : Vector{};
    xi.linear -= cross_with(b.r, xi.angular);
    for (std::size_t k = 0; k < b.count; ++k) add_scaled(xi, found[b.v + k], tree_.H(b)[k]);
    if (b.element != LinearizedTree::none) modes_.move(b.element, xi_, found);
  }
}

template <class T>
T NewtonSweep<T>::displacement_since(const LinearizedTree::Pattern& p) const noexcept {
  const T gamma = T(1) / by_gamma_;
  T sum{};
  for (std::size_t k = 0; k < 2; ++k) {
    if (p.frame[k] == LinearizedTree::none) continue;
    sum += dot_with(p.wrench[k], xi_[p.frame[k]]) + gamma * dot_with(p.wrench[k], speed_[p.frame[k]]);
  }
  return sum;
}

template <class T>
T NewtonSweep<T>::displacement(const LinearizedTree::Pattern& p, std::span<const T> found) const noexcept {
  T sum{};
  for (std::size_t k = 0; k < 2; ++k)
    if (p.frame[k] != LinearizedTree::none) sum += dot_with(p.wrench[k], xi_[p.frame[k]]);
  if (p.v != LinearizedTree::none) sum += found[p.v];
  return sum;
}

template class NewtonSweep<double>;
template class NewtonSweep<std::complex<double>>;

}  // namespace polyform
