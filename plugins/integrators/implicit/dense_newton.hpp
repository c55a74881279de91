// Newton's matrix as a full one, by differences of the derivative.
#pragma once

#include "newton.hpp"

namespace polyform::implicit {

/// A full matrix factorized by rows, with row pivots.
template <class T>
class DenseFactors {
 public:
  explicit DenseFactors(std::size_t n) : n_(n), a_(n * n), rows_(n) {}
  /// Of 1 − gamma · J, J rows first.
  bool factorize(const std::vector<double>& J, const T& gamma) noexcept;
  void solve(T* x) const noexcept;

 private:
  std::size_t n_;
  std::vector<T> a_;
  std::vector<std::size_t> rows_;
};

class DenseNewton final : public Newton {
 public:
  DenseNewton(FirstOrderSystem&, const StepSettings&);
  bool linearize(double t, std::span<const double> y, std::span<const double> rate) noexcept override;
  bool prepare(double gamma) noexcept override { return real_.factorize(J_, gamma); }
  bool prepare(std::complex<double> gamma) noexcept override { return complex_.factorize(J_, gamma); }
  void solve(std::span<double> x) noexcept override { real_.solve(x.data()); }
  void solve(std::span<double> real, std::span<double> imaginary) noexcept override;

 private:
  FirstOrderSystem& system_;
  StepSettings settings_;
  std::vector<double> J_, moved_, rate_;
  DenseFactors<double> real_;
  DenseFactors<std::complex<double>> complex_;
  std::vector<std::complex<double>> work_;
};

}  // namespace polyform::implicit
