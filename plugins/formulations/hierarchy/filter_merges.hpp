// Merges of subsystems that are described by a covariance (section 4).
#pragma once

#include "subsystem_models.hpp"

namespace polyform::hierarchy {

/// Enforces the rows of merges one after another; begin() starts a solution.
class FilterMerges {
 public:
  /// They outlive the object.
  explicit FilterMerges(SubsystemModels& models) : models_(models) {}

  void begin() noexcept { smallest_pivot_ = stiffest_pivot_ = 1; }
  /// Does Eqs 4.14–4.18 on the interface of the merged subsystem, after its rows are read.
  void enforce(Node&) noexcept;
  /// λ = S^g (b̃ − H̃ (x̄ + P F)), with the innovation that later constraints leave. In the scratch of the models.
  Vector multipliers(const Node&) const noexcept;

  /// The smallest pivots since begin(): of rows that close loops, relative to what they would be without constraints;
  /// and of other rows, with the merge in which it stands.
  double smallest_pivot() const { return smallest_pivot_; }
  double stiffest_pivot() const { return stiffest_pivot_; }
  const Node& stiffest() const { return *stiffest_; }

 private:
  SubsystemModels& models_;
  double smallest_pivot_ = 1, stiffest_pivot_ = 1;
  const Node* stiffest_ = nullptr;
};

}  // namespace polyform::hierarchy
