#include "shape_pair.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "box_pairs.hpp"
#include "cylinder_pairs.hpp"
#include "mesh_pairs.hpp"
#include "rims.hpp"
#include "surfaces.hpp"

namespace polyform::contact {

namespace {

/// Balls of radii a and b about two points.
ContactPoint between_balls(const Vec3& a, double radius_a, const Vec3& b, double radius_b) noexcept {
  const Vec3 line = a - b;
  const double distance = norm(line);
  // Balls about the same point push each other up: any direction serves, and one has to be taken.
  const Vec3 normal = distance > 0 ? (1 / distance) * line : Vec3{0, 0, 1};
  const double gap = distance - radius_a - radius_b;
  return {gap, normal, b + (radius_b + 0.5 * gap) * normal};
}

/// The points of two segments that are nearest to each other (Ericson, Real-Time Collision Detection, 5.1.9): each is
/// center ± half axis.
std::pair<Vec3, Vec3> nearest_of_segments(const Vec3& c1, const Vec3& h1, const Vec3& c2, const Vec3& h2) noexcept {
  const Vec3 r = c1 - c2;
  const double a = dot(h1, h1), e = dot(h2, h2), b = dot(h1, h2), c = dot(h1, r), f = dot(h2, r);
  const double denominator = a * e - b * b;
  // Parallel segments share a stretch; its middle is as near as its ends.
  constexpr double parallel = 1e-12;
  double s = 0, t = 0;
  if (denominator > parallel * a * e) {
    s = std::clamp((b * f - c * e) / denominator, -1.0, 1.0);
  } else if (a > 0) {
    const double middle = -c / a, reach = std::abs(b) / a;  // of the second segment, along the first
    s = 0.5 * (std::clamp(middle - reach, -1.0, 1.0) + std::clamp(middle + reach, -1.0, 1.0));
  }
  t = e > 0 ? (b * s + f) / e : 0;
  if (t < -1 || t > 1) {
    t = std::clamp(t, -1.0, 1.0);
    s = a > 0 ? std::clamp((b * t - c) / a, -1.0, 1.0) : 0;
  }
  return {c1 + s * h1, c2 + t * h2};
}

}  // namespace

PlacedShape::PlacedShape(const GeometricShape& shape) noexcept
    : kind(shape.kind),
      R(rotation_matrix(shape.pose.orientation)),
      position(shape.pose.position),
      half_edges(0.5 * shape.edges),
      radius(shape.radius),
      half_length(0.5 * shape.length) {}

double size_of(const PlacedShape& shape) noexcept {
  if (shape.kind == GeometricShape::Kind::plane || shape.kind == GeometricShape::Kind::height_field)
    return std::numeric_limits<double>::infinity();
  if (shape.kind == GeometricShape::Kind::mesh) return shape.mesh->size();
  return std::max({shape.half_edges.x, shape.half_edges.y, shape.half_edges.z, shape.radius, shape.half_length});
}

double half_width_of(const PlacedShape& shape) noexcept {
  using enum GeometricShape::Kind;
  constexpr double none = std::numeric_limits<double>::infinity();
  switch (shape.kind) {
    case box:
    case ellipsoid: return std::min({shape.half_edges.x, shape.half_edges.y, shape.half_edges.z});
    case cylinder: return std::min(shape.radius, shape.half_length);
    case sphere:
    case capsule: return shape.radius;
    case mesh:
      // The box about a floor of triangles has no height.
      return shape.mesh->is_convex() ? std::min(shape.mesh->half_width(), shape.mesh->half_thickness())
                                     : shape.mesh->half_thickness();
    default: return none;
  }
}

double reach_of(const PlacedShape& shape) noexcept {
  if (shape.kind != GeometricShape::Kind::mesh)
    return std::max(size_of(shape), norm(shape.half_edges) + shape.radius + shape.half_length);
  double square = 0;
  for (const Vec3& corner : shape.mesh->corners()) square = std::max(square, dot(corner, corner));
  return std::sqrt(square);
}

struct ShapePair::Way {
  Locate locate = nullptr;
  std::size_t (*points)(const PlacedShape&, const PlacedShape&) noexcept = nullptr;
  bool swapped = false;
};

namespace {

void sphere_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = ball_at_plane(a.position, a.radius, b);
}
void capsule_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 h = half_axis(a);
  out[0] = ball_at_plane(a.position - h, a.radius, b);
  out[1] = ball_at_plane(a.position + h, a.radius, b);
}
void box_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  for (std::size_t k = 0; k < 8; ++k) {
    const Vec3& h = a.half_edges;
    const Vec3 corner{k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
    out[k] = ball_at_plane(a.position + a.R * corner, 0, b);
  }
}
template <bool carried>
void cylinder_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  constexpr std::size_t count = points_of_rim<carried>;
  const auto spokes = spokes_of_rim<carried>(a.R, axis_of(a.R), axis_of(b.R));
  for (std::size_t end = 0; end < 2; ++end)
    for (std::size_t k = 0; k < count; ++k) {
      ContactPoint& point = out[count * end + k];
      point = ball_at_plane(rim_of(a, end).center + a.radius * spokes[k], 0, b);
      point.is_carried = carried || k == 0;
      if (k == 0) point.turn = turn_of_rim(axis_of(a.R), axis_of(b.R));
    }
}
void ellipsoid_plane(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = ball_at_plane(farthest_of_ellipsoid(a, -axis_of(b.R)), 0, b);
}
void sphere_ellipsoid(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = ball_at_ellipsoid(a.position, a.radius, b);
}
void sphere_sphere(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = between_balls(a.position, a.radius, b.position, b.radius);
}
void sphere_capsule(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const auto [on_a, on_b] = nearest_of_segments(a.position, {}, b.position, half_axis(b));
  out[0] = between_balls(on_a, a.radius, on_b, b.radius);
}
void capsule_capsule(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const auto [on_a, on_b] = nearest_of_segments(a.position, half_axis(a), b.position, half_axis(b));
  out[0] = between_balls(on_a, a.radius, on_b, b.radius);
}
void sphere_box(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = ball_at_box(a.position, a.radius, b);
}
void sphere_cylinder(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = ball_at_cylinder(a.position, a.radius, b);
}
void sphere_heights(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  out[0] = ball_at_heights(a.position, a.radius, b);
}
void capsule_heights(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 h = half_axis(a);
  out[0] = ball_at_heights(a.position - h, a.radius, b);
  out[1] = ball_at_heights(a.position + h, a.radius, b);
}
/// Of a box the corners.
void mesh_heights(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = ball_at_heights(a.position + a.R * a.mesh->corners()[k], 0, b);
}
template <bool carried>
void cylinder_heights(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  rims_at_surface<carried>(
      a, [&](const Vec3& p, double radius) { return ball_at_heights(p, radius, b); }, out);
}
/// The place with the normal of the surface below it.
void ellipsoid_heights(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  constexpr int most = 50;
  constexpr double settled = 1e-13;
  Vec3 normal = ball_at_heights(a.position, 0, b).normal;
  out[0].is_carried = false;
  for (int i = 0; i < most && !out[0].is_carried; ++i) {
    out[0] = ball_at_heights(farthest_of_ellipsoid(a, -normal), 0, b);
    out[0].is_carried = norm(out[0].normal - normal) < settled;
    normal = out[0].normal;
  }
}

