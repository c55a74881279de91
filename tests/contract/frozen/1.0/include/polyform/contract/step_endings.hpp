// Ends of steps: what an element does once an integrator has accepted a step.
#pragma once

#include <span>
#include <string_view>

#include "polyform/contract/events.hpp"

namespace polyform {

/// EventSource::query of a force's batch gives it, where something behind the element keeps account of the motion: an
/// FMU, which is told of each step that counts and may ask for an event there. Laws of motion need none of it.
class StepEndings {
 public:
  static constexpr std::string_view interface_name = "polyform.step_endings.1";
  /// Called at the end of each accepted step in which no event was found, once, in the order of time; rows within the
  /// step have been asked for before. The input is the state there. states: those of all instances; on entry as in
  /// ForceInput::states, on return those that apply from now on. Returns whether they have changed: the integrator
  /// begins anew then. Nothing allocates or throws.
  virtual bool end_step(const EventInput&, std::span<double> states) noexcept = 0;

 protected:
  ~StepEndings() = default;
};

}  // namespace polyform
