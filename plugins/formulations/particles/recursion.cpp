#include "recursion.hpp"

#include <algorithm>
#include <cmath>

#include "joint_terms.hpp"

namespace polyform::particles {

Recursion::Recursion(const SystemView& view, const Layout& layout, LoopClosure& loops)
    : view_(view),
      layout_(layout),
      loops_(loops),
      links_(view, layout, loops),
      directions_(links_.directions),
      balls_(view.bodies.size()),
      momenta_(view.bodies.size()),
      arms_(view.bodies.size()),
      biases_(view.bodies.size()),
      z_(view.bodies.size()),
      to_first_(loops.empty() ? 0 : view.bodies.size()),
      lost_digits_(*this) {}

/// The part of Eqs 2.15 and 2.16 that the accelerations of a rigid triangle make: S of one body.
void Recursion::set_inertia(std::size_t i, const PlacedBodies& in) noexcept {
  const Link& link = links_[i];
  const auto& w = link.weight;
  const Triangle& t = in.triangles[i];
  const Vec3 &r2 = t.r21, &r4 = t.r41;
  // Σ weight_jk r_j1 r_k1ᵀ = r2 s2ᵀ + r3 s3ᵀ + r4 s4ᵀ, and Σ m̄_k r_k1.
  Vec3 first = link.total[0] * r2, s2 = w[0][0] * r2, s3, s4, r3;
  if (link.representation != Representation::two) {
    first += link.total[2] * r4;
    s2 += w[0][2] * r4;
    s4 = w[2][0] * r2 + w[2][2] * r4;
  }
  if (link.representation == Representation::four) {
    r3 = t.point(link.third);
    first += link.total[1] * r3;
    s2 += w[0][1] * r3;
    s3 = w[1][0] * r2 + w[1][1] * r3 + w[1][2] * r4;
    s4 += w[2][1] * r3;
  }
  const auto second = [&](std::size_t a, std::size_t b) { return r2[a] * s2[b] + r3[a] * s3[b] + r4[a] * s4[b]; };
  const double xx = second(0, 0), yy = second(1, 1), zz = second(2, 2);
  Transfer<double>& m = momenta_[i];
  m.aa = {yy + zz, xx + zz, xx + yy, -second(0, 1), -second(0, 2), -second(1, 2)};
  m.au = skew(first);
  m.uu = Sym3::diagonal(link.mass);
  arms_[i] = link.parent < 0 ? Vec3{} : in.positions[link.particle[0]] - in.positions[link.parent_particle];
}

/// Motions of the joint at particle 1, ground axes.
void Recursion::set_directions(std::size_t i, const PlacedBodies& in) noexcept {
  const Link& link = links_[i];
  if (link.hinge == Hinge::revolute) {  // along the two particles that are shared
    const Vec3& r21 = in.triangles[i].r21;
    directions_[link.direction].H = {(1 / norm(r21)) * r21, {}};
  }
  const bool along_axes = link.hinge == Hinge::spherical_in_loop || link.hinge == Hinge::free;
  for (std::size_t k = 0; along_axes && k < link.directions; ++k) {
    directions_[link.direction + k].H = {};
    directions_[link.direction + k].H[k] = 1;
  }
  if (link.hinge != Hinge::general) return;
  const DirectionsAtFirst of_joint(view_.joints[i], layout_, in, i);
  for (std::size_t k = 0; k < link.directions; ++k) directions_[link.direction + k].H = of_joint[k];
}

/// Velocity terms of Eqs 2.15 and 2.16 and of the joint, and what is applied to the body.
void Recursion::set_velocity_terms(std::size_t i, const PlacedBodies& in, std::span<const Spatial> loads) noexcept {
  const Link& link = links_[i];
  const Vec3& omega = in.angular_velocities[i];
  Transfer<double>& m = momenta_[i];
  const Vec3 first{m.au(2, 1), m.au(0, 2), m.au(1, 0)};
  m.e = {cross(omega, m.aa * omega), centripetal(omega, first)};
  if (!loads.empty()) m.e -= loads[i];
  if (link.hinge == Hinge::general) {
    biases_[i] = general_bias(i, in);
    return;
  }
  const Vec3 inboard = link.parent < 0 ? Vec3{} : in.angular_velocities[static_cast<std::size_t>(link.parent)];
  biases_[i] = {link.hinge == Hinge::revolute ? cross(inboard, omega) : Vec3{}, centripetal(inboard, arms_[i])};
}

/// z of the body when its inboard body has no angular acceleration, particle 1 of that none either, and v̇ is zero.
Spatial Recursion::general_bias(std::size_t i, const PlacedBodies& in) const noexcept {
  const Link& link = links_[i];
  const JointData& joint = view_.joints[i];
  const BodyMotion& inboard = motion_of(joint.inboard(), in.motions);
  const BodyMotion& outboard = in.motions[i];
  Spatial still;
  if (link.parent >= 0) still.linear = centripetal(inboard.V.angular, inboard.p - in.positions[link.parent_particle]);
  const double no_rates[6]{};
  const Spatial a = outboard_acceleration(joint, in.joints[i].motion, inboard, still, outboard, no_rates);
  const Vec3 to_first = in.positions[link.particle[0]] - outboard.p;
  return {a.angular, a.linear + cross(a.angular, to_first) + centripetal(outboard.V.angular, to_first)};
}

/// What the joint does not bear tells how the body moves: no moment about the shared particle of a spherical joint
/// (Eq 2.18 = 0, which leaves the force of Eq 2.17 as a function of r̈_1 alone), none along the axis of a revolute
/// joint (Step 3), no work on the motions of any other (Step 4). mending: what is missing of these conditions.
template <bool mending>
bool Recursion::pass_joint(std::size_t i, Transfer<double>& m) noexcept {
  const Link& link = links_[i];
  const auto missing = [&](std::size_t k) { return mending ? lost_digits_.rest(link.rate + k) : 0.0; };
  if (link.hinge == Hinge::spherical) {
    if (!eliminate_ball(m, balls_[i], Vec3{missing(0), missing(1), missing(2)}, link.least)) return false;
    m.e.linear = add_product(m.e.linear, m.uu, biases_[i].linear);
    return true;
  }
  m.e += multiply(m, biases_[i]);
  if (link.postponed) {
    for (std::size_t k = link.directions; k-- > 0;) pass_postponed(i, k, missing(k), m);
    return true;
  }
  if (link.hinge == Hinge::revolute) {
    Column<double>& axis = directions_[link.direction];
    if (!prepare_rotation(m, axis, missing(0)) && !prepare_small_rotation(m, axis, missing(0), link.least))
      return false;
    condense(m, axis);
    return true;
  }
  const PivotScale<double> scale(m);
  const std::span<Column<double>> directions = std::span(directions_).subspan(link.direction, link.directions);
  const double own = link.hinge == Hinge::spherical_in_loop ? link.least : 0;
  for (std::size_t k = directions.size(); k-- > 0;)
    if (!eliminate(m, scale, directions[k], missing(k), own) || (own == 0 && is_rounding(directions.subspan(k), scale)))
      return false;
  return true;
}

/// The same of direction k of a joint that moves next to nothing: it gets an inertia that its multiplier takes back
/// when the loops through the joint are closed.
void Recursion::pass_postponed(std::size_t i, std::size_t k, double missing, Transfer<double>& m) noexcept {
  Column<double>& direction = directions_[links_[i].direction + k];
  loops_.postponed().prepare(i, k, m, PivotScale<double>(m), missing, direction);
  condense(m, direction);
}

/// Whether the pivot of the first direction is only rounding. The pivot is the inertia in that motion together with
/// that of the directions eliminated before, and those may move far: for a rod nearly across the first axis, free to
/// turn, the terms of the last pivot are larger than its moments of inertia by the square of that.
bool Recursion::is_rounding(std::span<const Column<double>> directions, const PivotScale<double>& scale) noexcept {
  Spatial z = directions[0].H;
  for (std::size_t k = 1; k < directions.size(); ++k)
    z -= (directions[k].inverse * dot(directions[k].U, z)) * directions[k].H;
  const double size = dot(z.angular, z.angular) * scale.angular + dot(z.linear, z.linear) * scale.linear;
  return directions[0].inverse * smallest_pivot * size > 1;
}

/// Momenta about the parent's particle 1 of what its joint puts on body i: Eqs 2.21 and 2.27, one body further.
Transfer<double> Recursion::about_parent(std::size_t i, const Transfer<double>& m) const noexcept {
  return links_[i].hinge == Hinge::spherical ? shift_force(m, arms_[i]) : shift(m, arms_[i]);
}

/// Step 2 for all bodies, from the tips to the roots. In a chain the sum goes from body to body without memory between.
template <bool mending>
[[gnu::flatten]] bool Recursion::sum_momenta() noexcept {
  Transfer<double> sum;
  bool carries = false;
  for (std::size_t i = links_.size(); i-- > 0;) {
    const Link& link = links_[i];
    if (!carries) sum = {};
    sum += momenta_[i];
    if (link.looped) {
      Transfer<double> with_loops = sum;  // so that the sum itself can live in registers
      loops_.gather(i, with_loops);
      sum = with_loops;
    }
    if (!pass_joint<mending>(i, sum)) {
      failed_ = i;
      return false;
    }
    if (link.looped)
      loops_.pass(i, std::span(directions_).subspan(link.direction, link.directions), biases_[i], arms_[i], {},
                  FlexibleLinks::none);
    carries = false;
    if (link.parent < 0 || (link.hinge == Hinge::free && !link.looped)) continue;
    const auto parent = static_cast<std::size_t>(link.parent);
    sum = about_parent(i, sum);
    carries = parent + 1 == i;
    if (!carries) momenta_[parent] += sum;
  }
  loops_.close_ground();
  const std::optional<std::size_t> without_inertia = loops_.postponed().without_inertia();
  if (without_inertia) failed_ = *without_inertia;
  return !without_inertia;
}

template bool Recursion::sum_momenta<false>() noexcept;
template bool Recursion::sum_momenta<true>() noexcept;

/// z of a body from that of its parent.
Spatial Recursion::follow_joint(std::size_t i, const Spatial& at_ground) noexcept {
  const Link& link = links_[i];
  const Spatial parent = link.parent < 0 ? at_ground : z_[static_cast<std::size_t>(link.parent)];
  Spatial z{parent.angular, add_cross(parent.linear, parent.angular, arms_[i])};
  if (link.looped) return follow_joint_in_loop(i, z);
  for (std::uint32_t k = link.direction; k < link.direction + link.directions; ++k) {
    const Column<double>& direction = directions_[k];
    z += direction.rate(z) * direction.H;
  }
  z += biases_[i];
  if (link.hinge == Hinge::spherical) z.angular = add_product(balls_[i].free, balls_[i].gain, z.linear);
  z_[i] = z;
  return z;
}

/// The same where the forces of cut joints take part. z: of the body if the joint did not move.
Spatial Recursion::follow_joint_in_loop(std::size_t i, Spatial z) noexcept {
  const Link& link = links_[i];
  for (std::uint32_t k = 0; k < link.directions; ++k) {
    const Column<double>& direction = directions_[link.direction + k];
    z += (direction.rate(z) - loops_.rate(i, k)) * direction.H;
  }
  z_[i] = z + biases_[i];
  loops_.close(i, z_[i]);
  return z_[i];
}

/// ground: what stands for the acceleration of ground.
void Recursion::begin_loops(LoopClosure::Level level, const PlacedBodies& in, const Vec3& ground) noexcept {
  for (const FrameIndex f : loops_.layout().tied_frames())  // bodies' own: they are rigid
    to_first_[at(f)] = in.positions[links_[at(f)].particle[0]] - in.motions[at(f)].p;
  loops_.begin(level, in.motions, to_first_, ground, [&](const auto& pass) {
    for (std::size_t i = links_.size(); i-- > 0;)
      if (links_[i].looped)
        pass(i, std::span(directions_).subspan(links_[i].direction, links_[i].directions), arms_[i]);
  });
}

bool Recursion::accelerations(const PlacedBodies& in, std::span<const Spatial> loads, std::span<Vec3> out) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    set_inertia(i, in);
    set_directions(i, in);
    set_velocity_terms(i, in, loads);
  }
  begin_loops(LoopClosure::Level::acceleration, in, -view_.gravity);
  if (!sum_momenta<false>()) return false;
  for (std::size_t i = 0; i < links_.size(); ++i) tell_particles(i, in, follow_joint(i, {{}, -view_.gravity}), out);
  if (lost_digits_.is_due() && lost_digits_.mend(in, loads))
    for (std::size_t i = 0; i < links_.size(); ++i) tell_particles(i, in, z_[i], out);
  return true;
}

/// r̈ of the particles that a body brought.
void Recursion::tell_particles(std::size_t i, const PlacedBodies& in, const Spatial& z,
                               std::span<Vec3> out) const noexcept {
  const Link& link = links_[i];
  const Vec3& r1 = in.positions[link.particle[0]];
  const Vec3& omega = in.angular_velocities[i];
  for (std::size_t k = link.own; k < link.own + link.owns; ++k) {
    const Vec3 r = in.positions[links_.own[k]] - r1;
    out[links_.own[k]] = z.linear + view_.gravity + cross(z.angular, r) + centripetal(omega, r);
  }
}

}  // namespace polyform::particles
