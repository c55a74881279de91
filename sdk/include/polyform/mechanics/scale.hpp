// How large forces, moments, accelerations and energies are in a system: by what acts in it and by what could act. A
// residual, a deviation or a drift is small or large beside these (sdk/NUMERICS.md has the reasons).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/body_motion.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform {

/// Part of the largest in a system that counts as the size of any smaller one: what hardly moves or carries anything
/// has the rounding of what acts beside it.
inline constexpr double least_share = 1e-3;

/// Magnitudes of what acts and could act. Zero where nothing does and nothing could.
struct Scale {
  double force = 0, moment = 0;                       ///< N, N m
  double acceleration = 0, angular_acceleration = 0;  ///< m/s², rad/s²
  double energy = 0;                                  ///< work of the forces along the size of the bodies, J

  /// The larger of each.
  void include(const Scale&) noexcept;
};

/// The sizes of the bodies of a system, and with them its scales at any motion. Nothing allocates after construction.
class SystemScales {
 public:
  /// The view outlives the object.
  explicit SystemScales(const SystemView&);

  double mass(std::size_t body) const noexcept { return sizes_[body].mass; }  ///< with that of its modes, kg
  /// The largest distance of an attachment (joint, marker, node) from the mass centre, or the radius of gyration, m.
  double reach(std::size_t body) const noexcept { return sizes_[body].reach; }
  double largest_reach() const noexcept { return largest_reach_; }

  /// Of one body: its weight, the inertia forces of its turning, and a load (a wrench about the origin of its frame,
  /// ground axes). A uniform speed counts for nothing: it is not seen from a frame that moves along.
  Scale of_body(std::size_t body, const BodyMotion&, const Spatial& load = {}) const noexcept;
  /// Of the whole system: the largest of its bodies, and of what the joints add to their motion (the tree joint of a
  /// slider in a turning guide: ω² times the way slid, and the Coriolis acceleration); the sum of the bodies' energies.
  /// frames: the motions of all bodies at least; loads: one for each body, or none.
  Scale of_system(std::span<const BodyMotion> frames, std::span<const Spatial> loads = {}) const noexcept;

 private:
  struct Size {
    double mass = 0, reach = 0;
    double inertia = 0;  ///< half the trace about the mass centre, kg m²; of a body without any: mass times reach²
    Vec3 center;         ///< the mass centre, or the middle of what a massless body is attached by; body axes
  };
  void find_masses();
  void find_reaches();

  const SystemView& view_;
  std::vector<Size> sizes_;
  double largest_reach_ = 0;
};

}  // namespace polyform
