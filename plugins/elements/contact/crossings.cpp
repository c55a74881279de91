#include "crossings.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::contact {

namespace {

// Edges whose directions differ by less are parallel, and have no place where they cross: the square of a sine.
constexpr double parallel_edges = 1e-12;
// Newton's method begins near the place; where it takes more steps, there is none.
constexpr int most_steps = 20;
constexpr double settled = 1e-13;
// Of the lengths whose difference is left: what is less is rounding, and no step makes it less. Where a line hardly
// cuts a circle, steps that are rounding are larger than those that settle elsewhere.
constexpr double known = 1e-15;

bool has_faces(const Edge& e) noexcept { return dot(e.faces[0], e.faces[0]) > 0; }

/// The normal across two directions, out of a body whose outward direction is given; nothing if they are parallel.
std::optional<Vec3> normal_across(const Vec3& first, const Vec3& second, const Vec3& outward) noexcept {
  const Vec3 across = cross(first, second);
  const double square = dot(across, across);
  if (square < parallel_edges) return std::nullopt;
  return (std::copysign(1.0, dot(across, outward)) / std::sqrt(square)) * across;
}

/// Whether a normal lies within the angle between two outward directions, or nearly. All are across one edge; the angle
/// may be wider than a right one, as at the edge of a blade, or narrower.
bool is_between(const Vec3& normal, const Vec3& one, const Vec3& other) noexcept {
  const Vec3 turn = cross(one, other);
  const double least = -into_face * norm(turn);
  return dot(normal, one + other) > 0 && dot(cross(one, normal), turn) > least &&
         dot(cross(normal, other), turn) > least;
}

/// The place of the circle from which the line is nearest, by Newton's method for f(θ) = d²/2 from a direction e of the
/// radius: f' = d · t, f'' = t² − (t · u)² − d · r.
bool settle(const Edge& line, const Rim& rim, Vec3& e) noexcept {
  const Vec3& u = line.direction;
  for (int i = 0; i < most_steps; ++i) {
    const Vec3 r = rim.radius * e, t = cross(rim.axis, r), from = rim.center + r - line.center;
    const Vec3 d = from - dot(from, u) * u;
    const double along = dot(t, u), curvature = rim.radius * rim.radius - along * along - dot(d, r);
    if (!(std::abs(curvature) > 0)) return false;
    const double left = dot(d, t);
    if (std::abs(left) < known * rim.radius * (rim.radius + norm(from))) return true;
    const double step = std::clamp(-left / curvature, -0.5, 0.5);
    e += (step / rim.radius) * t;
    e = (1 / norm(e)) * e;
    if (std::abs(step) < settled) return true;
  }
  return false;
}

std::optional<Crossing> at_place(const Edge& line, const Rim& rim, Vec3 e, double around, double beyond,
                                 bool leaves) noexcept {
  if (!settle(line, rim, e)) return std::nullopt;
  const Vec3 on_rim = rim.center + rim.radius * e;
  const double s = dot(on_rim - line.center, line.direction), place = line.half_length - around - std::abs(s);
  if (!(place > -beyond)) return std::nullopt;
  const auto normal = normal_across(cross(rim.axis, e), line.direction, rim.axis + e);
  if (!normal || !is_between(*normal, rim.axis, e)) return std::nullopt;
  if (has_faces(line) && !is_between(-*normal, line.faces[0], line.faces[1])) return std::nullopt;
  const Vec3 on_line = line.center + s * line.direction;
  const double past = std::max(0.0, std::abs(s) - line.half_length);
  return Crossing{dot(*normal, on_line - on_rim),   *normal, on_line, on_rim, leaves, place,
                  over_end * std::max(0.0, around), 1,       past};
}

Vec3 across(const Vec3& v, const Vec3& axis) noexcept { return v - dot(v, axis) * axis; }

/// The place where both circles are nearest to each other, from directions e and f of their radii.
bool settle(const Rim& a, const Rim& b, Vec3& e, Vec3& f) noexcept {
  for (int i = 0; i < most_steps; ++i) {
    const Vec3 r = a.radius * e, q = b.radius * f, t = cross(a.axis, r), w = cross(b.axis, q);
    const Vec3 d = a.center + r - b.center - q;
    const double g = dot(d, t), h = -dot(d, w);
    if (std::abs(g) < known * a.radius * (a.radius + b.radius) &&
        std::abs(h) < known * b.radius * (a.radius + b.radius))
      return true;
    const double gg = a.radius * a.radius - dot(d, r), hh = b.radius * b.radius + dot(d, q), gh = -dot(t, w);
    const double determinant = gg * hh - gh * gh;
    if (!(std::abs(determinant) > 0)) return false;
    const double x = std::clamp(-(hh * g - gh * h) / determinant, -0.5, 0.5),
                 y = std::clamp(-(gg * h - gh * g) / determinant, -0.5, 0.5);
    e += (x / a.radius) * t;
    f += (y / b.radius) * w;
    e = (1 / norm(e)) * e;
    f = (1 / norm(f)) * f;
    if (std::max(std::abs(x), std::abs(y)) < settled) return true;
  }
  return false;
}

}  // namespace

