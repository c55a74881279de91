#include "sparse_equations.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/contradiction.hpp"
#include "refined_solutions.hpp"

namespace polyform::particles {

SparseEquations::SparseEquations(const SystemView& view, const Layout& layout, std::span<const BodyIndex> loaded,
                                 const Vec3& origin)
    : Equations(view, layout, loaded, MovingBodies::Joints::all, true),
      elements_(view, origin),
      scales_(view, layout, elements_.all()),
      pattern_(view, layout, scales_, elements_.all(), matrix_),
      values_(pattern_, view.bodies.size(), matrix_.size()),
      rows_(view, layout, pattern_, elements_.all(), values_),
      factors_(layout, pattern_, scales_, matrix_),
      solver_({view, layout, pattern_, scales_, values_, factors_, failure_}, matrix_.size()) {}

const PlacedBodies& SparseEquations::set_rows(double t, Level level, const ParticleMotion& motion,
                                              const JointValues& joints, bool all_joints) noexcept {
  const PlacedBodies& placed = bodies_.place(motion, joints, all_joints);
  elements_.evaluate(t, placed.motions, joints.q, joints.v, joints.x);
  rows_.read_states(joints.x);
  rows_.set(placed, level);
  return placed;
}

const PlacedBodies& SparseEquations::evaluate(double t, const ParticleMotion& motion, const JointValues& joints,
                                              bool all_joints, bool corrected) noexcept {
  const PlacedBodies& placed = set_rows(t, Level::acceleration, motion, joints, all_joints);
  rows_.set_masses(placed);
  factors_.keep(corrected && factors_.stand());
  return placed;
}

void SparseEquations::clear_forces() noexcept {
  each_particle([&](std::size_t, std::size_t x) { std::fill_n(values_.right.data() + x, 3, 0.0); });
  each_variable([&](std::size_t, std::size_t x) { values_.right[x] = 0; });
}

void SparseEquations::set_module_forces() noexcept {
  for (const VariableParticles& of : pattern_.variables())
    std::ranges::copy(of.module->f,
                      values_.right.begin() + static_cast<std::ptrdiff_t>(pattern_.particles()[of.first].first));
}

/// Does for modules what set_momenta() does, after that has cleared the forces.
void SparseEquations::set_module_momenta(std::span<const double> x) noexcept {
  each_variable([&](std::size_t u, std::size_t at) { solver_.solution()[at] = x[u]; });
  for (const VariableParticles& of : pattern_.variables()) {
    const ModuleSet::Module& m = *of.module;
    for (std::size_t k = 0; k < m.variables; ++k)
      for (std::size_t l = 0; l < m.variables; ++l)
        values_.right[pattern_.particles()[of.first].first + k] += m.M[k * m.variables + l] * x[m.u + l];
  }
}

/// Moves the integrals of modules' variables by the step in the solution.
void SparseEquations::move_states(std::span<double> x) noexcept {
  for (const VariableParticles& of : pattern_.variables())
    for (const ModuleSet::Module::Integral& integral : of.module->integrals)
      x[integral.state] += solver_.solution()[pattern_.particles()[of.first].first + integral.variable];
}

void SparseEquations::module_rates(std::span<double> xdot) const noexcept {
  each_variable([&](std::size_t u, std::size_t at) { xdot[u] = solver_.solution()[at]; });
  elements_.modules().put_rates(xdot);
}

void SparseEquations::module_multipliers(std::span<double> out) const noexcept {
  std::size_t next = 0;
  for (const RowGroup& g : pattern_.groups())
    for (std::size_t row = 0;
         g.kind == RowGroup::Kind::element && elements_.all()[g.index].module != nullptr && row < g.rows; ++row)
      out[next++] = -solver_.solution()[g.chunk.first + row];
}

/// Sets the weight and velocity terms of all particles.
void SparseEquations::set_own_forces(const PlacedBodies& placed) noexcept {
  clear_forces();
  const std::span<const Vec3> velocities = placed.velocities;
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    // Weight m̄_i g of the primary particles, less the velocity term of r̈_3 (Eqs 2.15, 2.16).
    const ParticleBody& body = layout_.bodies[i];
    const auto [p1, p2, p4] = body.particle;
    const EquivalentParticles& m = body.masses;
    const Vec3 c = velocity_term(body.third, velocities[p2] - velocities[p1], velocities[p4] - velocities[p1]);
    const auto force = [&](std::size_t k) { return m.total[k] * view_.gravity - m.weight[k][2] * c; };
    Vec3 f[3] = {force(0), force(1), force(3)};
    if (m.representation == Representation::four) {
      const PointRows B(placed.triangles[i], body.third);
      const Vec3 f3 = force(2);
      for (std::size_t k = 0; k < 3; ++k) f[k] += B.s[k] * f3 - cross(B.u[k], f3);
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const Chunk& chunk = pattern_.particles()[body.particle[k]];
      if (chunk.block != none) add(f[k], values_.right.data() + chunk.first);
    }
  }
}

