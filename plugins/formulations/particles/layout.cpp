#include "layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "placement.hpp"

namespace polyform::particles {
namespace {

/// Points nearer than this part of the body's size are one particle.
constexpr double same_place = 1e-9;
/// Joints that lie nearer to each other than this part of a neighbour's size give a body without inertia no size:
/// places closer than that would cost the square of it in digits.
constexpr double no_size = 1e-3;
/// A radius of gyration below this part of a neighbour's size is no inertia: its square is below the rounding of the
/// neighbour's.
constexpr double no_gyration = 1e-8;

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
  Builder(const SystemView& view, Layout& layout)
      : view_(view), layout_(layout), wanted_(view.bodies.size()), point_of_(view.bodies.size()) {
    layout_.bodies.resize(view.bodies.size());
    measure();
    find_wanted();
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
    std::vector<double> gyration(view_.bodies.size());
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const BodyData& body = view_.bodies[i];
      double& length = layout_.bodies[i].length;
      const double half_trace = 0.5 * (body.inertia.xx + body.inertia.yy + body.inertia.zz);
      if (body.mass > 0) gyration[i] = std::sqrt(half_trace / body.mass);
      length = std::max(length, gyration[i]);
    }
    // In a tree, the sizes of the tips come to the roots first, and then to all.
    for (int round = 0; round < 2; ++round) {
      for (std::size_t j = view_.joints.size(); j-- > 0;) take_sizes(view_.joints[j], gyration);
      for (const JointData& joint : view_.joints) take_sizes(joint, gyration);
    }
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const BodyIndex in = view_.joints[i].inboard();
      double& length = layout_.bodies[i].length;
      if (!(length > 0)) length = is_ground(in) ? 1 : layout_.bodies[at(in)].length;
    }
  }

  /// What is welded moves as one body and has one size, as it has the same particles. What has hardly any inertia of
  /// its own has no size of its own either where its joints lie next to each other: their distance may be the rounding
  /// of a model's numbers, and particles as near to each other would tell nothing of a turn.
  void take_sizes(const JointData& joint, const std::vector<double>& gyration) {
    if (is_ground(joint.base) || is_ground(joint.moving)) return;
    double &base = layout_.bodies[at(joint.base)].length, &moving = layout_.bodies[at(joint.moving)].length;
    const double larger = std::max(base, moving);
    const auto take = [&](BodyIndex b, double& length) {
      if (joint.nv == 0 || (length > 0 && length < no_size * larger && gyration[at(b)] < no_gyration * larger))
        length = larger;
    };
    take(joint.base, base);
    take(joint.moving, moving);
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

  /// A point that tree joint `joint` wants to share with its inboard body, the k-th of that joint.
  struct Request {
    Vec3 place;
    std::size_t joint, k, group;
  };

  void find_wanted() {
    std::vector<std::vector<Request>> requests(view_.bodies.size());
    for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
      const BodyIndex in = view_.joints[i].inboard();
      if (is_ground(in)) continue;
      JointPoint list[2];
      const std::size_t count = points(i, list);
      for (std::size_t k = 0; k < count; ++k) requests[at(in)].push_back({list[k].inboard, i, k, 0});
    }
    for (std::size_t b = 0; b < requests.size(); ++b) {
      const std::size_t groups = group(requests[b], same_place * layout_.bodies[b].length);
      std::vector<std::size_t> index(groups, none);
      for (const Request& r : requests[b]) {
        if (index[r.group] == none) {
          index[r.group] = wanted_[b].size();
          wanted_[b].push_back({r.place, none, index[r.group]});
        }
        point_of_[r.joint][r.k] = index[r.group];
      }
    }
  }
  /// Numbers places that are one. A body may have thousands: they are compared in order along a direction that no
  /// drawing has. Returns how many there are.
  static std::size_t group(std::vector<Request>& requests, double tolerance) {
    constexpr Vec3 direction{0.5390, 0.3217, 0.7784};
    std::vector<Request*> order;
    for (Request& r : requests) order.push_back(&r);
    const auto along = [&](const Request* r) { return dot(direction, r->place); };
    std::stable_sort(order.begin(), order.end(),
                     [&](const Request* a, const Request* b) { return along(a) < along(b); });
    std::vector<const Request*> distinct;
    for (Request* r : order) {
      r->group = none;
      for (auto d = distinct.rbegin(); d != distinct.rend() && along(r) - along(*d) <= tolerance; ++d)
        if (norm((*d)->place - r->place) <= tolerance) r->group = (*d)->group;
      if (r->group != none) continue;
      r->group = distinct.size();
      distinct.push_back(r);
    }
    return distinct.size();
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
      out[k] = {list[k].outboard,
                is_ground(in) ? on_ground(list[k].inboard) : wanted_[at(in)][point_of_[i][k]].particle};
    return count;
  }
  std::size_t on_ground(const Vec3& position) {
    layout_.particles.push_back({none, position, none});
    return layout_.particles.size() - 1;
  }

  void place(std::size_t i) {
    const BodyData& data = view_.bodies[i];
    ParticleBody& body = layout_.bodies[i];
    Wanted inherited[3];
    body.inherited = inherit(i, inherited);
    std::vector<Wanted> beyond;
    for (Wanted& w : wanted_[i]) {
      const auto h = std::find_if(inherited, inherited + body.inherited, [&](const Wanted& given) {
        return norm(given.place - w.place) <= same_place * body.length;
      });
      if (h == inherited + body.inherited)
        beyond.push_back(w);
      else
        w.particle = h->particle;
    }
    const Placement p = choose_places(data, body.length, {inherited, body.inherited}, std::move(beyond));
    for (std::size_t k = 0; k < 3; ++k) {
      body.place[k] = p.primary[k].place;
      body.particle[k] = k < body.inherited ? p.primary[k].particle : own(i, p.primary[k]);
    }
    const Triangle triangle(body.place[0], body.place[1], body.place[2]);
    body.to_body = triangle.axes();
    body.third = triangle.invariants(p.third - body.place[0]);
    const Vec3 four[4] = {body.place[0], body.place[1], p.third, body.place[2]};
    if (!find_masses(data.mass, data.center_of_mass, data.inertia, four, body.masses)) layout_.degenerate = i;
    for (const Wanted& w : p.dependent)
      body.dependents.push_back({own(i, w), triangle.invariants(w.place - body.place[0])});
  }
  std::size_t own(std::size_t i, const Wanted& point) {
    const std::size_t particle = layout_.particles.size();
    layout_.particles.push_back({i, point.place, none});
    if (point.wanted != none) wanted_[i][point.wanted].particle = particle;
    return particle;
  }

  const SystemView& view_;
  Layout& layout_;
  std::vector<std::vector<Wanted>> wanted_;           ///< per body, what the joints outboard share
  std::vector<std::array<std::size_t, 2>> point_of_;  ///< per tree joint, in wanted_ of its inboard body
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
