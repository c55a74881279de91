// Meshes of an MJCF model: what mass MuJoCo gives them, and the shapes that stand for them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mesh_files.hpp"
#include "mjcf_source.hpp"
#include "solids.hpp"

namespace polyform::importers {

struct MjcfMesh {
  Solid solid;     ///< of a unit density, in the axes of the mesh
  InertiaBox box;  ///< the box of the same inertia, which fitted shapes follow
};

/// How a mesh looks: by its file, or by triangles where the file and a scale do not say it all.
struct MjcfPicture {
  std::filesystem::path file;
  TriangleMesh triangles;
  Vec3 scale{1, 1, 1};
  Frame frame{};  ///< of the file, in that of the mesh
};

class MjcfMeshes {
 public:
  /// model_folder: as for MeshFiles.
  MjcfMeshes(MjcfSource& source, std::string_view model_folder) : source_(source), files_("", model_folder) {}

  /// Reads <asset>.
  void read();
  bool has(const std::string& name) const { return meshes_.contains(name); }
  /// Nothing: the file of the mesh is not at hand.
  const std::optional<MjcfMesh>& at(const std::string& name) const { return meshes_.at(name); }

  /// The size of a primitive shape that stands for a mesh, as MuJoCo fits it by inertia; empty if none is fitted so.
  static std::vector<double> fitted_size(const std::string& type, const InertiaBox&);
  /// Adds the mesh as a shape; the reason if it is not shown. shape: with the frame of the mesh in the body.
  std::string show(const std::string& name, Shape shape, std::vector<Shape>&);

 private:
  void read_mesh(const Element&);
  std::filesystem::path path_of(const Element& mesh) const;
  /// The triangles that the file gives, or those around its points; nothing, after a mark, if there are none.
  std::optional<TriangleMesh> triangles_of(const Element&);

  MjcfSource& source_;
  MeshFiles files_;
  std::map<std::string, std::optional<MjcfMesh>> meshes_;
  std::map<std::string, MjcfPicture> pictures_;
};

}  // namespace polyform::importers
