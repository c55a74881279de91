// A and the right-hand sides of the constraints at the three levels.
#pragma once

#include <span>
#include <vector>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/solvers/absolute/constraints.hpp"
#include "polyform/solvers/absolute/inertia.hpp"
#include "polyform/solvers/absolute/motions.hpp"

namespace polyform::absolute {

enum class Level { position, velocity, acceleration };

/// By how much motions miss the constraints, the largest of all rows.
struct Violation {
  double position = 0;  ///< residual, rad or m
  double velocity = 0;  ///< A x − right, rad/s or m/s
};

/// The rows of all constraints as last evaluated, at one level.
class Rows {
 public:
  /// All arguments outlive the object, which evaluates the constraint elements and modules.
  Rows(const SystemView&, const Blocks&, const Constraints&, const Motions&, const Inertia&, ConstraintSet&,
       ModuleSet&);

  /// Evaluates the rows at the motions, whose inertia has been evaluated. q: coordinates of all joints, hints on entry;
  /// v: their velocities.
  void evaluate(double t, Level, double* q, double* v) noexcept;

  /// Coefficients of a row for the frame of a body, about its mass centre.
  const Spatial& frame(const Constraints::Entry& entry, std::size_t row) const { return frames_[entry.first + row]; }
  /// Coefficients of all its rows.
  const Spatial* frames(const Constraints::Entry& entry) const { return frames_.data() + entry.first; }
  /// Coefficients of a row for the modes of a body or the variables of a module.
  const double* own(const Constraints::Entry& entry, std::size_t row) const {
    return owns_.data() + entry.own + row * entry.owns;
  }
  /// a · x of a row on one of its blocks, x being all unknowns.
  double share(const Constraints::Entry&, std::size_t row, const double* x) const noexcept;

  /// b; at the level of positions the negative residual.
  std::span<const double> right() const { return right_; }
  const Violation& violation() const { return violation_; }
  const JointConstraint& joint(std::size_t j) const { return joints_[j]; }
  /// A wrench on a frame about its origin as one about the mass centre of its body. Its forces on the body's modes are
  /// added to modal, which is not touched for a wrench on the body frame.
  Spatial wrench_about_center(FrameIndex, const Spatial& wrench, double* modal) const noexcept;

 private:
  void set_joint(std::size_t joint, Level, double* q, double* v) noexcept;
  void set_element(std::size_t constraint, Level) noexcept;
  double set_module(std::size_t constraint, std::size_t row, Level) noexcept;
  void add(const Constraints::Constraint&, std::size_t row, FrameIndex, const Spatial& about_origin) noexcept;
  void add_joint(const Constraints::Constraint&, std::size_t row, std::size_t joint, const Spatial& t) noexcept;
  Spatial velocity_terms(FrameIndex) const noexcept;
  Spatial velocity_terms_of(std::size_t joint) const noexcept;

  const SystemView& view_;
  const Blocks& blocks_;
  const Constraints& constraints_;
  const Motions& motions_;
  const Inertia& inertia_;
  ConstraintSet& elements_;
  ModuleSet& modules_;
  std::vector<JointConstraint> joints_;
  std::vector<Spatial> frames_;  ///< A: per entry its rows, about the body's mass centre
  std::vector<double> owns_;     ///< the same for the blocks' own unknowns
  std::vector<double> right_;
  Violation violation_;
};

}  // namespace polyform::absolute