/// Adds what elements give in addition to their multipliers.
void SparseEquations::add_element_efforts() noexcept {
  for (const RowGroup& g : pattern_.groups()) {
    if (g.kind != RowGroup::Kind::element) continue;
    for (const RowEntry& entry : pattern_.entries(g))
      for (std::size_t row = 0; row < g.rows; ++row)
        add(elements_.all()[g.index].rows->effort[row] * values_.coefficients[entry.first + row],
            values_.right.data() + pattern_.particles()[entry.particle].first);
  }
}

bool SparseEquations::find_accelerations(const PlacedBodies& placed, const Applied& applied,
                                         std::span<Vec3> out) noexcept {
  failure_.clear();
  set_own_forces(placed);
  const auto add_to_particles = [&](std::size_t i, const Spatial& w) {
    Vec3 f[3];
    placed.triangles[i].distribute(w, f[0], f[1], f[2]);
    for (std::size_t k = 0; k < 3; ++k) {
      const Chunk& chunk = pattern_.particles()[layout_.bodies[i].particle[k]];
      if (chunk.block != none) add(f[k], values_.right.data() + chunk.first);
    }
  };
  each_load(
      view_, layout_, bodies_, applied, [&](std::size_t j) -> const JointConstraint& { return placed.joints[j]; },
      add_to_particles);
  add_element_efforts();
  set_module_forces();
  std::ranges::fill(solver_.solution(), 0.0);
  SparseSolver::Residual r;
  if (!solver_.solve(0, r) || !solver_.check(r, violations())) return false;
  each_particle([&](std::size_t p, std::size_t x) { out[p] = load(solver_.solution().data() + x); });
  return true;
}

bool SparseEquations::check_regular(const PlacedBodies&) noexcept {
  failure_.clear();
  if (!scales_.any_singular()) return true;
  // A load without regular pattern moves whatever can move: if a motion meets no resistance, no solution balances the
  // load. One load may happen to be across that motion, three are not.
  for (const double phase : {0.3, 2.1, 4.6}) {
    std::ranges::fill(values_.right, 0.0);
    std::ranges::fill(solver_.solution(), 0.0);
    each_particle([&](std::size_t p, std::size_t x) {
      for (std::size_t k = 0; k < 3; ++k)
        values_.right[x + k] = (0.3 + std::sin(1.7 * static_cast<double>(3 * p + k) + phase)) *
                               scales_.bodies[layout_.particles[p].body].scale;
    });
    SparseSolver::Residual r;
    if (!solver_.solve(load_without_pattern::wanted, r)) return false;
    if (r.particle_error >= load_without_pattern::unbalanced && !solver_.check(r, violations())) return false;
    if (const std::size_t free = free_particle(); free != none) {
      r.judged = 1;
      r.worst_judged = free;
      return solver_.check(r, violations());
    }
  }
  return true;
}

