// All functions of time of a system: those in fields of elements, and those of joints that move by the clock.
#pragma once

#include <string_view>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline watches {

/// An ability of a source that adds to a function of the model what another program gives.
class AddsToFunction {
 public:
  static constexpr std::string_view interface_name = "polyform.adds_to_function/1";
  virtual const TimeFunction& base() const noexcept = 0;

 protected:
  ~AddsToFunction() = default;
};

/// The function that the model gives: what its kind says of steps holds with and without an addition.
inline const TimeFunction& given_function(const TimeFunction& f) {
  if (f.kind != TimeFunction::Kind::other || f.source == nullptr) return f;
  const auto* const adds = static_cast<const AddsToFunction*>(f.source->query(AddsToFunction::interface_name));
  return adds == nullptr ? f : adds->base();
}

/// visit(const TimeFunction&), whose argument lives as long as the view.
template <class Visit>
void each_function_of_time(const SystemView& view, const Visit& visit) {
  const auto all = [&](const auto& groups) {
    for (const auto& group : groups)
      for (const ElementInstance& instance : group.instances)
        for (const FieldValue& field : instance.fields)
          for (const TimeFunction& f : field.functions) visit(f);
  };
  all(view.forces);
  all(view.constraints);
  all(view.modules);
  for (const JointData& joint : view.joints)
    if (const RheonomicKernel* const kernel = rheonomic_kernel(joint))
      for (const TimeFunction& f : kernel->functions(joint.parameters)) visit(f);
}

}  // namespace polyform::host::inline watches
