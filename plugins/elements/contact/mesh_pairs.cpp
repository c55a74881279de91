#include "mesh_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "convex_faces.hpp"
#include "corners_at_mesh.hpp"
#include "mesh_corners.hpp"
#include "polyhedron.hpp"
#include "rims.hpp"
#include "seen.hpp"
#include "sheet_places.hpp"
#include "surfaces.hpp"

namespace polyform::contact {

namespace {

/// Part of the smaller body: what is farther away, or deeper, does not touch as edges do.
constexpr double near_share = 0.25;
/// How far out of a body the place of the other line may be that lies `depth` below one of its edges, along a normal
/// between the faces of that: where they meet at less than a right angle, the normal leads out of the other face. So it
/// does by `tilt`, a sine, where it may lie beyond the faces.
double beside_blade(const Edge& edge, double depth, double tilt = 0) noexcept {
  return depth * std::max(tilt, -dot(edge.faces[0], edge.faces[1]));
}

/// Puts the places where an edge, or an axis with a radius, crosses edges of a mesh, in whose axes it is given, into
/// two points in ground axes: where it enters, and where it leaves. It looks at edges that are not farther than `near`.
/// beyond: how far an edge goes on after its end, m.
/// is_at(crossing): whether it can be a place of the body of the edge or axis.
/// tilt: of beside_blade(), where one of two bodies is not convex. There edges that are deeper than `near` belong to
/// another side of it.
template <class IsAt>
void edge_across(const Edge& a, double radius, double near, double beyond, const PlacedShape& b, IsAt is_at,
                 std::span<ContactPoint> out, double tilt = 0) noexcept {
  const double around = beside * b.mesh->size();
  const Vec3 reach = a.half_length * Vec3{std::abs(a.direction.x), std::abs(a.direction.y), std::abs(a.direction.z)} +
                     (radius + near) * Vec3{1, 1, 1};
  std::array<ContactPoint, 2> found{out[0], out[1]};
  std::array<bool, 2> is_found{};
  b.mesh->for_edges_in(a.center - reach, a.center + reach, [&](const Edge& other) {
    const std::optional<Crossing> c = edge_at_edge(a, other, around, beyond);
    if (!c || (tilt > 0 && c->apart < -near) || !is_at(*c)) return;
    const double beside_end = std::max(0.0, -c->place);
    if (c->apart < 0 && !b.mesh->has_within(c->on_first, around + beside_end + beside_blade(other, -c->apart, tilt)))
      return;
    ContactPoint& place = found[c->leaves ? 1 : 0];
    is_found[c->leaves ? 1 : 0] |= keep_nearer(*c, radius, 0, place, b.mesh->number_of(other));
  });
  for (std::size_t k = 0; k < 2; ++k)
    if (is_found[k]) out[k] = in_ground(b, found[k]);
}

}  // namespace

std::size_t mesh_plane_points(const PlacedShape& a, const PlacedShape&) noexcept { return a.mesh->corners().size(); }
void mesh_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = ball_at_plane(a.position + a.R * a.mesh->corners()[k], 0, b);
}

std::size_t sphere_mesh_points(const PlacedShape&, const PlacedShape& b) noexcept { return points_at_mesh(b); }
void sphere_mesh(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  ball_in_valley(a.position, a.radius, b, nowhere(a.position, b.position, std::min(b.mesh->size(), a.radius)), out);
}

std::size_t capsule_mesh_points(const PlacedShape&, const PlacedShape& b) noexcept {
  return 2 * points_at_mesh(b) + 2 + corner_places(b);
}
void capsule_mesh(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 h = half_axis(a);
  const ContactPoint none = nowhere(a.position, b.position, std::min(b.mesh->size(), a.radius + a.half_length));
  const std::size_t of_ball = points_at_mesh(b);
  ball_in_valley(a.position - h, a.radius, b, none, out.first(of_ball));
  ball_in_valley(a.position + h, a.radius, b, none, out.subspan(of_ball, of_ball));
  const auto rest = out.subspan(2 * of_ball);
  std::ranges::fill(rest, none);
  edge_across(
      axis_in({b, a}, a.half_length), a.radius, 2 * near_share * (a.radius + a.half_length), 0, b,
      [](const Crossing&) { return true; }, rest.first(2));
  put_corners(b, a, none, rest.subspan(2),
              [&](const Vec3& corner) { return corner_at_side(corner, a).value_or(none); });
}

