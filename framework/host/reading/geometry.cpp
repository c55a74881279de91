// Shapes of bodies and of ground.
#include <fmt/format.h>

#include <array>

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

void require_extents(MapReader& map, std::string_view key, std::string_view meaning, Vec3& out) {
  const auto size = map.require(key, meaning);
  if (!size) return;
  const std::optional<Vec3> edges = read_vector3(*size, "m");
  if (!edges) return;
  for (std::size_t i = 0; i < 3; ++i) read_extent(size->item(i), out[i]);
}

struct NamedKind {
  std::string_view name;
  GeometricShape::Kind kind;
};
constexpr std::array kinds{NamedKind{"box", GeometricShape::Kind::box},
                           NamedKind{"capsule", GeometricShape::Kind::capsule},
                           NamedKind{"cylinder", GeometricShape::Kind::cylinder},
                           NamedKind{"ellipsoid", GeometricShape::Kind::ellipsoid},
                           NamedKind{"height-field", GeometricShape::Kind::height_field},
                           NamedKind{"mesh", GeometricShape::Kind::mesh},
                           NamedKind{"plane", GeometricShape::Kind::plane},
                           NamedKind{"sphere", GeometricShape::Kind::sphere}};

std::optional<GeometricShape::Kind> read_kind(MapReader& map) {
  std::vector<std::string_view> names;
  for (const NamedKind& kind : kinds) names.push_back(kind.name);
  const auto type = map.require("type", "the kind of shape: " + listing(names));
  const auto name = type ? read_text(*type, "the kind of shape") : std::nullopt;
  if (!name) return std::nullopt;
  for (const NamedKind& kind : kinds)
    if (kind.name == *name) return kind.kind;
  type->error(fmt::format("there is no shape {}", show(*name)),
              did_you_mean(*name, names) + fmt::format("Shapes: {}.", listing(names)));
  return std::nullopt;
}

/// The rotation that takes the z axis to a direction, by the shortest way.
Quat from_z(const Vec3& n) {
  const Quat half{1 + n.z, -n.y, n.x, 0};
  return half.w > 1e-12 ? normalized(half) : Quat{0, 1, 0, 0};
}

void read_orientation_of(MapReader& map, GeometricShape& shape) {
  const auto orientation = map.find("orientation");
  const auto normal = shape.kind == GeometricShape::Kind::plane ? map.find("normal") : std::nullopt;
  if (orientation && normal)
    normal->error("the plane has an orientation and a normal", "Give one of them: z of the orientation is the normal.");
  else if (normal)
    shape.pose.orientation = from_z(read_direction(*normal).value_or(Vec3{0, 0, 1}));
  else if (orientation)
    shape.pose.orientation = read_orientation(*orientation).value_or(shape.pose.orientation);
}

/// Where shapes go: those that contacts touch, and those that are drawn alone.
struct Shapes {
  std::vector<GeometricShape>&geometry, &pictures;
};

void read_shape(const Value& value, Description& model, const Shapes& shapes) {
  MapReader map(value);
  if (!map.is_map()) return;
  const std::optional<GeometricShape::Kind> kind = read_kind(map);
  if (!kind) return;
  using enum GeometricShape::Kind;
  const auto visual = map.find("visual");
  const bool is_picture = visual && read_boolean(*visual).value_or(false);
  GeometricShape& shape = (is_picture ? shapes.pictures : shapes.geometry).emplace_back();
  shape.kind = *kind;
  if (*kind == box) require_extents(map, "size", "lengths of the box's edges along x, y and z, in m", shape.edges);
  if (*kind == ellipsoid) {
    require_extents(map, "semi_axes", "half lengths of the ellipsoid along x, y and z, in m", shape.edges);
    shape.edges = 2 * shape.edges;
  }
  if (*kind == mesh) read_mesh(map, model, shape);
  if (*kind == height_field) read_height_field(map, model, shape);
  if (*kind == cylinder || *kind == sphere || *kind == capsule)
    require_extent(map, "radius", "the radius in m", shape.radius);
  if (*kind == cylinder) require_extent(map, "length", "along its z axis, in m", shape.length);
  if (*kind == capsule)
    require_extent(map, "length", "along its z axis between the centres of its half balls, in m", shape.length);
  if (const auto position = map.find("position"))
    shape.pose.position = read_vector3(*position, "m").value_or(shape.pose.position);
  read_orientation_of(map, shape);
  map.finish();
}

}  // namespace

void read_geometry(const Value& value, Description& model, std::vector<GeometricShape>& geometry,
                   std::vector<GeometricShape>& pictures) {
  const Shapes shapes{geometry, pictures};
  geometry.clear();
  pictures.clear();
  if (value.node().kind != Node::Kind::list) {
    value.unexpected("a list of shapes, [{type: cylinder, …}, …]");
    return;
  }
  for (std::size_t i = 0; i < value.node().items.size(); ++i) read_shape(value.item(i), model, shapes);
}

void read_ground(const Value& value, Description& model) {
  MapReader map(value);
  if (!map.is_map()) return;
  if (const auto geometry = map.find("geometry"))
    read_geometry(*geometry, model, model.ground_geometry, model.ground_pictures);
  map.finish();
}

}  // namespace polyform::host::reading
