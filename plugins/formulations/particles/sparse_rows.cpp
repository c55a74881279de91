#include "sparse_rows.hpp"

#include <algorithm>
#include <cmath>

#include "joint_terms.hpp"

namespace polyform::particles {

SparseRows::SparseRows(const SystemView& view, const Layout& layout, const SparsePattern& pattern,
                       std::span<const ElementConstraint> elements, SparseValues& values)
    : view_(view), layout_(layout), pattern_(pattern), elements_(elements), values_(values) {}

void SparseRows::set(const PlacedBodies& placed, Level level) noexcept {
  placed_ = &placed;
  level_ = level;
  violations_ = placed.violations;
  for (const Group& g : pattern_.groups()) {
    if (g.kind == Group::Kind::distance)
      set_distance_rows(g);
    else if (g.kind == Group::Kind::dependent)
      set_tie_rows(g);
    else if (g.kind == Group::Kind::joint)
      set_joint_rows(g);
    else
      set_element_rows(g);
  }
}

/// Sets Eqs 2.4a–c, halved; their second derivatives are Eqs 2.20.
void SparseRows::set_distance_rows(const Group& g) noexcept {
  static constexpr std::size_t pairs[3][2] = {{1, 0}, {2, 0}, {2, 1}};
  const ParticleBody& body = layout_.bodies[g.index];
  const RowSide& side = pattern_.sides()[g.side];
  for (std::size_t row = 0; row < g.rows; ++row) {
    const auto [i, j] = pairs[g.part + row];
    const Vec3 r_ij = placed_->positions[body.particle[i]] - placed_->positions[body.particle[j]];
    const Vec3 v_ij = placed_->velocities[body.particle[i]] - placed_->velocities[body.particle[j]];
    const Vec3 drawn = body.place[i] - body.place[j];
    const double length = norm(drawn), rate = dot(r_ij, v_ij), error = 0.5 * (dot(r_ij, r_ij) - length * length);
    for (const std::size_t entry : side.entry)
      if (entry != none) values_.coefficients[pattern_.entries()[entry].first + row] = {};
    if (side.entry[i] != none) values_.coefficients[pattern_.entries()[side.entry[i]].first + row] = r_ij;
    if (side.entry[j] != none) values_.coefficients[pattern_.entries()[side.entry[j]].first + row] = -r_ij;
    violations_.position = std::max(violations_.position, std::abs(error) / length);
    violations_.velocity = std::max(violations_.velocity, std::abs(rate) / length);
    values_.right[g.chunk.first + row] = level_ == Level::position   ? -error
                                         : level_ == Level::velocity ? 0
                                                                     : -dot(v_ij, v_ij);
  }
}

/// Sets Eq 2.10 as a constraint; Eqs 2.12 and 2.13 are its derivatives.
void SparseRows::set_tie_rows(const Group& g) noexcept {
  const ParticleBody& body = layout_.bodies[g.index];
  const auto [p1, p2, p4] = body.particle;
  const DependentParticle& dependent = body.dependents[g.part];
  const RowSide& side = pattern_.sides()[g.side];
  const PointRows rows(placed_->triangles[g.index], dependent.invariants);
  for (std::size_t k = 0; k < 3; ++k) {
    if (side.entry[k] == none) continue;
    const Mat3 B = rows.matrix(k);
    for (std::size_t row = 0; row < 3; ++row)
      values_.coefficients[pattern_.entries()[side.entry[k]].first + row] = -B.row(row);
  }
  const std::size_t own = pattern_.entries()[g.entry + g.entries - 1].first;
  for (std::size_t row = 0; row < 3; ++row) {
    values_.coefficients[own + row] = {};
    values_.coefficients[own + row][row] = 1;
  }
  const Vec3 error = placed_->positions[dependent.particle] - placed_->positions[p1] -
                     placed_->triangles[g.index].point(dependent.invariants);
  const Vec3 rate = placed_->velocities[dependent.particle] -
                    rows(placed_->velocities[p1], placed_->velocities[p2], placed_->velocities[p4]);
  const Vec3 v21 = placed_->velocities[p2] - placed_->velocities[p1],
             v41 = placed_->velocities[p4] - placed_->velocities[p1];
  const Vec3 right = level_ == Level::position       ? -error
                     : level_ == Level::acceleration ? velocity_term(dependent.invariants, v21, v41)
                                                     : Vec3{};
  for (std::size_t row = 0; row < 3; ++row) {
    violations_.position = std::max(violations_.position, std::abs(error[row]));
    violations_.velocity = std::max(violations_.velocity, std::abs(rate[row]));
    values_.right[g.chunk.first + row] = right[row];
  }
}

void SparseRows::clear_rows(const Group& g) noexcept {
  for (std::size_t e = g.entry; e < g.entry + g.entries; ++e)
    std::fill_n(values_.coefficients.begin() + static_cast<std::ptrdiff_t>(pattern_.entries()[e].first), g.rows,
                Vec3{});
  std::fill_n(values_.right.begin() + static_cast<std::ptrdiff_t>(g.chunk.first), g.rows, 0.0);
  std::fill_n(values_.row_size.begin() + static_cast<std::ptrdiff_t>(g.chunk.first), g.rows, 0.0);
}

/// Adds a body's share of a row as shares of its particles. about_origin multiplies the body's angular velocity and the
/// velocity of its frame origin.
void SparseRows::add_to_row(const Group& g, std::size_t row, BodyIndex b, const Spatial& about_origin) noexcept {
  if (is_ground(b)) return;
  const RowSide* side = &pattern_.sides()[g.side];
  while (side->body != at(b)) ++side;
  Vec3 f[3];
  share_among_particles(layout_, *placed_, at(b), about_origin, f);
  for (std::size_t k = 0; k < 3; ++k) {
    values_.row_size[g.chunk.first + row] += dot(f[k], f[k]);  // also on ground: the others may have rounding only
    if (side->entry[k] != none) values_.coefficients[pattern_.entries()[side->entry[k]].first + row] += f[k];
  }
}

/// Adds the row t · V_FM (F axes at the origin of M) of a joint.
void SparseRows::add_joint_row(const Group& g, std::size_t row, std::size_t j, const Spatial& t) noexcept {
  const JointData& joint = view_.joints[j];
  const ConstraintRow r =
      constraint_row(joint, motion_of(joint.base, placed_->motions), motion_of(joint.moving, placed_->motions), t);
  add_to_row(g, row, joint.moving, r.moving);
  add_to_row(g, row, joint.base, r.base);
}

Spatial SparseRows::terms_of_joint(std::size_t j) const noexcept {
  return joint_velocity_terms(view_.joints[j], layout_, *placed_);
}

/// Sets the rows of a joint in particle coordinates: for a tree joint those that its shared particles do not satisfy
/// (prismatic: Eqs 2.29 without their redundant ones), for a cut joint all.
void SparseRows::set_joint_rows(const Group& g) noexcept {
  clear_rows(g);
  const JointConstraint& c = placed_->joints[g.index];
  const bool shares_point = !g.loop && shared_particles(view_.joints[g.index]) == 1;
  const Spatial terms = level_ == Level::acceleration ? c.motion.bias - terms_of_joint(g.index) : Spatial{};
  // If H loses rank, there are more rows than the joint has room for; the first ones suffice.
  for (std::size_t i = 0, row = 0; i < c.rows && row < g.rows; ++i) {
    if (shares_point && dot(c.T[i].linear, c.T[i].linear) > 0.5) continue;
    add_joint_row(g, row, g.index, c.T[i]);
    values_.right[g.chunk.first + row++] = level_ == Level::position   ? -c.residual[i]
                                           : level_ == Level::velocity ? dot(c.T[i], c.drift)
                                                                       : dot(c.T[i], terms);
  }
}

void SparseRows::set_element_rows(const Group& g) noexcept {
  const ElementConstraint& constraint = elements_[g.index];
  const ConstraintSet::Element& element = *constraint.rows;
  clear_rows(g);
  for (std::size_t i = 0; i < g.rows; ++i) {
    if (element.is_holonomic(i)) violations_.position = std::max(violations_.position, std::abs(element.residual[i]));
    double& right = values_.right[g.chunk.first + i];
    right = level_ == Level::position   ? -element.residual[i]
            : level_ == Level::velocity ? element.velocity_right[i]
                                        : element.acceleration_right[i];
    if (level_ == Level::position && !element.is_holonomic(i)) {
      right = 0;  // the row has no coefficients either: it says nothing about positions
      continue;
    }
    double rate = -element.velocity_right[i];
    if (constraint.module != nullptr) rate += set_variable_row(g, *constraint.module, i);
    for (std::size_t m = 0; m < element.markers.size(); ++m) {
      const Spatial& a = element.A[i * element.markers.size() + m];
      const MarkerMotion& motion = element.motions[m];
      rate += dot(a.angular, motion.angular_velocity) + dot(a.linear, motion.velocity);
      const BodyIndex b = element.markers[m].body;
      if (is_ground(b)) continue;
      const Vec3& arm = element.arms[m];
      add_to_row(g, i, b, {a.angular + cross(arm, a.linear), a.linear});
      if (level_ != Level::acceleration) continue;
      const Vec3& w = motion.angular_velocity;
      const Spatial terms = velocity_terms(layout_, *placed_, b);
      right -=
          dot(a.angular, terms.angular) + dot(a.linear, terms.linear + cross(terms.angular, arm) + centripetal(w, arm));
    }
    const double* B = element.B.data() + i * element.velocities;
    for (const JointIndex index : element.joints) {
      // v = H⁺ V_FM, so the row B v is t · V_FM with t = H (HᵀH)⁻¹ Bᵀ, which is also the wrench of an effort B.
      const std::size_t j = at(index);
      const Spatial t = effort_wrench(placed_->joints[j].motion, view_.joints[j].nv, B);
      add_joint_row(g, i, j, t);
      rate += dot(t, placed_->joints[j].relative.twist);
      if (level_ == Level::velocity) right += dot(t, placed_->joints[j].drift);
      if (level_ == Level::acceleration) right += dot(t, placed_->joints[j].motion.bias - terms_of_joint(j));
      B += view_.joints[j].nv;
    }
    violations_.velocity = std::max(violations_.velocity, std::abs(rate));
  }
}

/// Sets A u, a module's own part of one of its rows, and returns it. Steps of positions move only integrals of
/// variables.
double SparseRows::set_variable_row(const Group& g, const ModuleSet::Module& module, std::size_t row) noexcept {
  const double* A = module.A.data() + row * module.variables;
  const RowEntry* entry = pattern_.entries(g).data() + g.entries - (module.variables + 2) / 3;
  double rate = 0;
  for (std::size_t k = 0; k < module.variables; ++k) {
    rate += A[k] * x_[module.u + k];
    if (level_ == Level::position && !module.is_integrated(k)) continue;
    values_.coefficients[entry[k / 3].first + row][k % 3] = A[k];
    values_.row_size[g.chunk.first + row] += A[k] * A[k];
  }
  return rate;
}

/// Sets M of the modules. A place without a variable has unit mass; so has, while positions are moved, a variable
/// without integral.
void SparseRows::set_variable_masses() noexcept {
  Mat3* block = values_.of_variables.data();
  for (const VariableParticles& of : pattern_.variables()) {
    const ModuleSet::Module& module = *of.module;
    const auto stands = [&](std::size_t k) {
      return k >= module.variables || (level_ == Level::position && !module.is_integrated(k));
    };
    for (std::size_t a = 0; a < of.count; ++a)
      for (std::size_t b = 0; b < of.count; ++b, ++block)
        for (std::size_t r = 0; r < 3; ++r)
          for (std::size_t c = 0; c < 3; ++c) {
            const std::size_t k = 3 * a + r, l = 3 * b + c;
            (*block)(r, c) = stands(k) || stands(l) ? (k == l ? 1.0 : 0.0) : module.M[k * module.variables + l];
          }
  }
}

/// M of each body: with r̈_3 from Eq 2.14, Σ weight_ij r̈_i · r̈_j becomes blocks
/// weight_ab + weight_a3 B_b + weight_3b B_aᵀ + weight_33 B_aᵀ B_b on the particles 1, 2 and 4.
void SparseRows::set_masses(const PlacedBodies& placed) noexcept {
  set_variable_masses();
  static constexpr std::size_t primary[3] = {0, 1, 3};
  for (std::size_t i = 0; i < values_.masses.size(); ++i) {
    const ParticleBody& body = layout_.bodies[i];
    const auto& weight = body.masses.weight;
    std::array<Mat3, 6>& mass = values_.masses[i];
    if (body.masses.representation != Representation::four) {
      for (std::size_t a = 0, k = 0; a < 3; ++a)
        for (std::size_t b = 0; b <= a; ++b, ++k) mass[k] = weight[primary[a]][primary[b]] * Mat3::identity();
      continue;
    }
    const PointRows B(placed.triangles[i], body.third);
    const double w33 = weight[2][2];
    for (std::size_t a = 0, k = 0; a < 3; ++a)
      for (std::size_t b = 0; b <= a; ++b, ++k) {
        const double wa3 = weight[primary[a]][2], w3b = weight[2][primary[b]];
        const Vec3 &ua = B.u[a], &ub = B.u[b];
        const double diagonal =
            weight[primary[a]][primary[b]] + wa3 * B.s[b] + w3b * B.s[a] + w33 * (B.s[a] * B.s[b] + dot(ua, ub));
        Mat3& block = mass[k];
        block = skew((wa3 + w33 * B.s[a]) * ub - (w3b + w33 * B.s[b]) * ua);
        for (std::size_t r = 0; r < 3; ++r) {
          block(r, r) += diagonal;
          for (std::size_t c = 0; c < 3; ++c) block(r, c) -= w33 * ub[r] * ua[c];
        }
      }
  }
}

}  // namespace polyform::particles
