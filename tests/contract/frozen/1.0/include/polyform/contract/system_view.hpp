// The system view: what formulations see of a model. Flat arrays in topological order, immutable, owned by the
// host; it outlives every solver compiled from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include "polyform/contract/constraint_element.hpp"
#include "polyform/contract/flexible_body.hpp"
#include "polyform/contract/force.hpp"
#include "polyform/contract/index.hpp"
#include "polyform/contract/joint.hpp"
#include "polyform/contract/module.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform {

inline constexpr std::size_t rigid = static_cast<std::size_t>(-1);

struct BodyData {
  std::string_view name;
  double mass = 0;               ///< kg (of a flexible body: its rigid part)
  Vec3 center_of_mass;           ///< from the frame origin, body axes, m
  Sym3 inertia;                  ///< about the centre of mass, body axes, kg m²
  std::size_t flexible = rigid;  ///< index into SystemView::flexible, or rigid
};

/// The section of a flexible body at a point of it, which joints and markers attach to. Undeformed, the node frame has
/// its origin there and axes parallel to the body frame; deformed, its origin is at point + Φu η + ½ ηᵀ Γ η and it is
/// turned by exp(Φθ η), both in body axes.
struct FlexibleNode {
  BodyIndex body = BodyIndex::ground;
  Vec3 point;                            ///< of the undeformed body, from the body frame origin, body axes, m
  std::span<const double> displacement;  ///< Φu at the point, 3 × m, rows first
  std::span<const double> rotation;      ///< Φθ at the point, 3 × m, rows first
  /// Second-order part of the displacement (ModeShapes::second_order), 3 × m × m; empty if it is zero.
  std::span<const double> second_order{};
};

/// A joint as the user wrote it: motion of `moving` relative to `base`. In the spanning tree the joint carries one
/// of the two bodies outward from ground; it is `reversed` when that body is `base`. Its members are what the user
/// wrote and where the joint stands in the tree.
struct JointData {
  std::string_view name;
  BodyIndex base = BodyIndex::ground, moving = BodyIndex::ground;
  /// What the joint attaches to: the body frames, or nodes of flexible bodies.
  FrameIndex base_frame = FrameIndex::ground, moving_frame = FrameIndex::ground;
  bool reversed = false;            ///< tree joints: the outboard body is base
  bool added = false;               ///< made by the host, not in the user's model
  Vec3 p_base;                      ///< origin of F from the origin of base_frame, in its axes, m
  Vec3 p_moving;                    ///< origin of M from the origin of moving_frame, in its axes, m
  Mat3 R_drawn = Mat3::identity();  ///< orientation of moving in base axes as drawn: R_base_moving = R_FM(q) R_drawn
  std::span<const Primitive> primitives;  ///< base axes; empty for fixed and for code-defined joints
  const JointKernel* kernel = nullptr;    ///< of a code-defined joint
  std::span<const double> parameters;     ///< of a code-defined joint
  std::size_t nq = 0, nv = 0;
  std::size_t q_offset = 0, v_offset = 0;  ///< into the coordinates of the canonical state
  const JointType* type = nullptr;         ///< whose descriptor names the coordinates of a code-defined joint

  BodyIndex inboard() const { return reversed ? moving : base; }
  BodyIndex outboard() const { return reversed ? base : moving; }
  FrameIndex inboard_frame() const { return reversed ? moving_frame : base_frame; }
  FrameIndex outboard_frame() const { return reversed ? base_frame : moving_frame; }
};

/// All instances of one element type.
template <class Type>
struct ElementInstances {
  const Type* type = nullptr;
  std::span<const std::string_view> names;
  Strided<const ElementInstance> instances;
  std::span<const JointIndex> joints;  ///< attached joints, instance after instance
  /// Where the first-order states of the first instance begin: those of a force, or u of all modules, then their x.
  std::size_t state_offset = 0;
  std::span<const std::size_t> rows;  ///< of constraints, per instance
  std::size_t discrete_offset = 0;    ///< of the first instance, into the discrete states of the elements
};
using ForceInstances = ElementInstances<ForceType>;
using ConstraintInstances = ElementInstances<ConstraintType>;
using ModuleInstances = ElementInstances<ModuleType>;
struct FlexibleData {
  const FlexibleBodyType* type = nullptr;
  const FlexibleInstance* instance = nullptr;
  BodyIndex body = BodyIndex::ground;
  std::size_t modes = 0;
  std::size_t mode_offset = 0;  ///< into the modal coordinates
};
/// A named group of bodies (Udwadia–Kalaba levels); may nest.
struct Subsystem {
  std::string_view name;
  std::span<const BodyIndex> bodies;                  ///< of this subsystem itself, without those of nested ones
  std::size_t parent = static_cast<std::size_t>(-1);  ///< index of the enclosing subsystem, or -1
};

/// Bodies stand in depth-first preorder of the spanning forest rooted in ground: a body follows its inboard body, a
/// chain is contiguous. Joint i < bodies.size() carries body i; the rest are the cut joints, one per loop. Its members
/// are one array for each kind of part of a model, and the sizes of a state.
struct SystemView {
  Size<SystemView> size{};
  std::string_view name;
  Vec3 gravity;  ///< ground axes, m/s²
  Strided<const BodyData> bodies;
  Strided<const JointData> joints;  ///< tree joints, then cut joints
  Strided<const ForceInstances> forces;
  Strided<const ConstraintInstances> constraints;
  Strided<const ModuleInstances> modules;
  Strided<const FlexibleData> flexible;
  Strided<const FlexibleNode> nodes;  ///< those of one body together, in the order of the bodies
  Strided<const Subsystem> subsystems;

  std::size_t nq_tree = 0, nv_tree = 0;  ///< coordinates of the tree joints; they come first
  std::size_t nq = 0, nv = 0;            ///< of all joints
  std::size_t modes = 0;                 ///< modal coordinates of all flexible bodies
  std::size_t states = 0;                ///< first-order states of forces and modules
  std::size_t module_rows = 0;           ///< rows of all modules
  std::size_t discrete = 0;              ///< discrete states of all elements

  Strided<const JointData> tree_joints() const { return joints.first(bodies.size()); }
  Strided<const JointData> cut_joints() const { return joints.subspan(bodies.size()); }
  std::size_t frames() const { return bodies.size() + nodes.size(); }
  /// Rows of all constraint elements.
  std::size_t constraint_rows() const {
    std::size_t count = 0;
    for (const ConstraintInstances& of_type : constraints)
      for (const std::size_t rows : of_type.rows) count += rows;
    return count;
  }
  /// The flexible data of a node's body.
  const FlexibleData& flexible_of(const FlexibleNode& node) const { return flexible[bodies[at(node.body)].flexible]; }
};

/// The canonical kinematic state, from which every solver starts and in which all are compared. Coordinates of cut
/// joints follow from the others up to whole turns; they are carried along for these turns.
template <class T>
struct BasicState {
  Size<BasicState> size{};
  std::span<T> q{}, v{};         ///< all joints
  std::span<T> eta{}, etadot{};  ///< all modes
  std::span<T> x{};              ///< first-order states
  /// Discrete states of all elements. If empty, nobody asks for them; a solver that is given none takes those of the
  /// start.
  std::span<std::conditional_t<std::is_const_v<T>, const std::int32_t, std::int32_t>> discrete{};
};
using StateView = BasicState<double>;
using ConstStateView = BasicState<const double>;
inline ConstStateView as_const(const StateView& s) {
  return {.q = s.q, .v = s.v, .eta = s.eta, .etadot = s.etadot, .x = s.x, .discrete = s.discrete};
}

}  // namespace polyform
