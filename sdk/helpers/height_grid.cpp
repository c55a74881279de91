#include "polyform/helpers/height_grid.hpp"

#include <algorithm>

namespace polyform {

namespace {

/// The cubic of Catmull and Rom through four heights at equal steps: value, slope and bend at the share t between
/// the inner two, per step.
struct Cubic {
  double value, slope, bend;
};
Cubic cubic(double a, double b, double c, double d, double t) noexcept {
  const double c1 = 0.5 * (c - a), c2 = a - 2.5 * b + 2 * c - 0.5 * d, c3 = 0.5 * (d - a) + 1.5 * (b - c);
  return {b + t * (c1 + t * (c2 + t * c3)), c1 + t * (2 * c2 + 3 * t * c3), 2 * c2 + 6 * t * c3};
}

}  // namespace

HeightGrid::Point HeightGrid::at(double px, double py) const noexcept {
  const std::size_t columns = heights.size() / rows;
  const auto place = [](double from_origin, double spacing, std::size_t count, bool& is_inside) {
    const double most = static_cast<double>(count - 1), steps = from_origin / spacing;
    is_inside = steps >= 0 && steps <= most;
    return std::clamp(steps, 0.0, most);
  };
  bool inside_x = false, inside_y = false;
  const double u = place(px - x, spacing_x, rows, inside_x), v = place(py - y, spacing_y, columns, inside_y);
  const std::size_t i = std::min(static_cast<std::size_t>(u), rows - 2),
                    j = std::min(static_cast<std::size_t>(v), columns - 2);
  const double s = u - static_cast<double>(i), t = v - static_cast<double>(j);
  // From one step before the part that x and y are in. Before the first height and after the last one stand those next
  // to them: as in a mirror, so that the surface comes level at its edge and goes on so without a crease.
  const auto mirrored = [](std::size_t from_one_before, std::size_t count) {
    if (from_one_before == 0) return std::size_t{1};
    return from_one_before > count ? count - 2 : from_one_before - 1;
  };
  const auto height = [&](std::size_t row, std::size_t column) {
    return heights[mirrored(i + row, rows) * columns + mirrored(j + column, columns)];
  };
  double value[4], slope[4], bend[4];
  for (std::size_t r = 0; r < 4; ++r) {
    const Cubic along = cubic(height(r, 0), height(r, 1), height(r, 2), height(r, 3), t);
    value[r] = along.value;
    slope[r] = along.slope;
    bend[r] = along.bend;
  }
  const Cubic across = cubic(value[0], value[1], value[2], value[3], s);
  const Cubic slopes = cubic(slope[0], slope[1], slope[2], slope[3], s);
  Point p;
  p.height = across.value;
  if (inside_x) {
    p.slope_x = across.slope / spacing_x;
    p.bend_xx = across.bend / (spacing_x * spacing_x);
  }
  if (inside_y) {
    p.slope_y = slopes.value / spacing_y;
    p.bend_yy = cubic(bend[0], bend[1], bend[2], bend[3], s).value / (spacing_y * spacing_y);
  }
  if (inside_x && inside_y) p.bend_xy = slopes.slope / (spacing_x * spacing_y);
  return p;
}

}  // namespace polyform
