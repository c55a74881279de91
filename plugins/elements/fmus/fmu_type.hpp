// The type `fmu`, and the types that stand for elements with one FMU.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "coupling.hpp"
#include "kept_states.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/module.hpp"
#include "polyform/contract/process_state.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/type_variants.hpp"

namespace polyform::fmus {

/// All elements with the same FMU and the same coupling. It lives as long as the plugin.
///
/// States: first `start`, the number of the time and the inputs with which it was initialized, so that each instance
/// begins alike. For model exchange, if the FMU has events, then `discrete`, the number of its discrete state, and
/// `next_event`; then the states of the FMU. For co-simulation then `steps` and the outputs, held between steps.
class FmuType final : public ForceType, public HeldStates, public FailureReasons, public ProcessState {
 public:
  explicit FmuType(Strided<const FieldValue> fields) noexcept;

  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == FailureReasons::interface_name) return static_cast<const FailureReasons*>(this);
    if (asked == ProcessState::interface_name) return static_cast<const ProcessState*>(this);
    return asked == HeldStates::interface_name ? static_cast<const HeldStates*>(this) : nullptr;
  }
  void forget_failure() const noexcept override { LastFailure::forget(); }
  std::string_view last_failure(double since) const noexcept override { return LastFailure::text(since); }
  std::string_view kept() const noexcept override { return "the state of an FMU"; }
  bool is_held(std::size_t state) const noexcept override { return state < held_; }
  bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept override;
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override;

  const Coupling& coupling() const { return coupling_; }
  bool has_events() const { return has_events_; }
  /// Whether the FMU is told of each accepted step.
  bool ends_steps() const { return ends_steps_; }
  std::size_t held() const { return held_; }  ///< states that change at events alone; the first ones
  static constexpr double no_event = -1;      ///< of `next_event`

  /// Discrete states of the FMU that events have led to, by number; 0 is that at the start.
  KeptStates& kept_states() const { return kept_; }
  /// Starts by number; 0 is that without the motion (CoupledFmu::begin_as).
  KeptStates& starts() const { return starts_; }

 private:
  void set_up(Strided<const FieldValue> fields);

  Coupling coupling_;
  std::string error_, remedy_;
  std::deque<std::string> texts_;
  std::vector<Variable> states_, outputs_;
  TypeDescriptor descriptor_;
  std::size_t held_ = 0;
  bool has_events_ = false, ends_steps_ = false;
  mutable KeptStates kept_, starts_;
};

ForceBatch* equations_of(const FmuType&, Strided<const ElementInstance>);  ///< of model exchange; throws FmuError
ForceBatch* steps_of(const FmuType&, Strided<const ElementInstance>);      ///< of co-simulation; throws FmuError

const ForceType& fmu_type() noexcept;
/// The same for models that name it among modules: the host uses the force in its place, which needs less.
const ModuleType& fmu_module() noexcept;

}  // namespace polyform::fmus
