#include "simbody_engine.hpp"

#include <algorithm>

namespace polyform::simbody {
namespace {

void put(const Vec3& from, double* to) { std::copy_n(&from.x, 3, to); }

Frame frame(const Mat3& axes, const Vec3& origin) {
  Frame f;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) f.axes[3 * r + c] = axes(r, c);
  put(origin, f.origin);
  return f;
}

std::vector<Motion> motions_of(const JointData& joint) {
  std::vector<Motion> motions;
  for (const Primitive& p : joint.primitives) {
    Motion& motion = motions.emplace_back();
    using Kind = Primitive::Kind;
    motion.kind = p.kind == Kind::ball       ? Motion::Kind::ball
                  : p.kind == Kind::rotation ? Motion::Kind::turn
                                             : Motion::Kind::slide;
    put(p.axis, motion.axis);
  }
  return motions;
}

/// The share of a body in one of its copies.
Inertia share_of(const BodyData& body, std::size_t copies) {
  const double part = 1.0 / static_cast<double>(copies);
  const Sym3& I = body.inertia;
  Inertia share{part * body.mass, {}, {part * I.xx, part * I.yy, part * I.zz, part * I.xy, part * I.xz, part * I.yz}};
  put(body.center_of_mass, share.center);
  return share;
}

}  // namespace

SimbodyEngine::SimbodyEngine(const SystemView& view) : view_(view), system_(&view.gravity.x) {
  std::vector<std::size_t> copies(view.bodies.size(), 1);
  for (const JointData& joint : view.cut_joints()) ++copies[at(is_ground(joint.moving) ? joint.base : joint.moving)];
  for (std::size_t i = 0; i < view.joints.size(); ++i) {
    const JointData& joint = view.joints[i];
    const bool is_tree = i < view.bodies.size(), from_moving = is_tree ? joint.reversed : is_ground(joint.moving);
    const BodyIndex carrier = from_moving ? joint.moving : joint.base, body = from_moving ? joint.base : joint.moving;
    // Axes of F in those of the moving body.
    const Frame in_base = frame(Mat3::identity(), joint.p_base),
                in_moving = frame(transpose(joint.R_drawn), joint.p_moving);
    const int added =
        system_.add({is_ground(carrier) ? -1 : static_cast<int>(at(carrier)), from_moving, motions_of(joint),
                     from_moving ? in_moving : in_base, from_moving ? in_base : in_moving},
                    share_of(view.bodies[at(body)], copies[at(body)]));
    if (!is_tree) system_.weld(static_cast<int>(at(body)), added);
  }
  system_.finish();
  wrenches_.resize(6 * view.joints.size());
}

bool SimbodyEngine::accelerate(const double* q, const double* v, const Loads& loads, std::span<double> vdot) noexcept {
  for (const BodyIndex body : loads.bodies) {
    put(loads.wrenches[at(body)].angular, wrenches_.data() + 6 * at(body));
    put(loads.wrenches[at(body)].linear, wrenches_.data() + 6 * at(body) + 3);
  }
  efforts_.assign(loads.efforts.begin(), loads.efforts.end());
  return system_.accelerate(q, v, wrenches_, efforts_, vdot.data());
}

void SimbodyEngine::cut_reactions(std::span<Spatial> out) noexcept {
  for (std::size_t k = 0; k < out.size(); ++k) {
    double wrench[6];
    const std::size_t joint = view_.bodies.size() + k;
    system_.reaction(static_cast<int>(joint), wrench);
    const double sign = is_ground(view_.joints[joint].moving) ? -1 : 1;
    out[k] = sign * Spatial{{wrench[0], wrench[1], wrench[2]}, {wrench[3], wrench[4], wrench[5]}};
  }
}

bool SimbodyEngine::correct(double* q, double* v, Correction& out) noexcept {
  double position = 0, velocity = 0;
  if (!system_.project(q, v, position, velocity)) return false;
  out.position_residual = std::max(out.position_residual, position);
  out.velocity_residual = velocity;
  return true;
}

}  // namespace polyform::simbody
