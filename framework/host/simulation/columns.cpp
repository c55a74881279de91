#include "framework/host/simulation/columns.hpp"

#include "framework/matching.hpp"

namespace polyform::host::inline simulation {

bool matches(std::string_view pattern, std::string_view name) { return fits_pattern(pattern, name); }

}  // namespace polyform::host::simulation
