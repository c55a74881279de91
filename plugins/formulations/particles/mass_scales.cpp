#include "mass_scales.hpp"

#include <algorithm>
#include <limits>

#include "polyform/solvers/light_bodies.hpp"
#include "polyform/solvers/singular_inertia.hpp"

namespace polyform::particles {
namespace {

/// A light body of less than this part of its neighbours' mass counts as one without: in the factors its own is lost in
/// the rounding of theirs.
constexpr double lost_mass = 1e-14;

std::vector<bool> find_light(const SystemView& view, std::span<const ElementConstraint> elements) {
  std::vector<double> mass;
  for (const BodyData& body : view.bodies) mass.push_back(body.mass);
  std::vector<std::vector<std::size_t>> constraints;
  const auto tie = [&](BodyIndex b) {
    if (!is_ground(b)) constraints.back().push_back(at(b));
  };
  const auto tie_joint = [&](const JointData& joint) {
    tie(joint.base);
    tie(joint.moving);
  };
  for (const JointData& joint : view.joints) {
    if (joint.nv >= 6) continue;
    constraints.emplace_back();
    tie_joint(joint);
  }
  for (const ElementConstraint& element : elements) {
    constraints.emplace_back();
    for (const Marker& marker : element.rows->markers) tie(marker.body);
    for (const JointIndex j : element.rows->joints) tie_joint(view.joints[at(j)]);
  }
  return light_bodies(mass, constraints);
}

}  // namespace

bool MassScales::any_singular() const {
  return std::ranges::any_of(bodies, [](const Body& b) { return b.singular; });
}

/// A body without mass takes the smallest mass of the bodies that joints connect it to, since its motion feels masses
/// of that order. What the factors add to it (Mass::added) has to be small compared with the inertia of these bodies in
/// any motion: for a slender shaft that is far less than its mass.
MassScales::MassScales(const SystemView& view, const Layout& layout, std::span<const ElementConstraint> elements)
    : bodies(view.bodies.size()), heaviest(layout.particles.size()) {
  const std::vector<bool> light = find_light(view, elements);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  const auto over_joints = [&](const auto& spread) {
    const auto tell = [&](const JointData& joint) {
      if (!is_ground(joint.base) && !is_ground(joint.moving)) spread(bodies[at(joint.base)], bodies[at(joint.moving)]);
    };
    std::for_each(view.joints.begin(), view.joints.end(), tell);
    std::for_each(view.joints.rbegin(), view.joints.rend(), tell);
  };
  const auto fill = [&](double& a, double& b) {
    if (!(a < unknown)) a = b;
    if (!(b < unknown)) b = a;
  };
  for (std::size_t i = 0; i < bodies.size(); ++i)
    bodies[i].in_loops = light[i] || !(view.bodies[i].mass > 0) ? unknown : view.bodies[i].mass;
  over_joints([&](Body& a, Body& b) { fill(a.in_loops, b.in_loops); });
  double smallest = unknown;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const BodyData& body = view.bodies[i];
    Body& m = bodies[i];
    const bool lost = light[i] && body.mass < lost_mass * m.in_loops;
    m.light = light[i] && body.mass > 0;
    m.scale = body.mass > 0 && !lost ? body.mass : unknown;
    smallest = std::min(smallest, m.scale);
    const Sym3& J = body.inertia;
    const double length = layout.bodies[i].length;
    const double size = std::max(0.5 * (J.xx + J.yy + J.zz), least_inertia_share * body.mass * length * length);
    m.singular = lost || !(body.mass > 0 && is_definite_beside(J, size));
    // The least moment of inertia, within a factor of three.
    const double minors = J.xx * J.yy - J.xy * J.xy + J.xx * J.zz - J.xz * J.xz + J.yy * J.zz - J.yz * J.yz;
    m.added = m.singular ? unknown : std::min(body.mass, determinant(J) / minors / (length * length));
  }
  if (!(smallest < unknown)) smallest = 1;
  over_joints([&](Body& a, Body& b) {
    fill(a.scale, b.scale);
    if (a.singular) a.added = std::min(a.added, b.added);
    if (b.singular) b.added = std::min(a.added, b.added);
  });
  for (Body& m : bodies) {
    if (!(m.scale < unknown)) m.scale = smallest;
    if (!(m.in_loops < unknown)) m.in_loops = m.scale;
    m.added = std::min(m.added, m.scale);
  }
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (const std::size_t p : layout.bodies[i].particle) heaviest[p] = std::max(heaviest[p], bodies[i].scale);
}

}  // namespace polyform::particles
