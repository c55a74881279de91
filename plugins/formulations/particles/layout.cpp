#include "layout.hpp"

#include <algorithm>
#include <cmath>

#include "placement.hpp"

namespace polyform::particles {
namespace {

/// Points nearer than this part of the body's size are one particle.
constexpr double same_place = 1e-9;

/// A point of a joint, in the axes of both of its bodies.
struct JointPoint {
  Vec3 inboard, outboard;
};

/// The point at s (base axes, from the origin of F) when the joint is as drawn.
JointPoint point_as_drawn(const JointData& joint, const Vec3& s) {
  const Vec3 base = joint.p_base + s, moving = joint.p_moving + transpose_times(joint.R_drawn, s);
  return joint.reversed ? JointPoint{moving, base} : JointPoint{base, moving};
}

class Builder {
 public:
  Builder(const SystemView& view, Layout& layout) : view_(view), layout_(layout), wanted_(view.bodies.size()) {
    layout_.bodies.resize(view.bodies.size());
    measure();
    for (std::size_t i = 0; i < view.bodies.size(); ++i) want(i);
    for (std::size_t i = 0; i < view.bodies.size(); ++i) place(i);
    for (Particle& p : layout_.particles)
      if (p.body != none) p.slot = layout_.moving++;
  }

 private:
  /// Sizes of the bodies: the farthest joint from the mass centre, or the radius of gyration.
  void measure() {
    for (const JointData& joint : view_.joints) {
      const auto reach = [&](BodyIndex b, const Vec3& point) {
        if (is_ground(b)) return;
        double& length = layout_.bodies[at(b)].length;
        length = std::max(length, norm(point - view_.bodies[at(b)].center_of_mass));
      };
      reach(joint.base, joint.p_base);
      reach(joint.moving, joint.p_moving);
    }
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const BodyData& body = view_.bodies[i];
      double& length = layout_.bodies[i].length;
      const double half_trace = 0.5 * (body.inertia.xx + body.inertia.yy + body.inertia.zz);
      if (body.mass > 0) length = std::max(length, std::sqrt(half_trace / body.mass));
      const BodyIndex in = view_.joints[i].inboard();
      if (!(length > 0)) length = is_ground(in) ? 1 : layout_.bodies[at(in)].length;
    }
  }

  /// The points that tree joint i shares, except for a fixed joint, which takes what its inboard body has.
  std::size_t points(std::size_t i, JointPoint (&out)[2]) const {
    const JointData& joint = view_.joints[i];
    const std::size_t count = shared_particles(joint);
    if (count == 3) return 0;
    if (count > 0) out[0] = point_as_drawn(joint, {});
    if (count > 1) out[1] = point_as_drawn(joint, layout_.bodies[i].length * joint.primitives[0].axis);
    return count;
  }

  void want(std::size_t i) {
    const BodyIndex in = view_.joints[i].inboard();
    if (is_ground(in)) return;
    JointPoint list[2];
    const std::size_t count = points(i, list);
    for (std::size_t k = 0; k < count; ++k)
      add_distinct(wanted_[at(in)], list[k].inboard, layout_.bodies[at(in)].length);
  }
  static void add_distinct(std::vector<Wanted>& list, const Vec3& place, double length) {
    for (const Wanted& w : list)
      if (norm(w.place - place) <= same_place * length) return;
    list.push_back({place, none});
  }

  /// Particles that the inboard joint shares, by their places in body i.
  std::size_t inherit(std::size_t i, Wanted (&out)[3]) {
    const JointData& joint = view_.joints[i];
    const BodyIndex in = joint.inboard();
    if (shared_particles(joint) == 3) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double length = layout_.bodies[i].length;
        const Vec3 place =
            is_ground(in) ? Vec3{k == 1 ? length : 0, k == 2 ? length : 0, 0} : layout_.bodies[at(in)].place[k];
        // From the inboard body's axes to those of body i: the joint does not move.
        out[k].place = joint.reversed ? joint.p_base + joint.R_drawn * (place - joint.p_moving)
                                      : joint.p_moving + transpose_times(joint.R_drawn, place - joint.p_base);
        out[k].particle = is_ground(in) ? on_ground(place) : layout_.bodies[at(in)].particle[k];
      }
      return 3;
    }
    JointPoint list[2];
    const std::size_t count = points(i, list);
    for (std::size_t k = 0; k < count; ++k)
      out[k] = {list[k].outboard, is_ground(in) ? on_ground(list[k].inboard) : nearest(at(in), list[k].inboard)};
    return count;
  }
  std::size_t on_ground(const Vec3& position) {
    layout_.particles.push_back({none, position, none});
    return layout_.particles.size() - 1;
  }
  /// The particle of a body at a place that was wanted.
  std::size_t nearest(std::size_t body, const Vec3& place) const {
    const ParticleBody& b = layout_.bodies[body];
    std::size_t best = b.particle[0];
    double distance = norm(b.place[0] - place);
    const auto offer = [&](std::size_t particle, const Vec3& other) {
      const double d = norm(other - place);
      if (d >= distance) return;
      distance = d;
      best = particle;
    };
    offer(b.particle[1], b.place[1]);
    offer(b.particle[2], b.place[2]);
    for (const Wanted& w : tied_[body]) offer(w.particle, w.place);
    return best;
  }

  void place(std::size_t i) {
    const BodyData& data = view_.bodies[i];
    ParticleBody& body = layout_.bodies[i];
    Wanted inherited[3];
    body.inherited = inherit(i, inherited);
    std::vector<Wanted> wanted = wanted_[i];
    std::erase_if(wanted, [&](const Wanted& w) {
      return std::any_of(inherited, inherited + body.inherited,
                         [&](const Wanted& h) { return norm(h.place - w.place) <= same_place * body.length; });
    });
    Placement p = choose_places(data, body.length, {inherited, body.inherited}, std::move(wanted));
    for (std::size_t k = 0; k < 3; ++k) {
      body.place[k] = p.primary[k].place;
      body.particle[k] = k < body.inherited ? p.primary[k].particle : own(i, body.place[k]);
    }
    const Triangle triangle(body.place[0], body.place[1], body.place[2]);
    body.to_body = triangle.axes();
    body.third = triangle.invariants(p.third - body.place[0]);
    const Vec3 four[4] = {body.place[0], body.place[1], p.third, body.place[2]};
    if (!find_masses(data.mass, data.center_of_mass, data.inertia, four, body.masses)) layout_.degenerate = i;
    for (Wanted& w : p.tied) {
      w.particle = own(i, w.place);
      body.ties.push_back({w.particle, triangle.invariants(w.place - body.place[0])});
    }
    tied_.resize(i + 1);
    tied_[i] = std::move(p.tied);
  }
  std::size_t own(std::size_t i, const Vec3& place) {
    layout_.particles.push_back({i, place, none});
    return layout_.particles.size() - 1;
  }

  const SystemView& view_;
  Layout& layout_;
  std::vector<std::vector<Wanted>> wanted_, tied_;
};

}  // namespace

std::size_t shared_particles(const JointData& joint) {
  if (joint.kernel != nullptr) return 0;
  for (const Primitive& p : joint.primitives)
    if (p.kind == Primitive::Kind::translation) return 0;
  if (joint.primitives.empty()) return 3;
  return joint.primitives.size() == 1 && joint.primitives[0].kind == Primitive::Kind::rotation ? 2 : 1;
}

Layout::Layout(const SystemView& view) { Builder(view, *this); }

}  // namespace polyform::particles
