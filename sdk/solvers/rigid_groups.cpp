#include "polyform/solvers/rigid_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform {
namespace {

/// Whether tree joint i welds its rigid body to a rigid one or to ground.
bool is_weld(const SystemView& view, std::size_t i) {
  const JointData& joint = view.joints[i];
  const BodyIndex in = joint.inboard();
  return joint.nv == 0 && joint.nq == 0 && joint.kernel == nullptr && view.bodies[i].flexible == rigid &&
         (is_ground(in) || view.bodies[at(in)].flexible == rigid);
}

/// Whether axes are turned by more than the rounding of the products that drawn orientations are made of.
bool is_turned(const Mat3& R) {
  const Mat3 one = Mat3::identity();
  for (std::size_t i = 0; i < 9; ++i)
    if (std::abs(R.m[i] - one.m[i]) > 4 * std::numeric_limits<double>::epsilon()) return true;
  return false;
}

/// Whether the coordinates of a joint have their directions in the axes of the base body themselves.
bool has_coordinates_in_base_axes(const JointData& joint) {
  const auto is_ball = [](const Primitive& p) { return p.kind == Primitive::Kind::ball; };
  return joint.kernel != nullptr || std::ranges::any_of(joint.primitives, is_ball);
}

/// The tree joints to which elements are attached, by their bodies.
template <class Groups>
void note_joints(const Groups& groups, std::vector<bool>& alone) {
  for (const auto& group : groups)
    for (const JointIndex j : group.joints)
      if (at(j) < alone.size()) alone[at(j)] = true;
}

/// Marks the bodies of elements whose forces no observation shows.
template <class Groups>
void note_markers(const Groups& groups, std::vector<bool>& alone) {
  for (const auto& group : groups)
    for (const ElementInstance& instance : group.instances)
      for (const Marker& marker : instance.markers)
        if (!is_ground(marker.body)) alone[at(marker.body)] = true;
}

}  // namespace

RigidGroups::RigidGroups(const SystemView& view) {
  const std::size_t n = view.bodies.size();
  std::vector<bool> alone(n), in_own_axes(n);
  bool any = false;
  for (std::size_t i = 0; i < n; ++i) {
    alone[i] = !is_weld(view, i);
    any = any || !alone[i];
  }
  if (!any) return;
  note_joints(view.forces, alone);
  note_joints(view.constraints, alone);
  note_joints(view.modules, alone);
  note_markers(view.constraints, alone);
  note_markers(view.modules, alone);
  for (const JointData& joint : view.joints)
    if (!is_ground(joint.base) && has_coordinates_in_base_axes(joint)) in_own_axes[at(joint.base)] = true;

  places_.resize(n);
  bool carries = place(view, alone, in_own_axes);
  const auto carrier = [&](BodyIndex b) { return is_ground(b) ? b : places_[at(b)].carrier; };
  bool closed_within = false;
  for (const JointData& joint : view.cut_joints()) {
    if (carrier(joint.base) != carrier(joint.moving)) continue;
    closed_within = true;
    for (const BodyIndex b : {joint.base, joint.moving})
      if (!is_ground(b)) alone[at(b)] = true;
  }
  // Smaller groups cannot close another loop within one of them.
  if (closed_within) carries = place(view, alone, in_own_axes);
  const bool all = std::ranges::all_of(places_, [](const Place& p) { return is_ground(p.carrier); });
  if (!carries || all) places_.clear();
}

/// Finds the carriers from the roots to the tips. Returns whether any body is carried.
bool RigidGroups::place(const SystemView& view, const std::vector<bool>& alone, const std::vector<bool>& in_own_axes) {
  bool carries = false;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    places_[i] = {body_index(i), Mat3::identity(), {}, {}};
    if (alone[i]) continue;
    const JointData& joint = view.joints[i];
    const Place in = is_ground(joint.inboard()) ? Place{} : places_[at(joint.inboard())];
    const Mat3 across = joint.reversed ? transpose(joint.R_drawn) : joint.R_drawn;
    const Quat turn = quaternion_of(joint.R_drawn);
    const Vec3 &on_inboard = joint.reversed ? joint.p_moving : joint.p_base,
               &on_outboard = joint.reversed ? joint.p_base : joint.p_moving;
    const Place found{in.carrier, in.R * across, in.p + in.R * (on_inboard - across * on_outboard),
                      normalized(in.turn * (joint.reversed ? conjugate(turn) : turn))};
    if (in_own_axes[i] && is_turned(found.R)) continue;
    places_[i] = found;
    carries = true;
  }
  return carries;
}

}  // namespace polyform
