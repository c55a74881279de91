#include "cylinder_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "surfaces.hpp"

namespace polyform::contact {

namespace {

Edge axis_edge(const PlacedShape& s) noexcept { return {s.position, axis_of(s.R), s.half_length}; }

/// Where the axis of `a`, with its radius, enters over both rims of `b` and leaves.
void axis_at_rims(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  for (std::size_t end = 0; end < 2; ++end)
    for (const std::optional<Crossing>& c : edge_at_rim(axis_edge(a), rim_of(b, end), 0))
      if (c) keep_nearer(*c, a.radius, 0, out[2 * end + c->leaves]);
}

/// How far `a` is out of an end of `b` at most, less how far it is out of its side there.
double end_before_side(const PlacedShape& a, const PlacedShape& b) noexcept {
  const Vec3 line = a.position - b.position, end = axis_of(b.R), axis = axis_of(a.R);
  const auto apart = [&](const Vec3& n, double own) {
    const double along = dot(n, axis);
    return dot(n, line) - a.half_length * std::abs(along) - a.radius * std::sqrt(std::max(0.0, 1 - along * along)) - own;
  };
  const Vec3 side = line - dot(line, end) * end;
  const double size = norm(side);
  const double of_end = apart(std::copysign(1.0, dot(line, end)) * end, b.half_length);
  return size > 0 ? of_end - apart((1 / size) * side, b.radius) : 1;
}

/// Points of the rims of `a` over that end of `b` that is towards it; elsewhere nothing changes.
template <bool carried>
void rims_at_end(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  if (!(end_before_side(a, b) > 0)) return;
  const Vec3 axis = axis_of(b.R), normal = std::copysign(1.0, dot(axis, a.position - b.position)) * axis;
  const double around = beside * b.radius;
  constexpr std::size_t count = points_of_rim<carried>;
  for (std::size_t end = 0; end < 2; ++end) {
    const Rim rim = rim_of(a, end);
    const auto spokes = spokes_of_rim<carried>(a.R, axis_of(a.R), normal);
    for (std::size_t k = 0; k < count; ++k) {
      const Vec3 p = rim.center + rim.radius * spokes[k], from = p - b.position;
      const double along = dot(normal, from), height = along - b.half_length;
      if (!(along > 0) || norm(from - along * normal) > b.radius + around) continue;
      out[count * end + k] = {height, normal, p - (0.5 * height) * normal, carried || k == 0};
    }
  }
}

}  // namespace

void capsule_cylinder(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  std::ranges::fill(out, nowhere(a.position, b.position, a.radius + a.half_length));
  const Vec3 h = half_axis(a);
  out[0] = ball_at_cylinder(a.position - h, a.radius, b);
  out[1] = ball_at_cylinder(a.position + h, a.radius, b);
  if (const auto c = edge_at_edge(axis_edge(a), axis_edge(b), 0)) keep_nearer(*c, a.radius + b.radius, b.radius, out[2]);
  axis_at_rims(a, b, out.subspan(3, 4));
}

template <bool carried>
void cylinder_cylinder(const PlacedShape& a, const PlacedShape& b, std::span<ContactPoint> out) noexcept {
  const double far = std::min(a.radius + a.half_length, b.radius + b.half_length);
  std::ranges::fill(out, nowhere(a.position, b.position, far));
  const auto take = [&out](std::size_t count) {
    const auto part = out.first(count);
    out = out.subspan(count);
    return part;
  };
  const auto mirror = [](std::span<ContactPoint> points) {
    for (ContactPoint& point : points) point.normal = -point.normal;
  };
  const auto sides = take(1);
  if (const auto c = edge_at_edge(axis_edge(a), axis_edge(b), 0))
    keep_nearer(*c, a.radius + b.radius, b.radius, sides[0]);
  axis_at_rims(a, b, take(4));
  const auto of_b = take(4);
  mirror(of_b);
  axis_at_rims(b, a, of_b);
  mirror(of_b);
  rims_at_end<carried>(a, b, take(2 * points_of_rim<carried>));
  const auto rims_of_b = take(2 * points_of_rim<carried>);
  mirror(rims_of_b);
  rims_at_end<carried>(b, a, rims_of_b);
  mirror(rims_of_b);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 2; ++k)
      for (const std::optional<Crossing>& c : rim_at_rim(rim_of(a, i), rim_of(b, k)))
        if (c) keep_nearer(*c, 0, 0, out[4 * i + 2 * k + c->leaves]);
}

template void cylinder_cylinder<true>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;
template void cylinder_cylinder<false>(const PlacedShape&, const PlacedShape&, std::span<ContactPoint>) noexcept;

}  // namespace polyform::contact
