#include "thompson.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "body_inertia.hpp"
#include "cost.hpp"
#include "polyform/helpers/correction_options.hpp"
#include "polyform/solvers/merged_solver.hpp"
#include "thompson_solver.hpp"

namespace polyform::thompson {
namespace {

enum Field : std::size_t { construction, form, angles, correction, tolerance };

constexpr std::string_view constructions[] = {"null-space", "velocity"};
constexpr std::string_view forms[] = {"reduced", "implicit-1", "implicit-2"};

constexpr FieldSpec option_fields[] = {
    FieldSpec{
        .name = "construction",
        .type = FieldType::choice,
        .unit = "",
        .meaning =
            "how H2 is found: as the null space of the constraint Jacobian (Eq 9), or from the velocity relationships "
            "of the joints, H_a^-1 H_b (Eq 17); both give the same accelerations",
        .default_text = "velocity",
        .choices = constructions},
    FieldSpec{
        .name = "form",
        .type = FieldType::choice,
        .unit = "",
        .meaning =
            "equations that are solved: reduced (Eq 15), implicit-1 with the bodies' accelerations (Eq 20), implicit-2 "
            "with the constraint forces, too (Eq 21); all give the same accelerations",
        .default_text = "reduced",
        .choices = forms},
    FieldSpec{.name = "angles",
              .type = FieldType::text,
              .unit = "",
              .meaning = "Euler angles in the place of quaternions: three axes for the spherical and free joints of "
                         "the tree (zyx), or "
                         "for single ones (hub=zyx, gimbal=x (0 0.6 0.8) x); quaternion takes a joint out again",
              .default_text = ""},
    correction_option(), tolerance_option()};

/// The implicit forms take M as constant; with loops, and with singular inertia, their matrix is dense.
std::optional<Refusal> check_form(const SystemView& view, Form chosen) {
  if (chosen == Form::reduced) return {};
  if (!view.flexible.empty())
    return Refusal{"thompson: the implicit forms rest on a constant mass matrix, which flexible bodies do not have",
                   "use form=reduced"};
  if (!view.modules.empty())
    return Refusal{
        "thompson: the unknowns of the implicit forms are rates and loads of bodies and joints; the variables "
        "of modules are not among them",
        "use form=reduced"};
  const bool singular =
      std::any_of(view.bodies.begin(), view.bodies.end(), [](const BodyData& body) { return is_singular(body); });
  const std::size_t unknowns = ImplicitForm::unknowns(view, chosen == Form::implicit_2);
  if ((singular || !view.cut_joints().empty() || !view.constraints.empty()) && unknowns > ImplicitForm::most_unknowns)
    return Refusal{
        fmt::format("thompson: with closed loops, constraint elements or bodies without mass or inertia the implicit "
                    "forms are dense in all unknowns: {} here, at most {}",
                    unknowns, ImplicitForm::most_unknowns),
        "use form=reduced"};
  if (const std::size_t blocks = ImplicitForm::blocks(view);
      chosen == Form::implicit_1 && blocks > ImplicitForm::most_blocks)
    return Refusal{
        fmt::format("thompson: form implicit-1 holds H2 itself, a block for each body and each joint on its way "
                    "to ground: {} here, at most {}",
                    blocks, ImplicitForm::most_blocks),
        "use form=implicit-2, whose cost is linear in the bodies, or form=reduced"};
  return {};
}

std::optional<Refusal> check_rows(const SystemView& view) {
  for (const ConstraintInstances& group : view.constraints)
    for (std::size_t i = 0; i < group.rows.size(); ++i)
      if (group.rows[i] > SecondReduction::most_rows)
        return Refusal{fmt::format("thompson: constraint `{}` has {} rows, at most {} are supported", group.names[i],
                                   group.rows[i], SecondReduction::most_rows),
                       "divide it into several, or use another solver"};
  for (const ModuleInstances& group : view.modules)
    if (const std::size_t rows = group.type->rows().size(); rows > SecondReduction::most_rows)
      return Refusal{fmt::format("thompson: module `{}` has {} rows, at most {} are supported", group.names[0], rows,
                                 SecondReduction::most_rows),
                     "use another solver"};
  return {};
}

class Thompson final : public Formulation {
 public:
  std::string_view name() const noexcept override { return "thompson"; }
  std::string_view meaning() const noexcept override {
    return "H2 reduction: a velocity transformation, null space of all constraints, takes free bodies to unconstrained "
           "equations "
           "of lowest order";
  }
  std::string_view source() const noexcept override {
    return "P. M. Thompson, Reduced Order Multi-body Problems, AIAA Modeling and Simulation Technologies Conference, "
           "AIAA 2011-6277 (2011)";
  }
  Strided<const FieldSpec> options() const noexcept override { return option_fields; }
  std::uint32_t abilities() const noexcept override {
    return Ability::closed_loops | Ability::redundant_constraints | Ability::constraint_elements |
           Ability::flexible_bodies | Ability::modules | Ability::first_order_states | Ability::discrete_states |
           Ability::code_joints | Ability::rheonomic_joints | Ability::reactions | Ability::singular_mass;
  }
  int preference() const noexcept override { return 20; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == CostModel::interface_name ? static_cast<const CostModel*>(&cost_) : nullptr;
  }

  Solver* compile(const SystemView& whole, Strided<const FieldValue> values,
                  DiagnosticSink& sink) const noexcept override {
    const auto make_for = [&](const SystemView& view, std::optional<Refusal>& refusal) -> Solver* {
      Options options{static_cast<Construction>(values[construction].integer),
                      static_cast<Form>(values[form].integer),
                      {},
                      values[correction].integer == 0,
                      values[tolerance].number};
      refusal = of_option("angles", read_sequences(view, values[angles].text, options.sequences));
      if (!refusal) refusal = of_option("form", check_form(view, options.form));
      if (!refusal) refusal = check_rows(view);
      return refusal ? nullptr : made_solver<ThompsonSolver>(view, std::move(options));
    };
    const auto make = [&](std::optional<Refusal>& refusal) {
      return with_welds_merged(whole, [&](const SystemView& merged) { return make_for(merged, refusal); });
    };
    return compiled(
        name(),
        "make the model smaller, or use a formulation without a matrix of the loops' coordinates, such as riccati",
        sink, make);
  }

 private:
  ThompsonCostModel cost_;
};

}  // namespace

const Formulation& formulation() noexcept {
  static const Thompson object;
  return object;
}

}  // namespace polyform::thompson
