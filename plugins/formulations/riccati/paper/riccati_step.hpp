// The Riccati transformation over one element (Rui et al. 2020, Eqs 20–33).
#pragma once

#include <vector>

#include "state_vector.hpp"

namespace polyform::riccati::paper {

/// One step of the recursion z_a = S z_b + e from the input end of an element to its output end. N: half the number of
/// states; M: columns of e. Column 0 belongs to the artificial 1, further ones to unknowns that e depends on linearly.
template <int N, int M>
struct RiccatiStep {
  using Square = Eigen::Matrix<double, N, N>;
  using Free = Eigen::Matrix<double, N, M>;
  Square P, S_next;
  Free q, Pq, e_next;  ///< q: the paper's q_i

  /// Eqs 24, 29, 30; f_a, f_b: vectors. Does not allocate when the sizes are as before.
  template <class T11, class T12, class T21, class T22, class Fa, class Fb>
  void set(const T11& t11, const T12& t12, const T21& t21, const T22& t22, const Fa& f_a, const Fb& f_b,
           const Square& S, const Free& e) {
    P = (t21 * S + t22).partialPivLu().inverse();
    q.noalias() = t21 * e;
    q.col(0) += f_b;
    q = -q;
    S_next = (t11 * S + t12) * P;
    e_next.noalias() = t11 * e;
    e_next.col(0) += f_a;
    e_next.noalias() += S_next * q;
    Pq.noalias() = P * q;
  }
};

/// Which states of a layout are known at the tip (z_a) and which are not (z_b).
struct Partition {
  std::vector<Index> a, b;
};

/// An element's transfer matrix rearranged, Eq 20.
struct Rearranged {
  Rearranged(const Layout&, const Partition&, const Matrix& U);
  Matrix T11, T12, T21, T22;
  Vector f_a, f_b;
};

}  // namespace polyform::riccati::paper
