// Forces: what a force type declares and computes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/field.hpp"
#include "polyform/contract/joint.hpp"
#include "polyform/contract/shapes.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform {

/// A point fixed in a frame, in that frame's axes from its origin, m. While a type defines an instance, the frame is
/// that of the body. Afterwards a marker of a flexible body sits at the origin of the node that the host made there.
struct Marker {
  BodyIndex body = BodyIndex::ground;
  Vec3 point;
  FrameIndex frame = frame_of(body);
};

/// Motion of a marker, ground axes.
struct MarkerMotion {
  Mat3 R;                 ///< orientation of the marker's frame
  Vec3 position;          ///< m
  Vec3 velocity;          ///< m/s
  Vec3 angular_velocity;  ///< rad/s
};

/// Shape of a joint that an element acts on.
struct JointShape {
  std::size_t nq = 0, nv = 0;
  std::span<const Primitive> primitives;  ///< empty for fixed and for code-defined joints
  bool code_defined = false;
  /// The bodies that it joins. Of bodies that fixed joints weld together the same one is named for all, so that equal
  /// numbers mean one rigid body; ground where they are welded to it.
  BodyIndex base = BodyIndex::ground, moving = BodyIndex::ground;
};

/// A body's inertia as the model gives it; for a flexible body that of the undeformed whole. All zero for ground.
struct BodyInertia {
  double mass = 0;        ///< kg
  Vec3 center_of_mass{};  ///< from the frame origin, body axes, m
  Sym3 inertia{};         ///< about the centre of mass, body axes, kg m²
};

/// One instance as read. Markers come from the fields of type body, marker and their lists, joints from those of type
/// joint and its list, both in the order of the fields: lists make their number differ between instances. `define` may
/// move marker points.
struct ElementInstance {
  Size<ElementInstance> size{};
  Strided<const FieldValue> fields{};
  Strided<Marker> markers{};
  std::span<const Pose> drawn{};  ///< frames of the markers in ground as drawn
  Strided<const JointShape> joints{};
  Vec3 gravity{};                         ///< of the model, ground axes, m/s²
  Strided<const BodyInertia> inertias{};  ///< of the body of each marker
  Strided<const BodyShapes> shapes{};     ///< of the body of each marker
};

/// Kinematics of all attachments of a batch, instance after instance.
struct ForceInput {
  Size<ForceInput> size{};
  double time = 0;
  Strided<const MarkerMotion> markers{};     ///< those of each instance
  std::span<const double> q{}, v{};          ///< coordinates of the joints, in the order of attachment
  std::span<const double> states{};          ///< first-order states, count × states of the type
  std::span<const std::int32_t> discrete{};  ///< discrete states, count × those of the type; of any kind of element
};
struct ForceOutput {
  Size<ForceOutput> size{};
  std::span<Spatial> wrenches{};    ///< on each marker: moment and force at the marker, ground axes; zero on entry
  std::span<double> efforts{};      ///< generalized forces, in the order of v; zero on entry
  std::span<double> state_rates{};  ///< d/dt of the states
  double potential_energy = 0;      ///< of the whole batch, J
  double power = 0;                 ///< of all that is not the rate of the potential energy, W
};

/// All instances of one force type in one solver, with their constants. One object per solver, so it may keep
/// scratch memory; evaluate never allocates or throws and depends only on its input.
class ForceBatch {
 public:
  virtual void evaluate(const ForceInput&, ForceOutput&) noexcept = 0;
  virtual void initial_states(std::span<double> states) const noexcept { (void)states; }
  virtual void destroy() noexcept = 0;  ///< frees the object where it was made
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~ForceBatch() = default;
};

/// A force type; its descriptor names the first-order states that an instance has.
class ForceType : public ElementType {
 public:
  std::size_t state_count() const noexcept { return descriptor().states.size(); }
  /// Checks one instance before anything runs; may move its markers. Reports to sink with the instance's number.
  virtual bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept = 0;
  /// Makes the batch; nullptr when memory ran out. The instances passed `define`.
  virtual ForceBatch* create(Strided<const ElementInstance>) const noexcept = 0;

 protected:
  ~ForceType() = default;
};

}  // namespace polyform
