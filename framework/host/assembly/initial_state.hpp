// The state at the start: given joint coordinates, rates from joints and bodies, loops closed in position and velocity.
//
// As drawn every joint, and so every loop, is closed by construction: only `initial` positions and the deformation of
// flexible bodies open loops. Velocities of bodies belong to the drawn pose, undeformed. They become joint rates there,
// which then hold at the moved pose.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/host/assembly/keeping.hpp"
#include "framework/host/assembly/parts.hpp"
#include "framework/host/assembly/position_search.hpp"
#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/module_set.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/solvers/centred_view.hpp"

namespace polyform::host::inline assembly {

/// So many bodies and joints are named in a warning; the others are counted.
inline constexpr std::size_t most_named = 8;

/// Fills the initial state of the parts (q, v, eta, etadot, x, discrete). Used once.
///
/// It has many functions because each step reads and writes the same state and reports to the same list, and because a
/// message about what was given, changed or left open is a function of its own. The steps stand in a file each:
/// what is given, positions, rates, states of elements, what changed. What computes has classes of its own
/// (PositionSearch, NearestRates, Keeping).
class InitialState {
 public:
  InitialState(System::Parts& parts, Diagnostics& diagnostics);
  bool build();

 private:
  const SystemView& view() const { return centred_.view(); }
  const JointItem& item(std::size_t joint) const { return parts_.description.joints[parts_.user_joint[joint]]; }
  const BodyItem& body_item(std::size_t body) const { return parts_.description.bodies[parts_.forest.order[body]]; }
  double fastest_given() const;
  void complain(std::size_t joint, std::string_view path, const std::string& message, std::string_view remedy,
                Severity severity = Severity::error);

  /// What is given of a joint.
  struct Given {
    bool position = false, velocity = false;
  };

  // initial_state.cpp: reads what the model gives, and sets first-order states and rates of modules
  void read_given();
  void read_joint(std::size_t joint, const std::vector<double>& given, std::size_t offset, std::size_t count,
                  std::string_view what, std::vector<double>& into, bool& locked);
  void read_modes();
  template <class Group>
  void report_no_batch(std::string_view kind, Strided<const Group>);
  StateView state() const {
    return {.q = parts_.q, .v = parts_.v, .eta = parts_.eta, .etadot = parts_.etadot, .x = parts_.x,
            .discrete = parts_.discrete};
  }
  bool has_holonomic_modules() const;
  void first_order_states();
  void module_states();
  void states_of_motion();
  template <class Group>
  void discrete_of_motion(const Group&);
  void report_strange_values(std::string_view type);
  void report_states();

  // initial_fit.cpp: rates of the tree joints from those given and from bodies, as drawn
  /// What the model says of a body's velocity.
  struct GivenTwist {
    bool turn = false, whole = false;  ///< angular velocity given; velocity too
    Spatial twist;                     ///< of the frame origin
  };
  GivenTwist given_twist(std::size_t body, const BodyMotion& pose) const;
  void fit_rates();
  void fit_joint(std::size_t body, const NodeMotions& nodes, std::vector<BodyMotion>& frames);
  void place_body(const JointMotion&, const NodeMotions&, std::size_t body, std::vector<BodyMotion>& frames);
  void fit_rate(std::size_t body, const JointMotion&, const NodeMotions&, std::span<const BodyMotion> frames,
                double* v) const;
  /// Twists are compared in the largest speed that is given or follows.
  double speed_of(const Spatial& V) const;
  bool differ(const Spatial& a, const Spatial& b) const;

  // initial_rates.cpp: rates that meet all constraints
  /// Which rows count, and whether given rates are kept.
  struct Projection {
    ConstraintJacobian::Of rows;
    bool keep;
  };
  bool find_rates(const std::vector<double>& drawn);
  bool project(const Projection&);
  std::vector<std::size_t> wishes(bool Given::*what) const;
  bool close_rates();
  std::vector<Keeping::BodyVelocity> given_bodies() const;
  std::string contradicting(const ConstraintJacobian&, std::size_t row) const;
  void report_unmet(const ConstraintJacobian&, std::size_t row, double left);

  // initial_changes.cpp: warnings of values that could not be kept
  void tell_changes(const ConstraintJacobian& now, bool kept, std::span<const double> wanted,
                    const std::vector<char>& settled);
  void tell_rates();
  void tell_bodies(std::span<const BodyMotion> now);
  void tell_open(std::span<const double> wanted, const std::vector<char>& settled);
  void warn_of_overruled(std::size_t body, const Spatial& taken);
  double shift_of_modes(const FlexibleData&, std::span<const double> amounts) const;
  void warn_of_moved_modes(const std::vector<double>& given, const std::vector<double>& now, double size,
                           std::string_view what);
  std::string restraint_of(std::size_t joint) const;
  std::string restraint() const;

  // initial_loops.cpp: positions
  bool close_loops();
  void tell_positions();
  void tell_open_positions(const std::vector<double>& drawn, const std::vector<char>& settled);
  double unsaid_change(const JointData&, std::size_t coordinate) const;
  bool module_positions();
  double size_of_row(const ModuleSet::Module&, std::size_t row) const;
  bool fit_integrals(const ModuleSet::Module&, double& before);
  bool report_no_number(const std::vector<double>& start);
  void report_open_loop(const std::vector<double>& start, const PositionSearch::Open&);

  // initial_contradictions.cpp
  double amount_like_a_turn(std::size_t coordinate) const;
  bool report_contradiction(const std::vector<double>& q);
  void report_contradiction(std::string_view one, std::string_view other, std::size_t coordinate, std::string_view what,
                            double apart);

  System::Parts& parts_;
  Diagnostics& diagnostics_;
  CentredView centred_;
  std::vector<Given> given_;  ///< what is given of each joint
  TreeKinematics tree_;
  std::vector<double> given_q_, given_v_, given_eta_, given_etadot_;
  std::vector<double> given_x_;           ///< the elements' own starting values of first-order states
  std::vector<GivenTwist> given_twists_;  ///< of the bodies, as drawn
  std::vector<char> by_body_;             ///< per body, whether its velocity is given
  std::vector<Spatial> excess_;           ///< what the tree joints leave of them, or empty
  double length_ = 1, speed_ = 0;         ///< of the system, m; the largest given or following, m/s
  double met_part_ = met;                 ///< up to which part of a row its rates meet it
  bool moved_ = false;                    ///< some initial position is given
};

}  // namespace polyform::host::assembly
