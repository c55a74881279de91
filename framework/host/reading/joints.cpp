// Joints: what they connect, their type's fields and their initial coordinates.
#include <fmt/format.h>

#include <array>

#include "framework/host/reading/model_reader.hpp"

namespace polyform::host::inline reading {

namespace {

void read_ends(Reading& r, MapReader& map, JointItem& joint) {
  const auto base_value = map.require("base", "the body that the joint starts from, or 'ground'");
  const auto moving_value = map.require("moving", "the body that the joint moves");
  const std::optional<BodyIndex> base = base_value ? read_body(*base_value, r.names) : std::nullopt;
  const std::optional<BodyIndex> moving = moving_value ? read_body(*moving_value, r.names) : std::nullopt;
  if (!base || !moving) return;
  joint.base = *base;
  joint.moving = *moving;
  if (*base == *moving) {
    moving_value->error(fmt::format("the joint connects {} to itself", show(moving_value->node().text)),
                        "Base and moving are two bodies, or a body and 'ground'.");
  }
}

}  // namespace

void read_initial(const Value& value, JointItem& joint) {
  MapReader map(value);
  if (!map.is_map()) return;
  joint.initial_place = value.model_place();
  const auto coordinates = [&](std::string_view key, std::vector<double>& out) {
    const auto entry = map.find(key);
    if (!entry) return;
    if (auto numbers = read_numbers(*entry)) out = std::move(*numbers);
    if (entry->node().kind == Node::Kind::list && entry->node().items.empty())
      entry->unexpected("the coordinates of the joint", "Remove the key if they are not given.");
  };
  coordinates("position", joint.initial_position);
  coordinates("velocity", joint.initial_velocity);
  map.finish();
}

void read_joint_entries(Reading& r, MapReader& map, JointItem& joint, bool in_chain) {
  if (!map.is_map()) return;
  const auto type = map.require("type", "the name of a joint type (polyform plugins lists them)");
  if (type) joint.type = find_type(*type, r.catalog.joints, "joint");
  if (in_chain) {
    map.forbid("name", "the chain names its joints");
    map.forbid("base", "the chain connects its bodies");
    map.forbid("moving", "the chain connects its bodies");
    map.forbid("position", "the chain places its joints at start + k step");
  } else {
    map.find("name");  // read in the first pass
    read_ends(r, map, joint);
  }
  if (const auto initial = map.find("initial")) read_initial(*initial, joint);
  if (const auto cut = map.find("cut")) joint.cut = read_boolean(*cut).value_or(false);
  if (!joint.type) return;
  constexpr std::array<std::string_view, 1> placed_by_chain{"position"};
  joint.fields = r.fields.read(map, joint.type->fields(), std::span(placed_by_chain).first(in_chain ? 1 : 0));
  map.finish();
}

}  // namespace polyform::host::reading
