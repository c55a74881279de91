#include "recursion.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::particles {
namespace {

/// A pivot below this part of the moment of inertia, or of the mass, it comes from is none.
constexpr double least_pivot = 1e-12;

Vec3 centripetal(const Vec3& w, const Vec3& r) { return cross(w, cross(w, r)); }

/// S ← S − scale s sᵀ for the three blocks.
void subtract(Sym3& A, Mat3& B, Sym3& M, const Spatial& s, double scale) {
  const Vec3 a = scale * s.angular, l = scale * s.linear;
  A -= Sym3{a.x * s.angular.x, a.y * s.angular.y, a.z * s.angular.z,
            a.x * s.angular.y, a.x * s.angular.z, a.y * s.angular.z};
  M -= Sym3{l.x * s.linear.x, l.y * s.linear.y, l.z * s.linear.z, l.x * s.linear.y, l.x * s.linear.z, l.y * s.linear.z};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) B(r, c) -= a[r] * s.linear[c];
}

}  // namespace

Recursion::Recursion(const SystemView& view, const Layout& layout) : view_(view), layout_(layout) {
  const std::size_t n = view.bodies.size();
  std::vector<std::vector<std::uint32_t>> own(n);
  for (std::size_t p = 0; p < layout.particles.size(); ++p)
    if (layout.particles[p].body != none) own[layout.particles[p].body].push_back(static_cast<std::uint32_t>(p));
  links_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const JointData& joint = view.joints[i];
    Link& link = links_[i];
    const std::size_t shared = shared_particles(joint);
    const bool ball = shared == 1 && joint.primitives.size() == 1;
    link.hinge = shared == 3                    ? Hinge::fixed
                 : shared == 2                  ? Hinge::revolute
                 : ball                         ? Hinge::spherical
                 : shared == 0 && joint.nv >= 6 ? Hinge::free
                                                : Hinge::general;
    const EquivalentParticles& masses = layout.bodies[i].masses;
    link.mass = view.bodies[i].mass;
    for (std::size_t a = 0; a < 3; ++a) {
      link.total[a] = masses.total[a + 1];
      for (std::size_t b = 0; b < 3; ++b) link.weight[a][b] = masses.weight[a + 1][b + 1];
    }
    link.third = layout.bodies[i].third;
    const BodyIndex in = joint.inboard();
    link.parent = is_ground(in) ? -1 : static_cast<std::int32_t>(at(in));
    for (std::size_t k = 0; k < 3; ++k) link.particle[k] = static_cast<std::uint32_t>(layout.bodies[i].particle[k]);
    link.parent_particle = is_ground(in) ? 0 : static_cast<std::uint32_t>(layout.bodies[at(in)].particle[0]);
    link.direction = static_cast<std::uint32_t>(directions_.size());
    link.directions = ball ? 0 : static_cast<std::uint32_t>(std::min<std::size_t>(joint.nv, 6));
    directions_.resize(directions_.size() + link.directions);
    link.own = static_cast<std::uint32_t>(own_.size());
    link.owns = static_cast<std::uint32_t>(own[i].size());
    own_.insert(own_.end(), own[i].begin(), own[i].end());
    for (std::size_t k = 0; k < 2; ++k) {
      link.place[k] = is_ground(in) ? 0 : 3;
      for (std::int8_t place = 0; place < 3 && !is_ground(in); ++place)
        if (layout.bodies[at(in)].particle[static_cast<std::size_t>(place)] == link.particle[k]) link.place[k] = place;
    }
  }
  balls_.resize(n);
  momenta_.resize(n);
  arms_.resize(n);
  biases_.resize(n);
  z_.resize(n);
  shapes_.resize(n);
  errors_.resize(n);
  tied_.resize(layout.particles.size());
}

/// The part of Eqs 2.15 and 2.16 that the accelerations of a rigid triangle make: A, B and M of one body.
void Recursion::set_inertia(std::size_t i, const Input& in) noexcept {
  const Link& link = links_[i];
  const auto& w = link.weight;
  const Triangle& t = in.triangles[i];
  const Vec3 r2 = t.r21, r4 = t.r41, r3 = t.point(link.third);
  // Σ weight_jk r_j1 r_k1ᵀ = r2 s2ᵀ + r3 s3ᵀ + r4 s4ᵀ, and Σ m̄_k r_k1.
  const Vec3 s2 = w[0][0] * r2 + w[0][1] * r3 + w[0][2] * r4, s3 = w[1][0] * r2 + w[1][1] * r3 + w[1][2] * r4,
             s4 = w[2][0] * r2 + w[2][1] * r3 + w[2][2] * r4;
  const auto second = [&](std::size_t a, std::size_t b) { return r2[a] * s2[b] + r3[a] * s3[b] + r4[a] * s4[b]; };
  const double xx = second(0, 0), yy = second(1, 1), zz = second(2, 2);
  Momentum& m = momenta_[i];
  m.A = {yy + zz, xx + zz, xx + yy, -second(0, 1), -second(0, 2), -second(1, 2)};
  m.B = skew(link.total[0] * r2 + link.total[1] * r3 + link.total[2] * r4);
  m.M = Sym3::diagonal(link.mass);
  arms_[i] = link.parent < 0 ? Vec3{} : in.positions[link.particle[0]] - in.positions[link.parent_particle];
}

