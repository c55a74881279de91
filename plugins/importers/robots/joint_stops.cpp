#include "joint_stops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

namespace polyform::importers {

namespace {

/// Which of several coordinates an element is about.
void add_coordinate(ModelElement& element, std::size_t coordinate, std::size_t coordinates) {
  if (coordinates > 1) element.fields.emplace_back("coordinate", fmt::format("{}", coordinate));
}

/// The reason why a limit cannot be kept; empty: it is added. follows: another joint puts it where it begins.
std::string_view add_limit(Mechanism& m, NameGiver& names, const JointLimit& limit, bool follows, Ledger& ledger) {
  const JointRange& range = limit.range;
  if (!range.ends()) return {};
  if (!(range.lower < range.upper)) return "there is no way between the ends";
  Joint& joint = *std::ranges::find(m.joints, limit.joint, &Joint::name);
  const auto element_of = [&](std::string name) -> ModelElement& {
    ModelElement& element =
        m.elements.emplace_back(ModelElement{Section::forces, names.give(std::move(name)), "joint-limit", {}});
    element.fields = {{"joint", written_name(joint.name)}};
    return element;
  };
  if (limit.is_ball) {
    // A rotation has no angle beyond a half turn, which thus ends nothing.
    if (range.upper < std::numbers::pi)
      element_of(joint.name + "_limit").fields.emplace_back("turn", written(range.upper));
    return {};
  }
  const double drawn = limit.coordinate < joint.initial_position.size() ? joint.initial_position[limit.coordinate] : 0;
  const double start = std::clamp(drawn, range.lower, range.upper);
  if (start != drawn && follows) return "the joint that it follows puts it beyond them";
  if (start != drawn && joint.type == "cylindrical") return "it is drawn beyond them, and its thread holds it there";
  ModelElement& element = element_of(joint.name + "_limit");
  add_coordinate(element, limit.coordinate, limit.coordinates);
  if (range.ends_below()) element.fields.emplace_back("lower", written(range.lower));
  if (range.ends_above()) element.fields.emplace_back("upper", written(range.upper));
  if (start == drawn) return {};
  joint.initial_position.resize(limit.coordinates);
  joint.initial_position[limit.coordinate] = start;
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

void add_dry_friction(Mechanism& m, NameGiver& names, const Joint& joint, double effort, std::size_t coordinate,
                      std::size_t coordinates) {
  ModelElement& element =
      m.elements.emplace_back(ModelElement{Section::forces, names.give(joint.name + "_friction"), "dry-friction", {}});
  element.fields = {{"joint", written_name(joint.name)}, {"effort", written(effort)}};
  add_coordinate(element, coordinate, coordinates);
}

}  // namespace polyform::importers
