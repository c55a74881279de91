// Whether the accelerations that a solver gives are those of bodies that its joints hold together. The balance of
// forces cannot tell: forces and accelerations may be in balance on bodies that part.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/balance.hpp"

namespace polyform::host::inline evaluation {

/// At each joint: the observed relative acceleration of the two bodies, minus the one that follows from the joint's own
/// v̇, divided by the accelerations there, or by a small part of those that weights, turning and loads could give the
/// bodies (SystemScales) where they are larger. Joints that the solver leaves out or holds softly are not checked.
class JointCheck {
 public:
  /// All outlive the object.
  JointCheck(const SystemView&, Solver&, const Balance&);

  /// Of what the balance was checked with just before, which found the motions. Failure (simulation_failed) if no digit
  /// is left. Nothing else allocates after construction.
  void check(double time, const Observation&);
  double largest() const { return worst_; }
  /// A sentence about the largest part in all checks; empty if it is small.
  std::string warning() const;

 private:
  void place(const Observation&) noexcept;
  void find_held(const Observation&) noexcept;
  double part(std::size_t joint, const Observation&) const noexcept;
  std::string sentence() const;

  const SystemView& view_;
  const Balance& balance_;
  std::vector<bool> asked_;
  std::vector<Spatial> held_;                           ///< loads of bodies that their joints hold, about their origins
  double of_efforts_ = 0;                               ///< what the largest effort of a joint gives all bodies, m/s²
  double acceleration_ = 0, angular_acceleration_ = 0;  ///< the least sizes of accelerations that count
  double worst_ = 0, time_ = 0;
  std::size_t where_ = 0;
};

}  // namespace polyform::host::evaluation
