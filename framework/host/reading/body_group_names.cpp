#include "framework/host/reading/body_group_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "framework/matching.hpp"

namespace polyform::host::inline reading {

BodyGroupNames::BodyGroupNames(Reading& reading, const Value* groups) : reading_(reading) {
  if (groups == nullptr) return;
  if (groups->node().kind != Node::Kind::map) {
    groups->unexpected("a map of names and lists of bodies");
    return;
  }
  for (const Node::Entry& e : groups->node().entries) {
    const Value value = groups->entry(e);
    if (e.key == "ground" || reading_.names.bodies.find(e.key)) {
      value.error(fmt::format("a body has the name of a group, {}", show(e.key)), "Rename the group.");
      continue;
    }
    groups_.emplace(e.key, bodies_of_list(value));
  }
}

std::vector<BodyIndex> BodyGroupNames::bodies_of(const Value& name) const {
  const std::optional<std::string> text = read_text(name, "the name of a body or of a group");
  if (!text) return {};
  if (const auto group = groups_.find(*text); group != groups_.end()) return group->second;
  if (text->find_first_of("*?") != std::string::npos && !reading_.names.bodies.find(*text)) return fitting(name, *text);
  const std::optional<BodyIndex> body = read_body(name, reading_.names);
  return body ? std::vector{*body} : std::vector<BodyIndex>{};
}

std::vector<BodyIndex> BodyGroupNames::bodies_of_list(const Value& names) const {
  if (names.node().kind != Node::Kind::list) return bodies_of(names);
  std::vector<BodyIndex> all;
  std::set<BodyIndex> known;
  for (std::size_t i = 0; i < names.node().items.size(); ++i)
    for (const BodyIndex body : bodies_of(names.item(i)))
      if (known.insert(body).second) all.push_back(body);
  return all;
}

std::vector<BodyIndex> BodyGroupNames::fitting(const Value& pattern, std::string_view text) const {
  std::vector<BodyIndex> all;
  for (std::size_t b = 0; b < reading_.model.bodies.size(); ++b)
    if (fits_pattern(text, reading_.model.bodies[b].name)) all.push_back(body_index(b));
  if (all.empty())
    pattern.error(fmt::format("no body has a name that fits {}", show(text)),
                  "* stands for any characters and ? for one.");
  return all;
}

}  // namespace polyform::host::reading
