// One joint of each type between two bodies, placed at random, and the motion that the interface promises for it.
#pragma once

#include <Eigen/Geometry>
#include <array>
#include <string_view>

#include "tests/elements/field_set.hpp"
#include "tests/elements/random.hpp"
#include "tests/support/hand_built.hpp"

namespace polyform::test {

inline constexpr std::array<std::string_view, 13> joint_names{
    "fixed", "revolute", "prismatic",     "cylindrical", "planar",        "universal",     "spherical",
    "free",  "helical",  "perpendicular", "parallel",    "point-on-line", "point-on-plane"};
const JointType& joint_type(std::string_view name);

/// What a type says of an instance, in ground axes.
class Defined final : public JointDefinition {
 public:
  void set_position(const Vec3& in_ground) noexcept override { position = in_ground; }
  void add_primitive(Primitive::Kind kind, const Vec3& axis) noexcept override { primitives.push_back({kind, axis}); }
  void set_parameters(std::span<const double> values) noexcept override {
    parameters.assign(values.begin(), values.end());
  }
  Vec3 position;
  std::vector<Primitive> primitives;
  std::vector<double> parameters;
};

/// A joint of a type between the bodies 0 (base) and 1 (moving).
class JointCase {
 public:
  JointCase(std::string_view name, Random&);
  JointCase(const JointCase&) = delete;

  const JointData& joint() const { return view_->joints[0]; }
  /// The moving body's pose, by the words of the interface alone.
  Eigen::Isometry3d promised(const BodyMotion& base, const double* q) const;

 private:
  Pose base_, moving_;
  Vec3 position_, axis_, axis2_;
  double pitch_;
  std::string_view name_;
  Defined defined_;
  HandBuilt system_;
  const SystemView* view_;
};

/// Coordinates and velocities of one joint.
struct Coordinates {
  std::array<double, 8> q{};
  std::array<double, 6> v{};
};
/// Any coordinates: many turns, quaternions of either sign.
Coordinates random_coordinates(const JointData&, Random&);
/// The coordinates a time later (or earlier) under a constant v̇, integrated from q̇ = N(q) v.
Coordinates advanced(const JointData&, Coordinates, const std::array<double, 6>& vdot, double time);

inline JointMotion motion(const JointData& joint, const Coordinates& c) {
  JointMotion m;
  joint_motion(joint, c.q.data(), c.v.data(), m);
  return m;
}

}  // namespace polyform::test
