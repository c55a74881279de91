// The looks of a body: shapes of a file, for pictures.
#pragma once

#include <string_view>

#include "mechanism.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

inline constexpr std::string_view no_looks = "the looks of a shape are not kept";
/// What is told of the place of a shape that the model does not have.
inline constexpr std::string_view no_shape_there = "its shape is not in the model";

/// Whether a shape has a volume, or is a plane or a mesh.
bool has_extent(const Shape&);
/// Adds the shape of this element, or notes for the file that the shape has no extent.
void add_shape(const Shape&, const Element&, std::vector<Shape>&);

/// Adds a shape that touches; where the same is drawn alone, that one touches from now on.
void add_touching(const Shape&, const Element&, std::vector<Shape>&);

}  // namespace polyform::importers
