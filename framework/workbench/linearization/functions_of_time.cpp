#include "framework/workbench/linearization/functions_of_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/host/expressions/formula_force.hpp"
#include "framework/host/watches/each_function_of_time.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline linearization {
namespace {}  // namespace

double next_knot(const SystemView& view, double t) {
  double next = std::numeric_limits<double>::infinity();
  each_function_of_time(view, [&](const TimeFunction& f) { next = std::min(next, f.next_knot(t)); });
  for (const JointData& joint : view.joints)
    if (const RheonomicKernel* const kernel = rheonomic_kernel(joint))
      next = std::min(next, kernel->next_knot(joint.parameters, t));
  return next;
}

std::vector<double> sine_periods(const SystemView& view) {
  std::vector<double> out;
  each_function_of_time(view, [&](const TimeFunction& f) {
    if (f.kind == TimeFunction::Kind::sine && f.amplitude != 0 && f.frequency != 0)
      out.push_back(1 / std::abs(f.frequency));
    else if (f.kind == TimeFunction::Kind::other && std::isfinite(f.shortest_time()))
      out.push_back(f.shortest_time());
  });
  return out;
}

bool may_hold_functions(const SystemView& view, double t, double duration) {
  bool may = true;
  each_function_of_time(view, [&](const TimeFunction& f) {
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
  std::string text;
  const auto look_at = [&](const auto& groups) {
    for (const auto& group : groups) {
      const auto* const force = static_cast<const FormulaForce*>(group.type->query(FormulaForce::full_names));
      if (force == nullptr || force->samples().empty()) continue;
      const FormulaSample& first = force->samples().front();
      text = fmt::format(
          "the state `{}` takes a sample every {:.6g} s and holds it: A is that of the time between two "
          "samples",
          first.name, first.interval);
    }
  };
  look_at(view.forces);
  look_at(view.modules);
  return text;
}

}  // namespace polyform::host::linearization
