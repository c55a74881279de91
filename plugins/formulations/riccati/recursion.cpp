#include "recursion.hpp"

#include <cmath>

namespace polyform::riccati {
namespace {

std::vector<JointData> general_joints(const SystemView& view) {
  std::vector<JointData> joints;
  for (const JointData& j : view.tree_joints())
    if (j.kernel != nullptr || j.primitives.size() > 1) joints.push_back(j);
  return joints;
}

}  // namespace

Recursion::Recursion(const SystemView& view)
    : gravity_(view.gravity), links_(view.bodies.size()), general_joints_(general_joints(view)), general_(general_joints_),
      motions_(view.bodies.size()), work_(view.bodies.size()), kept_(view.bodies.size()) {
  std::vector<std::int32_t> last_child(links_.size(), -1);
  std::size_t columns = 0, balls = 0;
  std::uint32_t general = 0;
  std::int32_t slots = 0;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const JointData& joint = view.joints[i];
    const BodyData& body = view.bodies[i];
    Link& link = links_[i];
    link.parent = static_cast<std::int32_t>(joint.inboard());
    link.reversed = joint.reversed;
    link.q = static_cast<std::uint32_t>(joint.q_offset);
    link.v = static_cast<std::uint32_t>(joint.v_offset);
    link.mass = body.mass;
    link.inertia = body.inertia;
    link.center_of_mass = body.center_of_mass;
    link.p_base = joint.p_base;
    link.p_moving = joint.p_moving;
    link.R_drawn = joint.R_drawn;
    link.count = static_cast<std::uint32_t>(joint.nv);
    link.columns = static_cast<std::uint32_t>(columns);
    if (joint.kernel != nullptr || joint.primitives.size() > 1) {
      link.hinge = Hinge::general;
      link.general = general++;
    } else if (!joint.primitives.empty()) {
      const Primitive& p = joint.primitives.front();
      link.axis = p.axis;
      link.hinge = p.kind == Primitive::Kind::ball       ? Hinge::ball
                   : p.kind == Primitive::Kind::rotation ? Hinge::rotation
                                                         : Hinge::translation;
    }
    if (link.hinge == Hinge::ball)
      link.columns = static_cast<std::uint32_t>(balls++);
    else
      columns += joint.nv;
    if (link.parent < 0) continue;
    last_child[static_cast<std::size_t>(link.parent)] = static_cast<std::int32_t>(i);
    Link& parent = links_[static_cast<std::size_t>(link.parent)];
    if (static_cast<std::size_t>(link.parent) + 1 != i && parent.slot < 0) parent.slot = slots++;
  }
  for (std::size_t i = 0; i < links_.size(); ++i)
    if (last_child[i] >= 0) links_[static_cast<std::size_t>(last_child[i])].opens_slot = true;
  columns_.resize(columns);
  balls_.resize(balls);
  slots_.resize(static_cast<std::size_t>(slots));
  load_.resize(links_.size());
}

