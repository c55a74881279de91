// MuJoCo as a witness: a formulation whose equations of motion are those of another engine.
#include <mujoco/mujoco.h>

#include "../engine_solver.hpp"
#include "mujoco_engine.hpp"
#include "polyform/contract/ability_reasons.hpp"
#include "polyform/contract/plugin.hpp"
#include "polyform/helpers/compile.hpp"

namespace polyform::mujoco {
namespace {

class Mujoco final : public Formulation, public AbilityReasons {
 public:
  std::string_view name() const noexcept override { return "mujoco"; }
  std::string_view meaning() const noexcept override {
    return "another engine as a witness: MuJoCo's mass matrix and bias forces, for trees of rigid bodies";
  }
  std::string_view source() const noexcept override {
    return "Todorov, Erez, Tassa: MuJoCo: A physics engine for model-based control, IROS 2012";
  }
  Strided<const FieldSpec> options() const noexcept override { return {}; }
  std::uint32_t abilities() const noexcept override {
    return Ability::constraint_elements | Ability::modules | Ability::first_order_states | Ability::reactions;
  }
  int preference() const noexcept override { return 0; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == AbilityReasons::interface_name ? static_cast<const AbilityReasons*>(this) : nullptr;
  }
  std::string_view why_not(Ability ability) const noexcept override {
    switch (ability) {
      case Ability::closed_loops:
      case Ability::redundant_constraints:
        return "MuJoCo's constraints are soft, so that its accelerations are not those of rigid loops";
      case Ability::singular_mass: return "MuJoCo wants a positive mass and inertia of everything that moves";
      case Ability::flexible_bodies: return "MuJoCo has no flexible bodies with modes";
      case Ability::code_joints:
      case Ability::rheonomic_joints: return "MuJoCo has hinges, slides and balls alone";
      default: return {};
    }
  }
  bool supports(const SystemView& view, DiagnosticSink& sink) const noexcept override {
    const auto joint = MujocoModel::joint_without_counterpart(view);
    if (!joint) return true;
    sink.report({.message = Message("mujoco cannot run this: joint {} has a ball and another turn, for which MuJoCo "
                                    "has no counterpart",
                                    *joint),
                 .remedy = "leave mujoco out of the list of solvers"});
    return false;
  }
  Solver* compile(const SystemView& view, Strided<const FieldValue>, DiagnosticSink& sink) const noexcept override {
    return compiled(name(), "make the model smaller", sink, [&](std::optional<Refusal>& refusal) -> Solver* {
      auto centred = std::make_unique<CentredView>(view);
      std::string reason;
      std::unique_ptr<MujocoModel> model = MujocoModel::make(centred->view(), reason);
      if (model != nullptr)
        return made_solver<witnesses::EngineSolver>(std::move(centred),
                                                    std::make_unique<MujocoEngine>(std::move(model)), "MuJoCo");
      if (!reason.empty())
        refusal = {"mujoco: MuJoCo refuses the model: " + reason, "leave mujoco out of the list of solvers"};
      return nullptr;
    });
  }
};

constexpr Mujoco formulation;

}  // namespace
}  // namespace polyform::mujoco

POLYFORM_PLUGIN("formulation", "mujoco", "1.0") { registrar.add(polyform::mujoco::formulation); }
