// The inverse of a small matrix, real or complex.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>

namespace polyform {

/// Inverts m in place, rows first, by Gauss and Jordan with row pivots. False if the matrix is singular. rows: room for
/// n.
template <class T>
bool invert(T* a, std::size_t n, std::size_t* rows) {
  using std::abs;
  if (n == 1) {
    if (!(abs(a[0]) > 0)) return false;
    a[0] = T(1) / a[0];
    return true;
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (abs(a[i * n + k]) > abs(a[pivot * n + k])) pivot = i;
    if (!(abs(a[pivot * n + k]) > 0)) return false;
    rows[k] = pivot;
    for (std::size_t j = 0; j < n && pivot != k; ++j) std::swap(a[k * n + j], a[pivot * n + j]);
    const T inverse = T(1) / a[k * n + k];
    a[k * n + k] = T(1);
    for (std::size_t j = 0; j < n; ++j) a[k * n + j] *= inverse;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const T factor = a[i * n + k];
      a[i * n + k] = T(0);
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  for (std::size_t k = n; k-- > 0;)
    for (std::size_t i = 0; i < n && rows[k] != k; ++i) std::swap(a[i * n + k], a[i * n + rows[k]]);
  return true;
}

}  // namespace polyform
