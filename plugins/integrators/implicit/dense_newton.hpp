// Newton's matrix as a full one, by differences of the derivative.
#pragma once

#include <Eigen/LU>

#include "newton.hpp"

namespace polyform::implicit {

class DenseNewton final : public Newton {
 public:
  DenseNewton(FirstOrderSystem&, const StepSettings&);
  bool linearize(double t, std::span<const double> y) noexcept override;
  double price() const noexcept override;
  bool prepare(double gamma) noexcept override;
  bool prepare(std::complex<double> gamma) noexcept override;
  void solve(std::span<double> x) noexcept override;
  void solve(std::span<double> real, std::span<double> imaginary) noexcept override;

 private:
  StepSettings settings_;
  std::vector<double> moved_, rate_, moved_rate_;
  Eigen::MatrixXd J_, real_matrix_;
  Eigen::MatrixXcd complex_matrix_;
  Eigen::PartialPivLU<Eigen::MatrixXd> real_;
  Eigen::PartialPivLU<Eigen::MatrixXcd> complex_;
  Eigen::VectorXd real_side_;                     ///< right-hand side, rows as pivoted
  Eigen::VectorXcd complex_side_, pivoted_side_;  ///< as given, and as pivoted
};

}  // namespace polyform::implicit
