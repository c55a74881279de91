// The state at the start: given joint coordinates, rates from joints and bodies, loops closed in position and velocity.
//
// As drawn every joint, and so every loop, is closed by construction: only `initial` positions and the deformation of
// flexible bodies open loops. Velocities of bodies belong to the drawn pose, undeformed; they become joint rates there,
// which are carried to the moved pose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/assembly/parts.hpp"
#include "polyform/absolute_system.hpp"
#include "polyform/centred_view.hpp"
#include "polyform/constraint_set.hpp"
#include "polyform/kinematics.hpp"
#include "polyform/module_set.hpp"

namespace polyform::host {

/// Fills the initial state of the parts (q, v, eta, etadot, x). Used once.
class InitialState {
 public:
  InitialState(System::Parts& parts, Diagnostics& diagnostics);
  bool build();

 private:
  const SystemView& view() const { return centred_.view(); }
  const JointItem& item(std::size_t joint) const { return parts_.description.joints[parts_.user_joint[joint]]; }
  const BodyItem& body_item(std::size_t body) const { return parts_.description.bodies[parts_.forest.order[body]]; }
  void complain(std::size_t joint, std::string_view path, const std::string& message, std::string_view remedy,
                Severity severity = Severity::error);

  // initial_state.cpp: what the model gives, and what is left when bodies and joints are done
  void read_given();
  void read_joint(std::size_t joint, const std::vector<double>& given, std::size_t offset, std::size_t count,
                  std::string_view what, std::vector<double>& into, bool& locked);
  void read_modes();
  template <class Group>
  void report_no_batch(std::string_view kind, std::span<const Group>);
  bool has_holonomic_modules() const;
  void first_order_states();
  void module_states();
  double fit_variables(ModuleSet&, std::string_view& worst);

  // initial_rates.cpp: velocities
  /// What the model says of a body's velocity.
  struct GivenTwist {
    bool turn = false, whole = false;  ///< angular velocity given; velocity too
    Spatial twist;                     ///< of the frame origin
  };
  GivenTwist given_twist(std::size_t body, const BodyMotion& pose) const;
  void rates_as_drawn();
  double rate_as_drawn(std::size_t body, const NodeMotions& nodes, std::vector<BodyMotion>& frames);
  void place_body(const JointMotion&, const NodeMotions&, std::size_t body, std::vector<BodyMotion>& frames);
  void warn_of_misfit(std::size_t body, double misfit);
  void fit_rates(std::size_t body, const JointMotion&, const NodeMotions&, std::span<const BodyMotion> frames,
                 const GivenTwist&, double* v) const;
  double loop_velocity_violation(std::span<const BodyMotion> frames);
  std::string restraint_of(std::size_t joint) const;
  void cut_rates(std::span<const BodyMotion> frames);
  bool cut_rates_given() const;
  bool project(const std::vector<BodyMotion>& frames, const std::vector<double>& eta, std::string_view where,
               bool keep_rates);
  bool close_velocities();

  // initial_loops.cpp: positions
  bool close_loops();
  bool try_close(std::span<const JointLock> locks, bool hold_modes, const std::vector<double>& start, std::string& why,
                 double& residual);
  bool report_no_number(const std::vector<double>& start);
  void report_open_loop(const std::vector<double>& start, const std::string& why, double residual);

  // initial_contradictions.cpp
  bool report_contradiction(const std::vector<double>& q);
  void report_contradiction(std::string_view one, std::string_view other, std::size_t coordinate, std::string_view what,
                            double apart);

  void warn_of_moved_modes(const std::vector<double>& given, const std::vector<double>& now, std::string_view what);

  /// Tries with the modes of flexible bodies held at their given values; failing that, with the modes free.
  template <class Attempt>
  bool keep_what_loops_allow(bool JointLock::*what, Attempt attempt) {
    const auto with_modes = [&](bool hold) {
      return keep_joints(what, [&](std::span<const JointLock> locks) { return attempt(locks, hold); });
    };
    return with_modes(true) || (view().modes > 0 && with_modes(false));
  }
  /// Tries with every given value of a joint kept; failing that, keeps them one by one in the order of the tree as long
  /// as the loops allow it. The last attempt is the successful one.
  template <class Attempt>
  bool keep_joints(bool JointLock::*what, Attempt attempt) {
    std::vector<JointLock> locks(locks_.size());
    for (std::size_t i = 0; i < locks.size(); ++i) locks[i].*what = locks_[i].*what;
    if (attempt(std::span<const JointLock>(locks))) return true;
    std::vector<JointLock> kept(locks_.size());
    if (!attempt(std::span<const JointLock>(kept))) return false;
    bool last_succeeded = true;
    for (std::size_t i = 0; i < locks.size(); ++i) {
      if (!(locks[i].*what)) continue;
      kept[i].*what = true;
      last_succeeded = attempt(std::span<const JointLock>(kept));
      kept[i].*what = last_succeeded;
    }
    return last_succeeded || attempt(std::span<const JointLock>(kept));
  }

  System::Parts& parts_;
  Diagnostics& diagnostics_;
  CentredView centred_;
  std::vector<JointLock> locks_;  ///< what is given of each joint
  TreeKinematics tree_;
  std::vector<double> given_q_, given_v_, given_eta_, given_etadot_;
  std::vector<double> given_x_;   ///< the elements' own starting values of first-order states
  bool modules_count_ = false;    ///< velocities are projected onto the rows of modules too
  std::vector<Spatial> wanted_;  ///< twists of the bodies as drawn: given, or from the joints
  bool moved_ = false;        ///< some initial position is given
  bool moves_loops_ = false;  ///< loops or constraint elements are to be closed at a moved pose
};

}  // namespace polyform::host
