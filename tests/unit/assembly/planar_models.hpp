// Pins and rods in a plane, as lines of a model.
#pragma once

#include <fmt/format.h>

#include <string>

namespace polyform::test {

inline std::string pin(const char* name, const char* base, const char* moving, double x, double y,
                       const std::string& more = "") {
  return fmt::format(
      "  - {{name: {}, type: revolute, base: {}, moving: {}, position: [{}, {}, 0], axis: [0, 0, 1]{}}}\n", name, base,
      moving, x, y, more);
}
inline std::string rod(const char* name, double x, double y, double mass = 1.5, const std::string& more = "") {
  return fmt::format("  - {{name: {}, position: [{}, {}, 0], mass: {}, inertia: {{xx: {}, yy: {}, zz: {}}}{}}}\n", name,
                     x, y, mass, mass / 75, mass / 50, 2 * mass / 75, more);
}

}  // namespace polyform::test
