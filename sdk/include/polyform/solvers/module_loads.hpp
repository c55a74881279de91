// The wrenches and efforts that modules apply to bodies and joints, in addition to the forces of their rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform {

/// The loads as the set evaluated them, at the joint motions of the last evaluate(). Ground axes; nothing allocates
/// after construction.
class ModuleLoads {
 public:
  /// The arguments outlive the object.
  ModuleLoads(const SystemView&, const ModuleSet&);

  /// The frames that modules load, without ground.
  std::span<const FrameIndex> frames() const { return frames_; }
  /// q, v: coordinates of all joints.
  void evaluate(std::span<const double> q, std::span<const double> v) noexcept;
  /// Adds the loads to the wrenches on the frames, about their origins.
  void add_wrenches(std::span<const BodyMotion> frames, std::span<Spatial> wrenches) const noexcept;
  /// Adds the efforts to the reactions of the joints, on their moving bodies at the origin of M.
  void add_reactions(std::span<const BodyMotion> frames, std::span<Spatial> reactions) const noexcept;

 private:
  template <class Visit>
  void each_effort(std::size_t module, const Visit&) const noexcept;

  const SystemView& view_;
  const ModuleSet& set_;
  std::vector<std::size_t> first_motion_;  ///< per module
  std::vector<JointMotion> motions_;       ///< of the joints of each module, one after the other
  std::vector<FrameIndex> frames_;
};

}  // namespace polyform
