// Derivatives of all applied forces of a system by their own inputs: the markers, joints and states of each force.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/attachments.hpp"

namespace polyform {

/// The derivatives come from the forces (contract/given_derivatives.hpp), or from differences in the few inputs of an
/// instance, which step the same input of all instances of a type at once. The object has batches of its own, so it
/// does not disturb evaluations. Nothing allocates after construction.
class ForceDerivatives {
 public:
  /// The inputs of each marker: rotation, displacement, angular velocity, velocity; ground axes.
  static constexpr std::size_t marker_inputs = 12, marker_outputs = 6;

  /// One instance. inputs: marker after marker as above, then the joints' coordinates (by steps in the velocity
  /// coordinates, q̇ = N v), then their velocities, then the states. outputs: moment and force at each marker, efforts,
  /// rates of the states.
  struct Instance {
    std::size_t group = 0, number = 0;  ///< of the view's forces, and within the group
    std::size_t first_marker = 0, markers = 0;
    std::size_t first_joint = 0, joints = 0;
    std::size_t first_v = 0, first_q = 0, velocities = 0;
    std::size_t first_state = 0, states = 0;  ///< in the group
    std::size_t state_offset = 0;             ///< among all first-order states
    std::size_t matrix = 0;                   ///< outputs × inputs, rows first
    std::size_t inputs() const { return marker_inputs * markers + 2 * velocities + states; }
    std::size_t outputs() const { return marker_outputs * markers + velocities + states; }
  };

  /// origin: the point from which positions of the frames count. The view outlives the object.
  ForceDerivatives(const SystemView&, const Vec3& origin);
  ~ForceDerivatives();
  ForceDerivatives(const ForceDerivatives&) = delete;
  ForceDerivatives& operator=(const ForceDerivatives&) = delete;

  bool good() const { return good_; }
  /// Discrete states of all elements, as ForceSet::follow takes them.
  void follow(std::span<const std::int32_t> discrete) noexcept { discrete_ = discrete; }
  /// Finds the derivatives at a state; arguments as for ForceSet::evaluate.
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q, std::span<const double> v,
                std::span<const double> x) noexcept;

  std::span<const Instance> instances() const { return instances_; }
  /// The matrix of the last evaluate().
  const double* matrix(const Instance& i) const { return numbers_.data() + i.matrix; }
  std::span<const Marker> markers(const Instance&) const;
  std::span<const Vec3> arms(const Instance&) const;         ///< from the origins of the markers' frames
  std::span<const Spatial> wrenches(const Instance&) const;  ///< on the markers at the state
  std::span<const JointIndex> joints(const Instance&) const;

 private:
  struct Group;
  bool take_given(Group&, double t, std::span<const std::int32_t> discrete) noexcept;
  void difference(Group&, double t) noexcept;
  void add_column(Group&, std::size_t instance, std::size_t column, double step) noexcept;

  const SystemView& view_;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<Instance> instances_;
  std::vector<double> numbers_;
  std::span<const std::int32_t> discrete_;
  bool good_ = true;
};

}  // namespace polyform
