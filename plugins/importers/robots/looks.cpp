#include "looks.hpp"

namespace polyform::importers {
namespace {

bool has_extent(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::box:
      return shape.size.x > 0 && shape.size.y > 0 && shape.size.z > 0;
    case Shape::Kind::cylinder:
      return shape.radius > 0 && shape.length > 0;
    case Shape::Kind::sphere:
      return shape.radius > 0;
    case Shape::Kind::mesh:
      return shape.size.x * shape.size.y * shape.size.z != 0;
  }
  return false;
}

}  // namespace

void add_shape(const Shape& shape, const Element& element, Body& body) {
  if (has_extent(shape))
    body.shapes.push_back(shape);
  else
    element.mark(Treatment::not_honoured, "a shape without extent");
}

}  // namespace polyform::importers
