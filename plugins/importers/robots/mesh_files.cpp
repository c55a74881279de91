#include "mesh_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sdf_files.hpp"
#include "solids.hpp"

namespace polyform::importers {

namespace fs = std::filesystem;

namespace {

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = char(c + ('a' - 'A'));
  return ending;
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

double reach_of(const TriangleMesh& mesh) {
  double reach = 0;
  for (const Vec3& v : mesh.vertices) reach = std::max({reach, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  return reach;
}

/// A file REST of the package NAME; "" if none of the folders leads to it.
std::string in_packages(const std::string& name, const fs::path& rest, const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders)
    for (const fs::path& place : {folder / name / rest, folder.filename() == name ? folder / rest : fs::path()})
      if (!place.empty() && is_file(place)) return place.string();
  return {};
}

}  // namespace

/// Each without a slash at its end.
std::vector<fs::path> folders_in(std::string_view list) {
  std::vector<fs::path> out;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) out.emplace_back(std::string(list.substr(0, end)));
    if (end > 0 && out.back().filename().empty()) out.back() = out.back().parent_path();
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

MeshFiles::MeshFiles(std::string_view packages, std::string_view model_folder)
    : packages_(folders_in(packages)), model_folder_(model_folder) {}

std::string file_named(const std::string& uri, const std::string& from, const std::vector<fs::path>& packages) {
  std::error_code error;
  const fs::path beside = fs::absolute(from, error).parent_path();
  const std::size_t scheme = uri.find("://");
  const std::string_view kind = std::string_view(uri).substr(0, scheme == std::string::npos ? 0 : scheme);
  if (kind != "package" && kind != "model") {
    const fs::path path = beside / (scheme == std::string::npos ? uri : uri.substr(scheme + 3));
    return is_file(path) ? path.string() : std::string();
  }
  const std::string path = uri.substr(scheme + 3);
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == path.size()) return {};
  const std::string name = path.substr(0, slash);
  std::vector<fs::path> folders = packages;
  for (fs::path above = beside; !above.empty(); above = above.parent_path()) {
    folders.push_back(above);
    folders.push_back(above / "models");
    if (above == above.parent_path()) break;
  }
  const char* const of_ros = std::getenv("ROS_PACKAGE_PATH");
  for (fs::path& folder : folders_in(of_ros == nullptr ? "" : of_ros)) folders.push_back(std::move(folder));
  for (fs::path& folder : folders_of_gazebo()) folders.push_back(std::move(folder));
  return in_packages(name, path.substr(slash + 1), folders);
}

MeshFiles::Known& MeshFiles::known(const fs::path& path) {
  const auto [at, is_new] = known_.try_emplace(path.string());
  Known& file = at->second;
  if (!is_new) return file;
  const std::string ending = ending_of(path);
  std::error_code error;
  if (!is_mesh_file(ending)) {
    file.fault = fmt::format("not shown: meshes are read from STL, OBJ and glTF files, and this is {}",
                             ending.empty() ? "none of them" : in_quotes(ending));
  } else if (file.bytes = fs::file_size(path, error); error || file.bytes > most_bytes) {
    file.fault = fmt::format("not shown: its file is larger than {} MiB", most_bytes >> 20);
  } else {
    MeshFault fault;
    const std::optional<std::string> bytes = read_file(path.string());
    const std::optional<TriangleMesh> mesh = bytes ? read_mesh(*bytes, ending, fault) : std::nullopt;
    if (mesh)
      file.reach = reach_of(*mesh);
    else
      file.fault = "not shown: its file cannot be read: " + printable_text(fault.what);
  }
  return file;
}

std::string MeshFiles::take(std::size_t bytes, double reach, const Shape& shape) {
  const Vec3& s = shape.size;
  if (s.x * s.y * s.z == 0) return "a shape without extent";
  if (!std::isfinite(3 * std::pow(reach * std::max({std::abs(s.x), std::abs(s.y), std::abs(s.z)}), 2)))
    return "not shown: its numbers are too large";
  if (bytes_ + bytes > most_bytes)
    return fmt::format("not shown: the meshes of the robot together are larger than {} MiB", most_bytes >> 20);
  bytes_ += bytes;
  return {};
}

bool MeshFiles::has_hull(const fs::path& path, Known& file) {
  if (!file.has_hull) {
    MeshFault fault;
    const std::optional<std::string> bytes = read_file(path.string());
    const auto mesh = bytes ? read_mesh(*bytes, ending_of(path), fault) : std::nullopt;
    file.has_hull = mesh && convex_hull(mesh->vertices).has_value();
  }
  return *file.has_hull;
}

std::string MeshFiles::add_file(const fs::path& path, Shape shape, std::vector<Shape>& shapes) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  if (error) return "not shown: its file is not found";
  Known& file = known(whole);
  if (!file.fault.empty()) return file.fault;
  if (shape.convex && !has_hull(whole, file)) return "its points enclose no volume";
  fs::path named = model_folder_.empty() ? whole : fs::relative(whole, model_folder_, error);
  if (named.empty() || error) named = whole;
  const std::string name = named.generic_string();
  if (printable_text(name) != name) return "not shown: the name of its file has characters that a model cannot have";
  if (std::string why = take(file.bytes, file.reach, shape); !why.empty()) return why;
  shape.kind = Shape::Kind::mesh;
  shape.radius = file.reach * norm(shape.size);
  shape.mesh = "file: " + written_name(name);
  shapes.push_back(std::move(shape));
  return {};
}

std::string MeshFiles::add_lists(const TriangleMesh& mesh, Shape shape, std::vector<Shape>& shapes) {
  std::string text = "vertices: [";
  for (const Vec3& v : mesh.vertices) text += (text.ends_with('[') ? "" : ", ") + written(v);
  text += "], faces: [";
  for (const auto& f : mesh.faces)
    text += fmt::format("{}[{}, {}, {}]", text.ends_with('[') ? "" : ", ", f[0], f[1], f[2]);
  if (std::string why = take(text.size(), reach_of(mesh), shape); !why.empty()) return why;
  if (shape.convex && !convex_hull(mesh.vertices)) return "its points enclose no volume";
  shape.kind = Shape::Kind::mesh;
  shape.radius = reach_of(mesh) * norm(shape.size);
  shape.mesh = text + "]";
  shapes.push_back(std::move(shape));
  return {};
}

void MeshFiles::add(const Element& mesh, const std::string& uri, Shape shape, std::vector<Shape>& shapes) {
  if (uri.starts_with("http://") || uri.starts_with("https://"))
    return mesh.drop("not shown: what lies on the network is not read");
  const std::string path = file_named(uri, mesh.file().name(), packages_);
  const bool in_package = uri.starts_with("package://") || uri.starts_with("model://");
  if (path.empty())
    return mesh.drop(in_package ? "not shown: its file is not found; the option packages=FOLDER tells where it may lie"
                                : "not shown: its file is not found");
  if (const std::string why = add_file(path, shape, shapes); !why.empty()) return mesh.drop(why);
  mesh.mark(Treatment::converted, shape.convex ? hull_touches : mesh_is_shown);
}

}  // namespace polyform::importers
