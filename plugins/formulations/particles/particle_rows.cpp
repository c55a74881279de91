// Bodies from particles; constraint rows C and their right-hand sides; masses.
#include <algorithm>
#include <cmath>

#include "particle_system.hpp"

namespace polyform::particles {

/// Triangles and angular velocities of the bodies; on demand the motions of their frames, for forces, joints and
/// observers.
void ParticleSystem::place_bodies(bool motions) noexcept {
  for (std::size_t i = 0; i < motions_.size(); ++i) {
    const ParticleBody& body = layout_.bodies[i];
    const auto [p1, p2, p4] = body.particle;
    Triangle& t = triangles_[i];
    t = Triangle(positions_[p1], positions_[p2], positions_[p4]);
    const Vec3 omega = t.rotation(velocities_[p2] - velocities_[p1], velocities_[p4] - velocities_[p1]);
    angular_velocities_[i] = omega;
    if (!motions) continue;
    const Mat3 R = times_transpose(t.axes(), body.to_body);
    const Vec3 from_origin = R * body.place[0];
    motions_[i] = {R, positions_[p1] - from_origin, {omega, velocities_[p1] - cross(omega, from_origin)}};
  }
}

void ParticleSystem::evaluate(double t, std::span<double> q, std::span<double> v, bool all_joints,
                              bool corrected) noexcept {
  if (recursive_) {
    place_system(all_joints, q, v);
    if (!all_joints) return;
    const double position = recursion_.find_errors(recursion_input(), false);
    const double velocity = recursion_.find_errors(recursion_input(), true);
    position_violation_ = std::max({position_violation_, position, loops_.constraints().position_violation()});
    velocity_violation_ = std::max({velocity_violation_, velocity, loops_.constraints().velocity_violation()});
    return;
  }
  set_rows(t, Level::acceleration, q, v, all_joints);
  set_masses();
  factorized_ = corrected && factorized_;
}

/// Bodies and joints at the positions and velocities.
void ParticleSystem::place_system(bool all_joints, std::span<double> q, std::span<double> v) noexcept {
  place_bodies(all_joints || needs_motions_);
  position_violation_ = velocity_violation_ = 0;
  const std::size_t joints = recursive_ ? view_.bodies.size() : view_.joints.size();
  for (std::size_t j = 0; j < joints; ++j)
    if (all_joints || needed_[j]) set_joint(j, q, v);
  if (recursive_ && !loops_.empty()) loops_.evaluate(motions_, q, v);
}

void ParticleSystem::set_rows(double t, Level level, std::span<double> q, std::span<double> v,
                              bool all_joints) noexcept {
  place_system(all_joints, q, v);
  if (!elements_.elements().empty()) elements_.evaluate(t, motions_, q, v);
  for (const Group& g : groups_) {
    if (g.kind == Kind::distance)
      set_distance_rows(g, level);
    else if (g.kind == Kind::tie)
      set_tie_rows(g, level);
    else if (g.kind == Kind::joint)
      set_joint_rows(g, level);
    else
      set_element_rows(g, level);
  }
}

void ParticleSystem::set_joint(std::size_t j, std::span<double> q, std::span<double> v) noexcept {
  const JointData& joint = view_.joints[j];
  JointConstraint& c = joints_[j];
  joint_constraint(joint, motion_of(joint.base, motions_), motion_of(joint.moving, motions_), q.data() + joint.q_offset,
                   v.data() + joint.v_offset, c);
  for (std::size_t i = 0; i < c.rows; ++i) {
    position_violation_ = std::max(position_violation_, std::abs(c.residual[i]));
    velocity_violation_ = std::max(velocity_violation_, std::abs(dot(c.T[i], c.relative.twist)));
  }
}

/// Eqs 2.4a–c, halved; their second derivatives are Eqs 2.20.
void ParticleSystem::set_distance_rows(const Group& g, Level level) noexcept {
  static constexpr std::size_t pairs[3][2] = {{1, 0}, {2, 0}, {2, 1}};
  const ParticleBody& body = layout_.bodies[g.index];
  const Side& side = sides_[g.side];
  for (std::size_t row = 0; row < g.rows; ++row) {
    const auto [i, j] = pairs[g.part + row];
    const Vec3 r_ij = positions_[body.particle[i]] - positions_[body.particle[j]];
    const Vec3 v_ij = velocities_[body.particle[i]] - velocities_[body.particle[j]];
    const Vec3 drawn = body.place[i] - body.place[j];
    const double length = norm(drawn), rate = dot(r_ij, v_ij), error = 0.5 * (dot(r_ij, r_ij) - length * length);
    for (const std::size_t entry : side.entry)
      if (entry != none) coefficients_[entries_[entry].first + row] = {};
    if (side.entry[i] != none) coefficients_[entries_[side.entry[i]].first + row] = r_ij;
    if (side.entry[j] != none) coefficients_[entries_[side.entry[j]].first + row] = -r_ij;
    position_violation_ = std::max(position_violation_, std::abs(error) / length);
    velocity_violation_ = std::max(velocity_violation_, std::abs(rate) / length);
    data_[g.chunk.first + row] = level == Level::position ? -error : level == Level::velocity ? 0 : -dot(v_ij, v_ij);
  }
}

/// Eq 2.10 as a constraint, with Eqs 2.12 and 2.13 as its derivatives.
void ParticleSystem::set_tie_rows(const Group& g, Level level) noexcept {
  const ParticleBody& body = layout_.bodies[g.index];
  const auto [p1, p2, p4] = body.particle;
  const Tie& tie = body.ties[g.part];
  const Side& side = sides_[g.side];
  const PointRows rows(triangles_[g.index], tie.invariants);
  for (std::size_t k = 0; k < 3; ++k) {
    if (side.entry[k] == none) continue;
    const Mat3 B = rows.matrix(k);
    for (std::size_t row = 0; row < 3; ++row) coefficients_[entries_[side.entry[k]].first + row] = -B.row(row);
  }
  const std::size_t own = entries_[g.entry + g.entries - 1].first;
  for (std::size_t row = 0; row < 3; ++row) {
    coefficients_[own + row] = {};
    coefficients_[own + row][row] = 1;
  }
  const Vec3 error = positions_[tie.particle] - positions_[p1] - triangles_[g.index].point(tie.invariants);
  const Vec3 rate = velocities_[tie.particle] - rows(velocities_[p1], velocities_[p2], velocities_[p4]);
  const Vec3 v21 = velocities_[p2] - velocities_[p1], v41 = velocities_[p4] - velocities_[p1];
  const Vec3 right = level == Level::position       ? -error
                     : level == Level::acceleration ? velocity_term(tie.invariants, v21, v41)
                                                    : Vec3{};
  for (std::size_t row = 0; row < 3; ++row) {
    position_violation_ = std::max(position_violation_, std::abs(error[row]));
    velocity_violation_ = std::max(velocity_violation_, std::abs(rate[row]));
    data_[g.chunk.first + row] = right[row];
  }
}

void ParticleSystem::clear_rows(const Group& g) noexcept {
  for (std::size_t e = g.entry; e < g.entry + g.entries; ++e)
    std::fill_n(coefficients_.begin() + static_cast<std::ptrdiff_t>(entries_[e].first), g.rows, Vec3{});
  std::fill_n(data_.begin() + static_cast<std::ptrdiff_t>(g.chunk.first), g.rows, 0.0);
  std::fill_n(row_size_.begin() + static_cast<std::ptrdiff_t>(g.chunk.first), g.rows, 0.0);
}

/// A body's share of a row, which multiplies its angular velocity and the velocity of its frame origin, as a share of
/// its particles.
void ParticleSystem::add_to_row(const Group& g, std::size_t row, BodyIndex b, const Spatial& about_origin) noexcept {
  if (is_ground(b)) return;
  const Side* side = &sides_[g.side];
  while (side->body != at(b)) ++side;
  const Vec3 from_origin = positions_[layout_.bodies[at(b)].particle[0]] - motions_[at(b)].p;
  Vec3 f[3];
  triangles_[at(b)].distribute({about_origin.angular - cross(from_origin, about_origin.linear), about_origin.linear},
                               f[0], f[1], f[2]);
  for (std::size_t k = 0; k < 3; ++k) {
    row_size_[g.chunk.first + row] += dot(f[k], f[k]);  // on ground too: what moves may feel rounding alone
    if (side->entry[k] != none) coefficients_[entries_[side->entry[k]].first + row] += f[k];
  }
}

/// The row t · V_FM (F axes at the origin of M) of a joint.
void ParticleSystem::add_joint_row(const Group& g, std::size_t row, std::size_t j, const Spatial& t) noexcept {
  const JointData& joint = view_.joints[j];
  const ConstraintRow r = constraint_row(joint, motion_of(joint.base, motions_), motion_of(joint.moving, motions_), t);
  add_to_row(g, row, joint.moving, r.moving);
  add_to_row(g, row, joint.base, r.base);
}

/// Acceleration of a body when none of its particles accelerates: what the rates of their directions leave.
Spatial ParticleSystem::velocity_terms(BodyIndex b) const noexcept {
  if (is_ground(b)) return {};
  const Triangle& t = triangles_[at(b)];
  const BodyMotion& m = motions_[at(b)];
  const Vec3& w = m.V.angular;
  const Vec3 alpha = -t.rotation(centripetal(w, t.r21), centripetal(w, t.r41));
  const Vec3 to_origin = m.p - positions_[layout_.bodies[at(b)].particle[0]];
  return {alpha, cross(alpha, to_origin) + centripetal(w, to_origin)};
}

/// Relative acceleration of M in F of a joint when no particle accelerates.
Spatial ParticleSystem::joint_velocity_terms(std::size_t j) const noexcept {
  const JointData& joint = view_.joints[j];
  return relative_acceleration(joint, motion_of(joint.base, motions_), velocity_terms(joint.base),
                               motion_of(joint.moving, motions_), velocity_terms(joint.moving));
}

/// Rows of a joint in particle coordinates: of a tree joint those that shared particles leave over (prismatic: Eqs 2.29
/// without their redundant ones), of a cut joint all.
void ParticleSystem::set_joint_rows(const Group& g, Level level) noexcept {
  clear_rows(g);
  const JointConstraint& c = joints_[g.index];
  const bool shares_point = !g.loop && shared_particles(view_.joints[g.index]) == 1;
  const Spatial terms = level == Level::acceleration ? c.motion.bias - joint_velocity_terms(g.index) : Spatial{};
  // Where H loses rank there are more rows than the joint has room for: the first ones do.
  for (std::size_t i = 0, row = 0; i < c.rows && row < g.rows; ++i) {
    if (shares_point && dot(c.T[i].linear, c.T[i].linear) > 0.5) continue;
    add_joint_row(g, row, g.index, c.T[i]);
    data_[g.chunk.first + row++] = level == Level::position ? -c.residual[i] : dot(c.T[i], terms);
  }
}

void ParticleSystem::set_element_rows(const Group& g, Level level) noexcept {
  const ConstraintSet::Element& element = elements_.elements()[g.index];
  clear_rows(g);
  for (std::size_t i = 0; i < g.rows; ++i) {
    if (element.holonomic) position_violation_ = std::max(position_violation_, std::abs(element.residual[i]));
    double& right = data_[g.chunk.first + i];
    right = level == Level::position   ? -element.residual[i]
            : level == Level::velocity ? element.velocity_right[i]
                                       : element.acceleration_right[i];
    if (level == Level::position && !element.holonomic) {
      right = 0;  // and no coefficients: the row asks nothing of positions
      continue;
    }
    double rate = -element.velocity_right[i];
    for (std::size_t m = 0; m < element.markers.size(); ++m) {
      const Spatial& a = element.A[i * element.markers.size() + m];
      const MarkerMotion& motion = element.motions[m];
      rate += dot(a.angular, motion.angular_velocity) + dot(a.linear, motion.velocity);
      const BodyIndex b = element.markers[m].body;
      if (is_ground(b)) continue;
      const Vec3& arm = element.arms[m];
      add_to_row(g, i, b, {a.angular + cross(arm, a.linear), a.linear});
      if (level != Level::acceleration) continue;
      const Vec3& w = motion.angular_velocity;
      const Spatial terms = velocity_terms(b);
      right -=
          dot(a.angular, terms.angular) + dot(a.linear, terms.linear + cross(terms.angular, arm) + centripetal(w, arm));
    }
    const double* B = element.B.data() + i * element.velocities;
    for (const JointIndex index : element.joints) {
      // v = H⁺ V_FM, so the row B v is t · V_FM with t = H (HᵀH)⁻¹ Bᵀ, which is also the wrench of an effort B.
      const std::size_t j = at(index);
      const Spatial t = effort_wrench(joints_[j].motion, view_.joints[j].nv, B);
      add_joint_row(g, i, j, t);
      rate += dot(t, joints_[j].relative.twist);
      if (level == Level::acceleration) right += dot(t, joints_[j].motion.bias - joint_velocity_terms(j));
      B += view_.joints[j].nv;
    }
    velocity_violation_ = std::max(velocity_violation_, std::abs(rate));
  }
}

/// M of each body: with r̈_3 from Eq 2.14, Σ weight_ij r̈_i · r̈_j becomes blocks
/// weight_ab + weight_a3 B_b + weight_3b B_aᵀ + weight_33 B_aᵀ B_b on the particles 1, 2 and 4.
void ParticleSystem::set_masses() noexcept {
  static constexpr std::size_t primary[3] = {0, 1, 3};
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    const ParticleBody& body = layout_.bodies[i];
    const auto& weight = body.masses.weight;
    Mass& mass = masses_[i];
    if (body.masses.representation != Representation::four) {
      for (std::size_t a = 0, k = 0; a < 3; ++a)
        for (std::size_t b = 0; b <= a; ++b, ++k) mass.block[k] = weight[primary[a]][primary[b]] * Mat3::identity();
      continue;
    }
    const PointRows B(triangles_[i], body.third);
    const double w33 = weight[2][2];
    for (std::size_t a = 0, k = 0; a < 3; ++a)
      for (std::size_t b = 0; b <= a; ++b, ++k) {
        const double wa3 = weight[primary[a]][2], w3b = weight[2][primary[b]];
        const Vec3 &ua = B.u[a], &ub = B.u[b];
        const double diagonal =
            weight[primary[a]][primary[b]] + wa3 * B.s[b] + w3b * B.s[a] + w33 * (B.s[a] * B.s[b] + dot(ua, ub));
        Mat3& block = mass.block[k];
        block = skew((wa3 + w33 * B.s[a]) * ub - (w3b + w33 * B.s[b]) * ua);
        for (std::size_t r = 0; r < 3; ++r) {
          block(r, r) += diagonal;
          for (std::size_t c = 0; c < 3; ++c) block(r, c) -= w33 * ub[r] * ua[c];
        }
      }
  }
}

}  // namespace polyform::particles
