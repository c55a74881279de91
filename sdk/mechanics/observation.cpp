#include "polyform/mechanics/observation.hpp"

#include "polyform/mechanics/rheonomic_joints.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>

namespace polyform {
namespace {

double rigid_energy(const BodyData& body, const BodyMotion& m) {
  const Vec3 v = m.V.linear + cross(m.V.angular, m.R * body.center_of_mass);
  const Vec3 w = transpose_times(m.R, m.V.angular);
  return 0.5 * (body.mass * dot(v, v) + dot(w, body.inertia * w));
}

}  // namespace

double kinetic_energy(const SystemView& view, std::span<const BodyMotion> motions) noexcept {
  double energy = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i) energy += rigid_energy(view.bodies[i], motions[i]);
  return energy;
}

double kinetic_energy(const SystemView& view, std::span<const BodyMotion> motions, const FlexibleSet& flexible,
                      const double* etadot) noexcept {
  if (flexible.empty()) return kinetic_energy(view, motions);
  double energy = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (view.bodies[i].flexible == rigid) energy += rigid_energy(view.bodies[i], motions[i]);
  for (std::size_t f = 0; f < view.flexible.size(); ++f) {
    const FlexibleData& data = view.flexible[f];
    const BodyMotion& m = motions[at(data.body)];
    const Spatial V{transpose_times(m.R, m.V.angular), transpose_times(m.R, m.V.linear)};
    const auto rate = [&](std::size_t k) { return k < 6 ? V[k] : etadot[data.mode_offset + k - 6]; };
    const std::size_t n = flexible.size(f);
    const std::span<const double> mass = flexible.mass(f);
    for (std::size_t r = 0; r < n; ++r)
      for (std::size_t s = 0; s < n; ++s) energy += 0.5 * rate(r) * mass[r * n + s] * rate(s);
  }
  return energy;
}

double gravity_potential(const SystemView& view, std::span<const BodyMotion> motions, const double* eta) noexcept {
  double energy = 0;
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    energy -= view.bodies[i].mass * dot(view.gravity, motions[i].p + motions[i].R * view.bodies[i].center_of_mass);
  for (const FlexibleData& f : view.flexible) {
    double mass = 0;
    Vec3 moment;
    f.type->mass_moment(*f.instance, {eta + f.mode_offset, f.modes}, mass, moment);
    energy -= dot(view.gravity, mass * motions[at(f.body)].p + motions[at(f.body)].R * moment);
  }
  return energy;
}

void observed_motions(const Observation& now, std::span<BodyMotion> motions) noexcept {
  for (std::size_t i = 0; i < now.bodies.size(); ++i) motions[i] = motion_of(now.bodies[i]);
}

void observed_motions(const Observation& now, NodeMotions& nodes, std::span<BodyMotion> frames) noexcept {
  observed_motions(now, frames);
  if (nodes.empty()) return;
  nodes.evaluate(now.eta.data(), now.etadot.data());
  nodes.place(frames);
}

void observed_accelerations(const Observation& now, const NodeMotions& nodes, std::span<const BodyMotion> frames,
                            std::span<Spatial> accelerations) noexcept {
  for (std::size_t i = 0; i < now.bodies.size(); ++i) accelerations[i] = acceleration_of(now.bodies[i]);
  if (!nodes.empty()) nodes.accelerate(frames, now.modal_acceleration.data(), accelerations);
}

namespace {

/// The first thing in the system that needs an ability, with its name; "" if nothing does.
std::string first_use(const SystemView& view, Ability ability) {
  switch (ability) {
    case Ability::closed_loops:
      if (!view.cut_joints().empty()) return fmt::format("joint `{}` closes a loop", view.cut_joints().front().name);
      break;
    case Ability::flexible_bodies:
      for (const BodyData& b : view.bodies)
        if (b.flexible != rigid) return fmt::format("body `{}` is flexible", b.name);
      break;
    case Ability::constraint_elements:
      for (const ConstraintInstances& g : view.constraints)
        if (!g.names.empty()) return fmt::format("constraint `{}` ({}) is no joint", g.names.front(), g.type->name());
      break;
    case Ability::modules:
      for (const ModuleInstances& g : view.modules)
        if (!g.names.empty())
          return fmt::format(
              "module `{}` ({}) brings variables and constraint rows of its own, which are solved together with "
              "the constraints of bodies as rows",
              g.names.front(), g.type->name());
      break;
    case Ability::first_order_states:
      for (const ForceInstances& g : view.forces)
        if (!g.names.empty() && g.type->state_count() > 0)
          return fmt::format("force `{}` ({}) has first-order states", g.names.front(), g.type->name());
      break;
    case Ability::code_joints:
      for (const JointData& j : view.joints)
        if (j.kernel != nullptr) return fmt::format("joint `{}` is no sequence of primitive motions", j.name);
      break;
    case Ability::rheonomic_joints:
      for (const JointData& j : view.joints)
        if (rheonomic_kernel(j) != nullptr) return fmt::format("the motion of joint `{}` depends on time", j.name);
      break;
    case Ability::discrete_states: {
      const auto user = [&](const auto& groups, std::string_view kind) -> std::string {
        for (const auto& g : groups)
          if (!g.names.empty() && !g.type->descriptor().discrete.empty())
            return fmt::format("{} `{}` ({}) has discrete states", kind, g.names.front(), g.type->name());
        return {};
      };
      if (std::string of = user(view.forces, "force"); !of.empty()) return of;
      if (std::string of = user(view.constraints, "constraint"); !of.empty()) return of;
      return user(view.modules, "module");
    }
    // The need for these shows only in the course of a solution: the solver says so itself.
    case Ability::redundant_constraints:
    case Ability::reactions:
    case Ability::singular_mass: break;
  }
  return {};
}

}  // namespace

bool check_abilities(const SystemView& view, std::string_view formulation, std::uint32_t abilities,
                     DiagnosticSink& sink) noexcept {
  bool covered = true;
  try {
    for (const Ability a :
         {Ability::closed_loops, Ability::flexible_bodies, Ability::constraint_elements, Ability::modules,
          Ability::first_order_states, Ability::code_joints, Ability::discrete_states, Ability::rheonomic_joints}) {
      if (has(abilities, a)) continue;
      const std::string use = first_use(view, a);
      if (use.empty()) continue;
      covered = false;
      const std::string message = fmt::format("{} cannot run this: {}", formulation, use);
      Diagnostic d;
      d.message = message;
      d.remedy = "choose a solver that can (polyform plugins lists what each supports), or change the model";
      sink.report(d);
    }
  } catch (const std::exception&) {
    sink.report({.message = "memory ran out while checking the model"});
    return false;
  }
  return covered;
}

}  // namespace polyform