/// Motions of the joint at particle 1, ground axes.
void Recursion::set_directions(std::size_t i, const Input& in) noexcept {
  const Link& link = links_[i];
  if (link.hinge == Hinge::revolute) {  // along the two particles that are shared
    const Vec3& r21 = in.triangles[i].r21;
    directions_[link.direction].motion = {(1 / norm(r21)) * r21, {}};
  }
  for (std::size_t k = 0; link.hinge == Hinge::free && k < 6; ++k) {
    directions_[link.direction + k].motion = {};
    directions_[link.direction + k].motion[k] = 1;
  }
  if (link.hinge != Hinge::general) return;
  const JointData& joint = view_.joints[i];
  const JointMotion& motion = in.joints[i].motion;
  const BodyMotion& base = motion_of(joint.base, in.motions);
  const BodyMotion& moving = motion_of(joint.moving, in.motions);
  const Vec3 from_M = in.positions[link.particle[0]] - moving.p - moving.R * joint.p_moving;
  const double sign = joint.reversed ? -1 : 1;
  for (std::size_t k = 0; k < link.directions; ++k) {
    const Vec3 angular = sign * (base.R * motion.H[k].angular), linear = sign * (base.R * motion.H[k].linear);
    directions_[link.direction + k].motion = {angular, linear + cross(angular, from_M)};
  }
}

/// Velocity terms of Eqs 2.15 and 2.16 and of the joint, and what is applied to the body.
void Recursion::set_velocity_terms(std::size_t i, const Input& in) noexcept {
  const Link& link = links_[i];
  const Vec3& omega = in.angular_velocities[i];
  Momentum& m = momenta_[i];
  const Vec3 first{m.B(2, 1), m.B(0, 2), m.B(1, 0)};
  m.e = {cross(omega, m.A * omega), centripetal(omega, first)};
  if (!in.loads.empty()) m.e -= in.loads[i];
  if (link.hinge == Hinge::general) {
    biases_[i] = general_bias(i, in);
    return;
  }
  const Vec3 inboard = link.parent < 0 ? Vec3{} : in.angular_velocities[static_cast<std::size_t>(link.parent)];
  biases_[i] = {link.hinge == Hinge::revolute ? cross(inboard, omega) : Vec3{}, centripetal(inboard, arms_[i])};
}

