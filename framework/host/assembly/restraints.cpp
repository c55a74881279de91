#include "framework/host/assembly/restraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/nearest_rates.hpp"

namespace polyform::host::inline assembly {
namespace {

/// What amounts of the modes of a flexible body move its nodes by, m; turns along the length of the system.
double shift_of_modes(const Start& start, const FlexibleData& f, std::span<const double> amounts) {
  const NodeMotions& nodes = start.tree.nodes();
  double most = 0;
  for (std::size_t n = 0; n < start.view().nodes.size(); ++n) {
    if (start.view().nodes[n].body != f.body) continue;
    Spatial shift;
    for (std::size_t k = 0; k < f.modes; ++k) shift += amounts[f.mode_offset + k] * nodes.H(n)[k];
    most = std::max(most, start.speed_of(shift));
  }
  return most;
}

}  // namespace

void warn_of_moved_modes(Start& start, const std::vector<double>& given, const std::vector<double>& now, double size,
                         std::string_view what) {
  std::vector<double> changes(now.size());
  for (std::size_t k = 0; k < now.size(); ++k) changes[k] = now[k] - given[k];
  for (const FlexibleData& f : start.view().flexible) {
    if (!(shift_of_modes(start, f, changes) > met * size)) continue;
    double off = 0;
    for (std::size_t k = f.mode_offset; k < f.mode_offset + f.modes; ++k) off = std::max(off, std::abs(changes[k]));
    const BodyItem& item = start.body_item(at(f.body));
    start.parts.report(
        start.diagnostics, Severity::warning, item, {}, {},
        fmt::format("the loops do not allow the given {} of body `{}`: it was changed by up to {:.3g} to "
                    "close them",
                    what, item.name, off),
        "give the modes values that the loops allow");
  }
}

std::string restraint_of(const SystemView& view, std::size_t joint) {
  const auto on_joint = [joint](const auto& group) {
    const auto found = std::ranges::find_if(group.joints, [joint](JointIndex j) { return at(j) == joint; });
    const std::size_t each = group.joints.size() / group.names.size();
    return found == group.joints.end() ? std::string_view()
                                       : group.names[std::size_t(found - group.joints.begin()) / each];
  };
  for (const ConstraintInstances& group : view.constraints)
    if (const std::string_view name = on_joint(group); !name.empty()) return fmt::format("constraint `{}` does", name);
  for (const ModuleInstances& group : view.modules)
    if (const std::string_view name = on_joint(group); !name.empty() && !group.type->rows().empty())
      return fmt::format("module `{}` does", name);
  return restraint(view) + " do";
}

std::string restraint(const SystemView& view) {
  if (view.constraints.empty() && view.cut_joints().empty()) return view.modules.empty() ? "the joints" : "modules";
  if (view.constraints.empty()) return "the loops";
  return view.cut_joints().empty() ? "the constraints" : "the loops and constraints";
}

}  // namespace polyform::host::inline assembly
