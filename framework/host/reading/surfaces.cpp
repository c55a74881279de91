// Shapes that are lists of points: meshes and height fields.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "framework/host/reading/model_reader.hpp"
#include "polyform/helpers/triangle_mesh.hpp"

namespace polyform::host::inline reading {

namespace {

/// Reports a fault in a file that the model names.
void report_fault(const Value& value, const std::string& file, std::size_t line, std::string_view what,
                  std::string_view remedy) {
  const std::string place = line == 0 ? std::string() : fmt::format(", line {}", line);
  value.error(fmt::format("the file {}{}: {}", show(file), place, what), remedy);
}

std::optional<TriangleMesh> mesh_of_file(const Value& value, const Description& model) {
  const std::optional<std::string> name = read_text(value, "the name of an STL, OBJ or glTF file");
  const std::optional<std::string> bytes = name ? content_of(value, *name, model.file) : std::nullopt;
  if (!bytes) return std::nullopt;
  MeshFault fault;
  std::optional<TriangleMesh> mesh =
      polyform::read_mesh(*bytes, std::filesystem::path(*name).extension().string(), fault);
  if (!mesh)
    report_fault(value, *name, fault.line, fault.what, "Meshes are read from STL, OBJ and glTF files (.glb, .gltf).");
  return mesh;
}

bool read_face(const Value& value, TriangleMesh& mesh) {
  const std::size_t count = mesh.vertices.size();
  if (value.node().kind != Node::Kind::list || value.node().items.size() < 3) {
    value.unexpected("a face as a list of three vertices or more");
    return false;
  }
  std::vector<std::uint32_t> corners;
  for (std::size_t k = 0; k < value.node().items.size(); ++k) {
    const Value corner = value.item(k);
    const std::optional<std::int64_t> number = read_integer(corner);
    if (!number) return false;
    if (*number < 0 || static_cast<std::size_t>(*number) >= count) {
      corner.error(fmt::format("there is no vertex {}", *number),
                   fmt::format("Vertices have the numbers 0 to {}.", count - 1));
      return false;
    }
    corners.push_back(static_cast<std::uint32_t>(*number));
  }
  for (std::size_t k = 2; k < corners.size(); ++k) mesh.faces.push_back({corners[0], corners[k - 1], corners[k]});
  return true;
}

std::optional<TriangleMesh> mesh_of_lists(const Value& vertices, const std::optional<Value>& faces) {
  TriangleMesh mesh;
  if (!is_list(vertices, "vertices")) return std::nullopt;
  bool good = true;
  for (std::size_t i = 0; i < vertices.node().items.size(); ++i) {
    const std::optional<Vec3> vertex = read_vector3(vertices.item(i), "m");
    good = good && vertex;
    mesh.vertices.push_back(vertex.value_or(Vec3{}));
  }
  if (faces && is_list(*faces, "faces"))
    for (std::size_t i = 0; i < faces->node().items.size(); ++i) good = read_face(faces->item(i), mesh) && good;
  return good ? std::optional(std::move(mesh)) : std::nullopt;
}

/// False after a report.
bool scale_mesh(const Value& value, TriangleMesh& mesh) {
  Vec3 scale{1, 1, 1};
  if (value.node().kind == Node::Kind::list) {
    const std::optional<Vec3> given = read_vector3(value);
    if (!given) return false;
    scale = *given;
  } else {
    const std::optional<double> given = read_number(value);
    if (!given) return false;
    scale = {*given, *given, *given};
  }
  const double volume = scale.x * scale.y * scale.z;
  if (volume == 0) {
    value.error("a mesh of the scale 0 has no extent", "Give a scale other than 0; 0.001 for files in mm.");
    return false;
  }
  for (Vec3& v : mesh.vertices) v = {scale.x * v.x, scale.y * v.y, scale.z * v.z};
  if (!std::ranges::all_of(mesh.vertices, [](const Vec3& v) { return std::isfinite(dot(v, v)); })) {
    value.error("the vertices of the mesh are too far away with this scale", "Give a smaller scale.");
    return false;
  }
  if (volume < 0)  // mirrored
    for (auto& f : mesh.faces) std::swap(f[1], f[2]);
  return true;
}

/// Six times the volume that a closed mesh encloses, m³.
double volume_of(const TriangleMesh& mesh) {
  double sum = 0;
  const Vec3 from = mesh.vertices.front();
  for (const auto& f : mesh.faces)
    sum += dot(mesh.vertices[f[0]] - from, cross(mesh.vertices[f[1]] - from, mesh.vertices[f[2]] - from));
  return sum;
}

std::optional<TriangleMesh> whole_mesh(MapReader& map, Description& model, bool convex) {
  const auto file = map.find("file"), vertices = map.find("vertices"), faces = map.find("faces");
  if (file && (vertices || faces)) {
    file->error("the mesh has a file and lists", "Give 'file', or 'vertices' and 'faces'.");
    return std::nullopt;
  }
  if (!file && !vertices) {
    map.report_missing("file", "an STL, OBJ or glTF file", "Give 'file', or 'vertices' and 'faces'.");
    return std::nullopt;
  }
  std::optional<TriangleMesh> mesh = file ? mesh_of_file(*file, model) : mesh_of_lists(*vertices, faces);
  if (!mesh) return std::nullopt;
  const Value& source = file ? *file : *vertices;
  if (const auto scale = map.find("scale"); scale && !scale_mesh(*scale, *mesh)) return std::nullopt;
  if (convex) {
    mesh = convex_hull(mesh->vertices);
    if (!mesh) source.error("the vertices of the mesh lie in one plane", "A convex mesh has an inside.");
    return mesh;
  }
  if (mesh->faces.empty()) {
    source.error("the mesh has vertices and no faces", "Give 'faces', or 'convex: true' for their hull.");
    return std::nullopt;
  }
  if (is_closed(*mesh) && volume_of(*mesh) < 0) {
    source.note("the faces of the mesh are seen from inside; they are turned round");
    for (auto& f : mesh->faces) std::swap(f[1], f[2]);
  }
  return mesh;
}

/// Rows of numbers, one on each line, between blanks, commas or semicolons; nothing after a report.
std::optional<std::vector<double>> rows_of_file(const Value& value, const Description& model, std::size_t& rows) {
  const std::optional<std::string> name = read_text(value, "the name of a file");
  const std::optional<std::string> text = name ? content_of(value, *name, model.file) : std::nullopt;
  if (!text) return std::nullopt;
  constexpr std::string_view between = " \t\r,;";
  std::vector<double> all;
  std::size_t columns = 0, number = 0;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    line = line.substr(0, line.find('#'));
    const std::size_t before = all.size();
    for (++number; true;) {
      line.remove_prefix(std::min(line.find_first_not_of(between), line.size()));
      if (line.empty()) break;
      const std::string_view word = line.substr(0, line.find_first_of(between));
      double x = 0;
      const auto [at, error] = std::from_chars(word.data(), word.data() + word.size(), x);
      if (error != std::errc() || at != word.data() + word.size() || !std::isfinite(x)) {
        report_fault(value, *name, number, fmt::format("{} is no height", show(word)),
                     "A file of heights has a row of numbers on each line.");
        return std::nullopt;
      }
      all.push_back(x);
      line.remove_prefix(word.size());
    }
    const std::size_t found = all.size() - before;
    if (found == 0) continue;
    if (columns != 0 && found != columns) {
      report_fault(value, *name, number, fmt::format("{} heights, where the first row has {}", found, columns),
                   "All rows have as many heights.");
      return std::nullopt;
    }
    columns = found;
    ++rows;
  }
  return all;
}

}  // namespace

