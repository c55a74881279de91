// The type `fmu`, and the types that stand for elements with one FMU.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "coupling.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/module.hpp"
#include "polyform/contract/type_variants.hpp"

namespace polyform::fmus {

/// All elements with the same FMU, coupled alike. Lives as long as the plugin.
///
/// States, of model exchange: where the FMU has events first `discrete`, the number of its discrete state, and
/// `next_event`, then those of the FMU. Of co-simulation: `steps`, then the outputs, held between steps.
class FmuType final : public ForceType, public HeldStates {
 public:
  explicit FmuType(Strided<const FieldValue> fields) noexcept;

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == HeldStates::interface_name ? static_cast<const HeldStates*>(this) : nullptr;
  }
  bool is_held(std::size_t state) const noexcept override { return state < held_; }
  bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept override;
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override;

  const Coupling& coupling() const { return coupling_; }
  bool has_events() const { return has_events_; }
  std::size_t held() const { return held_; }  ///< states that change at events alone; the first ones
  static constexpr double no_event = -1;      ///< of `next_event`

  /// Discrete states of the FMU that events have led to, by number from 1 on; 0 is that at the start.
  std::size_t keep(std::vector<char> state) const;
  std::vector<char> kept(std::size_t number) const;

 private:
  void set_up(Strided<const FieldValue> fields);

  Coupling coupling_;
  std::string error_, remedy_;
  std::deque<std::string> texts_;
  std::vector<Variable> states_, outputs_;
  TypeDescriptor descriptor_;
  std::size_t held_ = 0;
  bool has_events_ = false;
  mutable std::mutex guard_;
  mutable std::deque<std::vector<char>> kept_;
};

ForceBatch* equations_of(const FmuType&, Strided<const ElementInstance>);  ///< of model exchange; throws FmuError
ForceBatch* steps_of(const FmuType&, Strided<const ElementInstance>);      ///< of co-simulation; throws FmuError

const ForceType& fmu_type() noexcept;
/// The same among modules, where models name it: the host takes the force for it, which asks for less.
const ModuleType& fmu_module() noexcept;

}  // namespace polyform::fmus
