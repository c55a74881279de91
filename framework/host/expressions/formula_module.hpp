// Modules whose fields hold formulas of the state: a type of the host's own around their type.
//
// It has the fields of a FormulaForce, which finds the values of the formulas, and then those of the modules. If the
// formulas follow signals with states, or forces, these are within that FormulaForce, and if they read numbers of
// modules, those are within too: so what the element does depends on its input alone, and any formulation that runs
// modules runs it. Its first states are those of the FormulaForce.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "framework/host/expressions/formula_force.hpp"
#include "polyform/contract/module.hpp"

namespace polyform::host::inline expressions {

/// The type of one instance. It names its numbers in full.
class FormulaModule final : public ModuleType {
 public:
  /// modules: their type, several of them as coupled modules without a constraint. name: before those of its numbers;
  /// "" if it names them in full. Both outlive the object.
  FormulaModule(std::unique_ptr<const FormulaForce> formulas, const ModuleType& modules, std::string_view name);

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept override;
  ModuleBatch* create(Strided<const ElementInstance>) const noexcept override;
  const void* query(std::string_view asked) const noexcept override {
    return asked == FormulaForce::full_names || asked == FormulaForce::given_values ? formulas_.get() : nullptr;
  }

  const FormulaForce& formulas() const { return *formulas_; }
  const ModuleType& modules() const { return modules_; }
  /// What is the FormulaForce's of the instance, and what is the modules'.
  ElementInstance formulas_of(const ElementInstance& whole) const;
  ElementInstance modules_of(const ElementInstance& whole) const;

 private:
  void describe(std::string_view name);

  std::unique_ptr<const FormulaForce> formulas_;
  const ModuleType& modules_;
  FormulaForce::Part own_;  ///< fields, markers and joints of the FormulaForce
  std::deque<std::string> names_;
  std::vector<FieldSpec> fields_;
  std::vector<Variable> variables_, states_, rows_, outputs_;
  std::vector<DiscreteVariable> discrete_;
  TypeDescriptor descriptor_;
};

}  // namespace polyform::host::inline expressions
