// Which part of a joint's reaction the equations of motion determine where constraints are redundant.
//
// Multipliers μ with Jᵀ μ = 0 change no acceleration, so any of them may be added to a solution. What they send through
// a joint are the directions in which its reaction is open; all others, at right angles to these, are unique.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "polyform/contract/index.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform::host::inline assembly {

/// Directions in which a reaction is unique: unit vectors along which the force is, those along which the moment is,
/// and sums that are unique, such as a force times a lever and a moment: linear · force + angular · moment (angular in
/// 1/m).
struct UniqueDirections {
  std::vector<Vec3> force, moment;
  std::vector<Spatial> combined;
  std::size_t count() const { return force.size() + moment.size() + combined.size(); }
};

/// An open subspace of the reactions of one joint: of (moment / length, force), so that both are in N.
class OpenDirections {
 public:
  OpenDirections() = default;
  /// Spanned by some wrenches (about the origin of M); sizes: of the terms (N) whose sums these are.
  OpenDirections(JointIndex joint, double length, std::span<const Spatial> wrenches, double size);
  /// Adds those that the joint has at another time, in the same axes.
  void add(const OpenDirections&);

  JointIndex joint() const { return joint_; }
  std::size_t count() const { return count_; }  ///< 0: all is unique
  /// Whether the components of moment (0 to 2) and force (3 to 5) are unique.
  std::array<bool, 6> unique() const;
  /// All directions at right angles to these.
  UniqueDirections along() const;
  /// A reaction without its open part.
  Spatial unique_part(const Spatial&) const;
  /// The same directions in axes in which the present ones have the orientation R.
  OpenDirections in_axes(const Mat3& R) const;

 private:
  using Direction = std::array<double, 6>;
  void span_by(std::span<const Direction>, double threshold);

  JointIndex joint_{};
  double length_ = 1;
  std::size_t count_ = 0;
  std::array<Direction, 6> basis_{};  ///< orthonormal, the first count_ in use
};

}  // namespace polyform::host::assembly
