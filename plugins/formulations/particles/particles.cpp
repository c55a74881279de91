#include "particles.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "particle_solver.hpp"
#include "polyform/contract/ability_reasons.hpp"
#include "polyform/contract/cost_model.hpp"
#include "polyform/helpers/compile.hpp"
#include "polyform/helpers/correction_options.hpp"
#include "polyform/solvers/merged_solver.hpp"
#include "printed_equations.hpp"

namespace polyform::particles {
namespace {

constexpr std::string_view equations[] = {"automatic", "sparse", "printed"};

constexpr FieldSpec make_equations() {
  FieldSpec f{
      "equations", FieldType::choice, "",
      "automatic: momenta summed from the tips to the roots, one sparse system where there are constraint elements or "
      "bodies without inertia that only a loop holds; sparse: the sparse system everywhere; printed: the paper's full "
      "system of distances, momenta and constraints of joints, for trees and closed loops, to compare"};
  f.default_text = "automatic";
  f.choices = equations;
  return f;
}
constexpr FieldSpec make_tolerance() {
  FieldSpec f = tolerance_option();
  f.meaning = "largest constraint residual after the projection; values below rounding are raised to rounding";
  return f;
}
constexpr FieldSpec option_fields[] = {
    correction_option(
        "projection: particles return to their distances and to the joints after each step; none: they drift"),
    make_tolerance(), make_equations()};

bool can_print(const SystemView& view, std::string& why) {
  for (const ConstraintInstances& group : view.constraints)
    if (!group.names.empty()) {
      why = fmt::format("constraint `{}` is no part of the equations as printed", group.names[0]);
      return false;
    }
  for (const ModuleInstances& group : view.modules)
    if (!group.names.empty()) {
      why = fmt::format("module `{}` is no part of the equations as printed", group.names[0]);
      return false;
    }
  return PrintedEquations::carries(view, why);
}

/// That of the recursion, or of the sparse system where it takes over.
class ParticlesCostModel final : public CostModel {
 public:
  void estimate(const SystemView& view, EvaluationCost& out) const noexcept override {
    const auto has_some = [](const auto& group) { return !group.instances.empty(); };
    if (std::ranges::any_of(view.constraints, has_some) || std::ranges::any_of(view.modules, has_some))
      sparse_.estimate(view, out);
    else
      recursion_.estimate(view, out);
  }

 private:
  RecursionCostModel recursion_;
  LinearCostModel sparse_{12000};
};

class Particles final : public Formulation, private AbilityReasons {
 public:
  std::string_view name() const noexcept override { return "particles"; }
  std::string_view meaning() const noexcept override {
    return "rigid bodies as constrained particles that joints share, linear in the bodies; trees of ball, pin, fixed and free "
           "joints without an angle or a rotation matrix";
  }
  std::string_view source() const noexcept override {
    return "H. A. Attia, Dynamic model of multi-rigid-body systems based on particle dynamics with recursive approach, "
           "Journal of Applied Mathematics 2005:4";
  }
  Strided<const FieldSpec> options() const noexcept override { return option_fields; }
  std::uint32_t abilities() const noexcept override {
    return Ability::closed_loops | Ability::redundant_constraints | Ability::constraint_elements | Ability::modules |
           Ability::first_order_states | Ability::discrete_states | Ability::code_joints | Ability::rheonomic_joints |
           Ability::reactions | Ability::singular_mass;
  }
  int preference() const noexcept override { return 5; }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == AbilityReasons::interface_name) return static_cast<const AbilityReasons*>(this);
    return asked == CostModel::interface_name ? static_cast<const CostModel*>(&cost_) : nullptr;
  }

  Solver* compile(const SystemView& whole, Strided<const FieldValue> options,
                  DiagnosticSink& sink) const noexcept override {
    const auto make_for = [&](const SystemView& view, std::optional<Refusal>& refusal) -> Solver* {
      const bool printed = options[2].integer == 2;
      if (std::string why; printed && !can_print(view, why)) {
        refusal = {"particles: " + why, "use the option `equations: automatic`", "equations"};
        return nullptr;
      }
      auto* solver =
          new ParticleSolver(view, {options[0].integer == 0, options[1].number, options[2].integer == 0, printed});
      const std::size_t degenerate = solver->degenerate_body();
      if (solver->good() && degenerate == none) return solver;
      solver->destroy();
      if (degenerate != none)
        refusal = {fmt::format("particles: the particles of body `{}` lie nearly in one plane and cannot take its mass",
                               view.bodies[degenerate].name),
                   "check the positions of its joints: their distances from each other and from its mass centre"};
      return nullptr;
    };
    const auto make = [&](std::optional<Refusal>& refusal) {
      return with_welds_merged(whole, [&](const SystemView& merged) { return make_for(merged, refusal); });
    };
    return compiled(name(), use_joint_coordinates, sink, make);
  }

 private:
  std::string_view why_not(Ability a) const noexcept override {
    if (a != Ability::flexible_bodies) return {};
    return "its equations of a body are those of momentum and angular momentum, and a mode has an equation of its own, "
           "in "
           "which internal forces do work";
  }

  ParticlesCostModel cost_;
};

}  // namespace

const Formulation& formulation() noexcept {
  static const Particles object;
  return object;
}

}  // namespace polyform::particles
