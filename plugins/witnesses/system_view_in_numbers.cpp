#include "system_view_in_numbers.hpp"

#include <algorithm>

namespace polyform::witnesses {
namespace {

void put(const Vec3& from, double* to) { std::copy_n(&from.x, 3, to); }

Frame frame(const Mat3& axes, const Vec3& origin) {
  Frame f;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) f.axes[static_cast<std::size_t>(3 * r + c)] = axes(r, c);
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

}  // namespace

Carrying carrying(const JointData& joint, bool from_moving) {
  const BodyIndex carrier = from_moving ? joint.moving : joint.base;
  // Axes of F in those of the moving body.
  const Frame in_base = frame(Mat3::identity(), joint.p_base),
              in_moving = frame(transpose(joint.R_drawn), joint.p_moving);
  return {is_ground(carrier) ? -1 : static_cast<int>(at(carrier)), from_moving, motions_of(joint),
          from_moving ? in_moving : in_base, from_moving ? in_base : in_moving};
}

Inertia inertia_of(const BodyData& body, double share) {
  const Sym3& I = body.inertia;
  Inertia inertia{
      share * body.mass, {}, {share * I.xx, share * I.yy, share * I.zz, share * I.xy, share * I.xz, share * I.yz}};
  put(body.center_of_mass, inertia.center);
  return inertia;
}

void put_wrenches(const Engine::Loads& loads, std::vector<double>& numbers) {
  for (const BodyIndex body : loads.bodies) {
    put(loads.wrenches[at(body)].angular, numbers.data() + 6 * at(body));
    put(loads.wrenches[at(body)].linear, numbers.data() + 6 * at(body) + 3);
  }
}

}  // namespace polyform::witnesses
