#include "framework/host/unilateral/contact_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/unilateral/element_failure.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline unilateral {

namespace {

// Sizes of the largest body: places that are farther from the origin count as this far.
constexpr double farthest_counted = 10;
// A larger overlap of surfaces at the start, of the length, is one of the drawing.
constexpr double drawn_overlap = 1e-8;
// Part of the sum of a rate's terms: a slower rate is rounding of one that was brought to rest.
constexpr double rest_share = 1e-9;

/// Whether a joint velocity turns.
bool turns(const SystemView& view, std::size_t velocity, const ConstStateView& start) {
  for (const JointData& joint : view.joints) {
    if (velocity < joint.v_offset || velocity >= joint.v_offset + joint.nv) continue;
    const std::vector<double> still(joint.nv);
    JointMotion motion;
    joint_motion(joint, start.q.data() + joint.q_offset, still.data(), motion);
    return norm(motion.H[velocity - joint.v_offset].angular) > 0;
  }
  return true;
}

double inverse_or_zero(double value) { return value > 0 ? 1 / value : 0; }

/// The order of magnitude of what a unit force between two bodies, or a moment, moves.
double response_of(const SystemView& view, std::initializer_list<FrameIndex> frames, bool about) {
  double sum = 0;
  for (const FrameIndex f : frames) {
    if (is_ground(f) || at(f) >= view.bodies.size()) continue;
    const BodyData& body = view.bodies[at(f)];
    sum += inverse_or_zero(about ? std::min({body.inertia.xx, body.inertia.yy, body.inertia.zz}) : body.mass);
  }
  return sum;
}

double smaller_reach(const SystemView& view, const SystemScales& scales, std::initializer_list<FrameIndex> frames,
                     double most) {
  for (const FrameIndex f : frames)
    if (!is_ground(f) && at(f) < view.bodies.size() && scales.reach(at(f)) > 0)
      most = std::min(most, scales.reach(at(f)));
  return most;
}

const JointData* joint_of(const SystemView& view, std::size_t velocity) {
  const auto found = std::ranges::find_if(view.joints, [=](const JointData& joint) {
    return velocity >= joint.v_offset && velocity < joint.v_offset + joint.nv;
  });
  return found == view.joints.end() ? nullptr : &*found;
}

}  // namespace

double resting_speed(double terms, const ContactSizes& sizes) { return rest_share * terms + sizes.rest(); }

double free_response(const SystemView& view, FrameIndex first, FrameIndex second) {
  return response_of(view, {first, second}, false);
}

ContactSizes sizes_of_system(const SystemView& view, const ConstStateView& start) {
  std::vector<double> q(start.q.begin(), start.q.end()), v(start.v.begin(), start.v.end());
  TreeKinematics tree(view);
  tree.evaluate(q.data(), v.data(), start.eta.data(), start.etadot.data());
  const SystemScales scales(view);
  const double reach = scales.largest_reach();
  double farthest = 0, fastest = 0;
  const auto see = [&](BodyIndex b, const Vec3& point) {
    farthest = std::max(farthest, norm(point) + (is_ground(b) ? 0 : norm(tree.bodies()[at(b)].p)));
  };
  for (const JointData& joint : view.joints) {
    see(joint.base, joint.p_base);
    see(joint.moving, joint.p_moving);
  }
  for (std::size_t b = 0; b < view.bodies.size(); ++b) {
    const Spatial& V = tree.bodies()[b].V;
    fastest = std::max(fastest, norm(V.linear) + scales.reach(b) * norm(V.angular));
  }
  const double acting = scales.of_system(tree.frames()).acceleration;
  ContactSizes all;
  all.length = std::max(reach, std::min(farthest, farthest_counted * reach));
  all.speed = std::max(fastest, std::sqrt(acting * all.length));
  if (!(all.speed > 0)) all.speed = all.length;
  all.acceleration = std::max(acting, all.speed * all.speed / all.length);
  return all;
}

std::vector<ContactSizes> contact_sizes(const SystemView& view, const ConstStateView& start, const UnilateralSet& set) {
  const ContactSizes along = sizes_of_system(view, start);
  const SystemScales scales(view);
  const ContactSizes about{1, along.speed / along.length, along.acceleration / along.length, 0};
  std::vector<ContactSizes> all;
  for (std::size_t k = 0; k < set.points(); ++k) {
    const std::size_t velocity = set.velocity_of(k);
    const bool turning = velocity != UnilateralPoint::none && turns(view, velocity, start);
    all.push_back(turning ? about : along);
    if (!turning) all.back().body = smaller_reach(view, scales, {set.frame_of(k, 0), set.frame_of(k, 1)}, along.length);
    const JointData* const joint = velocity == UnilateralPoint::none ? nullptr : joint_of(view, velocity);
    all.back().response = joint != nullptr ? response_of(view, {joint->base_frame, joint->moving_frame}, turning)
                                           : response_of(view, {set.frame_of(k, 0), set.frame_of(k, 1)}, false);
  }
  return all;
}

void refuse_overlaps(const UnilateralSet& set, const std::vector<ContactSizes>& sizes) {
  for (std::size_t k = 0; k < set.points(); ++k)
    if (set.point(k).has_gap && set.has_place(k) && set.open_gap(k) < -drawn_overlap * sizes[k].length)
      throw ElementFailure(
          set.element_name(set.element_of(k)),
          fmt::format("what `{}` keeps apart overlaps by {:.6g} (m or rad) at the start",
                      set.element_name(set.element_of(k)), -set.gap(k)),
          "Rigid contact begins with surfaces that touch at most: move the bodies apart, or change the "
          "limits.");
}

void refuse_driven(const UnilateralSet& set, std::size_t point, double t) {
  throw Failure(
      Exit::simulation_failed,
      fmt::format("{} is closed at t = {:.9g} s, and a prescribed motion or other constraints go on to close it: no "
                  "force can hold that",
                  set.name_of(point), t),
      "End the motion there, drive by a force, or use a compliant law.");
}

}  // namespace polyform::host::inline unilateral
