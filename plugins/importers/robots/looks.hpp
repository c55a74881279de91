// The looks of a body: shapes of a file, for pictures.
#pragma once

#include <string_view>

#include "mechanism.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

inline constexpr std::string_view no_looks = "the looks of a shape are not kept";

/// The body gets the shape of this element, or the file is told that the shape has no extent.
void add_shape(const Shape&, const Element&, Body&);

}  // namespace polyform::importers