/// Orientation, angular velocity and hinge geometry of one body from its parent's. One instance per kind of hinge, so
/// that what is zero for a kind costs nothing.
template <Recursion::Hinge kind>
void Recursion::place(std::size_t i, const double* q, const double* v, bool with_origins) noexcept {
  static constexpr BodyMotion ground{};
  const Link& link = links_[i];
  const BodyMotion& in = link.parent < 0 ? ground : motions_[static_cast<std::size_t>(link.parent)];
  BodyMotion& out = motions_[i];
  Work& work = work_[i];
  q += link.q;
  v += link.v;

  // Orientation of M in F, and of the outboard body.
  Mat3 across = link.R_drawn;
  if constexpr (kind == Hinge::ball) across = rotation_matrix(Quat{q[0], q[1], q[2], q[3]}) * across;
  if constexpr (kind == Hinge::rotation) across = axis_rotation(link.axis, std::cos(q[0]), std::sin(q[0])) * across;
  if constexpr (kind == Hinge::general) across = general_[link.general].R_FM * across;
  out.R = link.reversed ? times_transpose(in.R, across) : in.R * across;
  const Mat3& R_F = link.reversed ? out.R : in.R;
  const double sign = link.reversed ? -1.0 : 1.0;   // F sits on the outboard body: the joint runs backwards

  // Directions of motion and twist of the joint in ground axes.
  Vec3 turn, slide;
  if constexpr (kind == Hinge::rotation || kind == Hinge::translation) {
    const Vec3 axis = sign * (R_F * link.axis);
    columns_[link.columns].H = kind == Hinge::rotation ? Spatial{axis, {}} : Spatial{{}, axis};
    (kind == Hinge::rotation ? turn : slide) = v[0] * axis;
  }
  if constexpr (kind == Hinge::ball) turn = sign * (R_F * Vec3{v[0], v[1], v[2]});
  if constexpr (kind == Hinge::general) {
    const JointMotion& m = general_[link.general];
    turn = sign * (R_F * m.twist.angular);
    slide = sign * (R_F * m.twist.linear);
    for (std::uint32_t k = 0; k < link.count; ++k)
      columns_[link.columns + k].H = {sign * (R_F * m.H[k].angular), sign * (R_F * m.H[k].linear)};
  }
  out.V.angular = in.V.angular + turn;

  // Acceleration of the hinge at v̇ = 0. A ball hinge does without: its moment row gives Ω̇ whatever came before.
  const Vec3& omega_F = link.reversed ? out.V.angular : in.V.angular;
  if constexpr (kind == Hinge::rotation || kind == Hinge::general) work.beta.angular = cross(omega_F, turn);
  if constexpr (kind == Hinge::translation || kind == Hinge::general) work.beta.linear = 2.0 * cross(omega_F, slide);
  if constexpr (kind == Hinge::general) {
    const JointMotion& m = general_[link.general];
    work.beta += Spatial{sign * (R_F * m.bias.angular), sign * (R_F * m.bias.linear)};
  }

  // Levers: from the inboard and outboard frame origins to P.
  Vec3 F_to_M = link.p_base;
  if constexpr (kind == Hinge::translation) F_to_M += q[0] * link.axis;
  if constexpr (kind == Hinge::general) F_to_M += general_[link.general].p_FM;
  const Vec3 from_base = R_F * F_to_M, from_moving = (link.reversed ? in.R : out.R) * link.p_moving;
  const Vec3& in_to_P = link.reversed ? from_moving : from_base;
  const Vec3& out_to_P = link.reversed ? from_base : from_moving;
  work.to_P = out_to_P;
  work.r = link.parent < 0 ? in_to_P : in_to_P - work_[static_cast<std::size_t>(link.parent)].to_P;
  work.c = out.R * link.center_of_mass - out_to_P;
  if (!with_origins) return;
  out.p = in.p + in_to_P - out_to_P;
  out.V.linear = in.V.linear + cross(in.V.angular, in_to_P) + slide - cross(out.V.angular, out_to_P);
}

void Recursion::kinematics(const double* q, const double* v, bool with_origins) noexcept {
  if (!general_joints_.empty()) general_.evaluate(q, v);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    switch (links_[i].hinge) {
      case Hinge::fixed: place<Hinge::fixed>(i, q, v, with_origins); break;
      case Hinge::ball: place<Hinge::ball>(i, q, v, with_origins); break;
      case Hinge::rotation: place<Hinge::rotation>(i, q, v, with_origins); break;
      case Hinge::translation: place<Hinge::translation>(i, q, v, with_origins); break;
      case Hinge::general: place<Hinge::general>(i, q, v, with_origins); break;
    }
  }
}

void Recursion::position_rates(const double* q, const double* v, double* qdot) const noexcept {
  for (const Link& link : links_) {
    if (link.hinge == Hinge::ball) {
      const double* r = q + link.q;
      const Quat rate = quaternion_rate(Quat{r[0], r[1], r[2], r[3]}, Vec3{v[link.v], v[link.v + 1], v[link.v + 2]});
      double* out = qdot + link.q;
      out[0] = rate.w;
      out[1] = rate.x;
      out[2] = rate.y;
      out[3] = rate.z;
    } else if (link.hinge == Hinge::general) {
      const JointData& joint = general_joints_[link.general];
      joint_position_rates(joint, q + link.q, v + link.v, qdot + link.q);
    } else if (link.hinge != Hinge::fixed) {
      qdot[link.q] = v[link.v];
    }
  }
}

/// S and e at P_i of the body itself.
Transfer<double> Recursion::outboard(std::size_t i) const noexcept {
  const Link& link = links_[i];
  const BodyMotion& m = motions_[i];
  return body_transfer(link.mass, work_[i].c, rotate(m.R, link.inertia), m.V.angular);
}

