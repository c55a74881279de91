// Rows that a model writes as formulas: nonlinear in velocities, h(q, v, t) = 0, or of second order, J(q, v, t) a =
// b(q, v, t). The host differentiates the formulas (rows_by_formulas.hpp); this type has their fields.
#include <array>

#include "constraint_types.hpp"
#include "polyform/contract/rows_by_formulas.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::constraints {
namespace {

enum Field : std::size_t { velocity, acceleration };
constexpr std::array specs{
    FieldSpec{.name = "velocity",
              .type = FieldType::time_functions,
              .unit = "",
              .meaning = "h of rows h(q, v, t) = 0 that hold at each time: one formula or a list"},
    FieldSpec{.name = "acceleration",
              .type = FieldType::time_functions,
              .unit = "",
              .meaning = "g of rows g(q, v, a, t) = 0, linear in accelerations a(joint), ax(body), dwx(body), ..."}};

class FormulaConstraint final : public ConstraintType, public RowsByFormulas {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr std::array rows{Variable{.name = "multiplier", .unit = "1"}};
    static constexpr TypeDescriptor descriptor{.name = "formula-constraint",
                                               .meaning = "rows by formulas of positions, velocities and accelerations",
                                               .fields = specs,
                                               .rows = rows};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == RowsByFormulas::interface_name ? static_cast<const RowsByFormulas*>(this) : nullptr;
  }
  Level level(std::size_t field) const noexcept override {
    return field == velocity ? Level::velocity : field == acceleration ? Level::acceleration : Level::none;
  }
  bool holonomic() const noexcept override { return false; }
  std::size_t rows(const ElementInstance& i) const noexcept override {
    return i.fields[velocity].functions.size() + i.fields[acceleration].functions.size();
  }
  bool define(ElementInstance&, std::size_t number, FieldSink& sink) const noexcept override {
    sink.report(Severity::error, number, velocity, "no row reads a velocity or an acceleration",
                "Give formulas, such as velocity: {expression: \"v(a) - v(b)^2\"}.");
    return false;
  }
  /// Never asked for: the host has a batch of its own.
  ConstraintBatch* create(Strided<const ElementInstance>) const noexcept override { return nullptr; }
};

}  // namespace

const ConstraintType& formula_constraint() noexcept {
  static constexpr FormulaConstraint type;
  return type;
}

}  // namespace polyform::constraints