template <std::size_t count>
std::size_t always(const PlacedShape&, const PlacedShape&) noexcept {
  return count;
}

}  // namespace

/// The ways of all pairs of kinds, so that a pair finds its own without a search.
struct ShapePair::Ways {
  static constexpr std::size_t kinds = static_cast<std::size_t>(GeometricShape::Kind::height_field) + 1;
  Way all[kinds][kinds], carried[kinds][kinds];
};

ShapePair::Way ShapePair::way_of(GeometricShape::Kind first, GeometricShape::Kind second, Points points) noexcept {
  using enum GeometricShape::Kind;
  struct Known {
    GeometricShape::Kind first, second;
    Way all, carried = all;  ///< where a law wants points that are carried
  };
  static constexpr std::array ways{
      Known{sphere, plane, {sphere_plane, always<1>}},
      Known{capsule, plane, {capsule_plane, always<2>}},
      Known{box, plane, {box_plane, always<8>}},
      Known{cylinder, plane, {cylinder_plane<false>, always<6>}, {cylinder_plane<true>, always<8>}},
      Known{ellipsoid, plane, {ellipsoid_plane, always<1>}},
      Known{mesh, plane, {mesh_plane, mesh_plane_points}},
      Known{sphere, sphere, {sphere_sphere, always<1>}},
      Known{sphere, capsule, {sphere_capsule, always<1>}},
      Known{capsule, capsule, {capsule_capsule, always<1>}},
      Known{sphere, box, {sphere_box, always<1>}},
      Known{box, box, {box_box<false>, always<box_box_points>}, {box_box<true>, always<box_box_points>}},
      Known{capsule, box, {capsule_box, always<capsule_box_points>}},
      Known{sphere, cylinder, {sphere_cylinder, always<1>}},
      Known{capsule, cylinder, {capsule_cylinder, always<capsule_cylinder_points>}},
      Known{cylinder,
            cylinder,
            {cylinder_cylinder<false>, always<cylinder_cylinder_points<false>>},
            {cylinder_cylinder<true>, always<cylinder_cylinder_points<true>>}},
      Known{cylinder,
            box,
            {cylinder_mesh<false>, cylinder_mesh_points<false>},
            {cylinder_mesh<true>, cylinder_mesh_points<true>}},
      Known{sphere, ellipsoid, {sphere_ellipsoid, always<1>}},
      Known{ellipsoid, box, {ellipsoid_mesh, always<1>}},
      Known{sphere, mesh, {sphere_mesh, sphere_mesh_points}},
      Known{capsule, mesh, {capsule_mesh, capsule_mesh_points}},
      Known{cylinder,
            mesh,
            {cylinder_mesh<false>, cylinder_mesh_points<false>},
            {cylinder_mesh<true>, cylinder_mesh_points<true>}},
      Known{ellipsoid, mesh, {ellipsoid_mesh, always<1>}},
      Known{box, mesh, {mesh_mesh<false>, mesh_mesh_points}, {mesh_mesh<true>, mesh_mesh_points}},
      Known{mesh, mesh, {mesh_mesh<false>, mesh_mesh_points}, {mesh_mesh<true>, mesh_mesh_points}},
      Known{sphere, height_field, {sphere_heights, always<1>}},
      Known{capsule, height_field, {capsule_heights, always<2>}},
      Known{box, height_field, {mesh_heights, mesh_plane_points}},
      Known{cylinder,
            height_field,
            {cylinder_heights<false>, always<cylinder_surface_points>},
            {cylinder_heights<true>, always<cylinder_surface_points>}},
      Known{ellipsoid, height_field, {ellipsoid_heights, always<1>}},
      Known{mesh, height_field, {mesh_heights, mesh_plane_points}}};
  static constexpr Ways table = [] {
    Ways made{};
    for (const Known& known : ways) {
      const auto i = static_cast<std::size_t>(known.first), j = static_cast<std::size_t>(known.second);
      made.all[j][i] = {known.all.locate, known.all.points, true};
      made.carried[j][i] = {known.carried.locate, known.carried.points, true};
      made.all[i][j] = known.all;
      made.carried[i][j] = known.carried;
    }
    return made;
  }();
  const auto i = static_cast<std::size_t>(first), j = static_cast<std::size_t>(second);
  return points == Points::carried ? table.carried[i][j] : table.all[i][j];
}

