// Constraints whose rows are formulas: a type of the host's own in the place of one with RowsByFormulas.
//
// A row h(q, v, t) = 0 gives ∂h/∂v as its coefficients and −h_q q̇ − h_t as what accelerations have to meet; velocities
// are corrected towards h = 0 by one step of Newton's method. A row g(q, v, a, t) = 0 gives ∂g/∂a, and −g at a = 0; it
// asks nothing of velocities. The derivatives are expressions of the graph, found once.
#pragma once

#include <string>
#include <vector>

#include "framework/host/expressions/program.hpp"
#include "framework/host/expressions/state_reader.hpp"
#include "polyform/contract/constraint_element.hpp"
#include "polyform/contract/rows_by_formulas.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline expressions {

/// The constraint type of one instance, with its formulas. Its fields are those of the type that it stands for, and two
/// more: bodies and joints that the formulas read.
class FormulaRows final : public ConstraintType {
 public:
  struct Row {
    NodeIndex root = 0;
    RowsByFormulas::Level level = RowsByFormulas::Level::velocity;
    std::size_t field = 0;
  };
  /// A sentence on a row that cannot be one, and what to do; both empty if all can.
  struct Objection {
    std::size_t field = 0;
    std::string message{}, remedy{};
  };

  FormulaRows(Formulas&, const ConstraintType& stands_for, std::vector<Row>);

  const Objection& objection() const { return objection_; }
  const std::vector<BodyIndex>& bodies() const { return reader_.bodies(); }
  const std::vector<JointIndex>& joints() const { return reader_.joints(); }

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  /// What query gives under this name: the type itself.
  static constexpr std::string_view own = "polyform.host.formula_rows";
  const void* query(std::string_view asked) const noexcept override { return asked == own ? this : nullptr; }
  bool holonomic() const noexcept override { return false; }
  std::size_t rows(const ElementInstance&) const noexcept override { return rows_.size(); }
  bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept override;
  ConstraintBatch* create(Strided<const ElementInstance>) const noexcept override;

  /// A derivative of a row by an input.
  struct Slope {
    std::size_t row, input, root;  ///< root: of program()
  };
  const std::vector<Row>& all() const { return rows_; }
  const std::vector<Slope>& slopes() const { return slopes_; }
  /// Values of the rows, then the slopes.
  const Program& program() const { return program_; }
  const StateReader& reader() const { return reader_; }
  std::span<const FormulaText> texts() const { return *texts_; }

 private:
  void differentiate(Formulas&, std::span<const std::uint32_t> inputs);
  void object(std::size_t row, std::string message, std::string remedy);
  void check(Formulas&, std::size_t row);

  std::shared_ptr<const std::vector<FormulaText>> texts_;
  std::vector<Row> rows_;
  std::vector<Slope> slopes_;
  Program program_;
  StateReader reader_;
  Objection objection_;
  std::vector<FieldSpec> specs_;
  TypeDescriptor descriptor_;
};

/// Per row of the view's constraint elements, whether it is a formula on accelerations: it asks nothing of velocities.
std::vector<char> rows_on_accelerations(const SystemView&);

}  // namespace polyform::host::inline expressions
