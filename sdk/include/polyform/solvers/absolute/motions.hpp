// Poses and motions of the bodies, with all other inputs of the equations of motion.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/body_motion.hpp"
#include "polyform/mechanics/flexible_nodes.hpp"

namespace polyform::absolute {

/// Motions of all frames, modal coordinates and first-order states. place() moves the nodes of flexible bodies to where
/// their bodies and modes take them.
struct Motions {
  explicit Motions(const SystemView& view)
      : nodes(view),
        bodies(view.bodies.size()),
        frames(view.frames()),
        eta(view.modes),
        etadot(view.modes),
        states(view.states) {}

  /// Sets all of them, the motions of bodies first, and places the nodes. given_states may be empty.
  void set(std::span<const BodyMotion> of_bodies, std::span<const double> given_eta,
           std::span<const double> given_etadot, std::span<const double> given_states) noexcept {
    set_states(given_states);
    std::copy_n(of_bodies.begin(), bodies, frames.begin());
    std::copy(given_eta.begin(), given_eta.end(), eta.begin());
    std::copy(given_etadot.begin(), given_etadot.end(), etadot.begin());
    place();
  }
  void set_states(std::span<const double> given) noexcept {
    states_given = given.size() == states.size();  // also if there are none
    std::copy(given.begin(), given.end(), states.begin());
  }
  /// Sets bodies at rest in these poses, and places the nodes.
  void set_poses(std::span<const Pose> poses) noexcept {
    for (std::size_t i = 0; i < poses.size(); ++i)
      frames[i] = {rotation_matrix(poses[i].orientation), poses[i].position, {}};
    place();
  }
  void place() noexcept {
    nodes.evaluate(eta.data(), etadot.data());
    nodes.place(frames);
  }

  NodeMotions nodes;
  std::size_t bodies;              ///< their number
  std::vector<BodyMotion> frames;  ///< of bodies, then of nodes
  std::vector<double> eta, etadot;
  std::vector<double> states;  ///< of first order
  bool states_given = false;   ///< otherwise rows of modules ask nothing
};

}  // namespace polyform::absolute