/// A particle of a motion that meets no resistance; none if there is no such motion. The rows ask for nothing, so what
/// the load does along a solution, q·r̈, is r̈ᵀ M r̈, and what the residual does is nothing. Along a motion without
/// resistance the residual is the load. The residual of single particles does not tell it: a body with moments of
/// inertia and without mass has particles whose masses are of both signs, and their forces cancel.
std::size_t SparseEquations::free_particle() const noexcept {
  constexpr double resisted = 0.1;   // share of what the load does
  constexpr double rounding = 1e-6;  // share of the products of loads and motions, where nothing can move
  double by_load = 0, by_residual = 0, products = 0, most = 0;
  std::size_t worst = none;
  each_particle([&](std::size_t p, std::size_t x) {
    double here = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double motion = solver_.solution()[x + k];
      by_load += values_.right[x + k] * motion;
      products += std::abs(values_.right[x + k] * motion);
      here += solver_.left(x + k) * motion;
    }
    by_residual += here;
    if (std::abs(here) > most) {
      most = std::abs(here);
      worst = p;
    }
  });
  return std::abs(by_residual) > std::max(resisted * std::abs(by_load), rounding * products) ? worst : none;
}

void SparseEquations::find_violations(double t, const ParticleMotion& motion, const JointValues& joints,
                                      Correction& out) noexcept {
  set_rows(t, Level::velocity, motion, joints, false);
  out.position_residual = violations().position;
  out.velocity_residual = violations().velocity;
}

bool SparseEquations::correct_positions(double t, ParticleMotion& motion, const JointValues& joints, double tolerance,
                                        double target, Correction& out) noexcept {
  factors_.keep(false);
  const PlacedBodies& placed = set_rows(t, Level::position, motion, joints, false);
  carried_.start(placed);
  double residual = out.position_residual = violations().position;
  ClosingSteps steps(residual);
  while (residual > target && steps.go_on()) {
    const double before = residual;
    if (!factors_.stand()) rows_.set_masses(placed);
    clear_forces();
    std::ranges::fill(solver_.solution(), 0.0);
    SparseSolver::Residual r;
    if (!solver_.solve(of_a_step, r)) return false;
    ++out.iterations;
    each_particle([&](std::size_t p, std::size_t x) { motion.positions[p] += load(solver_.solution().data() + x); });
    move_states(joints.x);
    factors_.keep(before < near_by);
    set_rows(t, Level::position, motion, joints, false);
    residual = violations().position;
    steps.made(residual);
    if (has_come_to_rounding(residual, before, tolerance)) return true;
  }
  return residual <= std::max(tolerance, target) || fail_positions(out, residual);
}

bool SparseEquations::fail_positions(const Correction& out, double residual) noexcept {
  const RowGroup* worst = pattern_.groups().data();
  double largest = -1;
  for (const RowGroup& g : pattern_.groups())
    for (std::size_t row = 0; row < g.rows; ++row)
      if (!(std::abs(values_.right[g.chunk.first + row]) <= largest)) {
        largest = std::abs(values_.right[g.chunk.first + row]);
        worst = &g;
      }
  return failure_.say(
      "The constraints cannot be met: after {} Newton steps {} `{}` is still off by {:.2e} (m or rad). Likely "
      "causes: lengths that do not close, or too large a time step",
      out.iterations, pattern_.kind_of(*worst), pattern_.name_of(*worst), residual);
}

/// M ṙ in the place of forces, and ṙ in that of the solution: only what the velocities violate is solved for.
void SparseEquations::set_momenta(const ParticleMotion& motion) noexcept {
  const std::span<const Vec3> velocities = motion.velocities;
  std::ranges::fill(solver_.solution(), 0.0);
  each_particle([&](std::size_t p, std::size_t x) {
    for (std::size_t k = 0; k < 3; ++k) solver_.solution()[x + k] = velocities[p][k];
  });
  clear_forces();
  for (std::size_t i = 0; i < layout_.bodies.size(); ++i) {
    const auto& particle = layout_.bodies[i].particle;
    for (std::size_t a = 0, k = 0; a < 3; ++a)
      for (std::size_t b = 0; b <= a; ++b, ++k) {
        const Chunk &ca = pattern_.particles()[particle[a]], &cb = pattern_.particles()[particle[b]];
        if (ca.block == none || cb.block == none) continue;
        const Mat3& mass = values_.masses[i][k];
        add(mass * velocities[particle[b]], values_.right.data() + ca.first);
        if (a != b) add(transpose_times(mass, velocities[particle[a]]), values_.right.data() + cb.first);
      }
  }
}

