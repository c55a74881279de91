// All functions of time of a system: those in fields of elements, and those of joints that move by the clock.
#pragma once

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline simulation {

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

}  // namespace polyform::host::inline simulation