bool ShapePair::exists(GeometricShape::Kind first, GeometricShape::Kind second) noexcept {
  return way_of(first, second, Points::all).locate != nullptr;
}

ShapePair::Way ShapePair::way_between(const PlacedShape& first, const PlacedShape& second, Points points) noexcept {
  Way way = way_of(first.kind, second.kind, points);
  // Of two meshes the one of fewer edges looks for those of the other.
  if (way.points == mesh_mesh_points) way.swapped = second.mesh->edges().size() < first.mesh->edges().size();
  return way;
}

ShapePair::ShapePair(const GeometricShape& first, const GeometricShape& second, ShapeStore& store, Points points)
    : first_(first), second_(second) {
  const auto give = [&](const GeometricShape& shape, GeometricShape::Kind other, PlacedShape& placed, std::size_t k) {
    meshes_[k] = store.mesh_of(shape, ShapeStore::takes_boxes_as_meshes(other), points == Points::carried);
    grids_[k] = store.grid_of(shape);
    placed.mesh = meshes_[k].get();
    placed.grid = grids_[k].get();
  };
  give(first, second.kind, first_, 0);
  give(second, first.kind, second_, 1);
  const auto give_slots = [](PlacedShape& shape, const PlacedShape& other, std::shared_ptr<const CornerSlots>& slots) {
    const double reach = reach_of(other);
    if (shape.kind != GeometricShape::Kind::mesh || shape.mesh->is_convex() || !(reach < shape.mesh->size())) return;
    slots = std::make_shared<CornerSlots>(*shape.mesh, reach);
    shape.slots = slots.get();
  };
  give_slots(first_, second_, slots_[0]);
  give_slots(second_, first_, slots_[1]);
  for (std::size_t k = 0; k < 2; ++k) {
    const PlacedShape& shape = k == 0 ? first_ : second_;
    radii_[k] = reach_of(shape);
    reaches_[k] = norm(shape.position) + radii_[k];
  }
  const Way way = way_between(first_, second_, points);
  locate_ = way.locate;
  swapped_ = way.swapped;
  points_ = swapped_ ? way.points(second_, first_) : way.points(first_, second_);
}

