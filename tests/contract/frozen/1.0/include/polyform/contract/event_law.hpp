// The event functions of a force that tells its law (force_law.hpp): an interface that a ForceBatch offers by name
// (query) beside EventSource and ForceLaw.
//
// A run on a device locates no events. It looks at the values of these functions in each step, and where one may have
// come to zero the host does the case. So only events at which a law bends may be told so: states that change there,
// and events that end the run, keep a model from devices.
#pragma once

#include <span>
#include <string_view>

#include "polyform/contract/force_law.hpp"

namespace polyform {

class EventLaw {
 public:
  static constexpr std::string_view interface_name = "polyform.event_law.1";

  /// Tells how the values of EventSource::evaluate_events(), one for each event function, follow from the inputs of
  /// ForceLaw::record(). What holds for that holds here.
  virtual void record_events(LawRecorder&, const LawInput&, std::span<LawIndex> values) noexcept = 0;

 protected:
  ~EventLaw() = default;
};

}  // namespace polyform
