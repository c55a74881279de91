#include "hierarchy.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "clearance.hpp"
#include "hierarchy_solver.hpp"
#include "polyform/contract/cost_model.hpp"
#include "polyform/helpers/compile.hpp"
#include "polyform/helpers/correction_options.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::hierarchy {
namespace {

enum Field : std::size_t { method, level, subsystems, clearance, correction, tolerance };

constexpr std::string_view methods[] = {"udwadia-kalaba",     "square-root-free",    "orthogonal-complement",
                                        "orthonormalization", "generalized-inverse", "oblique-projector"};
constexpr std::string_view subsystem_sources[] = {"automatic", "found", "flat"};

constexpr FieldSpec option_fields[] = {
    FieldSpec{.name = "method",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "how constraints are enforced; all give the same accelerations",
              .default_text = "udwadia-kalaba",
              .choices = methods},
    FieldSpec{.name = "level",
              .type = FieldType::integer,
              .unit = "",
              .meaning = "only the constraints up to this level of the hierarchy count (1: free bodies, but for what a "
                         "named subsystem of one body has within it); 0: all",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "subsystems",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "automatic: the subsystems of the model, or, where it names none, those found from its graph; "
                         "found: those found in any case; flat: one subsystem of all bodies, dense, for comparison",
              .default_text = "automatic",
              .choices = subsystem_sources},
    FieldSpec{
        .name = "clearance",
        .type = FieldType::text,
        .unit = "",
        .meaning =
            "variance R of the rows of joints, constraints and modules, in 1/kg and 1/(kg m^2), as name=R, name=R; of "
            "one row as name[k]=R, counted from 0 as evaluate --equations shows them",
        .default_text = ""},
    correction_option(),
    tolerance_option()};

/// The name of a block: a body, or a module with its type.
std::string_view name_of_block(const SystemView& view, std::size_t block) {
  if (block < view.bodies.size()) return view.bodies[block].name;
  block -= view.bodies.size();
  std::size_t group = 0;
  while (block >= view.modules[group].names.size()) block -= view.modules[group++].names.size();
  return view.modules[group].names[block];
}

std::optional<Refusal> check_clearance(const SystemView& view, const Plan& plan, const Options& options) {
  const auto is_exact = [](const std::vector<double>& rows) {
    return std::ranges::all_of(rows, [](double r) { return r == 0; });
  };
  if (std::ranges::all_of(plan.noise, is_exact)) return {};
  if (!is_filter(options.method))
    return Refusal{
        fmt::format("hierarchy: clearance is a covariance of measurements, which the method {} does not have",
                    methods[static_cast<std::size_t>(options.method)]),
        "choose method=udwadia-kalaba or method=square-root-free"};
  if (options.project)
    return Refusal{
        "hierarchy: clearance lets joints give way, but correction=projection would close them after each step",
        "add correction=none"};
  for (std::size_t i = 0; i < plan.inertia.size(); ++i)
    if (plan.inertia[i].singular)
      return Refusal{
          fmt::format("hierarchy: clearance needs a mass matrix with an inverse, but `{}` has no mass, or next to no "
                      "inertia for some motion",
                      name_of_block(view, i)),
          "give it mass and inertia, or leave clearance out"};
  return {};
}

/// Makes the hierarchy, and finds which of its levels count.
std::optional<Refusal> make_plan(const SystemView& view, Strided<const FieldValue> options, Plan& plan) {
  plan.constraints = constraints_of(view);
  plan.inertia = inertia_of_blocks(view, plan.constraints);
  const std::size_t n = plan.inertia.size();
  std::vector<bool> alone(n);  // described by a basis of motions; only the solution of a merge can use such a block
  const bool filter = is_filter(static_cast<Method>(options[method].integer));
  for (std::size_t i = 0; i < n; ++i) alone[i] = plan.inertia[i].singular || !filter;
  const auto source = static_cast<Subsystems>(options[subsystems].integer);
  const bool named = source == Subsystems::automatic && !view.subsystems.empty();
  const auto wanted = static_cast<std::size_t>(options[level].integer);
  std::size_t levels = 0;
  if (named) {
    levels = set_named_levels(view, plan.constraints);
  } else {
    plan.tree = make_merge_tree(plan.constraints, n, levels, source == Subsystems::flat, alone);
    levels = plan.tree.levels;
  }
  if (wanted > levels)
    return Refusal{fmt::format("hierarchy: level {} was asked for, but the hierarchy has {} level{}", wanted, levels,
                               plural(levels)),
                   named ? "choose a lower level, or add subsystems to those of the model"
                         : "choose a lower level, or name subsystems in the model"};
  plan.level = wanted == 0 ? levels : wanted;
  if (named || plan.level < levels) plan.tree = make_merge_tree(plan.constraints, n, plan.level, false, alone);
  return {};
}

class Hierarchy final : public Formulation {
 public:
  std::string_view name() const noexcept override { return "hierarchy"; }
  std::string_view meaning() const noexcept override {
    return "subsystems put together level by level: the recursive Udwadia-Kalaba equation, a Kalman filter whose "
           "measurements are the constraints";
  }
  std::string_view source() const noexcept override {
    return "R. M. M. Orsino, Recursive modular modelling methodology for lumped-parameter dynamic systems, "
           "Proceedings of the Royal Society A 473 (2017)";
  }
  Strided<const FieldSpec> options() const noexcept override { return option_fields; }
  std::uint32_t abilities() const noexcept override {
    return Ability::closed_loops | Ability::redundant_constraints | Ability::flexible_bodies |
           Ability::constraint_elements | Ability::modules | Ability::first_order_states | Ability::discrete_states |
           Ability::code_joints | Ability::rheonomic_joints | Ability::reactions | Ability::singular_mass;
  }
  int preference() const noexcept override { return 3; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == CostModel::interface_name ? static_cast<const CostModel*>(&cost_) : nullptr;
  }

  Solver* compile(const SystemView& view, Strided<const FieldValue> values,
                  DiagnosticSink& sink) const noexcept override {
    const auto make = [&](std::optional<Refusal>& refusal) -> Solver* {
      const Options options{static_cast<Method>(values[method].integer), values[correction].integer == 0,
                            values[tolerance].number};
      Plan plan;
      refusal = of_option("level", make_plan(view, values, plan));
      if (!refusal) refusal = of_option("clearance", read_clearance(view, values[clearance].text, plan));
      if (!refusal) refusal = of_option("clearance", check_clearance(view, plan, options));
      return refusal ? nullptr : made_solver<HierarchySolver>(view, std::move(plan), options);
    };
    return compiled(name(), "make the model smaller, or use subsystems=automatic in place of subsystems=flat", sink,
                    make);
  }

 private:
  LinearCostModel cost_{15000};
};

}  // namespace

const Formulation& formulation() noexcept {
  static const Hierarchy object;
  return object;
}

}  // namespace polyform::hierarchy