bool Recursion::pass_hinge(std::size_t i, Transfer<double>& s, const double* efforts) noexcept {
  const Link& link = links_[i];
  if (link.hinge == Hinge::ball) {
    Vec3 moment;
    if (efforts != nullptr) {
      const Vec3 local{efforts[link.v], efforts[link.v + 1], efforts[link.v + 2]};
      static constexpr Mat3 ground = Mat3::identity();
      const Mat3& R_in = link.parent < 0 ? ground : motions_[static_cast<std::size_t>(link.parent)].R;
      moment = link.reversed ? -(motions_[i].R * local) : R_in * local;
    }
    return eliminate_ball(s, balls_[link.columns], moment);
  }
  if (link.hinge == Hinge::rotation) {
    const Vec3& beta = work_[i].beta.angular;
    s.e += Spatial{s.aa * beta, transpose_times(s.au, beta)};
    return eliminate_rotation(s, columns_[link.columns], efforts != nullptr ? efforts[link.v] : 0.0);
  }
  s.e += multiply(s, work_[i].beta);
  for (std::uint32_t k = link.count; k-- > 0;)
    if (!eliminate(s, columns_[link.columns + k], efforts != nullptr ? efforts[link.v + k] : 0.0)) return false;
  return true;
}

/// Accelerations of one body and of its hinge from those of its parent (Eq. 33, from the root outwards).
void Recursion::hinge_rates(std::size_t i, double* vdot) noexcept {
  const Link& link = links_[i];
  Work& work = work_[i];
  static constexpr BodyMotion ground{};
  const BodyMotion& in = link.parent < 0 ? ground : motions_[static_cast<std::size_t>(link.parent)];
  Spatial z{{}, -gravity_};
  if (link.parent >= 0) {
    z = work_[static_cast<std::size_t>(link.parent)].z;
    z.linear += cross(z.angular, work.r) + cross(in.V.angular, cross(in.V.angular, work.r));
  }
  if (link.hinge == Hinge::ball) {
    const Ball<double>& ball = balls_[link.columns];
    const Vec3 before = z.angular;
    z.angular = ball.gain * z.linear + ball.free;
    const Vec3& omega = motions_[i].V.angular;
    const Vec3 w = link.reversed ? transpose_times(motions_[i].R, before - z.angular - cross(omega, in.V.angular - omega))
                                 : transpose_times(in.R, z.angular - before - cross(in.V.angular, omega));
    vdot[link.v] = w.x;
    vdot[link.v + 1] = w.y;
    vdot[link.v + 2] = w.z;
  } else {
    for (std::uint32_t k = 0; k < link.count; ++k) {
      const Column<double>& column = columns_[link.columns + k];
      const double rate = column.rate(z);
      vdot[link.v + k] = rate;
      z += rate * column.H;
    }
    z += work.beta;
  }
  work.z = z;
}

bool Recursion::accelerations(std::span<const BodyIndex> loaded, std::span<const Spatial> wrenches,
                              std::span<const double> efforts, double* vdot, bool keep) noexcept {
  const double* effort = efforts.empty() ? nullptr : efforts.data();
  for (const BodyIndex b : loaded) {
    const Spatial& w = wrenches[at(b)];
    load_[at(b)] = {w.angular - cross(work_[at(b)].to_P, w.linear), w.linear};
  }
  // Tips to roots. What the first child of a body passes stays in `carried`; further children meet in its slot.
  Transfer<double> carried;
  bool carries = false;
  for (std::size_t i = links_.size(); i-- > 0;) {
    const Link& link = links_[i];
    Transfer<double> s = outboard(i);
    if (!loaded.empty()) s.e -= load_[i];
    if (carries) s += carried;
    if (link.slot >= 0) s += slots_[static_cast<std::size_t>(link.slot)];
    if (keep) kept_[i] = s;
    if (!pass_hinge(i, s, effort)) {
      failed_ = i;
      return false;
    }
    carries = link.parent >= 0 && static_cast<std::size_t>(link.parent) + 1 == i;
    if (link.parent < 0) continue;
    const Vec3& omega = motions_[static_cast<std::size_t>(link.parent)].V.angular;
    const Transfer<double> passed =
        link.hinge == Hinge::ball ? shift_force(s, work_[i].r, omega) : shift(s, work_[i].r, omega);
    if (carries) {
      carried = passed;
    } else {
      Transfer<double>& slot = slots_[static_cast<std::size_t>(links_[static_cast<std::size_t>(link.parent)].slot)];
      if (link.opens_slot)
        slot = passed;
      else
        slot += passed;
    }
  }
  for (std::size_t i = 0; i < links_.size(); ++i) hinge_rates(i, vdot);
  return true;
}

void Recursion::body_accelerations(std::span<Spatial> out) const noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Spatial& z = work_[i].z;
    const Vec3 &omega = motions_[i].V.angular, &arm = work_[i].to_P;
    out[i] = {z.angular, z.linear + gravity_ - cross(z.angular, arm) - cross(omega, cross(omega, arm))};
  }
}

void Recursion::reactions(std::span<Spatial> out) const noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Spatial z_a = multiply(kept_[i], work_[i].z) + kept_[i].e;
    out[i] = links_[i].reversed ? -1.0 * z_a : z_a;
  }
}

}  // namespace polyform::riccati
