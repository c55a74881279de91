#include "polyform/solvers/joint_hints.hpp"

#include <algorithm>

namespace polyform {

JointHints::JointHints(const SystemView& view, DiscreteValues& discrete) : view_(view), discrete_(discrete) {
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    if (joint.kernel != nullptr) {
      coordinates_.push_back({j, joint.q_offset, joint.nq});
      size_ += joint.nq;
      continue;
    }
    std::size_t at_q = joint.q_offset;
    bool after_turn = false;  // a pose tells a displacement along a turned axis in two ways
    for (const Primitive& p : joint.primitives) {
      if (p.kind == Primitive::Kind::ball) {
        const bool has_sign = j >= view.bodies.size();
        const std::size_t turned = has_sign ? discrete.add(joint.name, "minus before the quaternion", 0, 1) : never;
        balls_.push_back({j, at_q, quaternion_of(joint.R_drawn), turned});
      } else if (p.kind == Primitive::Kind::rotation || after_turn) {
        coordinates_.push_back({j, at_q, 1});
        ++size_;
      }
      after_turn = after_turn || p.kind == Primitive::Kind::rotation;
      at_q += position_count(p.kind);
    }
  }
}

/// Orientation of M in F from the frames' quaternions, whose sign follows the motion continuously.
Quat JointHints::quaternion(const Ball& ball, std::span<const Quat> orientations) const noexcept {
  const JointData& joint = view_.joints[ball.joint];
  const auto orientation = [&](FrameIndex f) { return is_ground(f) ? Quat{} : orientations[at(f)]; };
  return conjugate(orientation(joint.base_frame)) * orientation(joint.moving_frame) * conjugate(ball.drawn);
}

void JointHints::set_signs(std::span<const double> q, std::span<const Quat> orientations) noexcept {
  for (const Ball& ball : balls_) {
    if (ball.turned == never) continue;
    const double* r = q.data() + ball.first_q;
    discrete_.put(ball.turned, dot(quaternion(ball, orientations), Quat{r[0], r[1], r[2], r[3]}) < 0 ? 1 : 0);
  }
}

void JointHints::read(const double* hints, std::span<const Quat> orientations, std::span<double> q) const noexcept {
  std::fill(q.begin(), q.end(), 0.0);
  for (const Coordinates& c : coordinates_) {
    std::copy_n(hints, c.count, q.data() + c.first_q);
    hints += c.count;
  }
  for (const Ball& ball : balls_) {
    const Quat o = quaternion(ball, orientations);
    const double s = sign(ball);
    double* out = q.data() + ball.first_q;
    for (const double value : {o.w, o.x, o.y, o.z}) *out++ = s * value;
  }
}

void JointHints::write(std::span<const double> q, double* hints) const noexcept {
  for (const Coordinates& c : coordinates_) hints = std::copy_n(q.data() + c.first_q, c.count, hints);
}

}  // namespace polyform