void read_mesh(MapReader& map, Description& model, GeometricShape& shape) {
  if (const auto convex = map.find("convex")) shape.convex = read_boolean(*convex).value_or(false);
  std::optional<TriangleMesh> mesh = whole_mesh(map, model, shape.convex);
  if (!mesh) return;
  shape.vertices = model.point_lists.emplace_back(std::move(mesh->vertices));
  shape.faces = model.face_lists.emplace_back(std::move(mesh->faces));
}

void read_height_field(MapReader& map, Description& model, GeometricShape& shape) {
  const auto heights = map.find("heights"), file = map.find("file");
  std::array<double, 2> spacing{};
  bool good = true;
  if (const auto given =
          map.require("spacing", "the distance of the heights, in m; [along x, along y] if they differ")) {
    const std::optional<std::vector<double>> numbers = read_numbers(*given, "m");
    good = numbers && (numbers->size() == 1 || numbers->size() == 2) &&
           std::ranges::all_of(*numbers, [](double x) { return x > 0; });
    if (good) spacing = {numbers->front(), numbers->back()};
    if (numbers && !good) given->unexpected("a distance greater than 0, or two");
  }
  if (heights.has_value() == file.has_value()) {
    const std::string_view remedy = "Give 'heights' as rows of numbers, or the 'file' that has them.";
    if (file) return file->error("the height field has heights and a file", remedy);
    return map.report_missing("heights", "rows of heights in m", remedy);
  }
  std::size_t rows = 0;
  std::optional<std::vector<double>> all =
      heights ? read_rows(*heights, "m", "rows of heights", rows) : rows_of_file(*file, model, rows);
  if (!all || !good) return;
  const std::size_t columns = rows == 0 ? 0 : all->size() / rows;
  if (rows < 2 || columns < 2)
    return (heights ? heights : file)
        ->error(fmt::format("the height field has {} rows of {} heights", rows, columns),
                "Give two rows of two at least.");
  shape.heights = model.numbers.emplace_back(std::move(*all));
  shape.rows = rows;
  shape.edges = {spacing[0] * static_cast<double>(rows - 1), spacing[1] * static_cast<double>(columns - 1), 0};
}

}  // namespace polyform::host::inline reading
