// Rows that are nonlinear in velocities, such as formulas, along the steps of Newton's method.
#pragma once

#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/start.hpp"

namespace polyform::host::inline assembly {

/// The size of a row's wrenches, about the origins of their own frames; a moment counts by a length, m.
double size_of_wrenches(const ConstraintJacobian&, std::size_t row, double length);

/// A step of rates meets the rows as they are linearized where it begins. Rows that are linear are then met; of others
/// the errors fall, and the next step begins where this one ends. A step after which they do not fall is halved until
/// they do.
class NonlinearRows {
 public:
  /// Both outlive the object.
  NonlinearRows(Start& start, ConstraintJacobian& jacobian) : start_(start), jacobian_(jacobian) {}

  /// After a step, with the Jacobian as evaluated where it began: moves the start to the rates `to`, which it shortens
  /// where it has to, and evaluates the Jacobian there. True if another step is due: a row is nonlinear, and the errors
  /// have fallen. must_fall: the step did nothing else than meet rows.
  bool follow(const std::vector<double>& from, std::vector<double>& to, bool must_fall);
  /// The steps so far: one if no row is nonlinear.
  int steps() const { return steps_; }

 private:
  /// Of the rows where a step begins: what they are off by there, what linear rows would be off by where it ends, and
  /// the sizes by which these are judged.
  struct Before {
    std::vector<double> error, expected, size;
  };
  Before before(const std::vector<double>& from, const std::vector<double>& to) const;
  void move(const std::vector<double>& to);
  double largest(const Before&) const;
  bool is_linear(const Before&) const;

  Start& start_;
  ConstraintJacobian& jacobian_;
  int steps_ = 0;
};

}  // namespace polyform::host::inline assembly
