#include "links.hpp"

#include <algorithm>

#include "polyform/solvers/singular_inertia.hpp"

namespace polyform::particles {
namespace {

/// A lower bound of the principal moments of inertia, no less than a third of the least: 1 / trace(J⁻¹). Zero if
/// rounding leaves nothing of it.
double least_moment(const Sym3& j) {
  const double minors = j.yy * j.zz - j.yz * j.yz + j.xx * j.zz - j.xz * j.xz + j.xx * j.yy - j.xy * j.xy;
  const double trace = j.xx + j.yy + j.zz;
  const double determinant =
      j.xx * (j.yy * j.zz - j.yz * j.yz) - j.xy * (j.xy * j.zz - j.xz * j.yz) + j.xz * (j.xy * j.yz - j.yy * j.xz);
  return determinant > least_determinant * trace * trace * trace ? determinant / minors : 0;
}

}  // namespace

Links::Links(const SystemView& view, const Layout& layout, const LoopClosure& loops) {
  const std::size_t n = view.bodies.size();
  std::vector<std::vector<std::uint32_t>> brought(n);
  for (std::size_t p = 0; p < layout.particles.size(); ++p)
    if (layout.particles[p].body != none) brought[layout.particles[p].body].push_back(static_cast<std::uint32_t>(p));
  all.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const JointData& joint = view.joints[i];
    Link& link = all[i];
    const std::size_t shared = shared_particles(joint);
    link.looped = loops.layout().carries(i);
    link.postponed = loops.layout().postponed_at(i) != LoopLayout::none;
    const bool ball = shared == 1 && joint.primitives.size() == 1;
    link.hinge = shared == 3                    ? Hinge::fixed
                 : shared == 2                  ? Hinge::revolute
                 : ball && link.looped          ? Hinge::spherical_in_loop
                 : ball                         ? Hinge::spherical
                 : shared == 0 && joint.nv >= 6 ? Hinge::free
                                                : Hinge::general;
    const EquivalentParticles& masses = layout.bodies[i].masses;
    link.representation = masses.representation;
    link.mass = view.bodies[i].mass;
    link.least = least_moment(view.bodies[i].inertia);
    for (std::size_t a = 0; a < 3; ++a) {
      link.total[a] = masses.total[a + 1];
      for (std::size_t b = 0; b < 3; ++b) link.weight[a][b] = masses.weight[a + 1][b + 1];
    }
    link.third = layout.bodies[i].third;
    const BodyIndex in = joint.inboard();
    link.parent = is_ground(in) ? -1 : static_cast<std::int32_t>(at(in));
    for (std::size_t k = 0; k < 3; ++k) link.particle[k] = static_cast<std::uint32_t>(layout.bodies[i].particle[k]);
    link.parent_particle = is_ground(in) ? 0 : static_cast<std::uint32_t>(layout.bodies[at(in)].particle[0]);
    link.direction = directions;
    link.directions =
        link.hinge == Hinge::spherical ? 0 : static_cast<std::uint32_t>(std::min<std::size_t>(joint.nv, 6));
    directions += link.directions;
    link.rate = rates;
    rates += link.hinge == Hinge::spherical ? 3 : link.directions;
    link.own = static_cast<std::uint32_t>(own.size());
    link.owns = static_cast<std::uint32_t>(brought[i].size());
    own.insert(own.end(), brought[i].begin(), brought[i].end());
    for (std::size_t k = 0; k < 2; ++k) {
      link.place[k] = is_ground(in) ? 0 : 3;
      for (std::int8_t place = 0; place < 3 && !is_ground(in); ++place)
        if (layout.bodies[at(in)].particle[static_cast<std::size_t>(place)] == link.particle[k]) link.place[k] = place;
    }
  }
}

}  // namespace polyform::particles
