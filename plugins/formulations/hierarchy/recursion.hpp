// From the model of level 1 (free bodies and modules) to that of the last level, one merge of subsystems after another,
// and back.
//
// Upwards, a subsystem is described by what later constraints can see of it, the blocks of its interface: for a rigid
// body six unknowns, for a flexible one its modes too, for a module its variables. By the filter (section 4): their
// accelerations x̄ and covariance P with all constraints within enforced, so that x = x̄ + P F when later constraints
// put the forces F on them. By bases of the admissible motions (Theorem 3.2): x = x̄ + S ν with the reduced model M ν =
// f + Sᵀ F. Downwards, the forces of later constraints are handed on to the parts, those of the merge's own constraints
// are added, and at the blocks γ = M α − f is their sum.
//
// x stands for α, for a = M^{1/2} α (udwadia-kalaba; for blocks with full mass matrices M = L Lᵀ, a = Lᵀ α), or for α
// in units of the block's size if M is singular. M need not be invertible in subsystems that are described by bases of
// motions. With any method, a subsystem with a body without mass is described so, and so are the subsystems of which it
// becomes a part.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "pass.hpp"
#include "recursion_failure.hpp"
#include "residuals.hpp"
#include "subsystem_models.hpp"

namespace polyform::hierarchy {

/// Passes over the hierarchy until the equations of motion and the constraints hold to rounding.
class Recursion {
 public:
  /// All arguments outlive the object. noise: of each constraint the diagonal of R (4.17), or empty.
  Recursion(const AbsoluteEquations&, const MergeTree&, std::span<const LevelConstraint>, std::span<const BlockInertia>,
            Method, std::span<const std::vector<double>> noise);

  /// Accelerations and multipliers at the evaluated constraint rows. loads: f + φ of all blocks. Those that are shown
  /// have the rounding of a first pass taken off wherever bodies lack inertia. False when they are not determined or
  /// not finite: failure() says why.
  bool solve(std::span<const double> loads, Accelerations) noexcept;
  /// R λ of all rows for the solution just found (4.17): what joints with a clearance miss.
  std::span<const double> given_way() noexcept;
  std::span<const double> accelerations() const { return accelerations_; }
  std::span<const double> multipliers() const { return multipliers_; }
  std::string_view failure() const noexcept { return failure_.text(); }

 private:
  bool check_finite() noexcept;
  bool check_covariances() noexcept;

  SubsystemModels models_;
  Pass pass_;
  Residuals residuals_;
  std::vector<double> accelerations_, multipliers_;  ///< the sums of all passes
  std::vector<double> given_way_;
  RecursionFailure failure_;
};

}  // namespace polyform::hierarchy
