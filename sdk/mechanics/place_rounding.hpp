// What rounding of places makes of forces.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::balance {

/// Sums of the sizes of the forces and moments that act on a frame, about its origin; N, N m.
struct Terms {
  double moment = 0, force = 0;
};

/// Numbers whose part in a sum is measured change by this share, half of the digits.
inline constexpr double measured_share = 0x1p-26;

/// Different parts of that share between a half and one, of both signs, the same in each run.
class MeasuringParts {
 public:
  double next() {
    drawn_ = 1664525u * drawn_ + 1013904223u;
    return (0.5 + 0.5 * (drawn_ >> 8) * 0x1p-24) * ((drawn_ >> 7 & 1u) != 0 ? 1 : -1);
  }
  Vec3 vector() {
    const double x = next(), y = next();
    return {x, y, next()};
  }
  void change(std::span<const double> from, std::span<double> to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = from[k] * (1 + measured_share * next());
  }

 private:
  std::uint32_t drawn_ = 1;
};

/// By how much forces change where all places are off by one rounding. It is measured, by larger changes: forces that
/// vanish at a state tell nothing of the stiffness behind them. Nothing allocates after the construction.
class PlaceRounding {
 public:
  /// Both outlive the object.
  PlaceRounding(const SystemView&, ForceSet&);
  /// The largest change on any one frame, or by what acts along the coordinates of one joint. t: s; frames and joints:
  /// their motions as observed.
  Terms measure(double t, std::span<const BodyMotion> frames, const JointMotions& joints, const Observation&) noexcept;

 private:
  struct Loads {
    std::vector<Spatial> wrenches;  ///< per frame
    std::vector<double> efforts;    ///< per velocity
  };
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q, const Observation&,
                Loads&) noexcept;

  const SystemView& view_;
  ForceSet& forces_;
  std::vector<BodyMotion> frames_;  ///< changed
  std::vector<double> q_, rates_;   ///< likewise
  Loads here_, there_;              ///< at the places as observed, and at the changed ones
};

}  // namespace polyform::balance
