#include "framework/workbench/conformance/value_sizes.hpp"

#include <algorithm>
#include <cmath>

#include "framework/host/simulation/mode_limits.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "polyform/contract/flexible_validity.hpp"

namespace polyform::host::inline conformance {

double in_range(const ValueRange& range, double part, double size_if_untold, double middle) {
  const double size = range.typical > 0 ? range.typical : size_if_untold;
  const double x = middle + part * size;
  if (x >= range.minimum && x <= range.maximum) return x;
  if (!std::isfinite(range.minimum)) return range.maximum - std::abs(part) * size;
  if (!std::isfinite(range.maximum)) return range.minimum + std::abs(part) * size;
  return range.minimum + 0.5 * (1 + part) * (range.maximum - range.minimum);
}

bool JointSizes::bounded() const {
  return std::ranges::any_of(q,
                             [](const ValueRange& r) { return std::isfinite(r.minimum) || std::isfinite(r.maximum); });
}

void keep_modes_valid(const FlexibleData& body, std::span<double> eta) {
  const BatchPointer<FlexibleBatch> batch(body.type->create({body.instance, 1}));
  if (!batch) return;
  const auto* const validity = ask<ModeValidity>(*batch);
  if (validity == nullptr) return;
  const double deformation = validity->deformation(0, eta);
  if (deformation > most_deformation)
    for (double& x : eta) x *= most_deformation / deformation;
}

JointSizes sizes_of(const System& system, const JointData& joint) {
  const auto& items = system.description().joints;
  const auto item = std::ranges::find(items, joint.name, &JointItem::name);
  if (item == items.end() || joint.added) return {std::vector<ValueRange>(joint.nq), std::vector<ValueRange>(joint.nv)};
  const auto ranges = [&](ValueRanges::Kind kind, std::size_t count) {
    return ranges_of(*item->type, kind, count, item->fields.values);
  };
  return {ranges(ValueRanges::Kind::position, joint.nq), ranges(ValueRanges::Kind::velocity, joint.nv)};
}

}  // namespace polyform::host::conformance
