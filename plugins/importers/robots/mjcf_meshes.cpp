#include "mjcf_meshes.hpp"

#include <algorithm>
#include <filesystem>

namespace polyform::importers {

std::vector<double> MjcfMeshes::fitted_size(const std::string& type, const InertiaBox& box) {
  const Vec3& h = box.half;
  if (type == "sphere") return {(h.x + h.y + h.z) / 3};
  const double radius = (h.x + h.y) / 2;
  if (type == "capsule") return {radius, std::max(0.0, h.z - radius / 2)};
  if (type == "cylinder") return {radius, h.z};
  if (type == "box" || type == "ellipsoid") return {h.x, h.y, h.z};
  return {};
}

std::filesystem::path MjcfMeshes::path_of(const Element& mesh) const {
  std::filesystem::path path = mesh.text("file").value_or("");
  if (source_.compiler().strip_path) path = path.filename();
  return path.is_relative() ? std::filesystem::path(source_.folder()) / source_.compiler().mesh_folder / path : path;
}

std::optional<TriangleMesh> MjcfMeshes::triangles_of(const Element& mesh) {
  const auto refused = [&](std::string_view why) {
    mesh.mark(Treatment::not_honoured, why);
    return std::nullopt;
  };
  if (!mesh.has("vertex")) {
    const std::filesystem::path path = path_of(mesh);
    MeshFault fault;
    std::optional<TriangleMesh> read;
    if (const auto bytes = mesh.has("file") ? read_file(path.string()) : std::nullopt)
      read = polyform::read_mesh(*bytes, path.extension().string(), fault);
    return read ? read : refused("no STL, OBJ or glTF file that can be read");
  }
  TriangleMesh read;
  const auto points = mesh.numbers("vertex", 0);
  if (!points || points->size() % 3 != 0) return refused("its points are not given by three numbers each");
  for (std::size_t i = 0; i < points->size(); i += 3)
    read.vertices.push_back({(*points)[i], (*points)[i + 1], (*points)[i + 2]});
  if (!mesh.has("face")) {
    std::optional<TriangleMesh> hull = convex_hull(read.vertices);
    return hull ? hull : refused("its points enclose no volume");
  }
  const auto faces = mesh.numbers("face", 0);
  if (!faces || faces->size() % 3 != 0) return refused("its faces are not given by three numbers each");
  for (std::size_t i = 0; i < faces->size(); i += 3) {
    std::array<std::uint32_t, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const double corner = (*faces)[i + k];
      if (!(corner >= 0 && corner < static_cast<double>(read.vertices.size()))) {
        mesh.report().error(mesh.place_of("face"), "a face names a vertex that is not there",
                            "Vertices are counted from 0, three numbers each.");
        return std::nullopt;
      }
      corners[k] = static_cast<std::uint32_t>(corner);
    }
    read.faces.push_back(corners);
  }
  return read;
}

void MjcfMeshes::read_mesh(const Element& mesh) {
  std::string name = mesh.text("name").value_or("");
  if (name.empty()) name = std::filesystem::path(mesh.text("file").value_or("")).stem().string();
  meshes_[name] = std::nullopt;
  std::optional<TriangleMesh> read = triangles_of(mesh);
  if (!read) return;
  const Element scaled = source_.who_says(mesh, "mesh", "scale", "");
  const Vec3 scale = scaled ? scaled.vector("scale").value_or(Vec3{1, 1, 1}) : Vec3{1, 1, 1};
  const Vec3 origin = mesh.vector("refpos").value_or(Vec3{});
  Mat3 axes = Mat3::identity();
  if (const auto q = mesh.numbers("refquat", 4); q && norm(Quat{(*q)[0], (*q)[1], (*q)[2], (*q)[3]}) > 0)
    axes = rotation_matrix(Quat{(*q)[0], (*q)[1], (*q)[2], (*q)[3]});
  for (Vec3& p : read->vertices) {
    p = transpose_times(axes, p - origin);
    p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
  }
  MjcfPicture& picture = pictures_[name];
  if (const bool is_even = scale.x == scale.y && scale.y == scale.z;
      !mesh.has("vertex") && (is_even || !mesh.has("refquat"))) {
    const Vec3 moved = transpose_times(axes, origin);
    picture.file = path_of(mesh);
    picture.scale = scale;
    picture.frame = {transpose(axes), {-scale.x * moved.x, -scale.y * moved.y, -scale.z * moved.z}};
  } else {
    picture.triangles = *read;
    if (scale.x * scale.y * scale.z < 0)  // mirrored
      for (auto& face : picture.triangles.faces) std::swap(face[1], face[2]);
  }
  Solid solid = source_.compiler().exact_meshes ? solid_mesh(*read) : solid_of_cones(*read);
  if (solid.mass < 0) {  // seen from inside, or mirrored by a negative scale
    solid.mass = -solid.mass;
    solid.inertia = Sym3{} - solid.inertia;
  }
  if (!(solid.mass > 0)) return mesh.mark(Treatment::not_honoured, "it encloses no volume, and has no mass");
  const InertiaBox box = inertia_box(solid);
  // Without `exactmeshinertia` MuJoCo takes the volume of the box of the same inertia for that of the mesh.
  if (!source_.compiler().exact_meshes) {
    const double factor = 8 * box.half.x * box.half.y * box.half.z / solid.mass;
    solid.mass *= factor;
    solid.inertia = scaled_inertia(solid.inertia, factor);
  }
  meshes_[name] = MjcfMesh{solid, box};
}

std::string MjcfMeshes::show(const std::string& name, Shape shape, std::vector<Shape>& shapes) {
  const auto found = pictures_.find(name);
  if (found == pictures_.end()) return "not shown: it cannot be read";
  const MjcfPicture& picture = found->second;
  shape.frame = shape.frame * picture.frame;
  shape.size = picture.scale;
  return picture.file.empty() ? files_.add_lists(picture.triangles, shape, shapes)
                              : files_.add_file(picture.file, shape, shapes);
}

void MjcfMeshes::read() {
  for (const Element& assets : source_.sections("asset"))
    for (const Element& asset : source_.children(assets)) {
      if (asset.tag() != "mesh") {
        asset.mark(Treatment::not_honoured, "for pictures only");
        continue;
      }
      asset.mark(Treatment::honoured);
      read_mesh(asset);
    }
}

}  // namespace polyform::importers
