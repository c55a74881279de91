// The inside of System: the storage behind the view, and the steps that fill it.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/host/assembly/given_joint.hpp"
#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline assembly {

/// All instances of one element type, in the storage that an ElementInstances points to.
template <class Type>
struct GroupStorage {
  const Type* type = nullptr;
  std::vector<std::size_t> items;  ///< places in the description
  std::vector<std::string_view> names;
  std::vector<ElementInstance> instances;
  std::vector<std::vector<FieldValue>> values;
  std::vector<std::vector<Marker>> markers;
  std::vector<std::vector<Pose>> drawn;
  std::vector<std::vector<JointShape>> shapes;
  std::vector<std::vector<BodyInertia>> inertias;
  std::vector<std::vector<BodyShapes>> geometry;  ///< of the bodies of the markers
  std::vector<JointIndex> joints;
  std::vector<std::size_t> rows;  ///< constraints only
};

/// All that a system owns. Its members are the arrays that its view points to, one for each span of SystemView, and the
/// numbers that lead from the user's model to the view and back.
struct System::Parts {
  Description description;
  std::shared_ptr<const void> keep_alive;
  SpanningForest forest;

  std::vector<BodyIndex> body_of;       ///< user's body → view
  std::vector<JointIndex> joint_of;     ///< user's joint → view
  std::vector<std::size_t> user_joint;  ///< view joint → user's joint, or none for added ones
  std::vector<Hold> holds;              ///< of the user's joints; the forest follows from them
  std::vector<bool> massless;           ///< of the user's bodies; so it does from these

  SystemView view;
  std::vector<BodyData> bodies;
  std::vector<JointData> joints;
  std::deque<std::string> names;  ///< of added joints
  std::deque<std::vector<Primitive>> primitives;
  std::deque<std::vector<double>> parameters;
  std::deque<GivenJoint> given_joints;
  std::deque<std::vector<FieldValue>> values;
  std::deque<std::vector<BodyIndex>> body_lists;  ///< of fields, with the view's numbers
  std::deque<std::vector<JointIndex>> joint_lists;
  std::deque<GroupStorage<ForceType>> force_storage;
  std::deque<GroupStorage<ConstraintType>> constraint_storage;
  std::deque<GroupStorage<ModuleType>> module_storage;
  std::vector<ForceInstances> forces;
  std::vector<ConstraintInstances> constraints;
  std::vector<ModuleInstances> modules;
  std::vector<FlexibleData> flexible;
  std::deque<FlexibleInstance> flexible_instances;  ///< of `flexible`, in their order
  std::vector<FlexibleNode> nodes;
  std::vector<std::pair<std::size_t, std::size_t>> open_stiffening;  ///< flexible body and field, see spin.cpp
  std::deque<std::vector<double>> shapes;                            ///< mode shapes at the nodes
  std::deque<std::vector<BodyIndex>> group_bodies;
  std::vector<Subsystem> subsystems;

  std::vector<double> q, v, eta, etadot, x;  ///< the initial state
  std::vector<std::int32_t> discrete;        ///< of the elements in it
  std::string chosen_rates;                  ///< joints whose rates no initial velocity and no constraint settles

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Frame of a body in ground as drawn.
  Pose drawn(BodyIndex view_body) const;
  void report(Diagnostics&, Severity, const Item&, Place, std::string_view path_end, std::string_view message,
              std::string_view remedy) const;
  /// An error that no change of the model mends: the item's type breaks the contract, as `breach` says.
  void report_breach(Diagnostics&, const Item&, std::string_view type, std::string_view breach) const;
};

/// Bodies, joints and their order. False after an error.
bool build_tree(System::Parts&, Diagnostics&);
/// Gravity and the masses and inertias of rigid bodies, in a tree that was built with others. False where the tree
/// would now be another one.
bool take_body_numbers(System::Parts&);
/// Forces, constraints, modules, flexible bodies with their nodes, groups. False after an error.
bool build_elements(System::Parts&, Diagnostics&);
/// Takes away what build_elements() has made; there are no flexible bodies.
void clear_elements(System::Parts&);
/// Nodes where joints and markers attach to flexible bodies. False after an error.
bool build_nodes(System::Parts&, Diagnostics&);
/// Sets the fields of flexible bodies that say whether tension stiffens them and that the model leaves open: then nodes
/// have their displacement of second order.
void open_spin_stiffening(System::Parts&);
/// Sets them to whether the body can spin, from a trial of the initial state.
void decide_spin_stiffening(System::Parts&);
/// Masses of flexible bodies against their modes. False after an error.
bool check_flexible(const System::Parts&, Diagnostics&);
/// Coordinates and velocities at the start, loops closed. False after an error.
bool build_initial_state(System::Parts&, Diagnostics&);

}  // namespace polyform::host::assembly
