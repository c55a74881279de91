// The sweep from root to tips over the spanning tree.
#include <algorithm>

#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

TreeKinematics::TreeKinematics(const SystemView& view)
    : view_(view), joints_(view.tree_joints()), nodes_(view), frames_(view.frames()) {
  drawn_.reserve(view.bodies.size());
  for (const JointData& joint : view.tree_joints()) drawn_.push_back(quaternion_of(joint.R_drawn));
}

void TreeKinematics::evaluate(const double* q, const double* v, const double* eta, const double* etadot) noexcept {
  joints_.evaluate(q, v);
  const std::size_t n = view_.bodies.size();
  if (nodes_.empty()) {
    for (std::size_t i = 0; i < n; ++i)
      outboard_motion(view_.joints[i], joints_[i], motion_of(view_.joints[i].inboard(), frames_), frames_[i]);
    return;
  }
  // The joint places the node of the outboard body that it is attached to; the body frame follows from the modes, and
  // the other nodes from the body frame.
  nodes_.evaluate(eta, etadot);
  for (std::size_t i = 0; i < n; ++i) {
    const JointData& joint = view_.joints[i];
    const FrameIndex placed = joint.outboard_frame();
    outboard_motion(joint, joints_[i], motion_of(joint.inboard_frame(), frames_), frames_[at(placed)]);
    nodes_.place_body(body_index(i), placed, frames_);
  }
}

void TreeKinematics::orientations(const double* q, std::span<Quat> out, const double* eta) const noexcept {
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < n; ++i) {
    const JointData& joint = view_.joints[i];
    const FrameIndex inboard = joint.inboard_frame();
    const Quat in = is_ground(inboard) ? Quat{} : out[at(inboard)];
    const Quat across = joint_orientation(joint, q + joint.q_offset) * drawn_[i];
    const Quat placed = in * (joint.reversed ? conjugate(across) : across);
    const std::size_t frame = at(joint.outboard_frame());
    out[i] = normalized(frame < n ? placed : placed * conjugate(nodes_.turn(frame - n, eta)));
    if (nodes_.empty()) continue;
    for (std::size_t k = nodes_.first_of(body_index(i)); k < nodes_.end_of(body_index(i)); ++k)
      out[n + k] = out[i] * nodes_.turn(k, eta);
  }
}

void TreeKinematics::accelerations(const double* vdot, std::span<Spatial> out, const double* etaddot) const noexcept {
  const std::size_t n = view_.bodies.size();
  const auto relative = [&](std::size_t node) {
    return nodes_.relative_acceleration(node, etaddot + nodes_.mode_offset(node));
  };
  for (std::size_t i = 0; i < n; ++i) {
    const JointData& joint = view_.joints[i];
    const FrameIndex in = joint.inboard_frame();
    const std::size_t placed = at(joint.outboard_frame());
    out[placed] =
        outboard_acceleration(joint, joints_[i], motion_of(in, frames_), is_ground(in) ? Spatial{} : out[at(in)],
                              frames_[placed], vdot + joint.v_offset);
    if (nodes_.empty()) continue;
    if (placed >= n) out[i] = body_acceleration(nodes_[placed - n], frames_[i], out[placed], relative(placed - n));
    for (std::size_t k = nodes_.first_of(body_index(i)); k < nodes_.end_of(body_index(i)); ++k)
      if (n + k != placed) out[n + k] = node_acceleration(nodes_[k], frames_[i], out[i], relative(k));
  }
}

}  // namespace polyform