double ShapePair::apart(const Placement& first, const Placement& second) const noexcept {
  constexpr double unknown = -1;
  const Vec3 centres[2] = {first.position + first.R * first_.position, second.position + second.R * second_.position};
  const bool bounded[2] = {std::isfinite(radii_[0]), std::isfinite(radii_[1])};
  if (bounded[0] && bounded[1]) return norm(centres[0] - centres[1]) - radii_[0] - radii_[1];
  const std::size_t flat = bounded[0] ? 1 : 0;
  const PlacedShape& plane = flat == 0 ? first_ : second_;
  if (plane.kind != GeometricShape::Kind::plane || !bounded[1 - flat]) return unknown;
  const Vec3 normal = (flat == 0 ? first.R : second.R) * axis_of(plane.R);
  return dot(normal, centres[1 - flat] - centres[flat]) - radii_[1 - flat];
}

double ShapePair::size() const noexcept { return std::min(size_of(first_), size_of(second_)); }
double ShapePair::half_width() const noexcept { return std::min(half_width_of(first_), half_width_of(second_)); }

ShapeStore::Grid::Grid(const GeometricShape& shape)
    : heights(shape.heights.begin(), shape.heights.end()),
      grid{.heights = heights,
           .rows = shape.rows,
           .x = -0.5 * shape.edges.x,
           .y = -0.5 * shape.edges.y,
           .spacing_x = shape.edges.x / static_cast<double>(shape.rows - 1),
           .spacing_y = shape.edges.y / static_cast<double>(heights.size() / shape.rows - 1)} {}

bool ShapeStore::takes_boxes_as_meshes(GeometricShape::Kind other) noexcept {
  using enum GeometricShape::Kind;
  return other == cylinder || other == ellipsoid || other == mesh || other == height_field;
}

std::shared_ptr<const Polyhedron> ShapeStore::mesh_of(const GeometricShape& shape, bool box_as_mesh, bool has_sheets) {
  if (shape.kind == GeometricShape::Kind::box && box_as_mesh) {
    for (const Box& known : boxes_)
      if (norm(known.edges - shape.edges) == 0) return known.made;
    const auto made = std::make_shared<const Polyhedron>(Polyhedron::of_box(0.5 * shape.edges));
    return boxes_.emplace_back(Box{shape.edges, made}).made;
  }
  if (shape.kind != GeometricShape::Kind::mesh) return nullptr;
  for (const Known<Polyhedron>& known : meshes_)
    if (known.of == shape.vertices.data() && known.convex == shape.convex && known.has_sheets == has_sheets)
      return known.made;
  return meshes_
      .emplace_back(
          Known<Polyhedron>{shape.vertices.data(), shape.convex, has_sheets,
                            std::make_shared<Polyhedron>(shape.vertices, shape.faces, shape.convex, has_sheets)})
      .made;
}

std::shared_ptr<const HeightGrid> ShapeStore::grid_of(const GeometricShape& shape) {
  if (shape.kind != GeometricShape::Kind::height_field) return nullptr;
  for (const Known<HeightGrid>& known : grids_)
    if (known.of == shape.heights.data()) return known.made;
  const auto whole = std::make_shared<Grid>(shape);
  const std::shared_ptr<const HeightGrid> made(whole, &whole->grid);
  return grids_.emplace_back(Known<HeightGrid>{shape.heights.data(), false, false, made}).made;
}

std::size_t ShapePair::points_of(const PlacedShape& first, const PlacedShape& second) noexcept {
  const Way way = way_between(first, second, Points::all);
  return way.swapped ? way.points(second, first) : way.points(first, second);
}

void ShapePair::locate(const PlacedShape& first, const PlacedShape& second, std::span<ContactPoint> out) noexcept {
  const Way way = way_between(first, second, Points::all);
  if (!way.swapped) return way.locate(first, second, out);
  way.locate(second, first, out);
  for (ContactPoint& point : out) point.normal = -point.normal;
}

void ShapePair::locate(const Placement& first, const Placement& second, std::span<ContactPoint> out) const noexcept {
  const auto placed = [](const PlacedShape& shape, const Placement& body) {
    PlacedShape in_ground = shape;
    in_ground.R = body.R * shape.R;
    in_ground.position = body.position + body.R * shape.position;
    return in_ground;
  };
  const PlacedShape a = placed(first_, first), b = placed(second_, second);
  if (!swapped_) return locate_(a, b, out);
  locate_(b, a, out);
  for (ContactPoint& point : out) point.normal = -point.normal;
}

}  // namespace polyform::contact
