// A system in which every group of welded bodies is one body.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "polyform/solvers/rigid_groups.hpp"

namespace polyform {

class CarriedForce;

/// The view of a system whose carriers have taken over the mass, the joints and the markers of the bodies that they
/// carry. Fixed joints within a group are gone. Coordinates of joints and modes, first-order states and their offsets
/// are those of the whole system. So are all names, except that a carrier also names the bodies that it carries: "arm +
/// hand". Its members are the arrays that the view points to, one for each span of SystemView.
class MergedSystem {
 public:
  /// whole: outlives the object. groups: not empty.
  MergedSystem(const SystemView& whole, RigidGroups groups);
  ~MergedSystem();
  MergedSystem(const MergedSystem&) = delete;
  MergedSystem& operator=(const MergedSystem&) = delete;

  const SystemView& view() const { return view_; }
  const RigidGroups& groups() const { return groups_; }
  /// In view(), the body that moves a body of the whole system, or ground.
  BodyIndex carrier(BodyIndex) const;
  /// In view(), a joint of the whole system; none if it is within a group.
  JointIndex joint(std::size_t of_whole) const { return joint_numbers_[of_whole]; }

 private:
  /// One group of elements.
  struct Elements {
    std::vector<ElementInstance> instances;
    std::vector<Marker> markers;
    std::vector<JointIndex> joints;
  };
  void merge_bodies();
  void move_joints();
  void move_flexible_bodies();
  void move_forces();
  void name_modules();
  FrameIndex frame(FrameIndex) const;
  JointData moved(const JointData&);
  Marker moved(const Marker&) const;
  template <class Group>
  Group moved_elements(const Group&);

  const SystemView& whole_;
  RigidGroups groups_;
  std::vector<std::size_t> body_numbers_;  ///< in view(), of bodies of the whole system that are not carried
  std::vector<JointIndex> joint_numbers_;
  std::vector<BodyData> bodies_;
  std::deque<std::string> names_;  ///< of carriers
  std::vector<JointData> joints_;
  std::deque<std::vector<Primitive>> primitives_;
  std::vector<FlexibleData> flexible_;
  std::vector<FlexibleNode> nodes_;
  std::deque<Elements> elements_;
  std::vector<std::unique_ptr<CarriedForce>> carried_forces_;
  std::vector<ForceInstances> forces_;
  std::vector<ConstraintInstances> constraints_;
  std::vector<ModuleInstances> modules_;
  std::deque<std::vector<BodyIndex>> module_bodies_;
  std::vector<Subsystem> subsystems_;
  SystemView view_;
};

}  // namespace polyform
