// Whether the accelerations that a solver gives are right. One check for all who use them: runs, evaluations, linear
// models, equilibria, FMUs and derivatives.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "framework/host/evaluation/balance_check.hpp"
#include "framework/host/evaluation/joint_check.hpp"

namespace polyform::host::inline evaluation {

/// The equations of motion, and what joints allow. What it tells is about all checks so far.
class SolverCheck {
 public:
  /// Both outlive the object.
  SolverCheck(const SystemView&, Solver&);

  /// A check costs about what two evaluations cost. True at the first call, and again after so many evaluations that
  /// the cost does not matter.
  bool is_due(std::size_t evaluations);
  /// Of what the solver has observed. Failure (simulation_failed) when no digit is left.
  void check(double time, const Observation&);
  /// Observes a state that another program gives, and checks it if it is one that the constraints allow.
  void check_given(double time, std::span<const double> y, Observation&);

  /// With the warnings of both.
  BalanceReport report() const;
  /// See BalanceCheck::worst().
  BalanceReport worst() const { return balance_.worst(); }
  /// Of the joints alone; or empty.
  std::string warning_of_joints() const { return joints_.warning(); }

 private:
  Solver& solver_;
  BalanceCheck balance_;
  JointCheck joints_;
  std::optional<std::size_t> checked_;  ///< evaluations at the last check
};

}  // namespace polyform::host::inline evaluation
