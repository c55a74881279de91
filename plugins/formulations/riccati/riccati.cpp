#include "riccati.hpp"

#include <memory>
#include <string>

#include "paper/procedure_sweep.hpp"
#include "paper/sweep.hpp"
#include "polyform/contract/cost_model.hpp"
#include "polyform/helpers/compile.hpp"
#include "polyform/helpers/correction_options.hpp"
#include "polyform/solvers/joint_coordinate_solver.hpp"
#include "polyform/solvers/merged_solver.hpp"
#include "polyform/solvers/recursion.hpp"
#include "polyform/solvers/tree_regularity.hpp"

namespace polyform::riccati {
namespace {

constexpr std::string_view algorithms[] = {"riccati", "transfer-product", "A", "B"};
constexpr std::string_view branch_ways[] = {"condensed", "overall"};

constexpr FieldSpec option_fields[] = {
    {"algorithm", FieldType::choice, "",
     "riccati passes S and e; transfer-product multiplies U_n … U_1 and loses digits with the length; A (chains), B (one "
     "body with several inputs): the paper's algorithms as printed, to compare",
     false, "riccati", algorithms},
    {"branches", FieldType::choice, "",
     "bodies with several inputs: condensed one after the other, or in one dense overall equation", false, "condensed",
     branch_ways},
    correction_option(
        "projection: positions and velocities return to the closed loops after each step; none: they drift"),
    tolerance_option()};

class RiccatiFormulation final : public Formulation {
 public:
  std::string_view name() const noexcept override { return "riccati"; }
  std::string_view meaning() const noexcept override {
    return "Riccati transfer matrix method: joint coordinates, recursion from tips to roots, linear in the bodies";
  }
  std::string_view source() const noexcept override {
    return "Rui, Bestle, Wang, Zhang: A new version of the Riccati transfer matrix method for multibody systems "
           "consisting of chain and branch bodies. Multibody System Dynamics 49 (2020)";
  }
  Strided<const FieldSpec> options() const noexcept override { return option_fields; }
  std::uint32_t abilities() const noexcept override {
    return Ability::closed_loops | Ability::redundant_constraints | Ability::flexible_bodies |
           Ability::constraint_elements | Ability::modules | Ability::first_order_states | Ability::discrete_states |
           Ability::code_joints | Ability::rheonomic_joints | Ability::reactions | Ability::singular_mass;
  }
  int preference() const noexcept override { return 50; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == CostModel::interface_name ? static_cast<const CostModel*>(&cost_) : nullptr;
  }

  bool supports(const SystemView& view, DiagnosticSink& sink) const noexcept override {
    return check_tree_is_regular(view, name(), sink);
  }

  Solver* compile(const SystemView& whole, Strided<const FieldValue> options,
                  DiagnosticSink& sink) const noexcept override {
    const paper::Variant variant{options[0].integer == 1, options[1].integer == 1};
    const LoopCorrection correction{options[2].integer == 0, options[3].number};
    const auto make_for = [&](const SystemView& view, std::optional<Refusal>& refusal) -> Solver* {
      if (options[0].integer >= 2)
        return make_procedure(view, options[0].integer == 2 ? paper::Procedure::chain : paper::Procedure::branch,
                              variant.overall, correction, refusal);
      if (!variant.product && !variant.overall) return made_solver<JointCoordinateSolver>(view, correction);
      std::string why;
      if (paper::can_carry(view, variant, why))
        return made_solver<JointCoordinateSolver>(
            view, [&](const SystemView& centred) { return std::make_unique<paper::Sweep>(centred, variant); });
      refusal = {std::move(why), "use the options `algorithm: riccati` and `branches: condensed`",
                 variant.product ? "algorithm" : "branches"};
      return nullptr;
    };
    const auto make = [&](std::optional<Refusal>& refusal) {
      return with_welds_merged(whole, [&](const SystemView& merged) { return make_for(merged, refusal); });
    };
    return compiled(name(), "make the model smaller", sink, make);
  }

 private:
  static Solver* make_procedure(const SystemView& view, paper::Procedure procedure, bool overall,
                                const LoopCorrection& correction, std::optional<Refusal>& refusal) {
    std::string why;
    if (overall) {
      refusal = {
          "option `branches: overall` means nothing beside the algorithms A and B, which have their own equation "
          "of a body with several inputs",
          "leave it out", "branches"};
      return nullptr;
    }
    if (!paper::can_carry(view, procedure, why)) {
      refusal = {"riccati: " + why, "use the option `algorithm: riccati`", "algorithm"};
      return nullptr;
    }
    return made_solver<JointCoordinateSolver>(
        view, correction, [&](const SystemView& centred, LoopClosure& loops) -> std::unique_ptr<TreeSweep> {
          return std::make_unique<paper::ProcedureSweep>(centred, loops, procedure,
                                                         std::make_unique<Recursion>(centred, loops));
        });
  }

  RecursionCostModel cost_;
};

}  // namespace

const Formulation& formulation() noexcept {
  static const RiccatiFormulation instance;
  return instance;
}

}  // namespace polyform::riccati
