// The triangles of glTF files, for read_mesh.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "polyform/helpers/triangle_mesh.hpp"

namespace polyform {

/// Three corners for each triangle of the scene that a glTF 2.0 file shows (ISO/IEC 12113), in the axes of the scene.
/// is_binary: the file is a .glb, not JSON. Nothing, and the fault, if it cannot be read: numbers must be in the file.
std::optional<std::vector<Vec3>> gltf_corners(std::string_view bytes, bool is_binary, MeshFault&);

}  // namespace polyform
