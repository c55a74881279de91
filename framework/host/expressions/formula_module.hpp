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

/// The type of one instance.
class FormulaModule final : public ModuleType {
 public:
  /// How its numbers are named: by their own names, in full as the modules do already, or in full with the name of the
  /// module before theirs.
  enum class Names { own, full, with_prefix };
  /// modules: their type, several of them as coupled modules without a constraint. It and the name outlive the object.
  FormulaModule(std::unique_ptr<const FormulaForce> formulas, const ModuleType& modules, Names, std::string_view name);

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept override;
  ModuleBatch* create(Strided<const ElementInstance>) const noexcept override;
  const void* query(std::string_view asked) const noexcept override {
    const bool is_told = asked == FormulaForce::given_values || (asked == FormulaForce::full_names && names_in_full_);
    return is_told ? formulas_.get() : nullptr;
  }

  const FormulaForce& formulas() const { return *formulas_; }
  const ModuleType& modules() const { return modules_; }
  /// What is the FormulaForce's of the instance, and what is the modules'.
  ElementInstance formulas_of(const ElementInstance& whole) const;
  ElementInstance modules_of(const ElementInstance& whole) const;

 private:
  void describe(Names, std::string_view name);

  std::unique_ptr<const FormulaForce> formulas_;
  const ModuleType& modules_;
  bool names_in_full_;
  FormulaForce::Part own_;  ///< fields, markers and joints of the FormulaForce
  std::deque<std::string> names_;
  std::vector<FieldSpec> fields_;
  std::vector<Variable> variables_, states_, rows_, outputs_;
  std::vector<DiscreteVariable> discrete_;
  TypeDescriptor descriptor_;
};

}  // namespace polyform::host::inline expressions
