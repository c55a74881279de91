// What acts on the particles, and their accelerations by the recursion or by the sparse system.
#include <algorithm>
#include <cmath>

#include "particle_system_detail.hpp"

namespace polyform::particles {

using detail::add;
using detail::load;

/// Adds a wrench about the frame origin of a body to its load about particle 1, or to the forces on its particles.
void ParticleSystem::apply(BodyIndex b, const Spatial& about_origin) noexcept {
  if (is_ground(b)) return;
  const auto& particle = layout_.bodies[at(b)].particle;
  const Vec3 from_origin = positions_[particle[0]] - motions_[at(b)].p;
  const Spatial about_first{about_origin.angular - cross(from_origin, about_origin.linear), about_origin.linear};
  if (recursive_) {
    loads_[at(b)] += about_first;
    return;
  }
  Vec3 f[3];
  triangles_[at(b)].distribute(about_first, f[0], f[1], f[2]);
  for (std::size_t k = 0; k < 3; ++k)
    if (chunks_[particle[k]].block != none) add(f[k], data_.data() + chunks_[particle[k]].first);
}

/// The generalized force of a joint as a pair of wrenches on its bodies.
void ParticleSystem::apply_joint_effort(std::size_t j) noexcept {
  const JointData& joint = view_.joints[j];
  const double* effort = efforts_.data() + joint.v_offset;
  if (std::all_of(effort, effort + joint.nv, [](double e) { return e == 0; })) return;
  const ConstraintRow w = constraint_row(joint, motion_of(joint.base, motions_), motion_of(joint.moving, motions_),
                                         effort_wrench(constraint_of(j).motion, joint.nv, effort));
  apply(joint.moving, w.moving);
  apply(joint.base, w.base);
}

bool ParticleSystem::find_accelerations(std::span<const Spatial> wrenches, std::span<const double> efforts) noexcept {
  failure_size_ = 0;
  if (!recursive_)
    set_own_forces();
  else if (needs_motions_)
    std::fill(loads_.begin(), loads_.end(), Spatial{});
  for (const BodyIndex b : loaded_) apply(b, wrenches[at(b)]);
  std::copy(efforts.begin(), efforts.end(), efforts_.begin());
  for (std::size_t j = 0; j < view_.joints.size(); ++j)
    if (needed_[j]) apply_joint_effort(j);
  return recursive_ ? find_by_recursion() : find_by_solution();
}

bool ParticleSystem::find_by_recursion() noexcept {
  Recursion::Input input = recursion_input();
  if (needs_motions_) input.loads = loads_;
  if (!recursion_.accelerations(input, accelerations_)) return fail_recursion();
  Vec3 sum;
  for (const Vec3& a : accelerations_) sum += a;
  return std::isfinite(sum.x + sum.y + sum.z) || fail_not_finite();
}

bool ParticleSystem::fail_load(std::size_t body) noexcept {
  return fail("The load on body `{}` is not finite: a force, the state or the time step has gone astray",
              view_.bodies[body].name);
}

bool ParticleSystem::fail_not_finite() noexcept {
  const auto finite = [](const Vec3& v) { return std::isfinite(v.x + v.y + v.z); };
  for (std::size_t i = 0; i < loads_.size() && needs_motions_; ++i)
    if (!finite(loads_[i].angular) || !finite(loads_[i].linear)) return fail_load(i);
  for (std::size_t p = 0; p < accelerations_.size(); ++p)
    if (!finite(accelerations_[p]))
      return fail(
          "The accelerations of body `{}` are not finite. Likely causes: too large a time step, or a loop that without "
          "correction has drifted open and passes a singular position",
          view_.bodies[layout_.particles[p].body].name);
  return fail("The accelerations are too large to be numbers: too large a time step");
}

bool ParticleSystem::fail_recursion() noexcept {
  const std::size_t i = recursion_.failed_joint();
  const auto& place = layout_.bodies[i].place;
  const double drawn = norm(place[1] - place[0]);
  if (!(std::abs(norm(triangles_[i].r21) - drawn) < 0.1 * drawn))
    return fail("The particles of body `{}` are far from their distances. Likely cause: too large a time step",
                view_.bodies[i].name);
  return fail(
      "Body `{}` has no mass or inertia for a motion that joint `{}` leaves free, or with all that it carries so "
      "little that "
      "it is lost in rounding: give it some, or a joint that holds it{}",
      view_.bodies[i].name, view_.joints[i].name,
      loops_.layout().carries(i) ? "; where its loop does, the option `equations: sparse` counts on that" : "");
}

/// Weight and velocity terms of all particles.
void ParticleSystem::set_own_forces() noexcept {
  for (std::size_t p = 0; p < chunks_.size(); ++p)
    if (chunks_[p].block != none) std::fill_n(data_.data() + chunks_[p].first, 3, 0.0);
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    // Weight m̄_i g of the primary particles, and what the velocity term of r̈_3 takes away (Eqs 2.15, 2.16).
    const ParticleBody& body = layout_.bodies[i];
    const auto [p1, p2, p4] = body.particle;
    const EquivalentParticles& m = body.masses;
    const Vec3 c = velocity_term(body.third, velocities_[p2] - velocities_[p1], velocities_[p4] - velocities_[p1]);
    const auto force = [&](std::size_t k) { return m.total[k] * view_.gravity - m.weight[k][2] * c; };
    Vec3 f[3] = {force(0), force(1), force(3)};
    if (m.representation == Representation::four) {
      const PointRows B(triangles_[i], body.third);
      const Vec3 f3 = force(2);
      for (std::size_t k = 0; k < 3; ++k) f[k] += B.s[k] * f3 - cross(B.u[k], f3);
    }
    for (std::size_t k = 0; k < 3; ++k)
      if (chunks_[body.particle[k]].block != none) add(f[k], data_.data() + chunks_[body.particle[k]].first);
  }
}

