#include "placement.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::particles {
namespace {

/// If there is a choice, edges and heights of the triangle, and the height of particle 3, are at least this part of the
/// body's size.
constexpr double well_shaped = 0.25;

Vec3 from_line(const Vec3& r, const Vec3& along) { return r - (dot(r, along) / dot(along, along)) * along; }

/// A unit vector at right angles to another one, towards the axis that is least along it.
Vec3 across(const Vec3& along) {
  const Vec3 size{std::abs(along.x), std::abs(along.y), std::abs(along.z)};
  Vec3 axis{0, 0, 1};
  if (size.x <= size.y && size.x <= size.z)
    axis = {1, 0, 0};
  else if (size.y <= size.z)
    axis = {0, 1, 0};
  const Vec3 d = from_line(axis, along);
  return (1 / norm(d)) * d;
}

/// A unit vector at right angles to another one, along which the mass extends most: the longest column of the second
/// moments ∫ r rᵀ dm across, which are those of a plane or a line if the mass lies in one.
Vec3 most_extended(const BodyData& body, const Vec3* along) {
  const Sym3& J = body.inertia;
  const double half_trace = 0.5 * (J.xx + J.yy + J.zz);
  Vec3 longest;
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 axis;
    axis[k] = 1;
    if (along != nullptr) axis = from_line(axis, *along);
    Vec3 column = half_trace * axis - J * axis;
    if (along != nullptr) column = from_line(column, *along);
    if (norm(column) > norm(longest)) longest = column;
  }
  constexpr double no_direction = 1e-12;  // rounding of an inertia that is the same about all axes
  if (norm(longest) > no_direction * half_trace) return (1 / norm(longest)) * longest;
  return along != nullptr ? across(*along) : Vec3{1, 0, 0};
}

/// Takes the point of the largest distance out of the list, if it is far enough.
template <class Distance>
bool take_farthest(std::vector<Wanted>& list, double enough, const Distance& distance, Wanted& out) {
  const auto best = std::max_element(list.begin(), list.end(), [&](const Wanted& a, const Wanted& b) {
    return distance(a.place) < distance(b.place);
  });
  if (best == list.end() || !(distance(best->place) >= enough)) return false;
  out = *best;
  list.erase(best);
  return true;
}

}  // namespace

Placement choose_places(const BodyData& body, double length, std::span<const Wanted> inherited,
                        std::vector<Wanted> wanted) {
  Placement out;
  std::copy(inherited.begin(), inherited.end(), out.primary);
  const std::size_t given = inherited.size();
  const Vec3& c = body.center_of_mass;
  const double enough = well_shaped * length;

  if (given < 1 && !take_farthest(
                       wanted, 0, [&](const Vec3& s) { return norm(s - c); }, out.primary[0]))
    out.primary[0].place = c;
  const Vec3 first = out.primary[0].place;
  const auto from_first = [&](const Vec3& s) { return norm(s - first); };
  if (given < 2 && !take_farthest(wanted, enough, from_first, out.primary[1]))
    out.primary[1].place =
        from_first(c) >= enough ? first + 2.0 * (c - first) : first + length * most_extended(body, nullptr);
  const Vec3 edge = out.primary[1].place - first;
  const auto height = [&](const Vec3& s) { return norm(from_line(s - first, edge)); };
  if (given < 3 && !take_farthest(wanted, enough, height, out.primary[2])) {
    const Vec3 foot = c - from_line(c - first, edge);
    out.primary[2].place = foot + (height(c) >= enough ? 2.0 * (c - foot) : length * most_extended(body, &edge));
  }
  const Vec3 other = out.primary[2].place;
  const Vec3 normal = cross(edge, other - first);
  const auto above = [&](const Vec3& s) { return std::abs(dot(s - first, normal)) / norm(normal); };
  const auto third =
      std::find_if(wanted.begin(), wanted.end(), [&](const Wanted& w) { return above(w.place) >= enough; });
  out.third = third != wanted.end() ? third->place
                                    : (1.0 / 3) * (first + out.primary[1].place + other) +
                                          (std::max(length, norm(edge)) / norm(normal)) * normal;
  out.dependent = std::move(wanted);
  return out;
}

}  // namespace polyform::particles