bool SparseEquations::correct_velocities(double t, ParticleMotion& motion, const JointValues& joints,
                                         Correction& out) noexcept {
  const PlacedBodies& placed = set_rows(t, Level::velocity, motion, joints, false);
  out.velocity_residual = violations().velocity;
  if (!pattern_.variables().empty()) factors_.keep(false);  // positions move integrals of variables alone
  if (!factors_.stand()) rows_.set_masses(placed);
  set_momenta(motion);
  set_module_momenta(joints.x);
  SparseSolver::Residual r;
  if (!solver_.solve(0, r)) return false;
  if (r.row_error > velocities_meet) {
    const RowGroup& worst = pattern_.groups()[r.worst_group];
    if (std::abs(solver_.left(worst.chunk.first)) > velocities_meet)
      return say_no_velocities(failure_, pattern_.kind_of(worst), pattern_.name_of(worst), r.row_error);
  }
  each_particle([&](std::size_t p, std::size_t x) { motion.velocities[p] = load(solver_.solution().data() + x); });
  each_variable([&](std::size_t u, std::size_t at) { joints.x[u] = solver_.solution()[at]; });
  return true;
}

bool SparseEquations::joint_accelerations(const PlacedBodies& placed, std::span<const Spatial> of_bodies,
                                          std::span<double> vdot) noexcept {
  accelerate_joints(
      view_, placed, of_bodies, [&](std::size_t j) -> const JointConstraint& { return placed.joints[j]; }, vdot);
  return true;
}

void SparseEquations::take_elements(std::span<Spatial> needed, std::span<double> efforts) const noexcept {
  for (const RowGroup& g : pattern_.groups()) {
    if (g.kind != RowGroup::Kind::element) continue;
    const ConstraintSet::Element& element = *elements_.all()[g.index].rows;
    for (std::size_t row = 0; row < g.rows; ++row) {
      const double force = multiplier(g, row);
      for (std::size_t m = 0; m < element.markers.size(); ++m) {
        const BodyIndex b = element.markers[m].body;
        if (is_ground(b)) continue;
        const Spatial w = force * element.A[row * element.markers.size() + m];
        needed[at(b)] -= Spatial{w.angular + cross(element.arms[m], w.linear), w.linear};
      }
      // The load on joints counts as effort of the joints.
      const double* B = element.B.data() + row * element.velocities;
      for (const JointIndex j : element.joints)
        for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k)
          efforts[view_.joints[at(j)].v_offset + k] += force * *B++;
    }
  }
}

void SparseEquations::element_multipliers(std::span<double> out) const noexcept {
  std::size_t first = 0;
  for (const RowGroup& g : pattern_.groups()) {
    if (g.kind != RowGroup::Kind::element || elements_.all()[g.index].module != nullptr) continue;
    for (std::size_t row = 0; row < g.rows; ++row) out[first++] = multiplier(g, row);
  }
}

void SparseEquations::cut_reactions(const PlacedBodies& placed, std::span<const double> efforts,
                                    std::span<Spatial> out) const noexcept {
  for (std::size_t j = view_.bodies.size(); j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const JointConstraint& c = placed.joints[j];
    Spatial w = effort_wrench(c.motion, joint.nv, efforts.data() + joint.v_offset);
    if (const std::size_t n = pattern_.group_of_joint(j); n != none) {
      const RowGroup& g = pattern_.groups()[n];
      for (std::size_t row = 0; row < g.rows && row < c.rows; ++row)
        w += -solver_.solution()[g.chunk.first + row] * c.T[row];
    }
    out[j] = reaction_in_ground(motion_of(joint.base, placed.motions), w);
  }
}

double SparseEquations::driving_power() const noexcept {
  double power = 0;
  for (const RowGroup& g : pattern_.groups()) {
    if (g.kind != RowGroup::Kind::element) continue;
    const ConstraintSet::Element& element = *elements_.all()[g.index].rows;
    for (std::size_t row = 0; row < g.rows; ++row) power += multiplier(g, row) * element.velocity_right[row];
  }
  return power;
}

}  // namespace polyform::particles
