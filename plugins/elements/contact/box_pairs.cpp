#include "box_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "crossings.hpp"
#include "surfaces.hpp"

namespace polyform::contact {

namespace {

Vec3 column(const Mat3& R, std::size_t k) noexcept { return {R(0, k), R(1, k), R(2, k)}; }

double size_of(const PlacedShape& box) noexcept {
  return std::max({box.half_edges.x, box.half_edges.y, box.half_edges.z});
}

Vec3 corner_of(const PlacedShape& box, std::size_t k) noexcept {
  const Vec3& h = box.half_edges;
  return box.position + box.R * Vec3{k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z};
}

struct Face {
  std::size_t axis;
  double sign;
  double apart;  ///< of the other box from its plane, m
};

/// The face of a box that another box lies the farthest out of, or the least deep in.
Face face_towards(const PlacedShape& box, const PlacedShape& other) noexcept {
  const Vec3 c = transpose_times(box.R, other.position - box.position);
  Face best{0, 1, -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < 3; ++i) {
    double reach = 0;
    for (std::size_t k = 0; k < 3; ++k)
      reach += std::abs(dot(column(box.R, i), column(other.R, k))) * other.half_edges[k];
    const double apart = std::abs(c[i]) - box.half_edges[i] - reach;
    if (apart > best.apart) best = {i, c[i] < 0 ? -1.0 : 1.0, apart};
  }
  return best;
}

/// Over the face its height, also if that is negative; elsewhere its distance from the box. Carried: the height over
/// the plane of the face there too. around: how far beside the face it counts as over it, m, of one that is carried
/// where it touches before.
template <bool carried>
ContactPoint corner_at_box(const Vec3& corner, const PlacedShape& box, const Face& face, double around) noexcept {
  const Vec3 c = transpose_times(box.R, corner - box.position), &h = box.half_edges;
  const double height = face.sign * c[face.axis] - h[face.axis];
  double place = height + 2 * h[face.axis];
  for (std::size_t i = 0; i < 3; ++i)
    if (i != face.axis) place = std::min(place, h[i] + (carried ? 0 : around) - std::abs(c[i]));
  const Vec3 normal = face.sign * column(box.R, face.axis);
  ContactPoint over{height, normal, corner - (0.5 * height) * normal};
  over.place = place;
  over.begin = carried ? around : 0;
  over.hold = over_face * over.begin;
  over.feature = static_cast<std::uint32_t>(2 * face.axis + (face.sign < 0 ? 1 : 0));
  if (place >= 0) return over;
  const Vec3 nearest{std::clamp(c.x, -h.x, h.x), std::clamp(c.y, -h.y, h.y), std::clamp(c.z, -h.z, h.z)};
  const Vec3 line = box.R * (c - nearest);
  const double distance = norm(line);
  if constexpr (carried) {
    over.distance = distance;
    return over;
  }
  // Only the face that looks away from all of the other box can have it within.
  if (!(distance > 0)) return nowhere(corner, box.position, size_of(box));
  ContactPoint beside_face{distance, (1 / distance) * line, corner - 0.5 * line};
  beside_face.place = place;
  return beside_face;
}

Edge edge_of(const PlacedShape& box, std::size_t e) noexcept {
  const std::size_t along = e / 4, i = (along + 1) % 3, k = (along + 2) % 3;
  const Vec3 u = (e & 1 ? 1.0 : -1.0) * column(box.R, i), v = (e & 2 ? 1.0 : -1.0) * column(box.R, k);
  return {box.position + box.half_edges[i] * u + box.half_edges[k] * v,
          column(box.R, along),
          box.half_edges[along],
          {u, v}};
}

bool is_within(const Vec3& point, const PlacedShape& box, double farther) noexcept {
  const Vec3 c = transpose_times(box.R, point - box.position);
  const double around = beside * size_of(box) + farther;
  return std::abs(c.x) <= box.half_edges.x + around && std::abs(c.y) <= box.half_edges.y + around &&
         std::abs(c.z) <= box.half_edges.z + around;
}

/// Which edges of one box may cross which of another: bit e of the number of an edge stands for edge e of the other.
/// Two edges cross only where the normal across them lies within the angle of the faces at each (edge_at_edge). There
/// are nine directions across, one for each two axes, and the parts of a direction along the axes of a box tell its
/// edges.
class EdgePairs {
 public:
  EdgePairs(const PlacedShape& a, const PlacedShape& b) noexcept {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 across = cross(column(a.R, i), column(b.R, k));
        const double size = norm(across);
        if (!(size > 0)) continue;
        const Vec3 n = (1 / size) * across, in_a = transpose_times(a.R, n), in_b = transpose_times(b.R, n);
        see(i, k, -in_a, in_b);
        see(i, k, in_a, -in_b);
      }
  }
  bool may_cross(std::size_t of_a, std::size_t of_b) const noexcept { return (of_[of_a] >> of_b & 1U) != 0; }

