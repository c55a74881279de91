#include "polyform/mechanics/attachments.hpp"

#include <algorithm>

#include "polyform/helpers/completed.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform {

Attachments::Attachments(const SystemView& view, Strided<const ElementInstance> instances,
                         std::span<const JointIndex> joints, const Vec3& origin)
    : origin_(origin) {
  for (const ElementInstance& instance : instances)
    for (std::size_t k = 0; k < instance.markers.size(); ++k) markers_.push_back(completed(instance.markers, k));
  std::size_t nq = 0, nv = 0;
  for (const JointIndex j : joints) {
    const JointData& joint = view.joints[at(j)];
    const std::size_t positions = own_positions(joint);
    joints_.push_back({joint.q_offset, positions, joint.v_offset, joint.nv});
    nq += positions;
    nv += joint.nv;
  }
  motions_.resize(markers_.size());
  arms_.resize(markers_.size());
  q_.resize(nq);
  v_.resize(nv);
}

void Attachments::gather(std::span<const BodyMotion> frames, std::span<const double> q,
                         std::span<const double> v) noexcept {
  for (std::size_t i = 0; i < markers_.size(); ++i) {
    const BodyMotion& frame = motion_of(markers_[i].frame, frames);
    const PointMotion<double> point =
        point_motion(frame.R, frame.p, frame.V, markers_[i].point, origin_, is_ground(markers_[i].frame));
    MarkerMotion& motion = motions_[i];
    arms_[i] = point.arm;
    motion.R = frame.R;
    motion.position = point.position;
    motion.velocity = point.velocity;
    motion.angular_velocity = frame.V.angular;
  }
  std::size_t at_q = 0, at_v = 0;
  for (const JointSlice& j : joints_) {
    std::copy_n(q.data() + j.q, j.nq, q_.data() + at_q);
    std::copy_n(v.data() + j.v, j.nv, v_.data() + at_v);
    at_q += j.nq;
    at_v += j.nv;
  }
}

void Attachments::add_efforts(std::span<const double> efforts, std::span<double> all) const noexcept {
  std::size_t at_v = 0;
  for (const JointSlice& j : joints_)
    for (std::size_t i = 0; i < j.nv; ++i) all[j.v + i] += efforts[at_v++];
}

}  // namespace polyform
