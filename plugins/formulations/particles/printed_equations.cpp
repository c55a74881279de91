#include "printed_equations.hpp"

#include <fmt/format.h>

#include <cmath>

namespace polyform::particles {
namespace {

/// 9000 particles' worth of the full matrix: half a gigabyte, and minutes for one evaluation.
constexpr std::size_t most_unknowns = 9000;

std::size_t momentum_rows(Hinge hinge) {
  switch (hinge) {
    case Hinge::spherical:
    case Hinge::spherical_in_loop:
      return 3;
    case Hinge::revolute:
      return 1;
    case Hinge::free:
      return 6;
    default:
      return 0;
  }
}
bool is_printed(const JointData& joint) {
  const bool is_single = joint.primitives.size() == 1 && joint.primitives[0].kind != Primitive::Kind::translation;
  return joint.kernel == nullptr && (joint.nv == 0 || joint.nv == 6 || is_single);
}
Vec3 row_of(const Vec3& direction, const Mat3& m) { return transpose_times(m, direction); }

}  // namespace

bool PrintedEquations::carries(const SystemView& view, std::string& why) {
  if (!view.cut_joints().empty()) {
    why = fmt::format("joint `{}` closes a loop, and the equations as printed are those of trees",
                      view.cut_joints()[0].name);
    return false;
  }
  for (const JointData& joint : view.joints) {
    if (is_printed(joint)) continue;
    why = fmt::format(
        "joint `{}` is neither spherical nor revolute: Steps 1 to 3 have no equation for it, and Eqs 2.29 of "
        "Step 4 are seven rows for five conditions",
        joint.name);
    return false;
  }
  if (const std::size_t unknowns = 9 * view.bodies.size(); unknowns > most_unknowns) {
    why =
        fmt::format("up to {} unknowns in one full matrix are too many; it is limited to {}", unknowns, most_unknowns);
    return false;
  }
  return true;
}

PrintedEquations::PrintedEquations(const SystemView& view, const Layout& layout, std::span<const BodyIndex> loaded)
    : RecursiveEquations(view, layout, loaded), momentum_rows_(view.bodies.size()), system_(3 * layout.moving) {
  std::size_t rows = 0;
  for (std::size_t i = 0; i < layout.bodies.size(); ++i) {
    const ParticleBody& body = layout.bodies[i];
    rows += body.inherited == 3 ? 0 : body.inherited == 2 ? 2 : 3;
    rows += 3 * body.dependents.size();
    momentum_rows_[i] = rows;
    rows += momentum_rows(links()[i].hinge);
  }
}

void PrintedEquations::add(std::size_t row, std::size_t particle, const Vec3& c) noexcept {
  const std::size_t slot = layout_.particles[particle].slot;
  if (slot == none) return;  // on ground, which does not accelerate
  system_.add(row, 3 * slot, c.x);
  system_.add(row, 3 * slot + 1, c.y);
  system_.add(row, 3 * slot + 2, c.z);
}

/// Eqs 2.20: r_abᵀ r̈_ab = −ṙ_abᵀ ṙ_ab of the pairs that the body brings.
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

/// Eq 2.26 of the particles that follow those of the body.
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

/// Eqs 2.15, 2.16.
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

/// What body `body` adds to the rows of a joint inboard of it (Eqs 2.21, 2.27), about particle 1 of that joint's body.
void PrintedEquations::add_to_joint(std::size_t joint, std::size_t body, const Momenta& m,
                                    const PlacedBodies& in) noexcept {
  const Hinge hinge = links()[joint].hinge;
  const Vec3 arm = in.positions[layout_.bodies[body].particle[0]] - in.positions[layout_.bodies[joint].particle[0]];
  std::size_t row = momentum_rows_[joint];
  const auto add_moment = [&](const Vec3& axis) {
    for (std::size_t k = 0; k < 3; ++k)
      add(row, layout_.bodies[body].particle[k], row_of(axis, m.angular[k]) - row_of(cross(arm, axis), m.linear[k]));
    system_.add_right(row++, dot(axis, m.moment + cross(arm, m.force)));
  };
  if (hinge == Hinge::revolute) return add_moment(in.triangles[joint].r21);  // Step 3
  constexpr Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (momentum_rows(hinge) == 0) return;
  for (const Vec3& axis : axes) add_moment(axis);
  if (hinge != Hinge::free) return;
  for (const Vec3& axis : axes) {  // Eq 2.27
    for (std::size_t k = 0; k < 3; ++k) add(row, layout_.bodies[body].particle[k], row_of(axis, m.linear[k]));
    system_.add_right(row++, dot(axis, m.force));
  }
}

bool PrintedEquations::find_accelerations(const PlacedBodies& placed, const Applied& applied,
                                          std::span<Vec3> out) noexcept {
  failure_.clear();
  find_loads(placed, applied);
  system_.clear();
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    std::size_t row = i == 0 ? 0 : momentum_rows_[i - 1] + momentum_rows(links()[i - 1].hinge);
    set_distances(i, placed, row);
    set_dependents(i, placed, row);
    const Momenta m = momenta_of(i, placed);
    for (std::int32_t joint = static_cast<std::int32_t>(i); joint >= 0;
         joint = links()[static_cast<std::size_t>(joint)].parent)
      add_to_joint(static_cast<std::size_t>(joint), i, m, placed);
  }
  const bool finite = system_.solve();
  const std::span<const double> solution = system_.solution();
  for (std::size_t p = 0; p < out.size(); ++p) {
    const std::size_t slot = layout_.particles[p].slot;
    if (slot == none) continue;
    out[p] = {solution[3 * slot], solution[3 * slot + 1], solution[3 * slot + 2]};
  }
  return finite || fail_not_finite(out);
}

}  // namespace polyform::particles
