// The looks of a body: shapes of a file, for pictures.
#pragma once

#include <string_view>

#include "mechanism.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

inline constexpr std::string_view no_looks = "the looks of a shape are not kept";

/// Adds the shape of this element to the body, or notes for the file that the shape has no extent.
void add_shape(const Shape&, const Element&, Body&);

}  // namespace polyform::importers
