// Merges of subsystems that are described by bases of their admissible motions: Theorem 3.2 and Eq 3.4.
#pragma once

#include "subsystem_models.hpp"

namespace polyform::hierarchy {

/// Enforces the rows of merges one after another; begin() starts a solution.
class BasisMerges {
 public:
  /// They outlive the object.
  explicit BasisMerges(SubsystemModels& models) : models_(models) {}

  void begin() noexcept { smallest_pivot_ = lightest_ = 1; }
  /// S ← S C with C onto ker(B) (Theorem 3.2), and the equations of motion on the new admissible motions (Eq 3.4),
  /// after the rows of the merge are read. False if nothing resists some motion that no later constraint feels; free()
  /// then tells it.
  bool enforce(Node&) noexcept;
  /// After enforce() has failed: the motion, in the coordinates of the merge that its condensation eliminates.
  const double* free() const { return models_.scratch().more_work; }
  /// Finds ν of the parts, and the multipliers of Bᵀ λ = M ν − f − SᵀF. They stand in the scratch of the models.
  Vector multipliers(Node&) noexcept;

  /// The smallest pivot of rows that close loops since begin(), relative to what it would be without constraints.
  double smallest_pivot() const { return smallest_pivot_; }
  /// The least inertia of a motion since begin(), relative to the largest of its merge.
  double lightest() const { return lightest_; }

 private:
  void describe_by_basis(SubsystemModel&) noexcept;
  void set_rows(Node&) noexcept;

  SubsystemModels& models_;
  double smallest_pivot_ = 1, lightest_ = 1;
};

}  // namespace polyform::hierarchy
