#include "framework/host/columns/columns.hpp"

#include "framework/matching.hpp"

namespace polyform::host::inline columns {

bool matches(std::string_view pattern, std::string_view name) { return fits_pattern(pattern, name); }

}  // namespace polyform::host::columns
