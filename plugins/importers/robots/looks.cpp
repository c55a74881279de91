#include "looks.hpp"

#include <algorithm>

namespace polyform::importers {

bool has_extent(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::box:
    case Shape::Kind::ellipsoid: return shape.size.x > 0 && shape.size.y > 0 && shape.size.z > 0;
    case Shape::Kind::cylinder:
    case Shape::Kind::capsule: return shape.radius > 0 && shape.length > 0;
    case Shape::Kind::sphere: return shape.radius > 0;
    case Shape::Kind::mesh: return shape.size.x * shape.size.y * shape.size.z != 0;
    case Shape::Kind::plane: return true;
  }
  return false;
}

void add_shape(const Shape& shape, const Element& element, std::vector<Shape>& shapes) {
  if (has_extent(shape))
    shapes.push_back(shape);
  else
    element.mark(Treatment::not_honoured, "a shape without extent");
}

void add_touching(const Shape& shape, const Element& element, std::vector<Shape>& shapes) {
  const auto same = [](const Vec3& a, const Vec3& b) { return norm(a - b) == 0; };
  for (Shape& drawn : shapes)
    if (drawn.visual && drawn.kind == shape.kind && drawn.kind != Shape::Kind::mesh && drawn.radius == shape.radius &&
        drawn.length == shape.length && same(drawn.size, shape.size) && same(drawn.frame.origin, shape.frame.origin) &&
        std::ranges::equal(drawn.frame.axes.m, shape.frame.axes.m)) {
      drawn.visual = false;
      return;
    }
  add_shape(shape, element, shapes);
}

}  // namespace polyform::importers
