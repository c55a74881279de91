#include "cylinder_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "surfaces.hpp"

namespace polyform::contact {

namespace {

Edge axis_edge(const PlacedShape& s) noexcept { return {s.position, axis_of(s.R), s.half_length}; }

/// Where the axis of `a`, with its radius, enters over both rims of `b` and leaves: an axis that passes below a rim is
/// beyond the other end, or deeper within than its radius. An axis that ends at a rim passes it: cylinders of one
/// length stand side by side so. beyond: how far an axis goes on after its end, m.
void axis_at_rims(const PlacedShape& a, const PlacedShape& b, double beyond, std::span<ContactPoint> out) noexcept {
  for (std::size_t end = 0; end < 2; ++end)
    for (const std::optional<Crossing>& c : edge_at_rim(axis_edge(a), rim_of(b, end), -beside * a.half_length, beyond))
      if (c && c->apart > 0) keep_nearer(*c, a.radius, 0, out[2 * end + c->leaves]);
}

/// How far a cylinder reaches from its centre along a direction.
double reach(const PlacedShape& s, const Vec3& n) noexcept {
  const double along = dot(n, axis_of(s.R));
  return s.half_length * std::abs(along) + s.radius * std::sqrt(std::max(0.0, 1 - along * along));
}

/// Whether `a` stands beside the side of `b` as far as its rims go: then no part of `a` is over an end of `b`, also
/// where two ends of one height meet in a point.
bool is_beside(const PlacedShape& a, const PlacedShape& b, double around) noexcept {
  const Vec3 line = a.position - b.position, side = line - dot(line, axis_of(b.R)) * axis_of(b.R);
  const double size = norm(side);
  return size > 0 && size - reach(a, (1 / size) * side) - b.radius > -around;
}

/// Points of the rims of `a` over that end of `b` that is towards it; elsewhere nothing changes.
template <bool carried>
void rims_at_end(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const Vec3 axis = axis_of(b.R), normal = std::copysign(1.0, dot(axis, a.position - b.position)) * axis;
  const double around = beside * b.radius;
  if (is_beside(a, b, around)) return;
  constexpr std::size_t count = rim_points_at_end<carried>;
  for (std::size_t end = 0; end < 2; ++end) {
    const Rim rim = rim_of(a, end);
    const auto spokes = spokes_of_rim<carried>(a.R, axis_of(a.R), normal);
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3 p = rim.center + rim.radius * spokes[k], from = p - b.position;
      const double along = dot(normal, from), height = along - b.half_length;
      const double place = b.radius + (carried ? 0 : around) - norm(from - along * normal);
      if (!(along > 0) || (!carried && place < 0)) continue;
      ContactPoint& point = out[count * end + k] = {height, normal, p - (0.5 * height) * normal, true,
                                                    k == 0 ? turn_of_rim(rim.axis, normal) : 1};
      point.place = place;
      point.begin = carried ? around : 0;
      point.hold = over_face * point.begin;
      if (place < 0) point.distance = std::hypot(height, place);
    }
  }
}

/// Ends that lie flat on each other: four points, and of those at the ends the lowest one alone.
void flat_at_ends(const PlacedShape& a, const PlacedShape& b, const ContactPoint& none, std::span<ContactPoint> at_ends,
                  std::span<ContactPoint> out) noexcept {
  if (is_beside(a, b, beside * b.radius)) return;
  const FlatEnds ends(a, b);
  if (!ends.exist()) return;
  std::ranges::copy(ends.points(), out.begin());
  ContactPoint lowest = *std::ranges::min_element(at_ends, {}, &ContactPoint::gap);
  ends.take_from(lowest);
  std::ranges::fill(at_ends, none);
  at_ends[0] = lowest;
}

}  // namespace

void capsule_cylinder(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  std::ranges::fill(out, nowhere(a.position, b.position, a.radius + a.half_length));
  const Vec3 h = half_axis(a);
  out[0] = ball_at_cylinder(a.position - h, a.radius, b);
  out[1] = ball_at_cylinder(a.position + h, a.radius, b);
  if (const auto c = edge_at_edge(axis_edge(a), axis_edge(b), 0))
    keep_nearer(*c, a.radius + b.radius, b.radius, out[2]);
  axis_at_rims(a, b, 0, out.subspan(3, 4));
  const Vec3 line = a.position - b.position;
  const double apart = out_of_cylinder(
      b, line, [&](const Vec3& n) { return dot(n, line) - a.half_length * std::abs(dot(n, axis_of(a.R))) - a.radius; });
  drop_deeper(apart, a.radius, nowhere(a.position, b.position, a.radius + a.half_length), out);
}

template <bool carried>
void cylinder_cylinder(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const double far = std::min(a.radius + a.half_length, b.radius + b.half_length);
  const ContactPoint none = nowhere(a.position, b.position, far);
  std::ranges::fill(out, none);
  const auto whole = out;
  const auto take = [&out](std::size_t count) {
    const auto part = out.first(count);
    out = out.subspan(count);
    return part;
  };
  const auto mirror = [](std::span<ContactPoint> points) {
    for (ContactPoint& point : points) point.normal = -point.normal;
  };
  const auto sides = take(1);
  const double beyond = carried ? std::min(a.radius, b.radius) : 0;
  if (const auto c = edge_at_edge(axis_edge(a), axis_edge(b), 0, beyond))
    keep_nearer(*c, a.radius + b.radius, b.radius, sides[0]);
  axis_at_rims(a, b, beyond, take(4));
  const auto of_b = take(4);
  mirror(of_b);
  axis_at_rims(b, a, beyond, of_b);
  mirror(of_b);
  const auto at_ends = out;
  rims_at_end<carried>(a, b, take(2 * rim_points_at_end<carried>));
  const auto rims_of_b = take(2 * rim_points_at_end<carried>);
  mirror(rims_of_b);
  rims_at_end<carried>(b, a, rims_of_b);
  mirror(rims_of_b);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      for (const std::optional<Crossing>& c : rim_at_rim(rim_of(a, i), rim_of(b, k)))
        if (c) keep_nearer(*c, 0, 0, out[4 * i + 2 * k + c->leaves]);
  if constexpr (!carried) flat_at_ends(a, b, none, at_ends.first(4 * rim_points_at_end<carried> + 8), out.subspan(8));
  const Vec3 line = a.position - b.position;
  const double apart = std::max(out_of_cylinder(b, line, [&](const Vec3& n) { return dot(n, line) - reach(a, n); }),
                                out_of_cylinder(a, -line, [&](const Vec3& n) { return -dot(n, line) - reach(b, n); }));
  drop_deeper(apart, std::min(a.radius, b.radius), none, whole);
}

template void cylinder_cylinder<true>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;
template void cylinder_cylinder<false>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;

}  // namespace polyform::contact
