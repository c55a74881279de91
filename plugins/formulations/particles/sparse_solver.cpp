#include "sparse_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "messages.hpp"
#include "polyform/mechanics/scale.hpp"
#include "polyform/solvers/contradiction.hpp"
#include "refined_solutions.hpp"

namespace polyform::particles {
namespace {

/// Relative size of what is subtracted from the zero block of rows that may be redundant. Refinement removes it; its
/// error shrinks by about this factor per round, and by less in nearly dependent rows, which need a small one. But a
/// row that is eliminated before what resists it is as stiff as 1/ε, and light bodies on such a row lose their digits.
/// If the residual does not fall with the small one, the large one is taken.
constexpr double small_epsilon = 1e-10, large_epsilon = 1e-7;
/// The residual has not fallen when it ends above this.
constexpr double fallen = 1e-10;
/// What a solution leaves of the equations of motion, relative to their terms, when its digits are lost.
constexpr double lost_digits = 1e-6;
/// A load counts as this part of the motion that it would give to a particle alone, where a contradiction is looked
/// for: rounds of refinement may end at nearly_round_off of that motion, which is then no contradiction.
constexpr double held_share = nearly_round_off / least_contradiction;

double largest(const Vec3& v) { return std::max({std::abs(v.x), std::abs(v.y), std::abs(v.z)}); }

}  // namespace

SparseSolver::SparseSolver(const Parts& parts, std::size_t unknowns)
    : parts_(parts),
      solution_(unknowns),
      residual_(unknowns),
      step_(unknowns),
      start_(unknowns),
      motion_size_(parts.pattern.particles().size()),
      force_size_(parts.pattern.particles().size()),
      variable_floor_(parts.pattern.particles().size() - parts.pattern.of_bodies()) {}

bool SparseSolver::factorize(double epsilon) noexcept {
  if (parts_.factors.factorize(parts_.values, epsilon)) return true;
  for (const RowGroup& g : parts_.pattern.groups())
    if (g.chunk.block == parts_.factors.failed_block())
      return parts_.failure.say(
          "The equations of motion cannot be solved at {} `{}`: its mass or the state is not finite, or nothing "
          "determines its motion",
          parts_.pattern.kind_of(g), parts_.pattern.name_of(g));
  return parts_.failure.say("The equations of motion cannot be solved: the state is not finite");
}

/// residual = right − K solution, and its size relative to that of its terms, particle by particle and row by row. It
/// shares no code with absolute::Residual, hierarchy::Residuals and thompson::ReducedForm, which do this in other
/// unknowns (blocks of bodies, joint coordinates with twice the digits): each tests its own formulation's arithmetic.
void SparseSolver::find_residual(Residual& out) noexcept {
  std::copy(parts_.values.right.begin(), parts_.values.right.end(), residual_.begin());
  find_sizes();
  take_masses();
  take_variable_masses();
  out.row_error = out.particle_error = out.judged = 0;
  double sum = judge_rows(out);
  sum += judge_particles(out);
  if (!std::isfinite(sum)) out.particle_error = out.row_error = out.judged = std::numeric_limits<double>::infinity();
}

/// Finds the sizes of motions and forces.
void SparseSolver::find_sizes() noexcept {
  motion_floor_ = 0;
  const std::span<const Chunk> particles = parts_.pattern.particles();
  for (std::size_t p = 0; p < particles.size(); ++p) {
    if (particles[p].block == none) continue;
    const double force = largest(load(parts_.values.right.data() + particles[p].first));
    motion_size_[p] = largest(load(solution_.data() + particles[p].first));
    force_size_[p] = force;
    if (p >= parts_.pattern.of_bodies()) continue;  // a variable of a module has units of its own
    // What is held still has no motion to compare with: what its load would do to it alone is counted too.
    // And where nothing acts and nothing has mass, forces are rounding of what a made-up mass would feel.
    force_size_[p] += nearly_round_off * parts_.scales.heaviest[p] * motion_size_[p];
    motion_size_[p] += force / parts_.scales.heaviest[p];
    motion_floor_ = std::max(motion_floor_, least_share * motion_size_[p]);
  }
}

/// residual −= M r̈.
void SparseSolver::take_masses() noexcept {
  const std::span<const Chunk> particles = parts_.pattern.particles();
  for (std::size_t i = 0; i < parts_.values.masses.size(); ++i) {
    const auto& particle = parts_.layout.bodies[i].particle;
    const std::array<Mat3, 6>& mass = parts_.values.masses[i];
    for (std::size_t a = 0, k = 0; a < 3; ++a)
      for (std::size_t b = 0; b <= a; ++b, ++k) {
        const Chunk &ca = particles[particle[a]], &cb = particles[particle[b]];
        if (ca.block == none || cb.block == none) continue;
        const Vec3 fa = mass[k] * load(solution_.data() + cb.first);
        add(-fa, residual_.data() + ca.first);
        force_size_[particle[a]] += largest(fa);
        if (a == b) continue;
        const Vec3 fb = transpose_times(mass[k], load(solution_.data() + ca.first));
        add(-fb, residual_.data() + cb.first);
        force_size_[particle[b]] += largest(fb);
      }
  }
}

/// Does the same for the modules' variables.
void SparseSolver::take_variable_masses() noexcept {
  const std::span<const Chunk> particles = parts_.pattern.particles();
  const Mat3* mass = parts_.values.of_variables.data();
  for (const VariableParticles& of : parts_.pattern.variables())
    for (std::size_t a = 0; a < of.count; ++a)
      for (std::size_t b = 0; b < of.count; ++b) {
        const Vec3 f = *mass++ * load(solution_.data() + particles[of.first + b].first);
        add(-f, residual_.data() + particles[of.first + a].first);
        force_size_[of.first + a] += largest(f);
      }
}

/// Judges the rows, and adds their forces on the particles. Returns the sum of the residuals.
double SparseSolver::judge_rows(Residual& out) noexcept {
  double sum = 0;
  const SparseValues& values = parts_.values;
  for (const RowGroup& g : parts_.pattern.groups()) {
    for (std::size_t row = 0; row < g.rows; ++row) {
      const std::size_t x = g.chunk.first + row;
      // Bodies with common particles have shares in a row that cancel. The row's size is that of the shares.
      double left = values.right[x], size = std::abs(left), motion = 0;
      for (const RowEntry& entry : parts_.pattern.entries(g)) {
        const Chunk& chunk = parts_.pattern.particles()[entry.particle];
        const Vec3& c = values.coefficients[entry.first + row];
        left -= dot(c, load(solution_.data() + chunk.first));
        add(-solution_[x] * c, residual_.data() + chunk.first);
        const double here = entry.particle < parts_.pattern.of_bodies()
                                ? std::max(motion_size_[entry.particle], motion_floor_)
                                : motion_size_[entry.particle];
        motion = std::max(motion, here);
        size += largest(c) * here;
        force_size_[entry.particle] += largest(c) * std::abs(solution_[x]);
      }
      size += std::sqrt(values.row_size[x]) * motion;
      residual_[x] = left;
      sum += left;
      if (std::abs(left) > out.row_error * size) {
        out.row_error = std::abs(left) / size;
        out.worst_group = static_cast<std::size_t>(&g - parts_.pattern.groups().data());
      }
    }
  }
  return sum;
}

/// The largest force that the rows of modules' variables could put on the particles of bodies.
double SparseSolver::largest_module_force() const noexcept {
  double most = 0;
  if (parts_.pattern.variables().empty()) return most;
  const SparseValues& values = parts_.values;
  for (const RowGroup& g : parts_.pattern.groups())
    for (std::size_t row = 0; g.kind == RowGroup::Kind::element && row < g.rows; ++row) {
      double of_variables = 0, of_bodies = 0;
      for (const RowEntry& entry : parts_.pattern.entries(g)) {
        const Vec3& c = values.coefficients[entry.first + row];
        const double* force = values.right.data() + parts_.pattern.particles()[entry.particle].first;
        if (entry.particle < parts_.pattern.of_bodies())
          of_bodies = std::max(of_bodies, largest(c));
        else
          for (std::size_t k = 0; k < 3; ++k)
            if (c[k] != 0) of_variables = std::max(of_variables, std::abs(force[k] / c[k]));
      }
      most = std::max(most, of_variables * of_bodies);
    }
  return most;
}

/// What a force on bodies of this size is on the variables of modules, through the rows that join them: what bodies do
/// not feel is no force on a variable either. A variable that is driven while nothing acts has no other scale.
void SparseSolver::find_variable_floors(double floor) noexcept {
  std::ranges::fill(variable_floor_, 0.0);
  const std::size_t of_bodies = parts_.pattern.of_bodies();
  constexpr int passes = 2;  // from bodies to variables, and from these to variables that they alone are joined to
  for (int pass = 0; pass < passes; ++pass)
    for (const RowGroup& g : parts_.pattern.groups())
      for (std::size_t row = 0; g.kind == RowGroup::Kind::element && row < g.rows; ++row) {
        double multiplier = 0;
        for (const RowEntry& entry : parts_.pattern.entries(g)) {
          const double c = largest(parts_.values.coefficients[entry.first + row]);
          const double here = entry.particle < of_bodies ? floor : variable_floor_[entry.particle - of_bodies];
          if (c > 0) multiplier = std::max(multiplier, here / c);
        }
        for (const RowEntry& entry : parts_.pattern.entries(g))
          if (entry.particle >= of_bodies) {
            double& known = variable_floor_[entry.particle - of_bodies];
            known = std::max(known, multiplier * largest(parts_.values.coefficients[entry.first + row]));
          }
      }
}

/// Judges the forces on the particles, after judge_rows(). Returns the sum of the residuals.
double SparseSolver::judge_particles(Residual& out) noexcept {
  double floor = least_share * largest_module_force(), sum = 0;
  const std::span<const Chunk> particles = parts_.pattern.particles();
  for (std::size_t p = 0; p < parts_.pattern.of_bodies(); ++p)
    if (particles[p].block != none) floor = std::max(floor, least_share * force_size_[p]);
  bool has_variable_floors = false;
  for (std::size_t p = 0; p < particles.size(); ++p) {
    if (particles[p].block == none) continue;
    const double left = largest(load(residual_.data() + particles[p].first));
    sum += left;
    double least = floor;
    if (p >= parts_.pattern.of_bodies()) {
      if (!(left > round_off * force_size_[p])) continue;
      if (!has_variable_floors) find_variable_floors(floor);
      has_variable_floors = true;
      least = variable_floor_[p - parts_.pattern.of_bodies()];
    }
    const double size = std::max(force_size_[p], least);
    // Where nothing acts and all is at rest, what is left is compared with the least acceleration that counts.
    const double judged_size =
        size + (p < parts_.pattern.of_bodies() ? least_acceleration * parts_.scales.heaviest[p] : 0);
    if (left > out.judged * judged_size) {
      out.judged = left / judged_size;
      out.worst_judged = p;
    }
    if (left > out.particle_error * size) {
      out.particle_error = left / size;
      out.worst_particle = p;
    }
  }
  return sum;
}

bool SparseSolver::solve(double tolerance, Residual& r) noexcept {
  std::copy(solution_.begin(), solution_.end(), start_.begin());
  const double accepted = std::max(fallen, tolerance);
  if (refine(tolerance, r, small_epsilon) && std::max(r.particle_error, r.row_error) <= accepted) return true;
  parts_.failure.clear();
  parts_.factors.keep(false);
  std::copy(start_.begin(), start_.end(), solution_.begin());
  return refine(tolerance, r, large_epsilon) || fail_not_finite(r);
}

bool SparseSolver::refine(double tolerance, Residual& r, double epsilon) noexcept {
  find_residual(r);
  double error = std::max(r.particle_error, r.row_error), best = error;
  for (std::size_t stale = 0; stale < 3 && error > std::max(tolerance, round_off);) {
    if (!parts_.factors.stand() && !factorize(epsilon)) return false;
    std::copy(residual_.begin(), residual_.end(), step_.begin());
    parts_.factors.solve(parts_.values, step_);
    for (std::size_t i = 0; i < solution_.size(); ++i) solution_[i] += step_[i];
    find_residual(r);
    const double before = error;
    error = std::max(r.particle_error, r.row_error);
    if (error > 0.5 * before && error < nearly_round_off) break;
    stale = error < 0.9 * best ? 0 : stale + 1;
    best = std::min(best, error);
  }
  return std::isfinite(error);
}

bool SparseSolver::fail_not_finite(const Residual& r) noexcept {
  if (!parts_.failure.empty()) return false;
  const std::span<const Chunk> particles = parts_.pattern.particles();
  for (std::size_t p = 0; p < particles.size(); ++p)
    if (particles[p].block != none && !std::isfinite(largest(load(parts_.values.right.data() + particles[p].first))))
      return fail_load(parts_.failure, parts_.pattern.owner_of(p));
  return parts_.failure.say("The accelerations of {} `{}` are not finite",
                            parts_.pattern.kind_of_owner(r.worst_particle), parts_.pattern.owner_of(r.worst_particle));
}

bool SparseSolver::check(const Residual& r, const Violations& violations) noexcept {
  if (!(r.judged > lost_digits)) return check_rows(violations);
  if (r.worst_judged >= parts_.pattern.of_bodies())
    return parts_.failure.say(
        "The rates of the variables of module `{}` cannot be found: one has no inertia, and no row gives it any, or "
        "the system of equations is nearly singular",
        parts_.pattern.owner_of(r.worst_judged));
  const std::size_t body = parts_.layout.particles[r.worst_judged].body;
  if (parts_.scales.bodies[body].singular || parts_.scales.bodies[body].light)
    return parts_.failure.say(
        "Body `{}` has no mass or inertia, or hardly any, for a motion that the joints leave free: give it some, or "
        "a joint that holds it",
        parts_.view.bodies[body].name);
  return parts_.failure.say(
      "The accelerations of body `{}` cannot be found: the system of equations is nearly singular. Likely causes: a "
      "mechanism at a singular position, too large a time step, or a neighbour with hardly any mass or inertia",
      parts_.view.bodies[body].name);
}

/// Judges rows as judge_rows() does, but by the motions as they are. Motions that loads would cause alone count by
/// their rounding only, or a large load on a light body would hide a row that is not met.
bool SparseSolver::check_rows(const Violations& violations) noexcept {
  double floor = least_acceleration, error = 0;
  const std::span<const Chunk> particles = parts_.pattern.particles();
  const SparseValues& values = parts_.values;
  for (std::size_t p = 0; p < particles.size(); ++p) {
    if (particles[p].block == none) continue;
    motion_size_[p] = largest(load(solution_.data() + particles[p].first));
    if (p >= parts_.pattern.of_bodies()) continue;
    motion_size_[p] += held_share * largest(load(values.right.data() + particles[p].first)) / parts_.scales.heaviest[p];
    floor = std::max(floor, least_share * motion_size_[p]);
  }
  const RowGroup* worst = nullptr;
  for (const RowGroup& g : parts_.pattern.groups())
    for (std::size_t row = 0; row < g.rows; ++row) {
      const std::size_t x = g.chunk.first + row;
      double size = std::abs(values.right[x]), motion = 0;
      for (const RowEntry& entry : parts_.pattern.entries(g)) {
        const double here = entry.particle < parts_.pattern.of_bodies() ? std::max(motion_size_[entry.particle], floor)
                                                                        : motion_size_[entry.particle];
        size += largest(values.coefficients[entry.first + row]) * here;
        motion = std::max(motion, here);
      }
      size += std::sqrt(values.row_size[x]) * motion;
      if (!(std::abs(residual_[x]) > error * size)) continue;
      error = std::abs(residual_[x]) / size;
      worst = &g;
    }
  if (!is_contradiction(error, least_contradiction, violations.position, violations.velocity)) return true;
  return say_contradiction(parts_.failure, parts_.view, parts_.pattern.kind_of(*worst), parts_.pattern.name_of(*worst),
                           error);
}

}  // namespace polyform::particles
