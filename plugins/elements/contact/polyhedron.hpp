// A body of triangles, ready for contacts: its faces, sharp edges and corners, and the nearest place of its surface.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "crossings.hpp"
#include "polyform/helpers/triangle_mesh.hpp"
#include "spokes.hpp"

namespace polyform::contact {

/// A place of a surface.
struct SurfacePlace {
  Vec3 nearest;
  Vec3 outward;            ///< unit; of an edge or a corner the mean of its faces
  double distance = 0;     ///< from the point that asked, m
  bool is_inside = false;  ///< whether that point lies behind the surface
  bool is_face = false;    ///< not an edge or a corner
  std::size_t sheet = 0;   ///< Polyhedron::sheets()
};

/// The place of a triangle that is nearest to a point.
struct TrianglePlace {
  enum class Part : std::uint8_t { face, side, corner };
  Vec3 nearest;
  Part part = Part::face;
  std::size_t number = 0;  ///< of the corner, or of the side from this corner to the next
};
/// Ericson, Real-Time Collision Detection, 5.1.5.
TrianglePlace nearest_of_triangle(const std::array<Vec3, 3>& corners, const Vec3& point) noexcept;

/// In the frame of its shape. It does not change once it is made.
class Polyhedron {
 public:
  /// Of triangles, or of the convex body with these. Triangles without area count for nothing. has_sheets: whether the
  /// sides of a valley are sheets of their own; else all triangles are one.
  Polyhedron(std::span<const Vec3> vertices, std::span<const std::array<std::uint32_t, 3>> faces, bool convex,
             bool has_sheets = false);
  /// Of a box.
  static Polyhedron of_box(const Vec3& half_edges);

  /// A flat face of a convex body: its corners go round it against the clock, seen from outside.
  struct Face {
    Vec3 normal;
    double offset;  ///< of its plane along the normal, m
    std::size_t first, count;
  };
  bool is_convex() const noexcept { return convex_; }
  std::span<const Vec3> corners() const noexcept { return corners_; }
  /// Edges that stick out: none where faces go on in one plane or form a valley.
  std::span<const Edge> edges() const noexcept { return edges_; }
  /// Of one of edges().
  std::uint32_t number_of(const Edge& edge) const noexcept { return static_cast<std::uint32_t>(&edge - edges_.data()); }
  /// Of a convex body; else none.
  std::span<const Face> faces() const noexcept { return faces_; }
  const Vec3& corner_of(const Face& face, std::size_t k) const noexcept {
    return corners_[rounds_[face.first + k % face.count]];
  }
  /// Half of the largest extent, m.
  double size() const noexcept { return size_; }
  const Vec3& low() const noexcept { return low_; }
  const Vec3& high() const noexcept { return high_; }
  /// Half of the shortest extent along an axis, m.
  double half_width() const noexcept;
  /// Half of the way through the body behind the thinnest tenth of its surface, m. It is infinite where no way ends at
  /// another triangle, as behind a floor.
  double half_thickness() const noexcept { return half_thickness_; }

  const Spokes& spokes() const noexcept { return spokes_; }
  /// The surface is divided into this number of sheets, so that those of a valley are of different ones: in a valley a
  /// body touches one place of each. Without valleys there is one sheet (sheets.hpp).
  std::size_t sheets() const noexcept { return sheets_; }

  /// The place of the surface that is nearest to a point, by a tree of boxes (Ericson, 6); which side the point is on
  /// tells the mean normal of a corner by the angles of its faces (Bærentzen and Aanæs 2005).
  SurfacePlace nearest(const Vec3& point) const noexcept;
  /// Whether a point lies behind all faces of a convex body, or within another one, but for a distance.
  bool has_within(const Vec3& point, double around) const noexcept;
  /// A triangle of the surface: its corners against the clock, seen from outside.
  struct Facet {
    std::array<Vec3, 3> corners;
    Vec3 normal;
    /// Whether the surface goes on in its plane beyond the side from corner k to the next.
    std::array<bool, 3> is_flat_side;
    std::array<bool, 3> has_side, has_corner;  ///< each side and each corner is of one triangle
    std::array<bool, 3> is_hollow_side;        ///< the surface forms a valley there
    std::array<Vec3, 3> beyond;                ///< the normals beyond the sides; zero at an open side
    std::array<std::uint32_t, 3> numbers;      ///< of the corners
    std::size_t sheet;
    std::array<std::size_t, 3> side_sheets, corner_sheets;
  };
  /// Calls visit(facet) for each triangle that a box in the axes of the shape may meet.
  template <class Visit>
  void for_facets_in(const Vec3& low, const Vec3& high, Visit visit) const noexcept;
  /// Calls visit(edge) for each edge of the triangles that a box in the axes of the shape may meet.
  template <class Visit>
  void for_edges_in(const Vec3& low, const Vec3& high, Visit visit) const noexcept;
  /// Calls visit(number) for each corner of the triangles that a box in the axes of the shape may meet.
  template <class Visit>
  void for_corners_in(const Vec3& low, const Vec3& high, Visit visit) const noexcept;

