// Simbody as a witness: a formulation whose equations of motion are those of another engine.
#include <exception>

#include "../engine_solver.hpp"
#include "polyform/contract/ability_reasons.hpp"
#include "polyform/contract/plugin.hpp"
#include "polyform/helpers/compile.hpp"
#include "simbody_engine.hpp"

namespace polyform::simbody {
namespace {

class Simbody final : public Formulation, public AbilityReasons {
 public:
  std::string_view name() const noexcept override { return "simbody"; }
  std::string_view meaning() const noexcept override {
    return "another engine as a witness: Simbody's trees and constraints, for rigid bodies";
  }
  std::string_view source() const noexcept override {
    return "Sherman, Seth, Delp: Simbody: multibody dynamics for biomedical research, Procedia IUTAM 2, 2011";
  }
  Strided<const FieldSpec> options() const noexcept override { return {}; }
  std::uint32_t abilities() const noexcept override {
    return Ability::closed_loops | Ability::redundant_constraints | Ability::constraint_elements | Ability::modules |
           Ability::first_order_states | Ability::reactions;
  }
  int preference() const noexcept override { return 0; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == AbilityReasons::interface_name ? static_cast<const AbilityReasons*>(this) : nullptr;
  }
  std::string_view why_not(Ability ability) const noexcept override {
    switch (ability) {
      case Ability::singular_mass: return "copies of a body that close loops need a part of its mass each";
      case Ability::flexible_bodies: return "Simbody has no flexible bodies with modes";
      case Ability::code_joints:
      case Ability::rheonomic_joints: return "Simbody gets turns, slides and balls alone";
      default: return {};
    }
  }
  Solver* compile(const SystemView& view, Strided<const FieldValue>, DiagnosticSink& sink) const noexcept override {
    return compiled(name(), "make the model smaller", sink, [&](std::optional<Refusal>& refusal) -> Solver* {
      auto centred = std::make_unique<CentredView>(view);
      std::unique_ptr<SimbodyEngine> engine;
      try {
        engine = std::make_unique<SimbodyEngine>(centred->view());
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception& problem) {
        refusal = {std::string("simbody: Simbody refuses the model: ") + problem.what(),
                   "leave simbody out of the list of solvers"};
        return nullptr;
      }
      return made_solver<witnesses::EngineSolver>(std::move(centred), std::move(engine), "Simbody");
    });
  }
};

constexpr Simbody formulation;

}  // namespace
}  // namespace polyform::simbody

POLYFORM_PLUGIN("formulation", "simbody", "1.0") { registrar.add(polyform::simbody::formulation); }
