#include "cartesian.hpp"

#include "cartesian_solver.hpp"
#include "polyform/contract/cost_model.hpp"
#include "polyform/helpers/compile.hpp"
#include "polyform/helpers/correction_options.hpp"

namespace polyform::cartesian {
namespace {

constexpr FieldSpec option_fields[] = {correction_option(), tolerance_option()};

class Cartesian final : public Formulation {
 public:
  std::string_view name() const noexcept override { return "cartesian"; }
  std::string_view meaning() const noexcept override {
    return "all bodies free, all joints as constraints, sparse saddle-point system: the reference to compare with";
  }
  std::string_view source() const noexcept override {
    return "absolute coordinates with Lagrange multipliers, the comparison in Rui et al. 2020 and Zhang et al. 2023";
  }
  Strided<const FieldSpec> options() const noexcept override { return option_fields; }
  std::uint32_t abilities() const noexcept override {
    return Ability::closed_loops | Ability::redundant_constraints | Ability::flexible_bodies |
           Ability::constraint_elements | Ability::modules | Ability::first_order_states | Ability::discrete_states |
           Ability::code_joints | Ability::rheonomic_joints | Ability::reactions | Ability::singular_mass;
  }
  int preference() const noexcept override { return 10; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == CostModel::interface_name ? static_cast<const CostModel*>(&cost_) : nullptr;
  }

  Solver* compile(const SystemView& view, Strided<const FieldValue> options,
                  DiagnosticSink& sink) const noexcept override {
    return compiled(name(), use_joint_coordinates, sink, [&](std::optional<Refusal>&) {
      return made_solver<CartesianSolver>(view, options[0].integer == 0, options[1].number);
    });
  }

 private:
  LinearCostModel cost_{8000};
};

}  // namespace

const Formulation& formulation() noexcept {
  static const Cartesian object;
  return object;
}

}  // namespace polyform::cartesian