/// z of the body when its inboard body has no angular acceleration, particle 1 of that none either, and v̇ is zero.
Spatial Recursion::general_bias(std::size_t i, const Input& in) const noexcept {
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

/// The moment about the shared particle vanishes: α from Eq 2.18, and with it Eq 2.17 as a function of r̈_1 alone.
bool Recursion::pass_spherical(std::size_t i) noexcept {
  Momentum& m = momenta_[i];
  const Sym3& A = m.A;
  const double size = least_pivot * (A.xx + A.yy + A.zz);
  const double d0 = A.xx, l10 = A.xy / d0, l20 = A.xz / d0;
  const double d1 = A.yy - l10 * A.xy, c21 = A.yz - l20 * A.xy, l21 = c21 / d1;
  const double d2 = A.zz - l20 * A.xz - l21 * c21;
  if (!(d0 > size && d1 > size && d2 > size)) return false;
  const double i0 = 1 / d0, i1 = 1 / d1, i2 = 1 / d2;
  const auto solve = [&](const Vec3& b) {
    const double y1 = b.y - l10 * b.x, z = (b.z - l20 * b.x - l21 * y1) * i2, y = y1 * i1 - l21 * z;
    return Vec3{b.x * i0 - l10 * y - l20 * z, y, z};
  };
  const Vec3 x = solve(m.B.column(0)), y = solve(m.B.column(1)), z = solve(m.B.column(2));
  Ball& ball = balls_[i];
  ball.rows = {{x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z}};
  ball.right = solve(m.e.angular);
  const Vec3 b0 = m.B.column(0), b1 = m.B.column(1), b2 = m.B.column(2);
  m.M -= Sym3{dot(b0, x), dot(b1, y), dot(b2, z), dot(b0, y), dot(b0, z), dot(b1, z)};
  m.e.linear -= transpose_times(m.B, ball.right);
  m.e.linear += m.M * biases_[i].linear;
  return true;
}

/// What the joint transmits does no work on this motion.
bool Recursion::pass_direction(Momentum& m, Direction& d) noexcept {
  const Vec3 &a = d.motion.angular, &l = d.motion.linear;
  const Spatial s{m.A * a + m.B * l, transpose_times(m.B, a) + m.M * l};
  const double pivot = dot(d.motion, s);
  const double size = dot(a, a) * (m.A.xx + m.A.yy + m.A.zz) + dot(l, l) * (m.M.xx + m.M.yy + m.M.zz);
  if (!(pivot > least_pivot * size)) return false;
  d.row = (1 / pivot) * s;
  d.right = dot(d.motion, m.e) / pivot;
  subtract(m.A, m.B, m.M, s, 1 / pivot);
  m.e -= d.right * s;
  return true;
}

bool Recursion::pass_joint(std::size_t i) noexcept {
  const Link& link = links_[i];
  if (link.hinge == Hinge::spherical) return pass_spherical(i);
  Momentum& m = momenta_[i];
  m.e = m(biases_[i]);
  for (std::size_t k = 0; k < link.directions; ++k)
    if (!pass_direction(m, directions_[link.direction + k])) return false;
  return true;
}

/// Moments about the parent's particle 1 of what its joint puts on body i.
void Recursion::add_to_parent(std::size_t i) noexcept {
  const Momentum& m = momenta_[i];
  Momentum& parent = momenta_[static_cast<std::size_t>(links_[i].parent)];
  const Vec3& d = arms_[i];
  // d̃ M, and (B + d̃ M) as a function of the parent's r̈_1; A − B d̃ + d̃ Bᵀ − d̃ M d̃ of its α.
  const Vec3 m0{m.M.xx, m.M.xy, m.M.xz}, m1{m.M.xy, m.M.yy, m.M.yz}, m2{m.M.xz, m.M.yz, m.M.zz};
  const Vec3 c0 = cross(d, m0), c1 = cross(d, m1), c2 = cross(d, m2);
  const Mat3 dM{{c0.x, c1.x, c2.x, c0.y, c1.y, c2.y, c0.z, c1.z, c2.z}};
  const bool force_only = links_[i].hinge == Hinge::spherical;
  const Mat3 sum = force_only ? dM : m.B + dM;
  // X d̃ has the rows (row of X) × d; the part B d̃ − d̃ Bᵀ is symmetric.
  const auto times_skew = [&](const Mat3& x, std::size_t r) { return cross(x.row(r), d); };
  const Vec3 t0 = times_skew(sum, 0), t1 = times_skew(sum, 1), t2 = times_skew(sum, 2);
  Sym3 moved{-t0.x, -t1.y, -t2.z, -t0.y, -t0.z, -t1.z};
  if (!force_only) {
    const Vec3 b0 = times_skew(m.B, 0), b1 = times_skew(m.B, 1), b2 = times_skew(m.B, 2);
    moved += m.A + Sym3{-b0.x, -b1.y, -b2.z, -b1.x, -b2.x, -b2.y};
  }
  parent.A += moved;
  parent.B += sum;
  parent.M += m.M;
  parent.e.linear += m.e.linear;
  parent.e.angular += cross(d, m.e.linear);
  if (!force_only) parent.e.angular += m.e.angular;
}

/// Step 2 for all bodies, from the tips to the roots.
bool Recursion::sum_momenta() noexcept {
  for (std::size_t i = links_.size(); i-- > 0;) {
    if (!pass_joint(i)) {
      failed_ = i;
      return false;
    }
    if (links_[i].parent >= 0 && links_[i].hinge != Hinge::free) add_to_parent(i);
  }
  return true;
}

/// z of a body from that of its parent.
Spatial Recursion::follow_joint(std::size_t i, const Spatial& at_ground) noexcept {
  const Link& link = links_[i];
  const Spatial parent = link.parent < 0 ? at_ground : z_[static_cast<std::size_t>(link.parent)];
  Spatial z{parent.angular, parent.linear + cross(parent.angular, arms_[i])};
  for (std::size_t k = link.directions; k-- > 0;) {
    const Direction& d = directions_[link.direction + k];
    z += -(dot(d.row, z) + d.right) * d.motion;
  }
  z += biases_[i];
  if (link.hinge == Hinge::spherical) z.angular = -(balls_[i].rows * z.linear + balls_[i].right);
  z_[i] = z;
  return z;
}

bool Recursion::accelerations(const Input& in, std::span<Vec3> out) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    set_inertia(i, in);
    set_directions(i, in);
    set_velocity_terms(i, in);
  }
  if (!sum_momenta()) return false;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const Spatial z = follow_joint(i, {{}, -view_.gravity});
    const Vec3& r1 = in.positions[link.particle[0]];
    const Vec3& omega = in.angular_velocities[i];
    for (std::size_t k = link.own; k < link.own + link.owns; ++k) {
      const Vec3 r = in.positions[own_[k]] - r1;
      out[own_[k]] = z.linear + view_.gravity + cross(z.angular, r) + centripetal(omega, r);
    }
  }
  return true;
}

}  // namespace polyform::particles
