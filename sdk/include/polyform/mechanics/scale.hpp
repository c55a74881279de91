// How large forces, moments, accelerations and energies are in a system, by what acts in it and by what could act. A
// residual, a deviation or a drift is small or large relative to these (sdk/NUMERICS.md has the reasons).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/body_motion.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

/// Anything smaller counts as this part of the largest in a system: what hardly moves or carries anything has the
/// rounding of the large forces and motions next to it.
inline constexpr double least_share = 1e-3;

/// Sizes of what acts and could act. Zero if nothing does and nothing could.
struct Scale {
  double force = 0, moment = 0;                       ///< N, N m
  double acceleration = 0, angular_acceleration = 0;  ///< m/s², rad/s²
  double energy = 0;                                  ///< work of the forces along the size of the bodies, J

  /// Takes the larger value of each.
  void include(const Scale&) noexcept;
};

/// The sizes of the bodies of a system, and with them its scales at any motion. Nothing allocates after construction.
class SystemScales {
 public:
  /// The view outlives the object.
  explicit SystemScales(const SystemView&);

  double mass(std::size_t body) const noexcept { return sizes_[body].mass; }  ///< its modes included, kg
  /// The largest distance of an attachment (joint, marker, node) from the mass centre, or the radius of gyration, m.
  double reach(std::size_t body) const noexcept { return sizes_[body].reach; }
  double largest_reach() const noexcept { return largest_reach_; }

  /// The scale of one body: its weight, the inertia forces of its turning, and a load (a wrench about the origin of its
  /// frame, ground axes). A uniform speed counts for nothing, because a frame that moves along does not see it.
  Scale of_body(std::size_t body, const BodyMotion&, const Spatial& load = {}) const noexcept;
  /// The scale of the whole system: the largest of its bodies, and of what the joints add to their motion (the tree
  /// joint of a slider in a turning guide: ω² times the way slid, and the Coriolis acceleration); the sum of the
  /// bodies' energies. frames: the motions of all bodies at least; loads: one for each body, or none.
  Scale of_system(std::span<const BodyMotion> frames, std::span<const Spatial> loads = {}) const noexcept;

 private:
  struct Size {
    double mass = 0, reach = 0;
    double inertia = 0;  ///< half the trace about the mass centre, kg m²; of a body without inertia: mass times reach²
    Vec3 center;         ///< the mass centre, or the middle of the attachments of a massless body; body axes
  };
  void find_masses();
  void find_reaches();

  const SystemView& view_;
  std::vector<Size> sizes_;
  double largest_reach_ = 0;
};

}  // namespace polyform