 private:
  /// Twice what edge_at_edge allows, so that rounding leaves out none.
  static constexpr double room = 2 * into_face;
  /// The four edges along an axis between whose faces a direction lies, as edge_of() counts them.
  static unsigned edges_towards(const Vec3& n, std::size_t along) noexcept {
    const double u = n[(along + 1) % 3], v = n[(along + 2) % 3];
    unsigned edges = 0;
    for (unsigned e = 0; e < 4; ++e)
      if ((e & 1 ? u : -u) > -room && (e & 2 ? v : -v) > -room) edges |= 1U << e;
    return edges;
  }
  /// Out of a and out of b, in their axes.
  void see(std::size_t i, std::size_t k, const Vec3& out_of_a, const Vec3& out_of_b) noexcept {
    const unsigned of_a = edges_towards(out_of_a, i), of_b = edges_towards(out_of_b, k) << (4 * k);
    for (std::size_t e = 0; e < 4; ++e)
      if ((of_a >> e & 1U) != 0) of_[4 * i + e] |= of_b;
  }
  std::array<unsigned, edges_of_box> of_{};
};

/// Puts the nearest places where an edge (of a box, or the axis of a capsule with a radius) crosses edges of a box into
/// two points: where it goes in over the box, and where it comes out. `of`: the box that the edge is of, or nullptr.
/// beyond: how far an edge goes on after its end, m. may_cross(e): whether it may cross edge e.
template <class MayCross>
void cross_edges(const Edge& a, double radius, const PlacedShape* of, const PlacedShape& b, double beyond,
                 std::span<ContactPoint, 2> out, const MayCross& may_cross) noexcept {
  for (std::size_t e = 0; e < edges_of_box; ++e) {
    if (!may_cross(e)) continue;
    const Edge other = edge_of(b, e);
    const std::optional<Crossing> found = edge_at_edge(a, other, beside * size_of(b), beyond);
    if (!found) continue;
    const double beside_end = std::max(0.0, -found->place);
    if (found->apart < 0 && (!is_within(found->on_first, b, beside_end) ||
                             (of != nullptr && !is_within(found->on_second, *of, beside_end))))
      continue;
    keep_nearer(*found, radius, 0, out[found->leaves ? 1 : 0], static_cast<std::uint32_t>(e));
  }
}

}  // namespace

ContactPoint ball_at_box(const Vec3& center, double radius, const PlacedShape& box) noexcept {
  const Vec3 c = transpose_times(box.R, center - box.position), &h = box.half_edges;
  Vec3 nearest{std::clamp(c.x, -h.x, h.x), std::clamp(c.y, -h.y, h.y), std::clamp(c.z, -h.z, h.z)}, out{};
  const bool inside = std::abs(c.x) <= h.x && std::abs(c.y) <= h.y && std::abs(c.z) <= h.z;
  if (inside) {  // out of the nearest face
    std::size_t face = 0;
    for (std::size_t i = 1; i < 3; ++i)
      if (h[i] - std::abs(c[i]) < h[face] - std::abs(c[face])) face = i;
    out[face] = c[face] < 0 ? -1 : 1;
    nearest[face] = out[face] * h[face];
  }
  const Vec3 on_box = box.position + box.R * nearest, line = center - on_box;
  const double distance = norm(line);
  const Vec3 normal = inside ? box.R * out : (1 / distance) * line;
  const double gap = (inside ? -distance : distance) - radius;
  return {gap, normal, on_box + (0.5 * gap) * normal};
}

template <bool carried>
void box_box(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const double size = std::min(size_of(a), size_of(b)), larger = std::max(size_of(a), size_of(b));
  const ContactPoint none = nowhere(a.position, b.position, size);
  const Face of_b = face_towards(b, a), of_a = face_towards(a, b);
  const double around_a = beside * (carried ? larger : size_of(a)), around_b = beside * (carried ? larger : size_of(b));
  for (std::size_t k = 0; k < corners_of_box; ++k) {
    out[k] = corner_at_box<carried>(corner_of(a, k), b, of_b, around_b);
    ContactPoint& mirrored = out[corners_of_box + k] = corner_at_box<carried>(corner_of(b, k), a, of_a, around_a);
    mirrored.normal = -mirrored.normal;
  }
  const EdgePairs edges(a, b);
  for (std::size_t e = 0; e < edges_of_box; ++e) {
    const auto places = out.subspan(2 * corners_of_box + 2 * e).first<2>();
    places[0] = places[1] = none;
    cross_edges(edge_of(a, e), 0, &a, b, carried ? size : 0, places,
                [&](std::size_t other) { return edges.may_cross(e, other); });
  }
  drop_deeper(std::max(of_a.apart, of_b.apart), size, none, out);
}
template void box_box<true>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;
template void box_box<false>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;

void capsule_box(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 h = half_axis(a);
  out[0] = ball_at_box(a.position - h, a.radius, b);
  out[1] = ball_at_box(a.position + h, a.radius, b);
  const auto places = out.subspan(2).first<2>();
  const ContactPoint none = nowhere(a.position, b.position, std::min(size_of(b), a.radius + a.half_length));
  places[0] = places[1] = none;
  cross_edges({a.position, axis_of(a.R), a.half_length}, a.radius, nullptr, b, 0, places,
              [](std::size_t) { return true; });
  for (std::size_t k = 0; k < corners_of_box; ++k) out[4 + k] = corner_at_side(corner_of(b, k), a).value_or(none);
}

}  // namespace polyform::contact
