#include "polyform/solvers/tree_motion.hpp"

#include <utility>

#include "sines.hpp"

namespace polyform {

using Hinge = HingedTree::Hinge;
using Link = HingedTree::Link;

TreeMotion::TreeMotion(const SystemView& view, const HingedTree& tree, FlexibleLinks& flexible)
    : tree_(tree),
      flexible_(flexible),
      general_(tree.general_joints),
      angles_(tree.rotations.size()),
      sines_(tree.rotations.size()),
      cosines_(tree.rotations.size()),
      work_(tree.links.size() + flexible.attachments()),
      beta_(tree.links.size()),
      columns_(tree.columns),
      general_slide_(tree.general_joints.size()),
      frames_(view.frames()),
      moving_omega_(flexible.empty() ? tree.links.size() : 0),
      other_beta_(moving_omega_.size()) {}

void TreeMotion::position_rates(const double* q, const double* v, double* qdot) const noexcept {
  for (const Link& link : tree_.links) {
    if (link.hinge == Hinge::ball) {
      const double* r = q + link.q;
      const Quat rate = quaternion_rate(Quat{r[0], r[1], r[2], r[3]}, Vec3{v[link.v], v[link.v + 1], v[link.v + 2]});
      double* out = qdot + link.q;
      out[0] = rate.w;
      out[1] = rate.x;
      out[2] = rate.y;
      out[3] = rate.z;
    } else if (link.hinge == Hinge::general) {
      joint_position_rates(tree_.general_joints[link.place], q + link.q, v + link.v, qdot + link.q);
    } else if (link.hinge != Hinge::fixed) {
      qdot[link.q] = v[link.v];
    }
  }
}

/// Orientation, angular velocity and hinge geometry of one body from its parent's. One instance per kind of hinge, so
/// that terms that are zero for a kind cost nothing.
template <HingedTree::Hinge kind>
void TreeMotion::place(std::size_t i, const double* q, const double* v) noexcept {
  const Link& link = tree_.links[i];
  const Work& in = inboard(link);
  Work& work = work_[i];
  q += link.q;
  v += link.v;
  const double sign = link.reversed ? -1.0 : 1.0;
  work.r = in.R * link.lever;
  if constexpr (kind == Hinge::fixed) {
    work.R = in.R;
    work.omega = in.omega;
  }
  if constexpr (kind == Hinge::ball) {
    // A reversed joint undoes Q; its angular velocity is given in the axes to which it leads.
    Quat Q{q[0], sign * q[1], sign * q[2], sign * q[3]};
    Vec3 w{v[0], v[1], v[2]};
    if (link.turned) {
      const Mat3& K = tree_.frames[i].base_K;
      const Vec3 u = transpose_times(K, Vec3{Q.x, Q.y, Q.z});
      Q = {Q.w, u.x, u.y, u.z};
      w = transpose_times(K, w);
    }
    work.R = in.R * rotation_matrix(Q);
    work.omega = in.omega + sign * ((link.reversed ? work.R : in.R) * w);
    // No beta: the moment row of a ball hinge gives Ω̇ from scratch.
  }
  if constexpr (kind == Hinge::rotation) {
    const Vec3 axis = sign * (in.R * link.axis);  // the axis is the same in both bodies
    work.R = in.R * axis_rotation(link.axis, cosines_[link.place], sign * sines_[link.place]);
    columns_[link.first].H.angular = axis;
    work.omega = in.omega + v[0] * axis;
    beta_[i].angular = v[0] * cross(in.omega, axis);
  }
  if constexpr (kind == Hinge::translation) {
    const Vec3 axis = sign * (in.R * link.axis);
    work.R = in.R;
    work.omega = in.omega;
    columns_[link.first].H.linear = axis;
    beta_[i].linear = (2.0 * v[0]) * cross(in.omega, axis);
    // In a reversed joint P (the origin of F) lies opposite to the displacement of M.
    work.r += q[0] * axis;
  }
}

/// Places a hinge of several primitives or with a kernel: its motion in F axes is there already.
void TreeMotion::place_general(const Link& link, const Work& in, Work& work, std::size_t i) noexcept {
  const JointMotion& m = general_[link.place];
  const HingedTree::Frame& frame = tree_.frames[i];
  const Mat3 across = transpose_times(frame.base_K, m.R_FM * frame.base_K);
  work.R = link.reversed ? times_transpose(in.R, across) : in.R * across;
  const Work& base = link.reversed ? work : in;
  const Mat3 R_F = times_transpose(base.R, frame.base_K);
  const Vec3 p = R_F * m.p_FM, turn = R_F * m.twist.angular, slide = R_F * m.twist.linear;
  work.omega = link.reversed ? in.omega - turn : in.omega + turn;
  const Vec3 &omega_F = base.omega, &omega_M = link.reversed ? in.omega : work.omega;
  Spatial beta{cross(omega_F, turn) + R_F * m.bias.angular, 2.0 * cross(omega_F, slide) + R_F * m.bias.linear};
  work.r = in.R * link.lever + (link.reversed ? -p : p);
  // Refers the motion from the origin of M to P, which lies at d from it: −p for a reversed joint.
  const Vec3 d = link.reversed ? -p : Vec3{};
  beta.linear += cross(beta.angular, d) + cross(omega_M, cross(omega_M, d)) - cross(omega_F, cross(omega_F, d));
  const double sign = link.reversed ? -1.0 : 1.0;
  beta_[i] = sign * beta;
  general_slide_[link.place] = sign * (slide + cross(turn, d));
  for (std::uint32_t k = 0; k < link.count; ++k) {
    const Vec3 angular = R_F * m.H[k].angular;
    columns_[link.first + k].H = sign * Spatial{angular, R_F * m.H[k].linear + cross(angular, d)};
  }
}

/// flatten: as in HingeSweep::inward().
[[gnu::flatten]] void TreeMotion::evaluate(const double* q, const double* v, const double* eta,
                                           const double* etadot) noexcept {
  evaluate_nodes_and_general(q, v, eta, etadot);
  place_all(q, v);
}

void TreeMotion::evaluate_at_rest(const double* q, const double* still, const double* eta) noexcept {
  evaluate_nodes_and_general(q, still, eta, still);
  general_.stop();
  place_all(q, still);
}

void TreeMotion::evaluate_nodes_and_general(const double* q, const double* v, const double* eta,
                                            const double* etadot) noexcept {
  eta_ = eta;
  etadot_ = etadot;
  if (!flexible_.empty()) flexible_.evaluate_nodes(eta, etadot);
  if (!tree_.general_joints.empty()) general_.evaluate(q, v);
}

/// Inlined into evaluate(), which is flattened.
inline void TreeMotion::place_all(const double* q, const double* v) noexcept {
  for (std::size_t k = 0; k < tree_.rotations.size(); ++k) angles_[k] = q[tree_.rotations[k]];
  sines_and_cosines(angles_.data(), angles_.size(), sines_.data(), cosines_.data());
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    switch (tree_.links[i].hinge) {
      case Hinge::fixed: place<Hinge::fixed>(i, q, v); break;
      case Hinge::ball: place<Hinge::ball>(i, q, v); break;
      case Hinge::rotation: place<Hinge::rotation>(i, q, v); break;
      case Hinge::translation: place<Hinge::translation>(i, q, v); break;
      case Hinge::general: place_general(tree_.links[i], inboard(tree_.links[i]), work_[i], i); break;
    }
    if (tree_.links[i].flexible) place_frames(i);
  }
}

