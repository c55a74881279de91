// Surfaces of triangles: from files and lists, and convex hulls.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform {

/// Triangles by their corners, which stand against the clock when seen from outside.
struct TriangleMesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> faces;
};

/// Why a file is no mesh, and where: a line of a text from 1; 0 in a binary file.
struct MeshFault {
  std::string what;
  std::size_t line = 0;
};

/// Whether read_mesh reads files whose name ends so: .stl, .obj, .glb and .gltf, in upper or lower case.
bool is_mesh_file(std::string_view ending);

/// The triangles of the bytes of a file whose name ends so:
///   .stl          text or binary;
///   .obj          `v` and `f` of it; a face of more corners becomes a fan of triangles;
///   .glb, .gltf   glTF 2.0: the triangles of its scene, each at the place of its node, in the axes of the file. All
///   numbers
///                 must be in the file, and neither compressed nor sparse.
/// Nothing, and the fault, if they cannot be read, or hold no triangle or a number that is not finite. Corners of STL
/// and glTF files at the same place become one.
std::optional<TriangleMesh> read_mesh(std::string_view bytes, std::string_view ending, MeshFault&);

/// The smallest convex body around points, by Quickhull (Barber, Dobkin and Huhdanpaa 1996): its corners, a selection
/// of the points in their order, and its triangles. Nothing where all points lie in one plane. Points that lie within a
/// rounding (1e-10 of the size of all) of the hull need not be corners of it.
std::optional<TriangleMesh> convex_hull(std::span<const Vec3> points);

/// Whether each side of a triangle is that of one other triangle, in the other direction: the surface has an inside.
bool is_closed(const TriangleMesh&);

}  // namespace polyform