bool ParticleSystem::find_by_solution() noexcept {
  for (const Group& g : groups_) {
    if (g.kind != Kind::element) continue;
    for (std::size_t e = g.entry; e < g.entry + g.entries; ++e)
      for (std::size_t row = 0; row < g.rows; ++row)
        add(elements_.elements()[g.index].effort[row] * coefficients_[entries_[e].first + row],
            data_.data() + chunks_[entries_[e].particle].first);
  }
  std::fill(solution_.begin(), solution_.end(), 0.0);
  Refinement r{0};
  if (!solve(r)) return fail_with(r);
  if (!check_solution(r)) return false;
  for (std::size_t p = 0; p < chunks_.size(); ++p)
    if (chunks_[p].block != none) accelerations_[p] = load(solution_.data() + chunks_[p].first);
  return true;
}

bool ParticleSystem::is_beside_singular_position() const {
  return recursive_ && !loops_.empty() && loops_.is_nearly_singular() &&
         loops_.constraints().position_violation() > loops_.constraints().position_rounding();
}

bool ParticleSystem::check_regular() noexcept {
  failure_size_ = 0;
  recursion_.look();
  const bool regular = std::none_of(masses_.begin(), masses_.end(), [](const Mass& m) { return m.singular; });
  if (recursive_)
    return (regular && loops_.empty()) || recursion_.corrections(recursion_input(), true, accelerations_) ||
           fail_recursion();
  if (regular) return true;
  // A load without regular pattern moves whatever can move: where nothing resists, no solution balances it. One may by
  // chance be across the motion in question, three are not.
  for (const double phase : {0.3, 2.1, 4.6}) {
    std::fill(data_.begin(), data_.end(), 0.0);
    std::fill(solution_.begin(), solution_.end(), 0.0);
    for (std::size_t p = 0; p < chunks_.size(); ++p)
      for (std::size_t k = 0; k < 3 && chunks_[p].block != none; ++k)
        data_[chunks_[p].first + k] =
            (0.3 + std::sin(1.7 * static_cast<double>(3 * p + k) + phase)) * masses_[layout_.particles[p].body].scale;
    Refinement r{1e-9};
    if (!solve(r)) return fail_with(r);
    if (r.particle_error >= 1e-3 && !check_solution(r)) return false;
  }
  return true;
}

}  // namespace polyform::particles
