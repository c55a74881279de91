#include "framework/workbench/linearization/functions_of_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/host/expressions/formula_force.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline linearization {
namespace {

/// Calls visit with each function of time of a group's elements.
template <class Group, class Visit>
void each_function(Strided<const Group> groups, const Visit& visit) {
  for (const Group& group : groups)
    for (const ElementInstance& instance : group.instances)
      for (const FieldValue& value : instance.fields)
        for (const TimeFunction& f : value.functions) visit(f);
}
template <class Visit>
void each_function(const SystemView& view, const Visit& visit) {
  each_function(view.forces, visit);
  each_function(view.constraints, visit);
  each_function(view.modules, visit);
  for (const JointData& joint : view.joints)
    if (const RheonomicKernel* const kernel = rheonomic_kernel(joint))
      for (const TimeFunction& f : kernel->functions(joint.parameters)) visit(f);
}

}  // namespace

double next_knot(const SystemView& view, double t) {
  double next = std::numeric_limits<double>::infinity();
  each_function(view, [&](const TimeFunction& f) { next = std::min(next, f.next_knot(t)); });
  for (const JointData& joint : view.joints)
    if (const RheonomicKernel* const kernel = rheonomic_kernel(joint))
      next = std::min(next, kernel->next_knot(joint.parameters, t));
  return next;
}

std::vector<double> sine_periods(const SystemView& view) {
  std::vector<double> out;
  each_function(view, [&](const TimeFunction& f) {
    if (f.kind == TimeFunction::Kind::sine && f.amplitude != 0 && f.frequency != 0)
      out.push_back(1 / std::abs(f.frequency));
    else if (f.kind == TimeFunction::Kind::other && std::isfinite(f.shortest_time()))
      out.push_back(f.shortest_time());
  });
  return out;
}

bool may_hold_functions(const SystemView& view, double t, double duration) {
  bool may = true;
  each_function(view, [&](const TimeFunction& f) {
    if (f.is_constant() || std::isfinite(f.next_knot(t))) return;
    const double span = std::min(duration, f.shortest_time()), now = f(t).value;
    for (const double share : later_shares) may &= !(std::abs(f(t + share * span).value - now) > 0);
  });
  return may;
}

std::vector<double> later_times(const SystemView& view, double t, double duration) {
  const double knot = next_knot(view, t) - t;
  std::vector<double> spans = sine_periods(view), out;
  if (duration > 0) spans.push_back(std::sqrt(2.0) * duration);
  for (const double span : spans)
    for (const double share : later_shares) out.push_back(share * std::min(span, knot));
  return out;
}

std::string sampled_signals(const SystemView& view) {
  for (const auto& group : view.forces) {
    const auto* const force = static_cast<const FormulaForce*>(group.type->query(FormulaForce::full_names));
    if (force == nullptr || force->samples().empty()) continue;
    const FormulaSample& first = force->samples().front();
    return fmt::format("the state `{}` takes a sample every {:.6g} s and holds it: A is that of the time between two "
                       "samples",
                       first.name, first.interval);
  }
  return {};
}

}  // namespace polyform::host::linearization
