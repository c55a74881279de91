// States of a system that satisfy its joints, and motions through them.
#pragma once

#include <span>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/workbench/conformance/random.hpp"
#include "framework/workbench/conformance/value_sizes.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline conformance {

struct State {
  std::vector<double> q, v, eta, etadot, x;

  State() = default;
  explicit State(const ConstStateView& s)
      : q(s.q.begin(), s.q.end()),
        v(s.v.begin(), s.v.end()),
        eta(s.eta.begin(), s.eta.end()),
        etadot(s.etadot.begin(), s.etadot.end()),
        x(s.x.begin(), s.x.end()) {}
  ConstStateView view() const { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x}; }
};

/// Carries the coordinates of one joint along q̇ = N(q) v with v = v0 + v̇ t over the time given, to round-off.
void flow(const JointData&, std::span<double> q, std::span<const double> v0, std::span<const double> vdot, double time);
/// Coordinates that a joint may have: neutral, then carried along a random velocity, within what the type tells.
std::vector<double> random_coordinates(const JointData&, const JointSizes&, Random&);
/// size: of velocities whose type tells none.
std::vector<double> random_velocities(const JointData&, const JointSizes&, double size, Random&);

/// Coordinates and velocities of all joints from the motions of all frames. q holds hints on entry.
void read_joints(const SystemView&, std::span<const BodyMotion> frames, std::vector<double>& q, std::vector<double>& v);

/// A state in random motion whose loops are closed in position and velocity: of a tree anywhere, of a system with loops
/// or constraint elements near the drawn one. First-order states of forces are those of the start, variables of modules
/// random as far as their rows allow.
State random_state(const System&, Random&);

/// Adds whole turns to the angles of primitive rotations: all poses stay, and with them all that the joints ask.
void add_turns(const SystemView&, State&, Random&);

/// A smooth motion of a tree through a state at t = 0: constant v̇ and η̈; first-order states follow their own rates
/// for a time as short as differences need, and are those of the start later on.
/// The clock shows another time than t, so that nothing in a function of time vanishes by chance. The system has no cut
/// joints.
class Path {
 public:
  Path(const SystemView&, const State&, Random&);
  /// How long first-order states are followed, s.
  static constexpr double longest_follow = 0.01;
  void go(double t);
  /// What the clock shows at t.
  static double clock(double t) { return 0.37 + t; }

  const State& now() const { return now_; }
  std::span<const BodyMotion> frames() const { return tree_.frames(); }
  /// Accelerations of all frames at t = 0, and v̇.
  std::vector<Spatial> accelerations();
  const std::vector<double>& vdot() const { return vdot_; }
  const SystemView& view() const { return view_; }

 private:
  void place(double t);
  void follow_states(double t);

  const SystemView& view_;
  State start_, now_;
  std::vector<double> vdot_, etaddot_;
  TreeKinematics tree_;
  ForceSet forces_;
  std::vector<Spatial> wrenches_;
  std::vector<double> efforts_;
};

}  // namespace polyform::host::conformance
