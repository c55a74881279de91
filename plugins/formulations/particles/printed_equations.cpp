#include "printed_equations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "joint_terms.hpp"

namespace polyform::particles {
namespace {

/// The full matrix for 9000 particles takes half a gigabyte, and an evaluation takes minutes.
constexpr std::size_t most_unknowns = 9000;

Vec3 row_of(const Vec3& direction, const Mat3& m) { return transpose_times(m, direction); }

std::size_t unknowns(const SystemView& view, const Layout& layout) {
  std::size_t count = 3 * layout.moving;
  for (const JointData& cut : view.cut_joints()) count += 6 - cut.nv;
  return count;
}

}  // namespace

bool PrintedEquations::carries(const SystemView& view, std::string& why) {
  std::size_t most = 9 * view.bodies.size();
  for (const JointData& cut : view.cut_joints()) most += 6 - cut.nv;
  if (most > most_unknowns)
    why = fmt::format("up to {} unknowns in one full matrix are too many; it is limited to {}", most, most_unknowns);
  return most <= most_unknowns;
}

PrintedEquations::PrintedEquations(const SystemView& view, const Layout& layout, std::span<const BodyIndex> loaded)
    : RecursiveEquations(view, layout, loaded),
      first_rows_(view.bodies.size()),
      tree_(view.bodies.size()),
      cuts_(view.cut_joints().size()),
      system_(unknowns(view, layout)) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const ParticleBody& body = layout.bodies[i];
    const JointData& joint = view.joints[i];
    const std::size_t shared = shared_particles(joint);
    TreeJoint& tree = tree_[i];
    first_rows_[i] = rows;
    tree.row = rows + (body.inherited == 3 ? 0 : body.inherited == 2 ? 2 : 3) + 3 * body.dependents.size();
    tree.directions = std::min<std::size_t>(joint.nv, 6);
    // Of the conditions of its joint, one shared particle meets three, two meet five and three meet all.
    const std::size_t met = tree.directions + 3 * shared;
    tree.constraints = shared >= 2 || met > 6 ? 0 : 6 - met;
    rows = tree.row + tree.constraints + tree.directions;
  }
  std::size_t column = 3 * layout.moving;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const JointData& joint = view.cut_joints()[i];
    CutJoint& cut = cuts_[i];
    cut.row = rows;
    cut.column = column;
    cut.rows = 6 - joint.nv;
    rows += cut.rows;
    column += cut.rows;
    std::vector<bool> below_base(view.bodies.size());
    const auto inboard = [&](BodyIndex b) { return view.joints[at(b)].inboard(); };
    for (BodyIndex b = joint.base; !is_ground(b); b = inboard(b)) below_base[at(b)] = true;
    for (BodyIndex b = joint.moving; !is_ground(b); b = inboard(b)) {
      if (!below_base[at(b)]) cut.of_moving.push_back(at(b));
      below_base[at(b)] = false;
    }
    for (BodyIndex b = joint.base; !is_ground(b) && below_base[at(b)]; b = inboard(b)) cut.of_base.push_back(at(b));
  }
}

void PrintedEquations::add(std::size_t row, std::size_t particle, const Vec3& c) noexcept {
  const std::size_t slot = layout_.particles[particle].slot;
  if (slot == none) return;  // a particle on ground does not accelerate
  system_.add(row, 3 * slot, c.x);
  system_.add(row, 3 * slot + 1, c.y);
  system_.add(row, 3 * slot + 2, c.z);
}

/// Sets Eqs 2.20: r_abᵀ r̈_ab = −ṙ_abᵀ ṙ_ab for the pairs that the body brings.
void PrintedEquations::set_distances(std::size_t i, const PlacedBodies& in, std::size_t& row) noexcept {
  const ParticleBody& body = layout_.bodies[i];
  constexpr std::size_t pairs[3][2] = {{1, 0}, {2, 0}, {2, 1}};
  for (std::size_t k = body.inherited == 3 ? 3 : body.inherited == 2 ? 1 : 0; k < 3; ++k, ++row) {
    const std::size_t a = body.particle[pairs[k][0]], b = body.particle[pairs[k][1]];
    const Vec3 r = in.positions[a] - in.positions[b], v = in.velocities[a] - in.velocities[b];
    add(row, a, r);
    add(row, b, -r);
    system_.add_right(row, -dot(v, v));
  }
}

/// Sets Eq 2.26 for the particles that follow those of the body.
void PrintedEquations::set_dependents(std::size_t i, const PlacedBodies& in, std::size_t& row) noexcept {
  const ParticleBody& body = layout_.bodies[i];
  const auto [p1, p2, p4] = body.particle;
  const Vec3 v21 = in.velocities[p2] - in.velocities[p1], v41 = in.velocities[p4] - in.velocities[p1];
  constexpr Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const DependentParticle& dependent : body.dependents) {
    const PointRows rows(in.triangles[i], dependent.invariants);
    const Vec3 term = velocity_term(dependent.invariants, v21, v41);
    for (const Vec3& axis : axes) {
      add(row, dependent.particle, axis);
      for (std::size_t k = 0; k < 3; ++k) add(row, body.particle[k], -row_of(axis, rows.matrix(k)));
      system_.add_right(row++, dot(axis, term));
    }
  }
}

