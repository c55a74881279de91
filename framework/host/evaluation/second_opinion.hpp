// Accelerations found anew with twice the digits. The balance of forces cannot judge the acceleration of a body through
// which forces pass that are many millions of times its own inertia force; this can.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline evaluation {

class SecondOpinion {
 public:
  /// Judges the accelerations of this solver. Both outlive the object.
  SecondOpinion(const SystemView&, Solver&);
  ~SecondOpinion();

  struct Difference {
    double part = 0;  ///< relative
    std::size_t body = 0;
  };
  /// How far the accelerations that the solver observed are from those of the same equations at the same motion, solved
  /// with twice the digits. What is due to rounding of the equations' own numbers counts as none. Nothing if no
  /// better accelerations can be had: a system too large, rows that the solver takes as not rigid, equations that do
  /// not determine the accelerations well enough for numbers in double precision. linear, angular: accelerations that
  /// count as rounding of what acts.
  std::optional<Difference> on(double t, const Observation&, double linear, double angular);

 private:
  class Own;
  const SystemView& view_;
  std::unique_ptr<Own> own_;
};

}  // namespace polyform::host::evaluation
