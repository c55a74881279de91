// The constraint Jacobian of a system by itself: at any positions, by both algorithms and by differences of the
// residuals.
#pragma once

#include <string>
#include <vector>

#include "constraint_jacobian.hpp"
#include "least_correction.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

/// Rows of all cut joints, one after another, by coordinates: velocity coordinates of the tree joints, then modes.
struct DenseJacobian {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  ///< row by row

  double& operator()(std::size_t r, std::size_t c) { return values[r * columns + c]; }
  /// Largest difference, relative to the largest element (at least 1).
  double difference(const DenseJacobian& other) const;
};

class JacobianBench {
 public:
  explicit JacobianBench(const std::string& model_text);

  std::size_t coordinates() const { return view_.nv_tree + view_.modes; }
  /// Moves the positions by a step, per velocity coordinate of the tree joints and per mode.
  void move(const std::vector<double>& step);
  /// Brings the positions onto the loops; fails the test when they cannot be closed.
  void close();

  DenseJacobian semi_analytic();
  DenseJacobian direct_differentiation();
  /// Central differences of the residuals, of fourth order; meant for closed states, where the basis of the rows does
  /// not count.
  DenseJacobian differences();

 private:
  void place();
  DenseJacobian dense() const;
  std::vector<double> residuals();

  std::unique_ptr<host::System> system_;
  const SystemView& view_;
  FlexibleLinks flexible_;
  LoopClosure loops_;
  Recursion recursion_;
  reduced::ConstraintJacobian jacobian_;
  reduced::LeastCorrection least_;
  std::vector<double> q_, v_, eta_, etadot_;
  std::vector<std::size_t> first_row_;
  std::size_t rows_ = 0;
  std::span<const BodyMotion> motions_;
};

}  // namespace polyform::test
