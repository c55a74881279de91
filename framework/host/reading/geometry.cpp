// Shapes of bodies, for pictures only.
#include <fmt/format.h>

#include "framework/host/reading/model_reader.hpp"

namespace polyform::host::inline reading {

namespace {

/// A length greater than 0; `out` stays after a report.
void read_extent(const Value& value, double& out) {
  const std::optional<double> number = read_number(value, "m");
  if (!number) return;
  if (*number > 0)
    out = *number;
  else
    value.error(fmt::format("a shape has no extent of {} m", *number), "Give a length greater than 0.");
}

void require_extent(MapReader& map, std::string_view key, std::string_view meaning, double& out) {
  if (const auto entry = map.require(key, meaning)) read_extent(*entry, out);
}

void require_edges(MapReader& map, Vec3& out) {
  const auto size = map.require("size", "lengths of the box's edges along x, y and z, in m");
  if (!size) return;
  const std::optional<Vec3> edges = read_vector3(*size, "m");
  if (!edges) return;
  for (std::size_t i = 0; i < 3; ++i) read_extent(size->item(i), out[i]);
}

std::optional<ShapeItem::Kind> read_kind(MapReader& map) {
  const auto type = map.require("type", "the kind of shape: box, cylinder or sphere");
  const auto name = type ? read_text(*type, "the kind of shape") : std::nullopt;
  if (!name) return std::nullopt;
  if (*name == "box") return ShapeItem::Kind::box;
  if (*name == "cylinder") return ShapeItem::Kind::cylinder;
  if (*name == "sphere") return ShapeItem::Kind::sphere;
  type->error(fmt::format("there is no shape {}", show(*name)),
              did_you_mean(*name, {"box", "cylinder", "sphere"}) + "Shapes: box, cylinder, sphere.");
  return std::nullopt;
}

void read_shape(const Value& value, std::vector<ShapeItem>& shapes) {
  MapReader map(value);
  if (!map.is_map()) return;
  const std::optional<ShapeItem::Kind> kind = read_kind(map);
  if (!kind) return;
  ShapeItem& shape = shapes.emplace_back();
  shape.kind = *kind;
  if (shape.kind == ShapeItem::Kind::box) require_edges(map, shape.size);
  if (shape.kind != ShapeItem::Kind::box) require_extent(map, "radius", "the radius in m", shape.radius);
  if (shape.kind == ShapeItem::Kind::cylinder) require_extent(map, "length", "along its z axis, in m", shape.length);
  if (const auto position = map.find("position"))
    shape.pose.position = read_vector3(*position, "m").value_or(shape.pose.position);
  if (const auto orientation = map.find("orientation"))
    shape.pose.orientation = read_orientation(*orientation).value_or(shape.pose.orientation);
  map.finish();
}

}  // namespace

std::vector<ShapeItem> read_geometry(const Value& value) {
  std::vector<ShapeItem> shapes;
  if (value.node().kind != Node::Kind::list) {
    value.unexpected("a list of shapes, [{type: cylinder, …}, …]");
    return shapes;
  }
  for (std::size_t i = 0; i < value.node().items.size(); ++i) read_shape(value.item(i), shapes);
  return shapes;
}

}  // namespace polyform::host::reading
