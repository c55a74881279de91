// A formulation whose equations of motion are those of another engine, for trees of rigid bodies.
#pragma once

#include <memory>

#include "carried_body.hpp"
#include "polyform/contract/ability_reasons.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::witnesses {

class TreeWitness : public Formulation, public AbilityReasons {
 public:
  Strided<const FieldSpec> options() const noexcept final { return {}; }
  std::uint32_t abilities() const noexcept final {
    return Ability::constraint_elements | Ability::modules | Ability::first_order_states | Ability::reactions;
  }
  int preference() const noexcept final { return 0; }
  const void* query(std::string_view asked) const noexcept final {
    return asked == AbilityReasons::interface_name ? static_cast<const AbilityReasons*>(this) : nullptr;
  }
  std::string_view why_not(Ability ability) const noexcept final;
  Solver* compile(const SystemView&, Strided<const FieldValue>, DiagnosticSink&) const noexcept final;

 protected:
  /// How the engine writes its name. Lives as long as the plugin.
  virtual std::string_view engine() const noexcept = 0;
  /// gravity: m/s², ground axes.
  virtual std::unique_ptr<EngineTree> make_tree(const double gravity[3]) const = 0;
};

}  // namespace polyform::witnesses
