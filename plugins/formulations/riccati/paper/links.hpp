// Bodies and hinges of a system at an instant as the paper's objects need them: vectors between hinge points, inertias,
// motion subspaces, applied loads; all in ground axes. The output end of a body is the point P of the hinge that
// carries it, the origin of M; its input ends are the hinge points of the bodies it carries.
#pragma once

#include <vector>

#include "polyform/mechanics/kinematics.hpp"
#include "transfer_matrix.hpp"

namespace polyform::riccati::paper {

using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// A connection point of a body.
struct Place {
  enum class Kind { centre, own_hinge, hinge_of, cut };
  Kind kind = Kind::centre;  ///< centre: the mass centre, to which nothing is attached
  std::size_t index = 0;     ///< hinge_of: the body that hangs there; cut: which of the cut joints
};

class Links {
 public:
  static constexpr std::size_t ground = static_cast<std::size_t>(-1);

  explicit Links(const SystemView&);

  /// Geometry, and weights as the only loads, at coordinates of the tree joints.
  void place(const double* q, const double* v) noexcept;
  /// Adds applied wrenches (about frame origins, of the loaded bodies) and joint efforts (per v, or empty).
  void load(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
            std::span<const double> efforts) noexcept;

  std::size_t size() const { return links_.size(); }
  /// The body on which body i hangs, or ground.
  std::size_t parent(std::size_t i) const { return links_[i].parent; }
  const std::vector<std::size_t>& children(std::size_t i) const { return links_[i].children; }
  const HingeMotion& hinge(std::size_t i) const { return placed_[i].hinge; }
  std::span<const BodyMotion> motions() const { return tree_.bodies(); }

  /// Eq 4 of body i from the hinge point of a child to its own.
  Matrix13 element(std::size_t child) const noexcept {
    return transfer_matrix(body(links_[child].parent, placed_[child].r));
  }
  /// Eq 4 of a body without mass in place of the child's parent: one more input of a body with several.
  Matrix13 massless_element(std::size_t child) const noexcept;
  /// Eq 4 of body i with its input end at its output end: what the body itself adds there.
  Matrix13 own_element(std::size_t i) const noexcept { return transfer_matrix(body(i, {})); }

  /// Any point of body i that a transfer starts from or leads to, from its own hinge point, ground axes.
  Vec3 point(std::size_t i, const Place&) const noexcept;
  /// Body i between two such points.
  RigidBody between(std::size_t i, const Place& input, const Place& output) const noexcept;
  /// Lets the efforts in the hinges act as loads on the bodies that they move: the hinges themselves are then smooth.
  void turn_efforts_into_loads() noexcept;
  /// The load of the efforts in the hinge of body i on the body, at its hinge point.
  Spatial hinge_load(std::size_t i) const noexcept { return placed_[i].by_efforts; }
  /// From the frame origin of body i to its hinge point.
  const Vec3& to_hinge(std::size_t i) const { return placed_[i].to_P; }

  /// Eq 14: z_b of the parent at the child's hinge point is X z_b + gamma, z_b at the parent's own hinge point. X is
  /// also what carries (m, q) from there to the parent's hinge point. Identity and zero on ground.
  Matrix6 X(std::size_t child) const noexcept;
  Vector6 gamma(std::size_t child) const noexcept;

  /// Accelerations of the frame origin of body i from z_b at its hinge point.
  Spatial origin_acceleration(std::size_t i, const Vector6& z_b) const noexcept;
  bool reversed(std::size_t i) const { return view_.joints[i].reversed; }
  std::size_t velocity(std::size_t i) const { return view_.joints[i].v_offset; }

 private:
  struct Link {
    std::size_t parent = ground;
    std::vector<std::size_t> children;
  };
  struct Placed {
    HingeMotion hinge;
    Vec3 to_P;           ///< from the frame origin to the hinge point P
    Vec3 r;              ///< from the parent's hinge point to P
    Vec3 c;              ///< from P to the mass centre
    Vec3 force, moment;  ///< applied, about the mass centre
    Sym3 J_C;
    Spatial by_efforts;
  };
  RigidBody body(std::size_t i, const Vec3& r_PI, const Vec3& r_PO = {}) const noexcept;

  const SystemView& view_;
  TreeKinematics tree_;
  std::vector<Link> links_;
  std::vector<Placed> placed_;
};

}  // namespace polyform::riccati::paper
