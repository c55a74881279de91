// Velocities of bodies that are moved apart: each body keeps its own, and the joints take what they do not allow.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline unilateral {

/// Where the positions of y change at velocities that stay as numbers, those of joints give bodies other velocities
/// than before, and other energies. Here each body keeps the velocity of its centre of mass in ground axes and its
/// angular velocity in its own axes, and with them its kinetic energy. Joints do not allow all of them any more: the
/// velocities v of the joints are those of the least
///
///   Σ ½ (V(v) − V_kept)ᵀ M (V(v) − V_kept)        over the bodies, with their mass and inertia M,
///
/// which is what impulses in the joints do: total momentum stays in each direction that nothing holds, and kinetic
/// energy never grows. Of a tree the least is found by eliminating one joint after the other, from the tips inward.
/// Loops and constraints follow by Solver::correct.
///
/// Left as they are: bodies joined to flexible bodies or modules, and free bodies like spheres, whose energy stays.
/// Its members are the arrays of the elimination, which are allocated once.
class KeptMomentum {
 public:
  /// Both arguments outlive the object.
  KeptMomentum(const SystemView&, Solver&);

  /// Takes the velocities of the bodies at y. failed: the solver says why.
  Status take(std::span<const double> y);
  /// Writes the velocities of y at the time t, s, whose positions have changed since.
  Status give(double t, std::span<double> y);

 private:
  using Six = Eigen::Matrix<double, 6, 1>;
  using Square = Eigen::Matrix<double, 6, 6>;
  /// Twists and wrenches of a body: angular part first, ground axes, about the origin of the first body of its tree.
  struct Body {
    Square inertia;  ///< with all that it carries
    Six impulse;     ///< likewise
    Square S;        ///< a twist for each velocity of its joint: the first nv columns
    /// The velocities of the joint change by change − gain · twist of the inboard body: the first nv rows.
    Square gain;
    Six change;
    Six twist;  ///< by which the body's own changes
  };
  struct Kept {
    Vec3 velocity, turning;  ///< of the centre of mass, ground axes; body axes
  };
  void leave_out();
  Status find_motions(std::span<const double> y);
  StateView state() { return {.q = q_, .v = v_, .eta = eta_, .etadot = etadot_, .x = x_, .discrete = discrete_}; }
  bool find_impulses();
  void eliminate();
  void change_velocities();

  const SystemView& view_;
  Solver& solver_;
  std::span<const StateKind> kinds_;
  std::vector<double> q_, v_, eta_, etadot_, x_;
  std::vector<std::int32_t> discrete_;
  TreeKinematics tree_;
  std::vector<char> takes_part_;  ///< per body
  bool any_takes_part_ = false;
  std::vector<Vec3> origins_;  ///< per body
  std::vector<Kept> kept_;
  std::vector<Body> bodies_;
  std::vector<double> before_, after_;
};

}  // namespace polyform::host::inline unilateral