std::size_t mesh_mesh_points(const PlacedShape& a, const PlacedShape& b) noexcept {
  return corner_places(a) * points_at_mesh(b) + corner_places(b) * points_at_mesh(a) + 2 * a.mesh->edges().size();
}
template <bool carried>
void mesh_mesh(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const std::size_t of_a = corner_places(a) * points_at_mesh(b), of_b = corner_places(b) * points_at_mesh(a);
  const ContactPoint none = nowhere(a.position, b.position, least_size(a, b));
  const double apart = std::max(corners_at_mesh<carried>(a, b, none, out.first(of_a)),
                                corners_at_mesh<carried>(b, a, mirrored(none), out.subspan(of_a, of_b)));
  for (ContactPoint& point : out.subspan(of_a, of_b)) point = mirrored(point);
  const auto places = out.subspan(of_a + of_b);
  std::ranges::fill(places, none);
  const Seen seen(b, a), back(a, b);
  const double around = beside * a.mesh->size(), beyond = carried ? near_share * least_size(a, b) : 0;
  // Of two convex bodies a place that leads out of another face is that of another edge.
  const double tilt = a.mesh->is_convex() && b.mesh->is_convex() ? 0 : into_face;
  for (std::size_t e = 0; e < a.mesh->edges().size(); ++e) {
    const Edge edge = seen.edge(a.mesh->edges()[e]);
    const auto is_at = [&](const Crossing& c) {
      const double farther = std::max(0.0, -c.place) + beside_blade(edge, -c.apart, tilt);
      return !(c.apart < 0) || a.mesh->has_within(back.point(c.on_second), around + farther);
    };
    edge_across(edge, 0, near_share * least_size(a, b), beyond, b, is_at, places.subspan(2 * e, 2), tilt);
  }
  if (a.mesh->is_convex() && b.mesh->is_convex()) drop_deeper(apart, least_size(a, b), none, out);
}
template void mesh_mesh<true>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;
template void mesh_mesh<false>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;

namespace {

/// How far a convex mesh is out of the planes of the ends of a cylinder, that of -z first.
std::array<double, 2> out_of_ends(const PlacedShape& cylinder, const PlacedShape& mesh) noexcept {
  const Vec3 axis = axis_of(cylinder.R), in_mesh = transpose_times(mesh.R, axis);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const Vec3& c : mesh.mesh->corners()) {
    const double height = dot(in_mesh, c);
    lowest = std::min(lowest, height);
    highest = std::max(highest, height);
  }
  const double from = dot(axis, mesh.position - cylinder.position);
  return {-(from + highest) - cylinder.half_length, from + lowest - cylinder.half_length};
}

/// The least distance of a mesh from a point along a direction.
auto lowest_of(const PlacedShape& mesh, const Vec3& from) noexcept {
  return [&mesh, line = mesh.position - from](const Vec3& n) {
    const Vec3 along = transpose_times(mesh.R, n);
    double lowest = std::numeric_limits<double>::infinity();
    for (const Vec3& c : mesh.mesh->corners()) lowest = std::min(lowest, dot(along, c));
    return dot(n, line) + lowest;
  };
}

/// The part of a cylinder that a convex mesh is the farthest out of.
CylinderPart part_towards(const PlacedShape& cylinder, const PlacedShape& mesh) noexcept {
  const std::array<double, 2> ends = out_of_ends(cylinder, mesh);
  const bool is_high = ends[1] > ends[0];
  const Vec3 axis = axis_of(cylinder.R);
  const std::optional<Vec3> side = direction_across(mesh.position - cylinder.position, axis);
  if (side && lowest_of(mesh, cylinder.position)(*side) - cylinder.radius > ends[is_high ? 1 : 0])
    return CylinderPart::side;
  return is_high ? CylinderPart::high_end : CylinderPart::low_end;
}

/// Points of both rims over the face of a convex mesh that the cylinder is farthest out of; elsewhere nothing changes.
/// Gives how far it is out of it.
template <bool carried>
double rims_at_face(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Seen seen(b, a);
  const Vec3 axis = axis_of(seen.R);
  const auto [face, apart] = face_towards(*b.mesh, [&](const Vec3& n, double) {
    const double along = dot(n, axis);
    return dot(n, seen.position) - a.half_length * std::abs(along) -
           a.radius * std::sqrt(std::max(0.0, 1 - along * along));
  });
  constexpr std::size_t count = points_of_rim<carried>;
  const double around = beside * (carried ? std::max(b.mesh->size(), a.radius + a.half_length) : b.mesh->size());
  for (std::size_t end = 0; end < 2; ++end) {
    const Vec3 center = seen.position + (end == 0 ? -a.half_length : a.half_length) * axis;
    const auto spokes = spokes_of_rim<carried>(seen.R, axis, face.normal);
    std::array<ContactPoint, count> found;
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3 p = center + a.radius * spokes[k];
      const double height = dot(face.normal, p) - face.offset;
      found[k] = {height, face.normal, p - (0.5 * height) * face.normal, carried || k == 0,
                  k == 0 ? turn_of_rim(axis, face.normal) : 1};
      found[k].place = place_over(*b.mesh, face, p, height, carried ? 0 : around);
      found[k].begin = carried ? around : 0;
      found[k].hold = over_face * found[k].begin;
      found[k].feature = feature_of(*b.mesh, face);
      if (carried && found[k].place < 0) found[k].distance = std::hypot(height, found[k].place);
    }
    // Two points that mirror each other are there together or not at all.
    if (!carried) found[1].place = found[2].place = std::min(found[1].place, found[2].place);
    for (std::size_t k = 0; k < count; ++k)
      if (carried || found[k].place >= 0) out[count * end + k] = in_ground(b, found[k]);
  }
  return apart;
}

