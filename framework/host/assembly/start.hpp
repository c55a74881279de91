// What the steps that find the state at the start share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/parts.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/solvers/centred_view.hpp"

namespace polyform::host::inline assembly {

/// So many bodies and joints are named in a warning; the others are counted.
inline constexpr std::size_t most_named = 8;
/// Share of 1 rad, or of a length of the system, by which a coordinate may change without a warning.
inline constexpr double unsaid = 1e-9;

/// The parts of a system, whose q, v, eta, etadot, x and discrete the steps fill, and what the model gives of them.
struct Start {
  /// What is given of a joint.
  struct Given {
    bool position = false, velocity = false;
  };

  Start(System::Parts&, Diagnostics&);
  /// Reads what the model gives. Sets coordinates as drawn, and rates of modes as given.
  void read();

  const SystemView& view() const { return centred.view(); }
  /// What the clock shows at the start, s.
  double time() const { return parts.description.start_time; }
  /// Whether the host made the joint, for a body that nothing ties to ground: it has no item.
  bool is_added(std::size_t joint) const { return parts.user_joint[joint] == System::Parts::none; }
  const JointItem& item(std::size_t joint) const { return parts.description.joints[parts.user_joint[joint]]; }
  const BodyItem& body_item(std::size_t body) const { return parts.description.bodies[parts.forest.order[body]]; }
  StateView state() const {
    return {
        .q = parts.q, .v = parts.v, .eta = parts.eta, .etadot = parts.etadot, .x = parts.x, .discrete = parts.discrete};
  }
  /// Candidates to be kept, in the order of trial: the modes, then the joints as the model lists them.
  std::vector<std::size_t> wishes(bool Given::*what) const;
  /// The speed that a twist makes about a point of the system, m/s.
  double speed_of(const Spatial& V) const;
  /// Reports something about the initial values of a joint.
  void complain(std::size_t joint, std::string_view path, const std::string& message, std::string_view remedy,
                Severity severity = Severity::error);

  System::Parts& parts;
  Diagnostics& diagnostics;
  CentredView centred;
  TreeKinematics tree;
  double length;                                                  ///< of the system, m
  std::vector<Given> given;                                       ///< per joint
  std::vector<double> given_q, given_v, given_eta, given_etadot;  ///< as drawn where nothing is given
  std::vector<double> given_x;  ///< the elements' own starting values of first-order states
  bool moved = false;           ///< some initial position is given

 private:
  void read_joint(std::size_t joint, const std::vector<double>& values, std::size_t offset, std::size_t count,
                  std::string_view what, std::vector<double>& into, bool& locked);
  void read_free_body(std::size_t body);
  void read_modes();
  void take_modes_of_row();
};

}  // namespace polyform::host::inline assembly