std::optional<Crossing> edge_at_edge(const Edge& a, const Edge& b, double around, double beyond) noexcept {
  const Vec3 line = a.center - b.center;
  const double along = dot(a.direction, b.direction);
  const Vec3 both = cross(a.direction, b.direction);
  const double square = dot(both, both);
  if (square < parallel_edges) return std::nullopt;
  // Where the two lines are nearest to each other.
  const double c = dot(a.direction, line), f = dot(b.direction, line);
  const double s = (along * f - c) / square, t = (f - along * c) / square;
  // Where edges meet at their ends the corners touch.
  const double place = std::min(a.half_length - std::abs(s), b.half_length - std::abs(t)) - around;
  if (!(place > -beyond)) return std::nullopt;
  const Vec3 on_a = a.center + s * a.direction, on_b = b.center + t * b.direction;
  // Between two axes the normal goes from one to the other.
  const Vec3 outward = has_faces(b) ? b.faces[0] + b.faces[1] : on_a - on_b;
  const auto normal = normal_across(a.direction, b.direction, outward);
  if (!normal || (has_faces(b) && !is_between(*normal, b.faces[0], b.faces[1]))) return std::nullopt;
  if (has_faces(a) && !is_between(-*normal, a.faces[0], a.faces[1])) return std::nullopt;
  Crossing found{dot(*normal, on_a - on_b),        *normal,          on_a, on_b, dot(a.direction, outward) >= 0, place,
                 over_end * std::max(0.0, around), std::sqrt(square)};
  const double past_a = s - std::clamp(s, -a.half_length, a.half_length),
               past_b = t - std::clamp(t, -b.half_length, b.half_length);
  found.aside = norm(past_b * b.direction - past_a * a.direction);
  return found;
}

std::array<std::optional<Crossing>, 2> edge_at_rim(const Edge& line, const Rim& rim, double around,
                                                   double beyond) noexcept {
  const Vec3 w = across(line.center - rim.center, rim.axis), u = across(line.direction, rim.axis);
  const double square = dot(u, u), middle = dot(w, u);
  // A line along the axis passes the rim once, and one beside the circle too: on its way out of the end, or into it.
  constexpr double along_axis = 1e-12;
  const double room = middle * middle - square * (dot(w, w) - rim.radius * rim.radius);
  if (square < along_axis || room <= 0) {
    const Vec3 nearest = square < along_axis ? w : w - (middle / square) * u;
    const double size = norm(nearest);
    if (!(size > 0)) return {};
    return {at_place(line, rim, (1 / size) * nearest, around, beyond, dot(line.direction, rim.axis) > 0), std::nullopt};
  }
  const double half = std::sqrt(room);
  const auto place = [&](double s, bool leaves) {
    const Vec3 r = w + (s / square) * u;
    return at_place(line, rim, (1 / norm(r)) * r, around, beyond, leaves);
  };
  return {place(-middle - half, false), place(-middle + half, true)};
}

std::array<std::optional<Crossing>, 2> rim_at_rim(const Rim& a, const Rim& b) noexcept {
  const Vec3 line = across(b.center - a.center, a.axis);
  const double distance = norm(line);
  // Circles that coincide but for rounding cross everywhere and nowhere.
  if (!(distance > beside * std::min(a.radius, b.radius))) return {};
  const double x = (distance * distance + a.radius * a.radius - b.radius * b.radius) / (2 * distance);
  const double square = a.radius * a.radius - x * x;
  if (!(square > 0)) return {};
  std::array<std::optional<Crossing>, 2> out;
  const Vec3 ahead = *direction_across(line, a.axis), aside = cross(a.axis, ahead);
  for (std::size_t k = 0; k < 2; ++k) {
    Vec3 e = (1 / a.radius) * (x * ahead + (k == 0 ? -1 : 1) * std::sqrt(square) * aside);
    Vec3 f = across(a.center + a.radius * e - b.center, b.axis);
    const double size = norm(f);
    if (!(size > 0)) continue;
    f = (1 / size) * f;
    if (!settle(a, b, e, f)) continue;
    const auto normal = normal_across(cross(a.axis, e), cross(b.axis, f), b.axis + f);
    if (!normal || !is_between(*normal, b.axis, f) || !is_between(-*normal, a.axis, e)) continue;
    const Vec3 on_a = a.center + a.radius * e, on_b = b.center + b.radius * f;
    out[k] = Crossing{dot(*normal, on_a - on_b), *normal, on_a, on_b, k == 1, std::sqrt(square)};
  }
  return out;
}

bool keep_nearer(const Crossing& c, double radii, double second_radius, ContactPoint& point,
                 std::uint32_t feature) noexcept {
  const double gap = c.apart - radii;
  const bool is_there = c.place >= 0, was_there = point.place >= 0, was_beyond = !was_there && point.distance > 0;
  if (is_there && !was_beyond && !(std::abs(gap) < std::abs(point.gap))) return false;
  if (!is_there && (was_there || !(c.place > point.place))) return false;
  point = {gap, c.normal, c.on_second + (second_radius + 0.5 * gap) * c.normal};
  point.place = c.place;
  point.hold = c.hold;
  point.turn = c.turn;
  point.feature = feature;
  // Of a line beyond its end.
  point.distance = std::hypot(gap, std::max(c.aside, -c.place));
  return true;
}

}  // namespace polyform::contact
