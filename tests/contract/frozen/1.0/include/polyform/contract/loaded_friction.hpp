// Friction that grows with the load of a joint: bearings and guides.
//
// The friction of a bearing follows from the load on it, which is a reaction; reactions follow from the motion, and the
// friction changes the motion. A force type with rows that hold at times (unilateral.hpp) may offer this interface for
// such rows. The host then finds reactions and friction together, at each state: implicitly, not from the step before.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/spatial.hpp"

namespace polyform {

/// A batch's query gives it along with UnilateralRows. Nothing allocates or throws; the result depends on the input
/// only.
class LoadedFriction {
 public:
  static constexpr std::string_view interface_name = "polyform.loaded_friction.1";
  /// Whether an instance has such friction.
  virtual bool is_loaded(std::size_t instance) const noexcept = 0;
  /// Adds to UnilateralOutput::holding and sliding, per point. Both inputs have one entry per attached joint, instance
  /// after instance, ground axes, about the origin of M. reactions: as in Observation. motions: the twist of M in F for
  /// a unit of the joint's first velocity.
  virtual void add_friction(std::span<const Spatial> reactions, std::span<const Spatial> motions,
                            std::span<double> holding, std::span<double> sliding) noexcept = 0;

 protected:
  ~LoadedFriction() = default;
};

}  // namespace polyform
