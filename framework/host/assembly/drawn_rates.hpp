// Rates of the tree joints as drawn, from given rates and from the bodies' velocities.
#pragma once

#include <span>
#include <vector>

#include "framework/host/assembly/start.hpp"

namespace polyform::host::inline assembly {

/// What the model says of a body's velocity.
struct GivenTwist {
  bool turn = false, whole = false;  ///< angular velocity given; velocity too
  Spatial twist;                     ///< of the frame origin
};

/// The velocities that the model gives to bodies.
struct BodyVelocities {
  std::vector<GivenTwist> twists;  ///< of the bodies, as drawn
  std::vector<char> by_body;       ///< per body, whether its velocity is given
  std::vector<Spatial> excess;     ///< what the tree joints leave of them, or empty
  double speed = 0;                ///< the largest that is given or follows, m/s

  /// Twists are compared in that speed.
  bool differ(const Start&, const Spatial& a, const Spatial& b) const;
};

/// Goes from root to tip, joint by joint.
class DrawnRates {
 public:
  DrawnRates(Start& start, BodyVelocities& bodies) : start_(start), bodies_(bodies) {}
  /// Rates that come nearest to what is given. What they leave of the bodies' velocities is the excess.
  void fit();

 private:
  GivenTwist given_twist(std::size_t body, const BodyMotion& pose) const;
  void fit_joint(std::size_t body, const NodeMotions& nodes, std::vector<BodyMotion>& frames);
  void place_body(const JointMotion&, const NodeMotions&, std::size_t body, std::vector<BodyMotion>& frames);
  void fit_rate(std::size_t body, const JointMotion&, const NodeMotions&, std::span<const BodyMotion> frames,
                double* v) const;
  void warn_of_overruled(std::size_t body, const Spatial& taken);

  Start& start_;
  BodyVelocities& bodies_;
};

}  // namespace polyform::host::inline assembly
