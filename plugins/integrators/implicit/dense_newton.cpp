#include "dense_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::implicit {

namespace {

using Index = Eigen::Index;

Index index(std::size_t n) { return static_cast<Index>(n); }

/// False if a pivot of 1 − gamma J is zero, or no number.
template <class Factors, class Matrix, class T>
bool factorize(Factors& factors, Matrix& matrix, const Eigen::MatrixXd& J, const T& gamma) {
  matrix = -gamma * J;
  matrix.diagonal().array() += T(1);
  factors.compute(matrix);
  return (factors.matrixLU().diagonal().array().abs() > 0).all();
}

/// x = (P⁻¹ L U)⁻¹ b; without memory but pivoted's.
template <class Factors, class Vector, class Side>
void solve_into(const Factors& factors, Vector& pivoted, Side&& b) {
  pivoted.noalias() = factors.permutationP() * b;
  factors.matrixLU().template triangularView<Eigen::UnitLower>().solveInPlace(pivoted);
  factors.matrixLU().template triangularView<Eigen::Upper>().solveInPlace(pivoted);
}

}  // namespace

DenseNewton::DenseNewton(FirstOrderSystem& system, const StepSettings& settings)
    : Newton(system), settings_(settings), moved_(system.size()), rate_(moved_), moved_rate_(moved_) {
  const Index n = index(system.size() - system.integrals());
  J_.setZero(n, n);
  real_matrix_.setIdentity(n, n);
  complex_matrix_.setIdentity(n, n);
  real_.compute(real_matrix_);
  complex_.compute(complex_matrix_);
  real_side_.resize(n);
  complex_side_.resize(n);
  pivoted_side_.resize(n);
}

/// A column for each state, by steps of half of the digits.
bool DenseNewton::linearize(double t, std::span<const double> y) noexcept {
  ++linearizations_;
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  const auto n = static_cast<std::size_t>(J_.rows());
  std::copy_n(y.begin(), n, moved_.begin());
  if (system_.derivative(t, moved_, rate_) != Status::ok) return false;
  for (std::size_t j = 0; j < n; ++j) {
    const double here = moved_[j];
    const double by = root * std::max(std::abs(here), std::min(1e-3, settings_.absolute_tolerance / root));
    moved_[j] = here + by;
    const Status status = system_.derivative(t, moved_, moved_rate_);
    const double moved = moved_[j] - here;
    moved_[j] = here;
    if (status != Status::ok) return false;
    for (std::size_t i = 0; i < n; ++i) J_(index(i), index(j)) = (moved_rate_[i] - rate_[i]) / moved;
  }
  return true;
}

double DenseNewton::price() const noexcept {
  // n evaluations, and about 10/3 n³ operations for a real and a complex factorization, of which an evaluation does
  // some 300 for each state.
  const auto n = static_cast<double>(J_.rows());
  return n + n * n / 90;
}

bool DenseNewton::prepare(double gamma) noexcept { return factorize(real_, real_matrix_, J_, gamma); }

bool DenseNewton::prepare(std::complex<double> gamma) noexcept {
  return factorize(complex_, complex_matrix_, J_, gamma);
}

void DenseNewton::solve(std::span<double> x) noexcept {
  Eigen::Map<Eigen::VectorXd> side(x.data(), J_.rows());
  solve_into(real_, real_side_, side);
  side = real_side_;
}

void DenseNewton::solve(std::span<double> real, std::span<double> imaginary) noexcept {
  Eigen::Map<Eigen::VectorXd> a(real.data(), J_.rows()), b(imaginary.data(), J_.rows());
  complex_side_.real() = a;
  complex_side_.imag() = b;
  solve_into(complex_, pivoted_side_, complex_side_);
  a = pivoted_side_.real();
  b = pivoted_side_.imag();
}

}  // namespace polyform::implicit
