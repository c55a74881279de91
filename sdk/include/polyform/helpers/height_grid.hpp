// A smooth surface through heights on a grid.
#pragma once

#include <cstddef>
#include <span>

namespace polyform {

/// z(x, y) through heights at equal distances: cubics of Catmull and Rom both ways, so that the slope is continuous.
/// Beyond its edge the height of the edge is held; in the last step before, the surface comes level, so that there is
/// no crease. It refers to the heights and does not keep them.
struct HeightGrid {
  std::span<const double> heights;  ///< rows one after the other; rows along x, each along y; two both ways at least
  std::size_t rows = 0;
  double x = 0, y = 0;                  ///< of the first height, m
  double spacing_x = 1, spacing_y = 1;  ///< m

  struct Point {
    double height = 0, slope_x = 0, slope_y = 0;
    double bend_xx = 0, bend_xy = 0, bend_yy = 0;  ///< second derivatives, 1/m
  };
  Point at(double x, double y) const noexcept;
};

}  // namespace polyform
