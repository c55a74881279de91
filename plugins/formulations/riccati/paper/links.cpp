#include "links.hpp"

namespace polyform::riccati::paper {

Links::Links(const SystemView& view)
    : view_(view), tree_(view), links_(view.bodies.size()), placed_(view.bodies.size()) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const JointData& joint = view.joints[i];
    const auto nv = static_cast<Index>(joint.nv);
    placed_[i].hinge.H.resize(6, nv);
    placed_[i].hinge.effort = Effort::Zero(nv);
    if (is_ground(joint.inboard())) continue;
    links_[i].parent = at(joint.inboard());
    links_[links_[i].parent].children.push_back(i);
  }
}

void Links::place(const double* q, const double* v) noexcept {
  tree_.evaluate(q, v);
  const std::span<const BodyMotion> bodies = tree_.bodies();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const JointData& joint = view_.joints[i];
    const JointMotion& m = tree_.joints()[i];
    const BodyMotion &in = motion_of(joint.inboard(), bodies), &out = bodies[i];
    Placed& p = placed_[i];
    // F may sit on the outboard body: then the joint runs backwards.
    const BodyMotion &base = joint.reversed ? out : in, &moving = joint.reversed ? in : out;
    const double sign = joint.reversed ? -1.0 : 1.0;
    const auto turned = [&](const Vec3& a) { return sign * (base.R * a); };
    for (Index k = 0; k < p.hinge.H.cols(); ++k) {
      p.hinge.H.col(k).head<3>() = to_eigen(turned(m.H[k].linear));
      p.hinge.H.col(k).tail<3>() = to_eigen(turned(m.H[k].angular));
    }
    p.hinge.bias.head<3>() = to_eigen(turned(m.bias.linear) + 2.0 * cross(base.V.angular, turned(m.twist.linear)));
    p.hinge.bias.tail<3>() = to_eigen(turned(m.bias.angular) + cross(base.V.angular, turned(m.twist.angular)));
    p.hinge.effort.setZero();

    const Vec3 base_to_P = base.R * (joint.p_base + m.p_FM), moving_to_P = moving.R * joint.p_moving;
    p.to_P = joint.reversed ? base_to_P : moving_to_P;
    p.r = joint.reversed ? moving_to_P : base_to_P;
    if (links_[i].parent != ground) p.r -= placed_[links_[i].parent].to_P;
    const BodyData& body = view_.bodies[i];
    p.c = out.R * body.center_of_mass - p.to_P;
    p.J_C = rotate(out.R, body.inertia);
    p.force = body.mass * view_.gravity;
    p.moment = {};
  }
}

void Links::load(std::span<const FrameIndex> loaded, std::span<const Spatial> wrenches,
                 std::span<const double> efforts) noexcept {
  for (const FrameIndex b : loaded) {
    Placed& p = placed_[at(b)];
    const Spatial& w = wrenches[at(b)];
    p.force += w.linear;
    p.moment += w.angular - cross(p.to_P + p.c, w.linear);
  }
  if (efforts.empty()) return;
  for (std::size_t i = 0; i < links_.size(); ++i)
    for (Index k = 0; k < placed_[i].hinge.effort.size(); ++k)
      placed_[i].hinge.effort[k] = efforts[view_.joints[i].v_offset + static_cast<std::size_t>(k)];
}

RigidBody Links::body(std::size_t i, const Vec3& r_PI, const Vec3& r_PO) const noexcept {
  const Placed& p = placed_[i];
  const double mass = view_.bodies[i].mass;
  const Vec3 r_IC = p.c - r_PI;
  return {mass, r_IC, r_PO - r_PI, inertia_about(mass, r_IC, p.J_C), tree_.bodies()[i].V.angular, p.force, p.moment};
}

Vec3 Links::point(std::size_t i, const Place& place) const noexcept {
  switch (place.kind) {
    case Place::Kind::centre: return placed_[i].c;
    case Place::Kind::own_hinge: return {};
    case Place::Kind::hinge_of: return placed_[place.index].r;
    case Place::Kind::cut: break;
  }
  const JointData& cut = view_.cut_joints()[place.index];
  return tree_.bodies()[i].R * (is_ground(cut.base) ? cut.p_moving : cut.p_base) - placed_[i].to_P;
}

RigidBody Links::between(std::size_t i, const Place& input, const Place& output) const noexcept {
  return body(i, point(i, input), point(i, output));
}

void Links::turn_efforts_into_loads() noexcept {
  const auto load = [&](std::size_t i, const Vec3& at, const Spatial& wrench) {
    placed_[i].force += wrench.linear;
    placed_[i].moment += wrench.angular + cross(at - placed_[i].c, wrench.linear);
  };
  for (std::size_t i = 0; i < links_.size(); ++i) {
    HingeMotion& hinge = placed_[i].hinge;
    placed_[i].by_efforts = {};
    if (hinge.effort.size() == 0 || hinge.effort.isZero(0)) continue;
    // The wrench in the span of H that does the work of the efforts.
    const Small HtH = hinge.H.transpose() * hinge.H;
    const Effort shares = HtH.llt().solve(hinge.effort);
    const Vector6 w = hinge.H * shares;
    placed_[i].by_efforts = {to_vec3(w.tail<3>()), to_vec3(w.head<3>())};
    hinge.effort.setZero();
    load(i, {}, placed_[i].by_efforts);
    if (links_[i].parent != ground) load(links_[i].parent, placed_[i].r, -1.0 * placed_[i].by_efforts);
  }
}

Matrix13 Links::massless_element(std::size_t child) const noexcept {
  RigidBody link;
  link.r_IO = -placed_[child].r;
  link.Omega = tree_.bodies()[links_[child].parent].V.angular;
  return transfer_matrix(link);
}

Matrix6 Links::X(std::size_t child) const noexcept {
  Matrix6 shift = Matrix6::Identity();
  if (links_[child].parent != ground) shift.topRightCorner<3, 3>() = -to_eigen(skew(placed_[child].r));
  return shift;
}

Vector6 Links::gamma(std::size_t child) const noexcept {
  Vector6 free = Vector6::Zero();
  if (links_[child].parent == ground) return free;
  const Vec3& omega = tree_.bodies()[links_[child].parent].V.angular;
  free.head<3>() = to_eigen(cross(omega, cross(omega, placed_[child].r)));
  return free;
}

Spatial Links::origin_acceleration(std::size_t i, const Vector6& z_b) const noexcept {
  const Vec3 alpha = to_vec3(z_b.tail<3>()), &omega = tree_.bodies()[i].V.angular, &arm = placed_[i].to_P;
  return {alpha, to_vec3(z_b.head<3>()) - cross(alpha, arm) - cross(omega, cross(omega, arm))};
}

}  // namespace polyform::riccati::paper
