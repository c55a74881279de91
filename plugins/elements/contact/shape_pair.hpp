// Where two shapes are nearest to each other, or lie deepest in each other: by closed forms, for each pair of kinds.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "corner_slots.hpp"
#include "placed_shape.hpp"
#include "polyhedron.hpp"

namespace polyform::contact {

/// The pose of a body's frame in ground.
struct Placement {
  const Mat3& R;
  const Vec3& position;
};

/// A length of a shape, with which motions are compared, m.
double size_of(const PlacedShape&) noexcept;
/// Half of the shortest extent of a shape, m, or of the walls of a mesh: what comes in deeper is nearer to the other
/// side. It is infinite where there is no other side.
double half_width_of(const PlacedShape&) noexcept;
/// How far a shape reaches from its origin, m.
double reach_of(const PlacedShape&) noexcept;

/// What shapes are made of beyond lengths: made once for all pairs that have the same mesh or height field.
class ShapeStore {
 public:
  /// Whether a box beside such a shape serves as a mesh.
  static bool takes_boxes_as_meshes(GeometricShape::Kind) noexcept;

  /// nullptr for a shape that is neither a mesh nor a box that serves as one. has_sheets: as of a Polyhedron.
  std::shared_ptr<const Polyhedron> mesh_of(const GeometricShape&, bool box_as_mesh, bool has_sheets);
  std::shared_ptr<const HeightGrid> grid_of(const GeometricShape&);

 private:
  struct Grid {
    explicit Grid(const GeometricShape&);
    std::vector<double> heights;
    HeightGrid grid;
  };
  template <class Made>
  struct Known {
    const void* of;  ///< the shape's vertices or heights
    bool convex, has_sheets;
    std::shared_ptr<const Made> made;
  };
  struct Box {
    Vec3 edges;
    std::shared_ptr<const Polyhedron> made;
  };
  std::vector<Known<Polyhedron>> meshes_;
  std::vector<Box> boxes_;
  std::vector<Known<HeightGrid>> grids_;
};

/// Two shapes of two bodies. A pair has a number of points that never changes, so that a point keeps its place among
/// them while the bodies move.
class ShapePair {
 public:
  /// Whether there are points of contact for two kinds.
  static bool exists(GeometricShape::Kind first, GeometricShape::Kind second) noexcept;
  /// Which points a law wants: all of them, or those alone whose gap changes with the velocity of the surfaces there
  /// (is_carried), which are other ones where a cylinder stands or rolls on something flat.
  enum class Points { all, carried };

  /// exists(first.kind, second.kind). Keeps a part of the store's contents.
  ShapePair(const GeometricShape& first, const GeometricShape& second, ShapeStore&, Points = Points::all);

  std::size_t points() const noexcept { return points_; }
  /// A length of the smaller of the two, m, with which motions are compared.
  double size() const noexcept;
  /// The lesser half width of the two, m.
  double half_width() const noexcept;
  /// How far the shapes are apart at least where the frames of the bodies stand so, by the balls about them, m; below
  /// zero where these do not tell.
  double apart(const Placement& first, const Placement& second) const noexcept;
  /// How far the first or second shape reaches from the frame's origin of its body, m; infinite without bounds.
  double reach(std::size_t side) const noexcept { return reaches_[side]; }
  /// The points where the frames of the bodies stand so; out.size() is points().
  void locate(const Placement& first, const Placement& second, std::span<ContactPoint> out) const noexcept;
  /// How many points two shapes have of which exists() tells, and which have their meshes and grids.
  static std::size_t points_of(const PlacedShape& first, const PlacedShape& second) noexcept;
  /// The points of two such shapes that stand in ground; out.size() is points_of() them.
  static void locate(const PlacedShape& first, const PlacedShape& second, std::span<ContactPoint> out) noexcept;

 private:
  struct Way;
  struct Ways;
  using Locate = void (*)(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;
  static Way way_of(GeometricShape::Kind first, GeometricShape::Kind second, Points) noexcept;
  static Way way_between(const PlacedShape& first, const PlacedShape& second, Points) noexcept;

  PlacedShape first_, second_;  ///< in the frames of their bodies
  std::shared_ptr<const Polyhedron> meshes_[2];
  std::shared_ptr<const HeightGrid> grids_[2];
  std::shared_ptr<const CornerSlots> slots_[2];
  double radii_[2], reaches_[2];  ///< from its own origin, and from that of its body, m
  Locate locate_;
  std::size_t points_;
  bool swapped_;  ///< whether locate_ takes the second shape first
};

}  // namespace polyform::contact
