// The joint coordinates that the poses of the bodies leave open, for formulations whose state is poses or points.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/discrete_values.hpp"

namespace polyform {

/// Joint coordinates that a state vector carries in addition to poses: angles (whole turns), displacements along turned
/// axes and all coordinates of code-defined joints, integrated from their rates; and the sign of a cut joint's
/// quaternion, a discrete state. Nothing but the choice among equal poses depends on them.
class JointHints {
 public:
  /// Coordinates first_q … first_q + count − 1 of a joint.
  struct Coordinates {
    std::size_t joint, first_q, count;
  };

  /// Both arguments outlive the object; the signs are added to the discrete values.
  JointHints(const SystemView&, DiscreteValues&);
  /// Numbers in the state vector: coordinates in order.
  std::size_t size() const { return size_; }
  std::span<const Coordinates> coordinates() const { return coordinates_; }

  /// Takes the signs from a consistent state. orientations: of the frames, following the motion continuously.
  void set_signs(std::span<const double> q, std::span<const Quat> orientations) noexcept;
  /// Reads the state vector: hints for the coordinates q of all joints. Quaternions follow from the orientations.
  void read(const double* hints, std::span<const Quat> orientations, std::span<double> q) const noexcept;
  void write(std::span<const double> q, double* hints) const noexcept;

 private:
  /// The quaternion at first_q of a joint follows from those of the bodies, up to a sign for a cut joint.
  struct Ball {
    std::size_t joint, first_q;
    Quat drawn;
    std::size_t turned;  ///< place of the discrete value that is 1 if the quaternion's sign is minus; or `never`
  };
  static constexpr std::size_t never = static_cast<std::size_t>(-1);
  double sign(const Ball& ball) const { return ball.turned != never && discrete_[ball.turned] != 0 ? -1 : 1; }
  Quat quaternion(const Ball&, std::span<const Quat> orientations) const noexcept;

  const SystemView& view_;
  DiscreteValues& discrete_;
  std::vector<Coordinates> coordinates_;
  std::vector<Ball> balls_;
  std::size_t size_ = 0;
};

}  // namespace polyform
