#include "flat_ends.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::contact {

FlatEnds::FlatEnds(const PlacedShape& a, const PlacedShape& b) noexcept {
  const Vec3 line = a.position - b.position;
  const Rim low = rim_of(b, dot(axis_of(b.R), line) > 0 ? 1 : 0), high = rim_of(a, dot(axis_of(a.R), line) > 0 ? 0 : 1);
  const Vec3 n = low.axis, m = -high.axis;  // both from b to a
  const Vec3 tilt = cross(n, m);
  if (!(dot(n, m) > 0) || !(dot(tilt, tilt) < into_face * into_face)) return;
  const Vec3 from = high.center - low.center, offset = from - dot(from, n) * n;
  const double apart = norm(offset), ra = high.radius, rb = low.radius;
  if (!(apart < ra + rb)) return;
  exist_ = true;
  size_ = std::min(ra, rb);
  // The line between centres that are nearer has no direction.
  const Vec3 ahead = apart > beside * size_ ? direction_across(from, n).value_or(b.R.column(0)) : b.R.column(0),
             aside = cross(n, ahead);
  const auto of_high = [&](const Vec3& direction) {
    const Vec3 p = high.center + ra * *direction_across(direction, m);
    const double gap = dot(n, p - low.center);
    return ContactPoint{gap, n, p - (0.5 * gap) * n, false};
  };
  const auto of_low = [&](const Vec3& from_center) {
    const Vec3 p = low.center + from_center;
    const double gap = dot(m, high.center - p);
    return ContactPoint{gap, m, p + (0.5 * gap) * m, false};
  };
  points_[0] = apart + ra < rb ? of_high(ahead) : of_low(rb * ahead);
  points_[1] = apart - ra > -rb ? of_high(-ahead) : of_low(-rb * ahead);
  const double square = apart * apart;
  const auto at_side = [&](const Vec3& side) {
    if (square + ra * ra <= rb * rb) return of_high(side);
    if (square + rb * rb <= ra * ra) return of_low(rb * side);
    const double along = 0.5 * (square + rb * rb - ra * ra) / apart;
    return of_low(along * ahead + std::sqrt(std::max(0.0, rb * rb - along * along)) * side);
  };
  points_[2] = at_side(aside);
  points_[3] = at_side(-aside);
  constexpr double share = 3.0 / flat_end_points;
  for (ContactPoint& point : points_) {
    point.share = share;
    middle_ += (1.0 / flat_end_points) * point.position;
    gap_ += (1.0 / flat_end_points) * point.gap;
  }
}

void FlatEnds::take_from(ContactPoint& lowest) const noexcept {
  // What is lowest by rounding alone does not touch.
  constexpr double chance = 1e-9;
  if (lowest.gap < 0) {
    const double r = std::clamp(gap_ / lowest.gap, 0.0, 1.0), rest = 1 - r * r;
    lowest.own = rest * (1 + 3 * r * r);
    lowest.others = -4 * r * rest;
    lowest.middle = middle_;
    lowest.gap *= rest * rest;
  }
  lowest.gap += chance * size_;
}

}  // namespace polyform::contact