/// Finds the momenta of Eqs 2.15, 2.16.
PrintedEquations::Momenta PrintedEquations::momenta_of(std::size_t i, const PlacedBodies& in) const noexcept {
  const ParticleBody& body = layout_.bodies[i];
  const Triangle& t = in.triangles[i];
  const auto [p1, p2, p4] = body.particle;
  const auto& weight = body.masses.weight;
  const auto& total = body.masses.total;
  const Vec3 r_k1[4] = {{}, t.r21, t.point(body.third), t.r41};
  const auto A = [&](std::size_t k) {  // Eq 2.6
    Vec3 sum;
    for (std::size_t j = 1; j < 4; ++j) sum += weight[k][j] * r_k1[j];
    return skew(sum);
  };
  const PointRows third(t, body.third);
  constexpr std::size_t number[3] = {0, 1, 3};  // of particles 1, 2 and 4
  Momenta m;
  for (std::size_t k = 0; k < 3; ++k) {
    m.linear[k] = total[number[k]] * Mat3::identity() + total[2] * third.matrix(k);
    m.angular[k] = A(number[k]) + A(2) * third.matrix(k);
  }
  const Vec3 term =
      velocity_term(body.third, in.velocities[p2] - in.velocities[p1], in.velocities[p4] - in.velocities[p1]);
  Vec3 first;
  for (std::size_t k = 0; k < 4; ++k) first += total[k] * r_k1[k];
  m.force = view_.bodies[i].mass * view_.gravity - total[2] * term;
  m.moment = cross(first, view_.gravity) - A(2) * term;
  if (const std::span<const Spatial> all = loads(); !all.empty()) {
    m.force += all[i].linear;
    m.moment += all[i].angular;
  }
  return m;
}

/// Sets the motions that a joint leaves free, at particle 1 of its body: for a spherical joint all turns about the
/// shared particle, for a revolute joint the turns about its two particles (Step 3), for a free body all motions, for
/// any other joint those of its motion subspace.
void PrintedEquations::set_directions(std::size_t i, const PlacedBodies& in) noexcept {
  TreeJoint& joint = tree_[i];
  const Hinge hinge = links()[i].hinge;
  if (hinge == Hinge::revolute) {
    joint.H[0] = {in.triangles[i].r21, {}};
    return;
  }
  if (hinge == Hinge::general) {
    const DirectionsAtFirst of_joint(view_.joints[i], layout_, in, i);
    for (std::size_t k = 0; k < joint.directions; ++k) joint.H[k] = of_joint[k];
    return;
  }
  for (std::size_t k = 0; k < joint.directions; ++k) {
    joint.H[k] = {};
    joint.H[k][k] = 1;
  }
}

/// Adds a row t · A_FM of a joint (F axes at the origin of M) without its velocity terms, in the particles of both
/// bodies.
void PrintedEquations::add_row(std::size_t row, const JointData& joint, const Spatial& t,
                               const PlacedBodies& in) noexcept {
  const ConstraintRow shares =
      constraint_row(joint, motion_of(joint.base, in.motions), motion_of(joint.moving, in.motions), t);
  const auto share = [&](BodyIndex b, const Spatial& about_origin) {
    if (is_ground(b)) return;
    Vec3 f[3];
    share_among_particles(layout_, in, at(b), about_origin, f);
    for (std::size_t k = 0; k < 3; ++k) add(row, layout_.bodies[at(b)].particle[k], f[k]);
  };
  share(joint.moving, shares.moving);
  share(joint.base, shares.base);
}

/// Sets the conditions of a tree joint that shared particles do not meet: for a prismatic joint all five of Eqs 2.29,
/// of which the paper prints seven.
void PrintedEquations::set_constraints(std::size_t i, const PlacedBodies& in) noexcept {
  const TreeJoint& tree = tree_[i];
  if (tree.constraints == 0) return;
  const JointData& joint = view_.joints[i];
  const JointConstraint& c = in.joints[i];
  const Spatial terms = c.motion.bias - joint_velocity_terms(joint, layout_, in);
  const bool shares_point = shared_particles(joint) == 1;
  for (std::size_t k = 0, row = tree.row; k < c.rows && row < tree.row + tree.constraints; ++k) {
    if (shares_point && dot(c.T[k].linear, c.T[k].linear) > 0.5) continue;
    add_row(row, joint, c.T[k], in);
    system_.add_right(row++, dot(c.T[k], terms));
  }
}

