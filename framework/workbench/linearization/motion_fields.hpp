// Motions that joints can go on with for ever by themselves: the velocity fields of which a steady motion is made.
//
// A motion is steady where it runs along symmetries of the system: x(t) = exp(t ξ) x(0) with a field ξ that the
// equations do not notice. Candidates for ξ are sums of fields of single joints with constant coefficients: a
// coordinate that goes on at its rate, a ball that turns about an axis fixed in its base or in its body, a free body
// carried along such an axis (screws, circles), a first-order state that goes on at its rate.
#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "framework/workbench/linearization/canonical_state.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline linearization {

/// Rates of a state: q̇ = N(q) w, v̇, ẋ. The first two per velocity of the tree joints, then per mode.
struct FieldRates {
  std::vector<double> w, vdot, xdot;

  explicit FieldRates(const SystemView& view)
      : w(view.nv_tree + view.modes), vdot(view.nv_tree + view.modes), xdot(view.states) {}
};

struct MotionField {
  enum class Kind {
    shift,         ///< a coordinate at a constant rate: v = 1
    turn_in_body,  ///< a ball about an axis fixed in what it carries: Q̇ = ½ Q b
    carry,         ///< a body that is free, or free in a plane, along an axis fixed in it: its origin moves through it
    turn_in_base,  ///< all of the joint about an axis fixed in its base: Q̇ = ½ a Q, d and v turn with a
    state          ///< a first-order state at a constant rate
  };
  Kind kind;
  std::size_t joint;  ///< of the view; of a state: its number
  std::size_t index;  ///< shift: which velocity of the joint
  Vec3 axis;
};

class MotionFields {
 public:
  /// Those of the tree joints that move at a state and of the first-order states that change. The view outlives the
  /// object.
  MotionFields(const SystemView&, const CanonicalState&, std::span<const double> state_rates);

  std::size_t size() const { return fields_.size(); }
  const MotionField& operator[](std::size_t k) const { return fields_[k]; }
  /// Adds c times field k at a state.
  void add(std::size_t k, double c, const CanonicalState&, FieldRates& out) const;
  /// The sum of all fields with their coefficients.
  FieldRates sum(std::span<const double> c, const CanonicalState&) const;

  /// exp(t Σ c ξ) of a state.
  CanonicalState carry(const CanonicalState&, std::span<const double> c, double t) const;
  /// Carries v̇ of the tree joints, which belongs to that state, in the same way.
  void carry_accelerations(const CanonicalState&, std::span<const double> c, double t, std::span<double> vdot) const;
  /// What moves, with its rate: "ball turns about [0, 0, 1] of its base at 2 rad/s".
  std::string describe(std::span<const double> c) const;
  /// Largest rate of turning, rad/s.
  double fastest_turn(std::span<const double> c) const;

 private:
  /// A joint by what its primitives can do: translations, then a ball or rotations.
  struct Structure {
    std::size_t translations = 0;
    Eigen::Matrix3Xd axes;     ///< of the translations
    Eigen::MatrixX3d inverse;  ///< its pseudoinverse
    bool ball = false;         ///< follows them, and is the last
    bool rotation = false;     ///< follows them, about `axis`
    Vec3 axis;
    bool carries = false;  ///< the translations take the body along any axis across which it turns
  };
  /// The turn of what a joint carries, and its rates: of the ball or the rotation after the translations.
  Quat orientation(std::size_t j, const CanonicalState&) const;
  Vec3 turning(std::size_t j, std::span<const double> velocities) const;
  /// The sum of the fields of one joint.
  struct JointMotionRates {
    Vec3 base_turn, body_turn, base_shift, body_shift;
    std::vector<double> shift;  ///< per velocity
  };

  void add_joint(std::size_t j);
  JointMotionRates rates_of(std::size_t j, std::span<const double> c) const;
  void carry_joint(std::size_t j, const JointMotionRates&, double t, CanonicalState&) const;

  const SystemView& view_;
  std::vector<Structure> structures_;  ///< per tree joint
  std::vector<MotionField> fields_;
};

}  // namespace polyform::host::linearization