/// Velocity of P of the outboard body over the inboard one, ground axes.
Vec3 TreeMotion::hinge_velocity(std::size_t i, const double* v) const noexcept {
  const Link& link = tree_.links[i];
  if (link.hinge == Hinge::translation) return v[link.v] * columns_[link.first].H.linear;
  return link.hinge == Hinge::general ? general_slide_[link.place] : Vec3{};
}

std::span<const BodyMotion> TreeMotion::frames(const double* v) noexcept {
  static constexpr BodyMotion ground{};
  for (std::size_t i = 0; i < tree_.links.size(); ++i) {
    const Link& link = tree_.links[i];
    const Work& work = work_[i];
    BodyMotion& out = frames_[tree_.frames[i].carried];
    const BodyMotion& in = link.frame < 0 ? ground : frames_[static_cast<std::size_t>(link.frame)];
    const Vec3 in_to_P = link.frame < 0 || link.on_frame
                             ? work.r
                             : in.R * tree_.frames[static_cast<std::size_t>(link.parent)].to_P + work.r;
    out.R = times_transpose(work.R, tree_.frames[i].K);
    const Vec3 to_P = out.R * tree_.frames[i].to_P;
    out.p = in.p + in_to_P - to_P;
    out.V.angular = work.omega;
    out.V.linear = in.V.linear + cross(in.V.angular, in_to_P) + hinge_velocity(i, v) - cross(work.omega, to_P);
    if (link.flexible && !flexible_.nodes().empty())
      flexible_.nodes().place_body(body_index(i), frame_index(tree_.frames[i].carried), frames_);
  }
  return frames_;
}

TreeMotion::AtRest::AtRest(TreeMotion& motion) noexcept : motion_(motion) {
  for (std::size_t i = 0; i < motion_.moving_omega_.size(); ++i)
    motion_.moving_omega_[i] = std::exchange(motion_.work_[i].omega, Vec3{});
  motion_.beta_.swap(motion_.other_beta_);
}

TreeMotion::AtRest::~AtRest() {
  for (std::size_t i = 0; i < motion_.moving_omega_.size(); ++i) motion_.work_[i].omega = motion_.moving_omega_[i];
  motion_.beta_.swap(motion_.other_beta_);
}

}  // namespace polyform