/// Sets the constraints of a cut joint, and enters its force as an unknown in the momenta of the joints of both chains.
/// A row that depends on others is left out, and its multiplier is zero.
void PrintedEquations::set_cut(std::size_t i, const PlacedBodies& in) noexcept {
  const CutJoint& cut = cuts_[i];
  const JointData& joint = view_.cut_joints()[i];
  const JointConstraint& c = loops().constraints().joint(i);
  const Spatial terms = c.motion.bias - joint_velocity_terms(joint, layout_, in);
  const unsigned left_out = loops().rows().left_out(i);
  for (std::size_t k = 0; k < cut.rows; ++k) {
    if (k >= c.rows || (left_out >> k & 1) != 0) {
      system_.add(cut.row + k, cut.column + k, 1);
      continue;
    }
    add_row(cut.row + k, joint, c.T[k], in);
    system_.add_right(cut.row + k, dot(c.T[k], terms));
    const ConstraintRow wrench =
        constraint_row(joint, motion_of(joint.base, in.motions), motion_of(joint.moving, in.motions), c.T[k]);
    for (const std::size_t j : cut.of_moving) add_force(j, cut.column + k, joint.moving, wrench.moving, in);
    for (const std::size_t j : cut.of_base) add_force(j, cut.column + k, joint.base, wrench.base, in);
  }
}

/// Adds the wrench of a unit multiplier on a body, about its frame origin, to the rows of momenta of a joint inboard of
/// it.
void PrintedEquations::add_force(std::size_t i, std::size_t column, BodyIndex b, const Spatial& wrench,
                                 const PlacedBodies& in) noexcept {
  const TreeJoint& joint = tree_[i];
  const Vec3 arm = in.motions[at(b)].p - in.positions[layout_.bodies[i].particle[0]];
  const Spatial about_joint{wrench.angular + cross(arm, wrench.linear), wrench.linear};
  for (std::size_t k = 0; k < joint.directions; ++k)
    system_.add(joint.row + joint.constraints + k, column, -dot(joint.H[k], about_joint));
}

/// Adds the part of body `body` to the rows of a joint inboard of it (Eqs 2.21, 2.27, 2.30, 2.31), about particle 1 of
/// that joint's body: the body's momenta along the motions that the joint leaves.
void PrintedEquations::add_to_joint(std::size_t i, std::size_t body, const Momenta& m,
                                    const PlacedBodies& in) noexcept {
  const TreeJoint& joint = tree_[i];
  const Vec3 arm = in.positions[layout_.bodies[body].particle[0]] - in.positions[layout_.bodies[i].particle[0]];
  for (std::size_t d = 0; d < joint.directions; ++d) {
    const std::size_t row = joint.row + joint.constraints + d;
    const Vec3& turn = joint.H[d].angular;
    const Vec3 along = joint.H[d].linear + cross(turn, arm);
    for (std::size_t k = 0; k < 3; ++k)
      add(row, layout_.bodies[body].particle[k], row_of(turn, m.angular[k]) + row_of(along, m.linear[k]));
    system_.add_right(row, dot(turn, m.moment) + dot(along, m.force));
  }
}

Spatial PrintedEquations::cut_force(std::size_t i, const BodyMotion& base) const noexcept {
  const CutJoint& cut = cuts_[i];
  const JointConstraint& c = loops().constraints().joint(i);
  Spatial wrench;
  for (std::size_t k = 0; k < cut.rows && k < c.rows; ++k) wrench += system_.solution()[cut.column + k] * c.T[k];
  return reaction_in_ground(base, wrench);
}

bool PrintedEquations::find_accelerations(const PlacedBodies& placed, const Applied& applied,
                                          std::span<Vec3> out) noexcept {
  failure_.clear();
  find_loads(placed, applied);
  system_.clear();
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    std::size_t row = first_rows_[i];
    set_distances(i, placed, row);
    set_dependents(i, placed, row);
    set_directions(i, placed);
    set_constraints(i, placed);
    const Momenta m = momenta_of(i, placed);
    for (std::int32_t joint = static_cast<std::int32_t>(i); joint >= 0;
         joint = links()[static_cast<std::size_t>(joint)].parent)
      add_to_joint(static_cast<std::size_t>(joint), i, m, placed);
  }
  for (std::size_t i = 0; i < cuts_.size(); ++i) set_cut(i, placed);
  const bool solved = system_.solve();
  const std::span<const double> solution = system_.solution();
  for (std::size_t p = 0; p < out.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    if (slot == none) continue;
    out[p] = {solution[3 * slot], solution[3 * slot + 1], solution[3 * slot + 2]};
  }
  if (system_.is_singular() && std::isfinite(system_.solution()[0]))
    return failure_.say(
        "The equations as printed do not determine the accelerations: their matrix is singular. Likely causes: a joint "
        "that has lost one of its motions, a loop in a singular position, or a body without inertia. The option "
        "`equations: automatic` takes care of these");
  return solved || fail_not_finite(out);
}

}  // namespace polyform::particles