 private:
  static constexpr std::uint32_t no_edge = 0xFFFFFFFF;
  /// A node waits for each level of the tree; 2^64 triangles have 64 levels.
  static constexpr std::size_t most_waiting = 65;
  struct Triangle {
    std::array<std::uint32_t, 3> corners;
    Vec3 normal;
    std::array<Vec3, 3> side_normals;  ///< sums over both triangles at a side, from corner k to the next
    std::array<std::uint32_t, 3> edges{no_edge, no_edge, no_edge};  ///< each stands in one of its two triangles
    std::array<bool, 3> has_side{}, has_corner{};                   ///< each side and corner is of one triangle
    std::array<bool, 3> is_flat_side{}, is_flat_corner{};           ///< where the surface goes on in its plane
    std::array<bool, 3> is_hollow_side{};
    std::uint8_t sheet = 0;
    std::array<std::uint8_t, 3> side_sheets{};  ///< the lower one of both triangles at a side
  };
  struct Node {
    Vec3 low, high;
    std::uint32_t first, count;  ///< triangles of a leaf; count 0: the first of two nodes beside each other
  };
  struct Side {
    std::uint32_t from, to;
    std::size_t triangle, number;
  };

  template <class Visit>
  void for_triangles_in(const Vec3& low, const Vec3& high, Visit visit) const noexcept;
  void make_triangles(std::span<const std::array<std::uint32_t, 3>>);
  std::vector<Side> sides() const;
  void join_sides(std::span<const Side>);
  void find_spokes(std::span<const Side>);
  void find_sheets(std::span<const Side>);
  void make_faces(std::span<const Side>);
  void add_edge(const Side&, const Vec3& other);
  void make_tree(std::size_t node, std::size_t first, std::size_t count);
  double find_half_thickness() const;
  double way_through(const Triangle&) const noexcept;
  void find_flat_corners(std::span<const double> angles);
  void look_at(const Triangle&, const Vec3& point, SurfacePlace&) const noexcept;
  std::array<Vec3, 3> corners_of(const Triangle& t) const noexcept {
    return {corners_[t.corners[0]], corners_[t.corners[1]], corners_[t.corners[2]]};
  }

  std::vector<Vec3> corners_, corner_normals_;
  std::vector<Triangle> triangles_;
  std::vector<Edge> edges_;
  std::vector<Face> faces_;
  std::vector<std::uint32_t> rounds_;
  std::vector<Node> nodes_;
  Spokes spokes_;
  std::vector<std::uint8_t> corner_sheets_;  ///< the lowest one of the triangles at a corner
  std::size_t sheets_ = 1;
  Vec3 low_, high_;
  double size_ = 0, half_thickness_ = 0;
  bool convex_ = false;
};

template <class Visit>
void Polyhedron::for_triangles_in(const Vec3& low, const Vec3& high, Visit visit) const noexcept {
  std::array<std::uint32_t, most_waiting> waiting;
  std::size_t count = 1;
  waiting[0] = 0;
  while (count > 0) {
    const Node& node = nodes_[waiting[--count]];
    bool meet = true;
    for (std::size_t k = 0; k < 3; ++k) meet = meet && node.low[k] <= high[k] && low[k] <= node.high[k];
    if (!meet) continue;
    if (node.count == 0) {
      waiting[count++] = node.first + 1;
      waiting[count++] = node.first;
      continue;
    }
    for (std::uint32_t t = node.first; t < node.first + node.count; ++t) visit(triangles_[t]);
  }
}
template <class Visit>
void Polyhedron::for_facets_in(const Vec3& low, const Vec3& high, Visit visit) const noexcept {
  for_triangles_in(low, high, [&](const Triangle& t) {
    Facet facet{corners_of(t),
                t.normal,
                t.is_flat_side,
                t.has_side,
                t.has_corner,
                t.is_hollow_side,
                {},
                t.corners,
                t.sheet,
                {},
                {}};
    for (std::size_t k = 0; k < 3; ++k) {
      facet.beyond[k] = t.side_normals[k] - t.normal;
      facet.side_sheets[k] = t.side_sheets[k];
      facet.corner_sheets[k] = corner_sheets_[t.corners[k]];
    }
    visit(facet);
  });
}
template <class Visit>
void Polyhedron::for_edges_in(const Vec3& low, const Vec3& high, Visit visit) const noexcept {
  for_triangles_in(low, high, [&](const Triangle& t) {
    for (const std::uint32_t e : t.edges)
      if (e != no_edge) visit(edges_[e]);
  });
}
template <class Visit>
void Polyhedron::for_corners_in(const Vec3& low, const Vec3& high, Visit visit) const noexcept {
  for_triangles_in(low, high, [&](const Triangle& t) {
    for (std::size_t k = 0; k < 3; ++k)
      if (t.has_corner[k]) visit(t.corners[k]);
  });
}

}  // namespace polyform::contact
