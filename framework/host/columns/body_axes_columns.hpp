// Columns of body motions in body axes.
#pragma once

#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/results/channel.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/body_angles.hpp"

namespace polyform::host::inline columns {

/// The Euler angles of each body of the view: "zyx" for all, "zyx, hub=zxz" with another sequence for single ones.
/// Failure (bad_input) for an unknown sequence or body.
std::vector<BodyAngles> body_angles(const System&, const std::string& text);

/// For each of the user's bodies, in the order of the model: `vbx vby vbz`, the velocity of the frame origin, and `wbx
/// wby wbz`, the angular velocity, both over ground in body axes (v_b and ω_b of Thompson 2011); `angle1 angle2
/// angle3`, the Euler angles over ground by the body's own sequence, each between −π and π.
class BodyAxesColumns {
 public:
  /// Adds the channels.
  BodyAxesColumns(const System&, const std::string& euler_angles, std::vector<Channel>& channels);
  /// Writes the values in that order; returns the end of what was written.
  double* put(const Observation&, double* out) const;

 private:
  struct Body {
    std::size_t body;  ///< in the view
    BodyAngles angles;
  };
  std::vector<Body> bodies_;
};

}  // namespace polyform::host::columns
