// Joints: what a joint type declares, and what formulations see of a joint.
//
// Frames of a joint (see the notation page, sdk/NOTATION.md): F sits on the base body at the joint's drawn
// position, its axes parallel to the axes of the base body; M sits on the moving body and coincides with F as
// drawn (all coordinates zero or identity). A joint is the motion of M in F:
//
//   pose         R_FM(q), p_FM(q)
//   twist        V_FM = H(q) v         angular velocity of M in F and velocity of M's origin in F, in F axes
//   its rate     A_FM = H(q) v̇ + Ḣv    differentiated in F
//   coordinates  q̇ = N(q) v
//
// The common joints are data: a sequence of primitive motions, from base to moving. Any other joint (a screw, a cam)
// gives a kernel. Both work as tree joint and as cut joint of a loop in every formulation; the constraint side follows
// from H (constraint.hpp). A joint may depend on time, too: rheonomic_joint.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/field.hpp"
#include "polyform/contract/spatial.hpp"
#include "polyform/contract/type_descriptor.hpp"

namespace polyform {

/// One primitive motion; frozen. `axis`: unit vector, fixed in the frame that the earlier ones lead to, as drawn.
struct Primitive {
  enum class Kind : std::uint8_t {
    rotation,     ///< about axis; one coordinate (rad), one velocity
    translation,  ///< along axis; one coordinate (m), one velocity
    ball          ///< any rotation; unit quaternion w x y z (frame before to frame after), angular velocity in the
                  ///< axes of the frame before
  };
  Kind kind = Kind::rotation;
  Vec3 axis{};
};
constexpr std::size_t position_count(Primitive::Kind k) { return k == Primitive::Kind::ball ? 4 : 1; }
constexpr std::size_t velocity_count(Primitive::Kind k) { return k == Primitive::Kind::ball ? 3 : 1; }

/// State of one joint at an instant, in F axes. Only the first nv columns of H are meaningful.
struct JointMotion {
  Mat3 R_FM = Mat3::identity();
  Vec3 p_FM;
  Spatial H[6];
  Spatial twist;  ///< H v
  Spatial bias;   ///< Ḣ v
};

/// A batch of joints of one code-defined type.
struct JointBatch {
  Size<JointBatch> size{};
  std::size_t count = 0;
  std::span<const std::span<const double>> parameters{};  ///< of each instance, as its definition set them
  std::span<const double> q{}, v{};                       ///< count × nq, count × nv
};

/// The motion of a code-defined joint. Called for all instances of a type at once; never allocates or throws.
class JointKernel {
 public:
  /// Motions of all instances. out has batch.count entries.
  virtual void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept = 0;
  /// q̇ = N(q) v, count × nq.
  virtual void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept = 0;
  /// Coordinates of one instance from a pose of M in F, nearest to the hint q (in and out), which settles
  /// turns and signs. For a pose off the joint's manifold: a nearby pose of the joint.
  virtual void coordinates(std::span<const double> parameters, const Mat3& R_FM, const Vec3& p_FM,
                           std::span<double> q) const noexcept = 0;
  /// Orientation of M in F of one instance as a unit quaternion that follows q continuously over many turns.
  virtual Quat orientation(std::span<const double> parameters, std::span<const double> q) const noexcept = 0;
  /// Coordinates as drawn, nq values (zeros, 1 0 0 0 for a quaternion).
  virtual void neutral(std::span<double> q) const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual const void* query(std::string_view interface_name) const noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~JointKernel() = default;
};

/// What a joint type says of one instance. All vectors in ground axes, as drawn.
struct JointInstance {
  Size<JointInstance> size{};
  Strided<const FieldValue> fields{};  ///< one per field of the type
  Pose base{}, moving{};               ///< body frames in ground as drawn
};

/// Filled by JointType::define. The host owns the storage; all vectors in ground axes, as drawn.
class JointDefinition {
 public:
  /// Sets the point at which F and M coincide as drawn, in ground, m.
  virtual void set_position(const Vec3& in_ground) noexcept = 0;
  /// Appends a primitive motion; the axis (unit, in ground as drawn) is ignored for a ball.
  virtual void add_primitive(Primitive::Kind, const Vec3& axis_in_ground) noexcept = 0;
  /// The parameters of a code-defined joint: as many as the instance needs, such as the points of a table. The host
  /// keeps a copy. Directions among them are best given in F axes: JointInstance::base turns ground axes into those of
  /// the base body.
  virtual void set_parameters(std::span<const double>) noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~JointDefinition() = default;
};

/// A joint type. One object per type, constant, living as long as its plugin. The positions and velocities of its
/// descriptor are those of a code-defined joint; those of a sequence of primitives follow from the primitives.
class JointType : public ElementType {
 public:
  /// Describes one instance. Reports to sink (instance 0) and returns false when the fields contradict each other.
  virtual bool define(const JointInstance&, JointDefinition&, FieldSink&) const noexcept = 0;

  /// For a code-defined joint: its kernel. One made of primitives leaves this alone.
  virtual const JointKernel* kernel() const noexcept { return nullptr; }

  std::size_t position_count() const noexcept { return descriptor().positions.size(); }   ///< nq
  std::size_t velocity_count() const noexcept { return descriptor().velocities.size(); }  ///< nv

 protected:
  ~JointType() = default;
};

}  // namespace polyform
