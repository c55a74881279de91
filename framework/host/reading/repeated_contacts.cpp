// Surfaces of two bodies that two entries of a model make touch.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "framework/host/reading/body_group_names.hpp"
#include "polyform/contract/body_groups.hpp"
#include "polyform/contract/body_pairs.hpp"

namespace polyform::host::inline reading {

namespace {

using Pair = std::pair<BodyIndex, BodyIndex>;
Pair in_order(BodyIndex a, BodyIndex b) { return std::minmax(a, b); }

const FieldValue* given_value(const ForceItem& item, std::string_view field) {
  const Strided<const FieldSpec> specs = item.type->fields();
  for (std::size_t f = 0; f < specs.size() && f < item.fields.values.size(); ++f)
    if (specs[f].name == field && item.fields.values[f].given) return &item.fields.values[f];
  return nullptr;
}

std::optional<Pair> pair_of(const ForceItem& item) {
  const BodyPairs* const names = item.type != nullptr ? ask<BodyPairs>(*item.type) : nullptr;
  if (names == nullptr) return std::nullopt;
  const FieldValue* const a = given_value(item, names->first_field());
  const FieldValue* const b = given_value(item, names->second_field());
  if (a == nullptr || b == nullptr || a->body == b->body) return std::nullopt;
  return in_order(a->body, b->body);
}

/// The bodies of one element for many of them.
struct Group {
  std::map<BodyIndex, unsigned> sides;
  std::set<Pair> apart;
  bool has(const Pair& pair) const {
    const auto a = sides.find(pair.first), b = sides.find(pair.second);
    if (a == sides.end() || b == sides.end() || apart.contains(pair)) return false;
    return ((a->second & 1) != 0 && (b->second & 2) != 0) || ((a->second & 2) != 0 && (b->second & 1) != 0);
  }
};

std::optional<Group> group_of(const ForceItem& item) {
  const BodyGroups* const names = item.type != nullptr ? ask<BodyGroups>(*item.type) : nullptr;
  const FieldValue* const bodies = names != nullptr ? given_value(item, names->bodies_field()) : nullptr;
  if (bodies == nullptr) return std::nullopt;
  const FieldValue* const sides = given_value(item, names->sides_field());
  const FieldValue* const apart = given_value(item, names->apart_field());
  Group group;
  const std::size_t count = bodies->bodies.size();
  for (std::size_t k = 0; k < count; ++k)
    group.sides[bodies->bodies[k]] =
        sides != nullptr && k < sides->numbers.size() ? static_cast<unsigned>(sides->numbers[k]) : 3U;
  for (std::size_t k = 0; apart != nullptr && k + 1 < apart->numbers.size(); k += 2) {
    const auto i = static_cast<std::size_t>(apart->numbers[k]), j = static_cast<std::size_t>(apart->numbers[k + 1]);
    if (i < count && j < count) group.apart.insert(in_order(bodies->bodies[i], bodies->bodies[j]));
  }
  return group;
}

/// A pair that two groups have; nothing where they have none.
std::optional<Pair> shared_pair(const Group& one, const Group& other) {
  for (auto a = one.sides.begin(); a != one.sides.end(); ++a) {
    if (!other.sides.contains(a->first)) continue;
    for (auto b = std::next(a); b != one.sides.end(); ++b)
      if (const Pair pair{a->first, b->first}; one.has(pair) && other.has(pair)) return pair;
  }
  return std::nullopt;
}

/// What two entries have in common is told once.
class Repeated {
 public:
  explicit Repeated(Reading& r) : r_(r) {}
  void tell(const ForceItem& first, const ForceItem& second, const Pair& pair) {
    if (!told_.emplace(first.path, second.path).second) return;
    const Path path{.key = second.path};
    r_.report.warning(
        second.place, path,
        fmt::format("{} and {} touch by {} already ({}, line {}): the forces of both add up", show(name_of(pair.first)),
                    show(name_of(pair.second)), show(first.name), first.path, first.place.line),
        "Leave one of the two out: a pair of `contacts` is left out by `except`.");
  }

 private:
  std::string_view name_of(BodyIndex body) const {
    return is_ground(body) ? std::string_view("ground") : std::string_view(r_.model.bodies[at(body)].name);
  }
  Reading& r_;
  std::set<std::pair<std::string, std::string>> told_;
};

}  // namespace

void warn_of_repeated_contacts(Reading& r) {
  Repeated repeated(r);
  std::map<Pair, const ForceItem*> known;
  std::vector<std::pair<const ForceItem*, Group>> groups;
  for (const ForceItem& item : r.model.forces) {
    if (const std::optional<Pair> pair = pair_of(item)) {
      const auto [place, is_new] = known.emplace(*pair, &item);
      if (!is_new) repeated.tell(*place->second, item, *pair);
      for (const auto& [of, group] : groups)
        if (group.has(*pair)) repeated.tell(*of, item, *pair);
    } else if (std::optional<Group> own = group_of(item)) {
      for (const auto& [of_pair, other] : known)
        if (own->has(of_pair)) {
          repeated.tell(*other, item, of_pair);
          break;
        }
      for (const auto& [of, group] : groups)
        if (const std::optional<Pair> shared = shared_pair(group, *own)) repeated.tell(*of, item, *shared);
      groups.emplace_back(&item, *std::move(own));
    }
  }
}

}  // namespace polyform::host::reading
