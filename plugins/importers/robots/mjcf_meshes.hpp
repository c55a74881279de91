// Meshes of an MJCF model: what mass MuJoCo gives them, and the shapes that stand for them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mjcf_source.hpp"
#include "solids.hpp"

namespace polyform::importers {

struct MjcfMesh {
  Solid solid;     ///< of a unit density, in the axes of the mesh
  InertiaBox box;  ///< the box of the same inertia, which fitted shapes follow
};

class MjcfMeshes {
 public:
  explicit MjcfMeshes(MjcfSource& source) : source_(source) {}

  /// Reads <asset>.
  void read();
  bool has(const std::string& name) const { return meshes_.contains(name); }
  /// Nothing: the file of the mesh is not at hand.
  const std::optional<MjcfMesh>& at(const std::string& name) const { return meshes_.at(name); }

  /// The size of a primitive shape that stands for a mesh, as MuJoCo fits it by inertia; empty if none is fitted so.
  static std::vector<double> fitted_size(const std::string& type, const InertiaBox&);

 private:
  void read_mesh(const Element&);
  /// The triangles that the file gives, or those around its points; nothing, after a mark, if there are none.
  std::optional<TriangleMesh> triangles_of(const Element&);

  MjcfSource& source_;
  std::map<std::string, std::optional<MjcfMesh>> meshes_;
};

}  // namespace polyform::importers
