#include "state_vector.hpp"

#include <vector>

namespace polyform::riccati::paper {
namespace {

/// Places of the plane's quantities in a spatial state of `size` elements.
std::vector<Index> planar_places(Index size) {
  std::vector<Index> places{0, 1, 5, 8, 9, 10};
  for (Index first = 12; first + 1 < size; first += 6) places.insert(places.end(), {first + 2, first + 3, first + 4});
  places.push_back(size - 1);
  return places;
}

}  // namespace

Matrix lever(const Layout& layout, const Vec3& r) {
  if (layout.angular == 3) return -to_eigen(skew(r));
  return Eigen::Vector2d(-r.y, r.x);
}

Vector translation(const Layout& layout, const Vec3& a) { return to_eigen(a).head(layout.linear); }

Matrix reduce_to_plane(const Matrix& U) { return U(planar_places(U.rows()), planar_places(U.cols())); }

}  // namespace polyform::riccati::paper