bool cylinder_has(const PlacedShape& a, const Vec3& p, double around) noexcept {
  const Vec3 c = transpose_times(a.R, p - a.position);
  return std::hypot(c.x, c.y) <= a.radius + around && std::abs(c.z) <= a.half_length + around;
}

/// Where edges of a mesh cross the rims of a cylinder. beyond: how far an edge goes on after its end, m.
class RimsAtEdges {
 public:
  RimsAtEdges(const PlacedShape& cylinder, const PlacedShape& mesh, double beyond) noexcept
      : a_(cylinder), b_(mesh), own_(cylinder), seen_(cylinder, mesh), back_(mesh, cylinder), beyond_(beyond) {
    own_.R = Mat3::identity();
    own_.position = {};
  }

  /// Keeps a place where the edge crosses a rim, 0 or 1, in out[entering] or out[leaving] if it is nearer than that.
  void keep(const Edge& of_mesh, std::size_t end, std::uint32_t feature,
            std::span<ContactPoint, 2> out) const noexcept {
    const Vec3 reach{1.1 * a_.radius, 1.1 * a_.radius, a_.half_length + 0.1 * a_.radius};
    const Edge edge = seen_.edge(of_mesh);
    for (std::size_t k = 0; k < 3; ++k)
      if (std::abs(edge.center[k]) > reach[k] + edge.half_length * std::abs(edge.direction[k])) return;
    const double around = beside * (a_.radius + a_.half_length);
    for (const std::optional<Crossing>& c : edge_at_rim(edge, rim_of(own_, end), around, beyond_)) {
      if (!c) continue;
      const double beside_end = around + std::max(0.0, -c->place);
      if (c->apart < 0 && !(cylinder_has(own_, c->on_first, beside_end) &&
                            b_.mesh->has_within(back_.point(c->on_second), beside_end + beside_blade(edge, -c->apart))))
        continue;
      ContactPoint place = out[c->leaves ? 1 : 0];
      if (!keep_nearer(*c, 0, 0, place, feature)) continue;
      place.normal = -place.normal;  // the edge is of the second shape here
      out[c->leaves ? 1 : 0] = in_ground(a_, place);
    }
  }
  /// Calls visit(edge) for each edge that may be near.
  template <class Visit>
  void for_edges(Visit visit) const noexcept {
    const Vec3 axis = axis_of(back_.R);
    const Vec3 reach =
        a_.half_length * Vec3{std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)} + 1.1 * a_.radius * Vec3{1, 1, 1};
    b_.mesh->for_edges_in(back_.position - reach, back_.position + reach, visit);
  }

 private:
  const PlacedShape &a_, &b_;
  PlacedShape own_;
  Seen seen_, back_;
  double beyond_;
};

/// Points of both rims at the faces of each sheet of a mesh that is not convex.
void rims_at_sheets(const PlacedShape& a, const PlacedShape& b, const ContactPoint& none,
                    std::span<ContactPoint> out) noexcept {
  const Vec3 axis = axis_of(a.R);
  std::array<ContactPoint, most_sheets> found;
  const std::span<ContactPoint> all = std::span(found).first(points_at_mesh(b));
  const double near = valley_share * std::min(b.mesh->size(), a.radius + a.half_length);
  for (std::size_t sheet = 0; sheet < all.size(); ++sheet) {
    const auto surface = [&](const Vec3& p, double) {
      const Vec3 from = p - a.position, end = std::copysign(1.0, dot(axis, from)) * axis;
      const Vec3 spoke = (1 / a.radius) * (from - dot(axis, from) * axis);
      // The middle of an end asks for what is below the rim.
      const bool is_middle = dot(spoke, spoke) < 0.5;
      corner_in_valley(
          p, b, is_middle ? a.radius + near : near, none,
          [&](const Vec3& n) { return is_middle || (dot(n, spoke) < into_face && dot(n, end) < into_face); }, all);
      return all[sheet];
    };
    rims_at_surface<true>(a, surface, out.subspan(cylinder_surface_points * sheet, cylinder_surface_points));
  }
}

