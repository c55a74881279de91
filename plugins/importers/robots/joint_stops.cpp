#include "joint_stops.hpp"

#include <algorithm>

namespace polyform::importers {

bool add_limit(Mechanism& m, NameGiver& names, Joint& joint, JointRange range, Ledger& ledger, Place place) {
  constexpr double endless = 1e15;  // formats write such numbers where there is no end
  const bool below = range.lower > -endless, above = range.upper < endless;
  if (!below && !above) return true;
  if (!(range.lower < range.upper)) return false;
  ModelElement& limit =
      m.elements.emplace_back(ModelElement{Section::forces, names.give(joint.name + "_limit"), "joint-limit", {}});
  limit.fields = {{"joint", written_name(joint.name)}};
  if (below) limit.fields.emplace_back("lower", written(range.lower));
  if (above) limit.fields.emplace_back("upper", written(range.upper));
  const double drawn = joint.initial_position.empty() ? 0 : joint.initial_position.front();
  const double start = std::clamp(drawn, range.lower, range.upper);
  if (start == drawn) return true;
  joint.initial_position = {start};
  ledger.add(Treatment::converted, "joint that is drawn beyond its limits", "it begins at their end", place);
  return true;
}

void add_dry_friction(Mechanism& m, NameGiver& names, const Joint& joint, double effort) {
  m.elements.push_back({Section::forces,
                        names.give(joint.name + "_friction"),
                        "dry-friction",
                        {{"joint", written_name(joint.name)}, {"effort", written(effort)}}});
}

}  // namespace polyform::importers
