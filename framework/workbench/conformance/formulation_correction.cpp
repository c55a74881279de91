// Drift: what observe() and correct() tell of a y that has left the joints, and what correct() leaves of it.
#include <algorithm>
#include <cmath>

#include "framework/workbench/conformance/formulation_checks.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline conformance {

namespace {

constexpr double drift = 1e-5;             ///< of every entry of y
constexpr double most_told = 1e4 * drift;  ///< that such a drift can be, whatever the rows of the formulation are

struct Violation {
  double position = 0, velocity = 0;  ///< m or rad; m/s or rad/s
};

/// The largest over all joints at the observed motion of the bodies.
Violation violation_of(const SystemView& view, const Observation& o) {
  std::vector<BodyMotion> bodies(view.bodies.size());
  observed_motions(o, bodies);
  Violation worst;
  for (const JointData& joint : view.joints) {
    std::vector<double> q(o.q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset),
                          o.q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset + joint.nq)),
        v(joint.nv);
    JointConstraint c;
    joint_constraint(joint, motion_of(joint.base, bodies), motion_of(joint.moving, bodies), q.data(), v.data(), c);
    for (std::size_t r = 0; r < c.rows; ++r) {
      worst.position = larger(worst.position, std::abs(c.residual[r]));
      worst.velocity = larger(worst.velocity, std::abs(dot(c.T[r], c.relative.twist)));
    }
  }
  return worst;
}

/// What is told of a violation against what it is. A formulation may measure it in rows of its own.
void see_told(double told, double is, const char* what, Measure& m) {
  m.see(told >= 0 ? 0 : 1, [&] { return fmt::format("{} is {:g}", what, told); });
  m.see(is <= 100 * told + 1e-8 ? 0 : 1,
        [&] { return fmt::format("{} tells too little: {:.2g}, it is {:.2g}", what, told, is); });
  m.see(told <= most_told ? 0 : 1,
        [&] { return fmt::format("{} tells too much: {:.2g}, it is {:.2g}", what, told, is); });
}

std::vector<double> drifted(std::vector<double> y) {
  Random random(67);
  for (double& x : y) x += random.uniform(-drift, drift);
  return y;
}

/// A y that has left the joints by some micrometres goes back onto them.
void see_correction(const Formulation& formulation, const Case& one, Measure& m) {
  const SystemView& view = one.sample.view();
  Observed seen(formulation, view, one.state, one.time);
  std::vector<double> y = drifted(seen.y());
  const Observation& o = seen.at(y);
  const Violation before = violation_of(view, o);
  see_told(o.position_violation, before.position, "position_violation", m);
  see_told(o.velocity_violation, before.velocity, "velocity_violation", m);
  Correction correction;
  require(seen.solver().correct(one.time, y, correction), seen.solver(), formulation.name(), "correct");
  see_told(correction.position_residual, before.position, "Correction::position_residual", m);
  see_told(correction.velocity_residual, before.velocity, "Correction::velocity_residual", m);
  seen.at(y);
  const Violation after = violation_of(view, o);
  m.see(after.position, "a joint is still left after correct()");
  m.see(after.velocity, "a joint is still left by a velocity after correct()");
  m.see(o.position_violation, "position_violation is not gone after correct()");
  m.see(o.velocity_violation, "velocity_violation is not gone after correct()");
}

/// Coordinates of the tree joints in y, their quaternions made unit. Returns how far from it they were.
double unit_coordinates(Observed& seen, const SystemView& view, std::span<const double> y, std::vector<double>& q) {
  ObservationStore store(view);
  require(seen.solver().decode(y, store.now().state()), seen.solver(), "the solver", "decode");
  q.assign(store.now().q.begin(), store.now().q.end());
  double worst = 0;
  for (const JointData& joint : view.tree_joints())
    worst = larger(worst, joint_normalize(joint, q.data() + joint.q_offset));
  return worst;
}

/// Quaternions that stand in y by themselves keep their length.
void see_quaternions(const Formulation& formulation, const Case& one, Measure& m) {
  const SystemView& view = one.sample.view();
  Observed seen(formulation, view, one.state, one.time);
  std::vector<double> y = drifted(seen.y()), before, after;
  if (unit_coordinates(seen, view, y, before) < 1e-9) return;
  Correction correction;
  require(seen.solver().correct(one.time, y, correction), seen.solver(), formulation.name(), "correct");
  m.see(unit_coordinates(seen, view, y, after), "a quaternion is not of unit length after correct()");
  for (std::size_t i = 0; i < view.nq_tree; ++i)
    m.see(std::abs(after[i] - before[i]) <= most_told ? 0 : 1, "correct() goes to another configuration");
}

}  // namespace

void check_correction(const Formulation& formulation, const std::vector<Case>& cases, std::string_view kind,
                      Checklist& list) {
  claim_on(cases, kind, "a violation of joints is told, and correct() removes it", 1e-8,
           "position_violation and velocity_violation are the largest over the rows of all joints, those of Correction "
           "the same before the correction; correct() removes both",
           list, [&](const Case& one, Measure& m) { see_correction(formulation, one, m); });
  claim_on(cases, kind, "correct() leaves quaternions of unit length", 1e-12,
           "joint_normalize() every joint whose coordinates stand in y", list, [&](const Case& one, Measure& m) {
             see_quaternions(formulation, one, m);
             if (&one == &cases.back() && m.seen() == 0)
               throw Undecided("not applicable: decode() gives none of another length");
           });
}

}  // namespace polyform::host::conformance
