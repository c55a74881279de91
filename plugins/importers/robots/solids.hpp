// Mass properties of solid shapes of uniform density, and of meshes.
#pragma once

#include <optional>
#include <string>

#include "mechanism.hpp"
#include "polyform/helpers/triangle_mesh.hpp"

namespace polyform::importers {

/// The volume of a shape in m³, and what a unit density gives: centre and inertia about it, in the axes of the shape.
using Solid = MassProperties;

Solid solid_box(const Vec3& half_edges);
Solid solid_ellipsoid(const Vec3& half_axes);
/// Along z.
Solid solid_cylinder(double radius, double half_length);
/// Along z, its tip up; the origin is half way up.
Solid solid_cone(double radius, double half_length);
/// Along z; the half spheres at its ends come beyond half_length.
Solid solid_capsule(double radius, double half_length);

/// What the mesh encloses, exactly: a sum over tetrahedra from one point to all triangles. Negative where the triangles
/// are seen from inside.
Solid solid_mesh(const TriangleMesh&);
/// The sum over cones from one point inside to all triangles, each counted as positive: what MuJoCo takes for a mesh
/// unless `exactmeshinertia` is set. The same as solid_mesh where every triangle is seen from its inside at the mean
/// point of the surface and at the mass centre, as in convex meshes; more than it elsewhere.
Solid solid_of_cones(const TriangleMesh&);

/// The box that has the inertia of a solid, about its mass centre: its half edges, the shortest first, along its axes.
struct InertiaBox {
  Mat3 axes = Mat3::identity();
  Vec3 half;
};
InertiaBox inertia_box(const Solid&);

Sym3 scaled_inertia(const Sym3&, double factor);

/// A file that another names; nothing if it cannot be read or is larger than 64 MiB.
std::optional<std::string> read_file(const std::string& path);

}  // namespace polyform::importers
