// Rows of a time step that no force moves, because a prescribed motion or other constraints move their bodies.
#pragma once

#include <span>
#include <vector>

#include "framework/host/unilateral/contact_sizes.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

/// Looks at the points that a step has chosen. The set is evaluated at the middle of the step, with velocities on which
/// no contact acts.
class DrivenRows {
 public:
  /// Both arguments outlive the object.
  DrivenRows(const SystemView& view, const UnilateralSet& set) : view_(view), set_(set) {}

  /// Takes the sizes by which rows are judged. of_points: those of all points of the set at the start.
  void measure(const ConstStateView& start, const std::vector<ContactSizes>& of_points);
  /// Begins a step of `step` s. points: numbers in the set, which stay as they are until the next step begins.
  void begin(std::span<const std::size_t> points, double step);
  /// What a unit force along a row of each point moves where nothing else holds the bodies, 1/kg or 1/(kg m²).
  std::span<const double> responses() const { return responses_; }
  /// held: per row, whether no force moves it. Failure (simulation_failed) if one of these closes within the step; t:
  /// the middle of the step, s.
  void take_held(std::span<const char> held, double t);
  /// Rows that no force moves and that do not slide have no rates: their rounding must not rub.
  void leave_out_resting(std::span<double> rates) const;

 private:
  static constexpr std::size_t three = UnilateralSet::rows_per_point;

  const ContactSizes& sizes_of(std::size_t k) const;

  const SystemView& view_;
  const UnilateralSet& set_;
  ContactSizes of_system_;
  std::vector<ContactSizes> of_velocities_;  ///< of points along a joint velocity of the system
  double step_ = 0;
  std::span<const std::size_t> points_;
  std::vector<double> gaps_, speeds_, responses_;  ///< per point
  std::vector<double> resting_;                    ///< per row: what is slower rests
  std::vector<char> held_;                         ///< per row
};

}  // namespace polyform::host::inline unilateral
