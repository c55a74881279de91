// Joints whose particles stand on ground, and joints beside them that ask for what those grant already.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/elements/random.hpp"
#include "tests/particles/solving.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string text(const Vec3& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

/// A door on a pin, and on a second joint of any kind that is coaxial with the pin or parallel to it. hung: on a frame
/// that is pinned to ground itself, else on ground.
std::string door(Random& random, const char* first, const char* second, bool coaxial, bool hung) {
  const Vec3 axis = random.direction(), across = (1 / norm(cross(axis, Vec3{1, 2, 3}))) * cross(axis, Vec3{1, 2, 3});
  const Vec3 pin = random.vector(1), other = pin + 1.1 * axis + (coaxial ? 0.0 : 0.7) * across;
  const Vec3 place = random.vector(1);
  const std::string axes = fmt::format("axis: {}, axis2: {}", text(axis), text(across));
  const auto joint = [&](const char* name, const char* kind, const char* base, const Vec3& at, const char* more) {
    const bool two = std::string(kind) == "universal", none = std::string(kind) == "spherical";
    return fmt::format("  - {{name: {}, type: {}, base: {}, moving: door, position: {}{}{}}}\n", name, kind, base,
                       text(at), none ? "" : two ? ", " + axes : fmt::format(", axis: {}", text(axis)), more);
  };
  std::string model = fmt::format(
      "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n  - {{name: door, position: {}, mass: 1, inertia: {{xx: 0.1, yy: "
      "0.12, zz: 0.15}}}}\n  - {{name: frame, position: {}, mass: 2, inertia: {{xx: 0.3, yy: 0.25, zz: 0.2}}}}\njoints:\n",
      text(place), text(pin - across));
  model += fmt::format("  - {{name: root, type: revolute, base: ground, moving: frame, position: {}, axis: {}}}\n",
                       text(pin - 2 * across), text(random.direction()));
  const char* base = hung ? "frame" : "ground";
  return model + joint("pin", first, base, pin, "") + joint("second", second, base, other, ", cut: true");
}

}  // namespace

TEST_CASE("the sparse system moves what is pinned to ground, in any direction and with a second joint in line") {
  Random random(7);
  for (const char* first : {"revolute", "spherical", "cylindrical", "planar", "universal"})
    for (const char* second : {"revolute", "spherical", "cylindrical", "planar", "universal"})
      for (int k = 0; k < 8; ++k) {
        const std::string model = door(random, first, second, k % 2 == 0, k % 4 > 1);
        INFO(model);
        const auto system = system_from_text(model);
        const auto recursive = solver_with(*system, {}), sparse = solver_with(*system, {{"equations", "sparse"}});
        const std::vector<double> y = initial_vector(*system, *recursive);
        std::vector<double> a(y.size()), b(y.size());
        REQUIRE(recursive->derivative(0, y, a) == Status::ok);
        REQUIRE(sparse->derivative(0, y, b) == Status::ok);
        CHECK(largest_difference(a, b) < 1e-9);
      }
}
