#include "dense_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::implicit {

template <class T>
bool DenseFactors<T>::factorize(const std::vector<double>& J, const T& gamma) noexcept {
  using std::abs;
  for (std::size_t k = 0; k < J.size(); ++k) a_[k] = -gamma * J[k];
  for (std::size_t i = 0; i < n_; ++i) a_[i * n_ + i] += T(1);
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n_; ++i)
      if (abs(a_[i * n_ + k]) > abs(a_[pivot * n_ + k])) pivot = i;
    rows_[k] = pivot;
    if (!(abs(a_[pivot * n_ + k]) > 0)) return false;
    if (pivot != k) std::swap_ranges(a_.data() + k * n_, a_.data() + (k + 1) * n_, a_.data() + pivot * n_);
    const T inverse = T(1) / a_[k * n_ + k];
    const T* const upper = a_.data() + k * n_;
    for (std::size_t i = k + 1; i < n_; ++i) {
      T* const row = a_.data() + i * n_;
      const T factor = row[k] *= inverse;
      if (factor == T(0)) continue;
      for (std::size_t j = k + 1; j < n_; ++j) row[j] -= factor * upper[j];
    }
  }
  return true;
}

template <class T>
void DenseFactors<T>::solve(T* x) const noexcept {
  for (std::size_t i = 0; i < n_; ++i) std::swap(x[i], x[rows_[i]]);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < i; ++j) x[i] -= a_[i * n_ + j] * x[j];
  for (std::size_t i = n_; i-- > 0;) {
    for (std::size_t j = i + 1; j < n_; ++j) x[i] -= a_[i * n_ + j] * x[j];
    x[i] /= a_[i * n_ + i];
  }
}

DenseNewton::DenseNewton(FirstOrderSystem& system, const StepSettings& settings)
    : system_(system), settings_(settings), J_((system.size() - system.integrals()) * (system.size() - system.integrals())),
      moved_(system.size()), rate_(system.size()), real_(system.size() - system.integrals()),
      complex_(system.size() - system.integrals()), work_(system.size() - system.integrals()) {}

/// A column for each state, by steps of half of the digits.
bool DenseNewton::linearize(double t, std::span<const double> y, std::span<const double> rate) noexcept {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  const std::size_t n = work_.size();
  std::copy_n(y.begin(), n, moved_.begin());
  for (std::size_t j = 0; j < n; ++j) {
    const double here = moved_[j];
    const double by = root * std::max(std::abs(here), std::min(1e-3, settings_.absolute_tolerance / root));
    moved_[j] = here + by;
    const Status status = system_.derivative(t, moved_, rate_);
    const double moved = moved_[j] - here;
    moved_[j] = here;
    if (status != Status::ok) return false;
    for (std::size_t i = 0; i < n; ++i) J_[i * n + j] = (rate_[i] - rate[i]) / moved;
  }
  return true;
}

void DenseNewton::solve(std::span<double> real, std::span<double> imaginary) noexcept {
  for (std::size_t i = 0; i < work_.size(); ++i) work_[i] = {real[i], imaginary[i]};
  complex_.solve(work_.data());
  for (std::size_t i = 0; i < work_.size(); ++i) {
    real[i] = work_[i].real();
    imaginary[i] = work_[i].imag();
  }
}

}  // namespace polyform::implicit