/// Of each edge of a convex mesh the place where it enters the cylinder and where it leaves.
void rims_at_each_edge(const RimsAtEdges& rims, const Polyhedron& mesh, std::span<ContactPoint> out) noexcept {
  for (std::size_t e = 0; e < mesh.edges().size(); ++e)
    for (std::uint32_t end = 0; end < 2; ++end) rims.keep(mesh.edges()[e], end, end, out.subspan(2 * e).first<2>());
}

/// Of any mesh the nearest of the places where edges enter over each rim, and of those where they leave.
constexpr std::size_t nearest_edge_points = 4;
void rims_at_nearest_edges(const RimsAtEdges& rims, const Polyhedron& mesh, std::span<ContactPoint> out) noexcept {
  rims.for_edges([&](const Edge& edge) {
    for (std::size_t end = 0; end < 2; ++end)
      rims.keep(edge, end, mesh.number_of(edge), out.subspan(2 * end).first<2>());
  });
}

}  // namespace

template <bool carried>
std::size_t cylinder_mesh_points(const PlacedShape&, const PlacedShape& b) noexcept {
  const std::size_t corners = corner_places(b);
  return b.mesh->is_convex() ? corners + 2 * points_of_rim<carried> + 2 + 2 * b.mesh->edges().size()
                             : corners + 2 + cylinder_surface_points * points_at_mesh(b) + nearest_edge_points;
}
template <bool carried>
void cylinder_mesh(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const ContactPoint none = nowhere(a.position, b.position, std::min(b.mesh->size(), a.radius + a.half_length));
  const std::size_t corners = corner_places(b);
  if (b.mesh->is_convex() && carried)
    put_corners(b, a, none, out.first(corners),
                [&, part = part_towards(a, b), around = beside * std::max(b.mesh->size(), a.radius + a.half_length)](
                    const Vec3& corner) { return mirrored(corner_over_cylinder(corner, a, part, around)); });
  else if (b.mesh->is_convex())
    put_corners(b, a, none, out.first(corners), [&, ends = out_of_ends(a, b)](const Vec3& corner) {
      return mirrored(corner_at_cylinder(corner, a, ends));
    });
  else
    put_corners(b, a, none, out.first(corners),
                [&](const Vec3& corner) { return mirrored(ball_at_cylinder(corner, 0, a)); });
  const auto rest = out.subspan(corners);
  std::ranges::fill(rest, none);
  const Edge line = axis_in({b, a}, a.half_length);
  // An edge that is deeper below the side than below an end is at that end, and touches its rim.
  const auto is_at_side = [&](const Crossing& c) {
    const double below_end = a.half_length - std::abs(dot(c.on_first - line.center, line.direction));
    return a.radius - c.apart <= std::max(0.0, below_end) + beside * a.radius;
  };
  edge_across(line, a.radius, 2 * near_share * (a.radius + a.half_length), carried ? a.radius : 0, b, is_at_side,
              rest.first(2));
  const auto rims = rest.subspan(2);
  const RimsAtEdges rims_at_edges(a, b, carried ? a.radius : 0);
  if (!b.mesh->is_convex()) {
    const std::size_t at_faces = cylinder_surface_points * points_at_mesh(b);
    rims_at_nearest_edges(rims_at_edges, *b.mesh, rims.subspan(at_faces));
    if constexpr (carried) return rims_at_sheets(a, b, none, rims.first(at_faces));
    return rims_at_surface<carried>(
        a, [&](const Vec3& p, double radius) { return ball_at_mesh(p, radius, b); }, rims.first(at_faces));
  }
  const double of_face = rims_at_face<carried>(a, b, rims.first(2 * points_of_rim<carried>));
  rims_at_each_edge(rims_at_edges, *b.mesh, rims.subspan(2 * points_of_rim<carried>));
  const double of_cylinder = out_of_cylinder(a, b.position - a.position, lowest_of(b, a.position));
  drop_deeper(std::max(of_face, of_cylinder), std::min(b.mesh->size(), a.radius), none, out);
}

template std::size_t cylinder_mesh_points<true>(const PlacedShape&, const PlacedShape&) noexcept;
template std::size_t cylinder_mesh_points<false>(const PlacedShape&, const PlacedShape&) noexcept;
template void cylinder_mesh<true>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;
template void cylinder_mesh<false>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;

}  // namespace polyform::contact
