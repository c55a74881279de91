#include "joint_stops.hpp"

#include <algorithm>

namespace polyform::importers {

namespace {

/// The reason why a limit cannot be kept; empty: it is added. follows: another joint puts it where it begins.
std::string_view add_limit(Mechanism& m, NameGiver& names, const JointLimit& limit, bool follows, Ledger& ledger) {
  const JointRange& range = limit.range;
  if (!range.ends()) return {};
  if (!(range.lower < range.upper)) return "there is no way between the ends";
  Joint& joint = *std::ranges::find(m.joints, limit.joint, &Joint::name);
  const double drawn = joint.initial_position.empty() ? 0 : joint.initial_position.front();
  const double start = std::clamp(drawn, range.lower, range.upper);
  if (start != drawn && follows) return "the joint that it follows puts it beyond them";
  ModelElement& element =
      m.elements.emplace_back(ModelElement{Section::forces, names.give(joint.name + "_limit"), "joint-limit", {}});
  element.fields = {{"joint", written_name(joint.name)}};
  if (range.ends_below()) element.fields.emplace_back("lower", written(range.lower));
  if (range.ends_above()) element.fields.emplace_back("upper", written(range.upper));
  if (start == drawn) return {};
  joint.initial_position = {start};
  ledger.add(Treatment::converted, "joint that is drawn beyond its limits", "it begins at their end", limit.place);
  return {};
}

}  // namespace

void add_limits(Mechanism& m, NameGiver& names, const std::vector<JointLimit>& limits, const Mimics& mimics,
                Ledger& ledger) {
  const auto add = [&](bool followers) {
    for (const JointLimit& limit : limits) {
      if (mimics.follows(limit.joint) != followers) continue;
      const std::string_view why = add_limit(m, names, limit, followers, ledger);
      if (why.empty()) continue;
      for (const char* end : limit.ends) limit.element.mark(end, Treatment::not_honoured, why);
      bool named = std::ranges::any_of(limit.ends, [&](const char* end) { return limit.element.has(end); });
      for (const char* end : {"lower", "upper"})
        if (const Element e = limit.ends.empty() ? limit.element.child(end) : Element()) {
          e.mark(Treatment::not_honoured, why);
          named = true;
        }
      if (!named) limit.element.mark(Treatment::not_honoured, why);
    }
  };
  add(false);
  mimics.set_starts(m);
  add(true);
}

void add_dry_friction(Mechanism& m, NameGiver& names, const Joint& joint, double effort) {
  m.elements.push_back({Section::forces,
                        names.give(joint.name + "_friction"),
                        "dry-friction",
                        {{"joint", written_name(joint.name)}, {"effort", written(effort)}}});
}

}  // namespace polyform::importers
