#include "reduced.hpp"

#include "polyform/contract/cost_model.hpp"
#include "polyform/helpers/compile.hpp"
#include "polyform/solvers/merged_solver.hpp"
#include "polyform/solvers/tree_regularity.hpp"
#include "reduced_solver.hpp"

namespace polyform::reduced {
namespace {

constexpr std::string_view corrections[] = {"direct", "baumgarte", "none"};
constexpr std::string_view jacobians[] = {"semi-analytic", "direct-differentiation"};
constexpr std::string_view metrics[] = {"plain", "inertia"};

enum Option { correction, jacobian, metric, tolerance, alpha, beta };

constexpr FieldSpec positive(std::string_view name, std::string_view unit, std::string_view meaning,
                             std::string_view value) {
  FieldSpec f{name, FieldType::number, unit, meaning};
  f.default_text = value;
  f.minimum = 0;
  f.exclusive_minimum = true;
  return f;
}

constexpr FieldSpec option_fields[] = {
    {"correction", FieldType::choice, "",
     "direct: positions, then velocities return to the closed loops after each step; baumgarte: the accelerations pull "
     "them back; none: they drift",
     false, "direct", corrections},
    {"jacobian", FieldType::choice, "",
     "of the direct correction in the plain metric: semi-analytic along the two paths of each loop (Algorithm 1), or "
     "direct differentiation from the root (Algorithm 2), which is slower",
     false, "semi-analytic", jacobians},
    {"metric", FieldType::choice, "",
     "what the direct correction keeps least: plain, the change of the joint coordinates; inertia, its kinetic energy, "
     "by a sweep of the recursion",
     false, "plain", metrics},
    positive("tolerance", "m, rad, m/s, rad/s", "of the direct correction: largest constraint residual that is left",
             "1e-10"),
    positive("alpha", "1/s", "of baumgarte: c'' = -2 alpha c' - beta^2 c", "20"),
    positive("beta", "1/s", "of baumgarte", "20")};

class ReducedFormulation final : public Formulation {
 public:
  std::string_view name() const noexcept override { return "reduced"; }
  std::string_view meaning() const noexcept override {
    return "Reduced transfer matrix method: joint coordinates, decoupled hinge equations, direct correction of closed "
           "loops";
  }
  std::string_view source() const noexcept override {
    return "Zhang, Rui, Zhang, Wang, Gu, Zhang: A framework for establishing constraint Jacobian matrices of planar "
           "rigid-flexible-multibody systems. AIMS Mathematics 8 (2023)";
  }
  Strided<const FieldSpec> options() const noexcept override { return option_fields; }
  std::uint32_t abilities() const noexcept override {
    return Ability::closed_loops | Ability::redundant_constraints | Ability::flexible_bodies |
           Ability::constraint_elements | Ability::modules | Ability::first_order_states | Ability::discrete_states |
           Ability::code_joints | Ability::rheonomic_joints | Ability::reactions | Ability::singular_mass;
  }
  int preference() const noexcept override { return 40; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == CostModel::interface_name ? static_cast<const CostModel*>(&cost_) : nullptr;
  }

  bool supports(const SystemView& view, DiagnosticSink& sink) const noexcept override {
    return check_tree_is_regular(view, name(), sink);
  }

  Solver* compile(const SystemView& view, Strided<const FieldValue> options,
                  DiagnosticSink& sink) const noexcept override {
    const auto make = [&](std::optional<Refusal>& refusal) -> Solver* {
      Choice choice;
      refusal = read(options, choice);
      if (refusal) return nullptr;
      return with_welds_merged(view,
                               [&](const SystemView& merged) { return made_solver<ReducedSolver>(merged, choice); });
    };
    return compiled(name(), "make the model smaller", sink, make);
  }

 private:
  /// Reads the options; refuses those that mean nothing together with the others.
  static std::optional<Refusal> read(Strided<const FieldValue> options, Choice& choice) {
    choice = {static_cast<Choice::Correction>(options[correction].integer),
              options[jacobian].integer == 1,
              options[metric].integer == 1,
              options[tolerance].number,
              options[alpha].number,
              options[beta].number};
    if (choice.correction != Choice::Correction::direct)
      for (const Option o : {jacobian, metric, tolerance})
        if (options[o].given)
          return Refusal{"the options `jacobian`, `metric` and `tolerance` belong to `correction: direct`",
                         "leave them out, or use `correction: direct`", option_fields[o].name};
    if (choice.correction != Choice::Correction::baumgarte && (options[alpha].given || options[beta].given))
      return Refusal{"the options `alpha` and `beta` belong to `correction: baumgarte`",
                     "leave them out, or use `correction: baumgarte`",
                     option_fields[options[alpha].given ? alpha : beta].name};
    if (choice.inertia_metric && options[jacobian].given)
      return Refusal{"`metric: inertia` sweeps the loops with the recursion itself and has no use for `jacobian`",
                     "leave `jacobian` out, or use `metric: plain`", option_fields[jacobian].name};
    return {};
  }

 private:
  RecursionCostModel cost_;
};

}  // namespace

const Formulation& formulation() noexcept {
  static const ReducedFormulation instance;
  return instance;
}

}  // namespace polyform::reduced
