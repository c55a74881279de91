// Accelerations of a placed tree: the equations in the form that was chosen, and the digits that rounding takes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "equations.hpp"
#include "options.hpp"
#include "polyform/mechanics/scale.hpp"
#include "polyform/solvers/mending.hpp"
#include "reductions.hpp"

namespace polyform::thompson {

/// Checks now and then what u̇ leaves of Eq 15, and wins back the digits that were lost between light and heavy bodies.
class LostDigits {
 public:
  LostDigits(const SystemView&, const SystemScales&);
  /// Checks the next accelerations in any case, as after a state that has nothing to do with the ones before.
  void look() { mending_.look(); }
  /// Whether this evaluation is to be checked. Asked once per evaluation.
  bool is_due() noexcept { return mending_.is_due(); }
  /// Adds the lost digits to u̇ and q̈, which `reduced` has just found for the problem.
  void mend(const Problem&, const PlacedTree&, ReducedForm& reduced, double* udot, BodyVectors& qddot) noexcept;

 private:
  ActingAccelerations find_acting(const Forces& Q, const PlacedTree&) const noexcept;

  const SystemView& view_;
  double reach_;            ///< the longest of the bodies, m
  Mending mending_{1e-10};  ///< as in Recursion
  BodyVectors steps_;       ///< of q̈
  std::vector<Spatial> accelerations_, change_;
};

/// u̇, v̇ and q̈ of a placed tree.
class Accelerations {
 public:
  /// The reductions outlive the object.
  Accelerations(const SystemView&, const Options&, Reductions&);

  /// Finds v̇ of the tree joints and q̈ of the bodies of this tree; H2 holds its values. Q: all that acts, to which the
  /// given forces of constraint elements are added. False if a coordinate moves no inertia: failed_coordinate() tells.
  bool find(const PlacedTree&, Forces& Q) noexcept;
  std::size_t failed_coordinate() const { return failed_; }
  /// Q − M q̈ with the accelerations that were found for these Q: the forces that constraints bear. Accelerations of
  /// modes are large compared with these forces, so they are used with more digits than a double has.
  void find_left(const Forces& Q, Forces& left) noexcept;
  /// Whether the rows that were left out agree with what was found for these Q; the failure names the worst.
  bool check_rows(const PlacedTree&, const Forces& Q, Failure&) const noexcept;
  /// The accelerations that find() has found.
  std::span<const double> udot() const { return udot_; }  ///< of q2
  std::span<const double> vdot() const { return vdot_; }
  const BodyVectors& qddot() const { return qddot_; }

  void look() { lost_digits_.look(); }
  ReducedForm& reduced() { return reduced_; }

 private:
  double find_acting(const PlacedTree&, const Forces& Q) const noexcept;

  const SystemView& view_;
  SystemScales system_scales_;
  Reductions& reductions_;
  ReducedForm reduced_;
  std::optional<ImplicitForm> implicit_;
  LostDigits lost_digits_;
  std::size_t failed_ = 0;
  std::vector<double> udot_, vdot_, zero_;
  std::vector<double> given_;  ///< multipliers of all closing rows
  BodyVectors qddot_, gamma_, steps_;
};

}  // namespace polyform::thompson
