// Coupled modules: several modules of any types and the constraints between them, as one module.
//
// To every formulation it is a module like any other, with the members' variables u = (u₁, u₂, …), M = diag(M₁, M₂, …),
// the members' forces and rows, and one row more for each constraint between them:
//
//   Σ cₖ uₖ = w(t)      of variables, or
//   Σ cₖ xₖ = w(t)      of states that are integrals of variables: a holonomic row, which positions keep
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "polyform/contract/module.hpp"

namespace polyform::host::inline reading {

/// The type of one coupled module: it has one instance, whose fields are those of the members, one after the other, and
/// w of each constraint.
class CoupledModules final : public ModuleType {
 public:
  struct Member {
    std::string name;
    const ModuleType* type = nullptr;
  };
  /// One number of the members by its name, `<member>.<variable>`.
  struct Number {
    bool is_state = false;
    std::size_t index = 0;  ///< among all variables, or all states
  };
  struct Term {
    double factor = 0;
    std::size_t variable = 0;  ///< whose rate the row asks for
    std::size_t state = 0;     ///< of a holonomic row: its integral
  };
  struct Constraint {
    std::string name;
    bool holonomic = false;
    std::vector<Term> terms;
  };

  explicit CoupledModules(std::vector<Member>);
  CoupledModules(const CoupledModules&) = delete;
  CoupledModules& operator=(const CoupledModules&) = delete;

  /// Before the type is used.
  void add(Constraint);
  const std::map<std::string, Number, std::less<>>& numbers() const { return numbers_; }
  /// The variable that a state is the integral of; negative where it is none.
  std::int32_t integral_of(std::size_t state) const { return states_[state].integral_of; }

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept override;
  ModuleBatch* create(Strided<const ElementInstance>) const noexcept override;

 private:
  std::string_view keep(const std::string& member, std::string_view name);
  void describe();

  std::vector<Member> members_;
  std::vector<Constraint> constraints_;
  std::map<std::string, Number, std::less<>> numbers_;
  std::deque<std::string> texts_;
  std::vector<FieldSpec> fields_;
  std::vector<Variable> variables_, states_, rows_, outputs_;
  TypeDescriptor descriptor_;
};

}  // namespace polyform::host::reading
