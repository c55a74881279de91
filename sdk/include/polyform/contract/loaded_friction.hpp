// Friction that grows with what a joint transmits: bearings and guides.
//
// A bearing rubs by what presses on it, and that is a reaction: it follows from the motion, to which the friction itself
// belongs. A force type with rows that hold at times (unilateral.hpp) may offer this interface for such rows. The host
// then finds reactions and friction together, at each state: implicitly, not from the step before.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/spatial.hpp"

namespace polyform {

/// A batch's query gives it beside UnilateralRows. Nothing allocates or throws; what is given depends on the input only.
class LoadedFriction {
 public:
  static constexpr std::string_view interface_name = "polyform.loaded_friction.1";
  /// Whether an instance has such friction.
  virtual bool is_loaded(std::size_t instance) const noexcept = 0;
  /// Adds to UnilateralOutput::holding and sliding, per point. Per attached joint, instance after instance, ground axes,
  /// about the origin of M: Observation::reactions, and the twist of M in F for a unit of the joint's first velocity.
  virtual void add_friction(std::span<const Spatial> reactions, std::span<const Spatial> motions,
                            std::span<double> holding, std::span<double> sliding) noexcept = 0;

 protected:
  ~LoadedFriction() = default;
};

}  // namespace polyform
