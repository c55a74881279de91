#include "recursive_equations.hpp"

#include <cmath>

#include "mass_scales.hpp"
#include "messages.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/solvers/contradiction.hpp"
#include "polyform/solvers/postponed_hinges.hpp"

namespace polyform::particles {

RecursiveEquations::RecursiveEquations(const SystemView& view, const Layout& layout, std::span<const BodyIndex> loaded)
    : Equations(view, layout, loaded, MovingBodies::Joints::tree, false),
      flexible_(view),
      loops_(view, flexible_, {}, postponed_hinges(view)),
      loop_accelerations_(view, loops_),
      recursion_(view, layout, loops_),
      errors_(view, layout, recursion_.links()),
      has_singular_bodies_(MassScales(view, layout).any_singular()),
      loads_(view.bodies.size()),
      changes_(layout.particles.size()) {}

bool RecursiveEquations::is_regular_as_drawn() {
  if (loops_.empty() || !(has_singular_bodies_ || loops_.layout().postpones())) return true;
  std::vector<double> q(view_.nq), v(view_.nv);
  for (const JointData& joint : view_.joints) joint_neutral(joint, q.data() + joint.q_offset);
  TreeKinematics drawn(view_);
  drawn.evaluate(q.data(), v.data());
  ParticleMotion motion(layout_);
  for (std::size_t p = 0; p < motion.positions.size(); ++p) {
    const Particle& particle = layout_.particles[p];
    if (particle.body == none) continue;
    const BodyMotion& body = drawn.bodies()[particle.body];
    motion.positions[p] = body.p + body.R * particle.place;
  }
  return recursion_.corrections(evaluate(0, motion, {q, v, {}}, true, false), errors_, changes_) && all_joints_resist();
}

/// Whether joints that are postponed move some inertia of their own too, as in the last solution.
bool RecursiveEquations::all_joints_resist() noexcept {
  for (std::size_t i = 0; i < links().size(); ++i)
    for (std::size_t k = 0; links()[i].postponed && k < links()[i].directions; ++k)
      if (!(loops_.postponed().kept(i, k).D > 0)) return false;
  return true;
}

const PlacedBodies& RecursiveEquations::place(const ParticleMotion& motion, const JointValues& joints,
                                              bool all_joints) noexcept {
  const PlacedBodies& placed = bodies_.place(motion, joints, all_joints);
  if (!loops_.empty()) loops_.constraints().evaluate(0, placed.motions, joints.q, joints.v);
  return placed;
}

const PlacedBodies& RecursiveEquations::evaluate(double, const ParticleMotion& motion, const JointValues& joints,
                                                 bool all_joints, bool) noexcept {
  const PlacedBodies& placed = place(motion, joints, all_joints);
  if (!all_joints) return placed;
  violations_ = placed.violations;
  const double position = errors_.find(placed, false), velocity = errors_.find(placed, true);
  violations_.include(std::max(position, loops_.constraints().errors().position()),
                      std::max(velocity, loops_.constraints().errors().velocity()));
  return placed;
}

void RecursiveEquations::find_loads(const PlacedBodies& placed, const Applied& applied) noexcept {
  if (!bodies_.finds_motions()) return;
  std::fill(loads_.begin(), loads_.end(), Spatial{});
  each_load(
      view_, layout_, bodies_, applied,
      [&](std::size_t j) -> const JointConstraint& { return constraint_of(placed, j); },
      [&](std::size_t body, const Spatial& w) { loads_[body] += w; });
}

bool RecursiveEquations::find_accelerations(const PlacedBodies& placed, const Applied& applied,
                                            std::span<Vec3> out) noexcept {
  failure_.clear();
  find_loads(placed, applied);
  if (!recursion_.accelerations(placed, loads(), out)) return fail_recursion(placed);
  Vec3 sum;
  for (const Vec3& a : out) sum += a;
  return std::isfinite(sum.x + sum.y + sum.z) || fail_not_finite(out);
}

bool RecursiveEquations::check_regular(const PlacedBodies& placed) noexcept {
  failure_.clear();
  recursion_.look();
  return (!has_singular_bodies_ && loops_.empty()) || recursion_.corrections(placed, errors_, changes_) ||
         fail_recursion(placed);
}

bool RecursiveEquations::is_beside_singular_position() const noexcept {
  return !loops_.empty() && loops_.is_nearly_singular() &&
         loops_.constraints().errors().position() > loops_.constraints().errors().position_rounding();
}

/// Finds the largest error of positions or velocities as placed; keeps all errors for the corrections of the recursion.
double RecursiveEquations::find_errors(const PlacedBodies& placed, bool of_velocities) noexcept {
  const ClosingConstraints& cuts = loops_.constraints();
  const double of_loops = of_velocities ? cuts.errors().velocity() : cuts.errors().position();
  return std::max(errors_.find(placed, of_velocities), of_loops);
}

/// Adds the least changes that undo the errors just found.
bool RecursiveEquations::add_correction(const PlacedBodies& placed, std::vector<Vec3>& to) noexcept {
  if (!recursion_.corrections(placed, errors_, changes_)) return fail_recursion(placed);
  for (std::size_t p = 0; p < to.size(); ++p)
    if (layout_.particles[p].slot != none) to[p] += changes_[p];
  return true;
}

bool RecursiveEquations::correct_positions(double, ParticleMotion& motion, const JointValues& joints, double tolerance,
                                           double target, Correction& out) noexcept {
  const PlacedBodies& placed = place(motion, joints, false);
  carried_.start(placed);
  double residual = out.position_residual = find_errors(placed, false);
  if (!loops_.empty()) target = std::min(tolerance, loops_.constraints().errors().position_rounding());
  ClosingSteps steps(residual);
  while (residual > target && steps.go_on()) {
    const double before = residual;
    if (!add_correction(placed, motion.positions)) return false;
    ++out.iterations;
    place(motion, joints, false);
    residual = find_errors(placed, false);
    steps.made(residual);
    if (has_come_to_rounding(residual, before, tolerance)) return true;
  }
  if (residual <= std::max(tolerance, target)) return true;
  if (!loops_.empty() && !(loops_.constraints().errors().position() < residual))
    return failure_.say(
        "The loop of joint `{}` cannot be closed: after {} Newton steps it is still off by {:.2e} (m or rad). Likely "
        "causes: lengths that do not close, or too large a time step",
        loops_.constraints().name(loops_.constraints().errors().worst()), out.iterations, residual);
  return failure_.say(
      "The distances and joints cannot be met: after {} Newton steps they are still off by {:.2e} (m or rad). Likely "
      "cause: too large a time step",
      out.iterations, residual);
}

void RecursiveEquations::place_carried(const ParticleMotion& motion, const JointValues& joints) noexcept {
  if (bodies_.finds_motions()) place(motion, joints, false);
}

bool RecursiveEquations::correct_velocities(double, ParticleMotion& motion, const JointValues& joints,
                                            Correction& out) noexcept {
  const PlacedBodies& placed = bodies_.placed();
  double residual = out.velocity_residual = find_errors(placed, true);
  // If loops are near a singular position, one projection leaves more than rounding.
  for (int passes = 0; passes < 2; ++passes) {
    if (!loops_.empty() && residual <= loops_.constraints().errors().velocity_rounding()) break;
    if (!add_correction(placed, motion.velocities)) return false;
    if (loops_.empty()) break;
    place(motion, joints, false);
    residual = find_errors(placed, true);
  }
  return true;
}

void RecursiveEquations::find_violations(double, const ParticleMotion& motion, const JointValues& joints,
                                         Correction& out) noexcept {
  const PlacedBodies& placed = place(motion, joints, false);
  out.position_residual = find_errors(placed, false);
  out.velocity_residual = find_errors(placed, true);
}

bool RecursiveEquations::joint_accelerations(const PlacedBodies& placed, std::span<const Spatial> of_bodies,
                                             std::span<double> vdot) noexcept {
  accelerate_joints(
      view_, placed, of_bodies, [&](std::size_t j) -> const JointConstraint& { return constraint_of(placed, j); },
      vdot);
  if (loops_.empty()) return true;
  const LoopContradiction worst = loop_accelerations_.find(placed.motions, of_bodies, vdot);
  return !is_contradiction(worst.part, least_contradiction_of_cuts, violations_.position, violations_.velocity) ||
         say_contradiction(failure_, view_, "joint", loops_.constraints().name(worst.loop), worst.part);
}

void RecursiveEquations::cut_reactions(const PlacedBodies& placed, std::span<const double> efforts,
                                       std::span<Spatial> out) const noexcept {
  for (std::size_t j = view_.bodies.size(); j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const BodyMotion& base = motion_of(joint.base, placed.motions);
    out[j] = reaction_in_ground(
        base, effort_wrench(constraint_of(placed, j).motion, joint.nv, efforts.data() + joint.v_offset));
    out[j] += cut_force(j - view_.bodies.size(), base);
  }
}

bool RecursiveEquations::fail_not_finite(std::span<const Vec3> accelerations) noexcept {
  const auto finite = [](const Vec3& v) { return std::isfinite(v.x + v.y + v.z); };
  for (std::size_t i = 0; i < loads_.size() && bodies_.finds_motions(); ++i)
    if (!finite(loads_[i].angular) || !finite(loads_[i].linear)) return fail_load(failure_, view_.bodies[i].name);
  for (std::size_t p = 0; p < accelerations.size(); ++p)
    if (!finite(accelerations[p]))
      return failure_.say(
          "The accelerations of body `{}` are not finite. Likely causes: too large a time step, or a loop that without "
          "correction has drifted open and passes a singular position",
          view_.bodies[layout_.particles[p].body].name);
  return failure_.say("The accelerations are too large to be numbers: too large a time step");
}

bool RecursiveEquations::fail_recursion(const PlacedBodies& placed) noexcept {
  const std::size_t i = recursion_.failed_joint();
  const auto& place = layout_.bodies[i].place;
  const double drawn = norm(place[1] - place[0]);
  if (!(std::abs(norm(placed.triangles[i].r21) - drawn) < 0.1 * drawn))
    return failure_.say("The particles of body `{}` are far from their distances. Likely cause: too large a time step",
                        view_.bodies[i].name);
  return failure_.say(
      "Body `{}` has no mass or inertia for a motion that joint `{}` leaves free, or with all that it carries so "
      "little that it is lost in rounding: give it some, or a joint that holds it{}",
      view_.bodies[i].name, view_.joints[i].name,
      loops_.layout().carries(i) ? "; where its loop does, the option `equations: sparse` counts on that" : "");
}

}  // namespace polyform::particles
