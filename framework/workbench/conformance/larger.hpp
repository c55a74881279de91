// The larger of errors, with what is no number above all others.
#pragma once

#include <Eigen/Core>
#include <initializer_list>

namespace polyform::host::inline conformance {

/// Not a number where one of the two is none, which std::max(a, NaN) would drop.
inline double larger(double a, double b) { return b > a || b != b ? b : a; }
inline double larger(std::initializer_list<double> list) {
  double worst = *list.begin();
  for (const double x : list) worst = larger(worst, x);
  return worst;
}

/// An error relative to a size; infinite if there is an error and no size.
inline double relative(double error, double size) { return error == 0 ? 0 : error / size; }

/// The largest entry by size.
template <class Matrix>
double largest(const Matrix& M) {
  return M.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
}

}  // namespace polyform::host::conformance
